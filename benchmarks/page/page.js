"use strict";

/* Tables sort by the column whose button is pressed; the same button again turns the order around. Cells without a value
   stay at the end. */
function sortBy(table, head) {
  const heads = [...head.parentElement.cells];
  const column = heads.indexOf(head);
  const words = head.classList.contains("words");
  const [first, second] = words ? ["ascending", "descending"] : ["descending", "ascending"];
  const order = head.getAttribute("aria-sort") === first ? second : first;
  const sign = order === "ascending" ? 1 : -1;
  const compare = (a, b) => {
    const [x, y] = [a, b].map((row) => row.cells[column].dataset.value ?? "");
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (words ? x.localeCompare(y) : Number(x) - Number(y));
  };
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  document.getElementById("said").textContent = `Sorted by ${head.textContent.trim()}, ${order}.`;
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = head.querySelector("button");
    if (button) button.addEventListener("click", () => sortBy(table, head));
  }
}

/* The system's theme, until the button chooses the other one. Storage may be forbidden for local files. */
const root = document.documentElement;
const toggle = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
const other = () => (theme() === "dark" ? "light" : "dark");
const name = () => { toggle.textContent = `${other() === "dark" ? "Dark" : "Light"} theme`; };
try {
  const kept = localStorage.getItem("heist_envs-theme");
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
} catch { /* it is not kept, then */ }
toggle.addEventListener("click", () => {
  root.dataset.theme = other();
  try { localStorage.setItem("heist_envs-theme", root.dataset.theme); } catch { /* not kept */ }
  name();
});
dark.addEventListener("change", name);
toggle.hidden = false;
name();

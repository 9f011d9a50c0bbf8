"""The two pages: what they say, that strangers' names stay text, and how the HTML one works in a real browser."""

import csv
import re

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from benchmarks import exploit, pages
from benchmarks.ratings import ALL
from benchmarks.rows import RESULTS, append_line, append_row, ids, row_file
from heist_envs.engine.errors import HeistError

from .browser import chromium, low_contrast, open_page
from .synthetic import digest, duel, tournament
from .test_ratings import bank_and_robbers

EVIL = (
    'submission:<img src=x onerror="window.bad=1">|`*_[a](javascript:alert(1))</script><script>window.bad=1</script>\'&amp;'
)
LONG = "submission:" + "a_very_long_name_" * 12
STRENGTHS = {"greedy": 4, "baseline": 9, "random_legal": 1, "run:runs/maskable_ppo/banquefall_3": 6}


def bound(game, agent, roles=(), version=0, number=1):
    """A lower bound that nobody has measured."""
    keys = [*roles, ALL]
    each = [[0.25, 0.23, 0.27], [0.24, 0.2, 0.26], [0.2, 0.18, 0.22]]
    return exploit.Bound(
        id=f"{game}-{number:012x}", what=exploit.LOWER_BOUND, game=game, version=version, options={"num_players": 4},
        agent={"name": agent, "digest": digest(agent)}, seeds=[0, 1, 2], n_timesteps=2_000_000, decisions=[2_000_896] * 3,
        plays=["deterministic"] * 3, games=4000, eval_seed=3, reference=dict.fromkeys(keys, 0.25),
        shares=dict.fromkeys(keys, each), gains=dict.fromkeys(keys, each), gain=dict.fromkeys(keys, [0.23, 0.19, 0.27]),
        settings={}, command="exploit.py", commit=None, machine={"python": "3.11.7"}, seconds=1.0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with both pages and everything they may show: `results` in it, and baselines elsewhere."""
    out = tmp_path_factory.mktemp("site")
    results, baselines = out / "results", tmp_path_factory.mktemp("baselines")
    rows = tournament(STRENGTHS, 30, 4, game="banquefall")
    rows.append(duel("greedy", "baseline", [[1, 0, 0, 0]], 4, game="banquefall", forfeits=[1, 0],
                     forfeit_reasons=["greedy: <b>took</b> too long"]))  # fmt: skip
    rows += tournament({EVIL: 3, LONG: 2, "greedy": 1}, 10, game="silence")
    rows += tournament({"greedy": 3, "thief": 2, "planner": 1}, 10, game="robin_hood", version=0)
    rows += tournament({"greedy": 3, "thief": 2, "planner": 1}, 10, game="robin_hood", version=1)
    rows += [bank_and_robbers([1, 1, 0, 1], [0, 1, 0, 0], seed=8), bank_and_robbers([0, 1], [1, 0], "ben", "ada")]
    for row in rows:
        append_row(row_file(results, row.game), row)
    append_line(exploit.bound_file(results), bound("banquefall", "greedy"))
    append_line(exploit.bound_file(results), bound("rob_a_bank", "ada", ("bank", "robber"), number=2))
    (baselines / "banquefall").mkdir()
    with (baselines / "banquefall" / "progress.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["total_timesteps", "greedy", "latest", "pool"], [0, 0.1, "", ""],
                                    [10**6, 0.3, "", 0.25], [2 * 10**7, 0.6, "", 0.3]])  # fmt: skip
    written = pages.write(results, out, baselines)
    assert written == [out / "LEADERBOARD.md", out / "leaderboard.html"]
    return out, baselines


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


@pytest.fixture
def page(site, browser):
    """The browser with the HTML page open, all of it unfolded."""
    open_page(browser, site[0] / "leaderboard.html")
    unfold(browser)
    return browser


def unfold(browser):
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")


def test_the_same_rows_give_the_same_bytes(site, tmp_path, monkeypatch):
    out, baselines = site
    before = [(out / name).read_bytes() for name in ("LEADERBOARD.md", "leaderboard.html")]
    monkeypatch.chdir(tmp_path)
    assert [path.read_bytes() for path in pages.write(out / "results", out, baselines)] == before
    assert str(out).encode() not in b"".join(before)


def test_pages_of_other_results_lie_beside_them(tmp_path):
    append_row(row_file(tmp_path, "toy_game"), duel("greedy", "random_legal", [[1, 1]]))
    assert pages.write(tmp_path) == [tmp_path / "LEADERBOARD.md", tmp_path / "leaderboard.html"]
    (row,) = [row for row in (tmp_path / "toy_game.jsonl").read_text().splitlines()]
    assert re.search(r'href="\./replays/toy_game/toy_game-\w+\.jsonl\.gz"', (tmp_path / "leaderboard.html").read_text())


def test_no_rows_make_pages_that_say_so(tmp_path):
    for path in pages.write(tmp_path):
        assert "No games have been recorded yet" in path.read_text()


def test_the_shipped_pages_have_all_rows():
    """What benchmarks/leaderboard.py --pages-only does when rows were added by other means."""
    page = (RESULTS.parent / "leaderboard.html").read_text(encoding="utf-8")
    known = [identity for file in RESULTS.glob("*.jsonl") if file.name != exploit.FILE for identity in ids(file)]
    assert [identity for identity in known if identity not in page] == []
    bounds = exploit.read_bounds(exploit.bound_file(RESULTS))
    assert [one.id for one in bounds if pages.signed(one.gain[ALL][0]) not in page] == []
    assert (RESULTS.parent / "LEADERBOARD.md").is_file()


def test_the_markdown_page_has_a_table_per_game_and_role(site):
    text = (site[0] / "LEADERBOARD.md").read_text()
    assert re.findall(r"^## (.*)$", text, re.M) == [
        "Banküberfall", "How to Rob a Bank", "Robin Hood", "Silence! On vole...", "How to read this",
    ]  # fmt: skip
    assert re.findall(r"^#### (.*)$", text, re.M) == ["As bank", "As robber"]
    line = next(line for line in text.splitlines() if line.startswith("| `baseline` |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1] == "baseline" and 0.25 < float(cells[2]) < 1
    low, _, high = cells[3].partition(" to ")
    assert float(low) < float(cells[2]) < float(high)
    assert "### How exploitable: lower bounds" in text
    assert "| `greedy` | `–` | +0.230 | +0.190 to +0.270 |" in text


def test_older_versions_are_kept_apart_and_named(site):
    text = (site[0] / "LEADERBOARD.md").read_text()
    section = text.partition("## Robin Hood")[2].partition("\n## ")[0]
    current, folded, older = section.partition("<summary>Older versions of the game, not to be compared")
    assert folded
    assert "(version 1)" in current and "(version 0)" not in current
    assert "(version 0)" in older and "(version 1)" not in older


def test_names_of_strangers_are_text_in_markdown(site):
    text = (site[0] / "LEADERBOARD.md").read_text()
    assert "<img" not in text and "<script" not in text and "](javascript" not in text
    line = next(line for line in text.splitlines() if line.startswith("| <code>submission&#58;&#60;img src&#61;x "))
    assert (
        line.count("|") == len(["Agent", "Kind", "Win share", "95 %", "Score", "openskill", "mass", "Games", "Forfeits"]) + 1
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("greedy", "`greedy`"),
        ("run:runs/a_b-1.2", "`run:runs/a_b-1.2`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("`a`", "<code>&#96;a&#96;</code>"),
        ("@who #1", "<code>&#64;who &#35;1</code>"),
        ("<b>", "<code>&#60;b&#62;</code>"),
    ],
)
def test_markdown_of_a_name(name, shown):
    assert pages.md(name) == shown


@pytest.mark.parametrize(
    "content",
    [
        "", "\0", "\ud800", "decisions,greedy\n", "decisions\n1\n", "decisions,greedy\n1,2,3\n", "decisions,greedy\nx,0.5\n",
        "decisions,greedy\n1,1.5\n", "decisions,greedy\n1,nan\n", "decisions,greedy\n,0.5\n", "decisions,greedy\ninf,0.5\n",
        'decisions,greedy\n"1,0.5\n',
    ],
)  # fmt: skip
def test_a_damaged_learning_curve_is_refused_with_a_sentence(content, tmp_path):
    path = tmp_path / "progress.csv"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(HeistError, match="is no learning curve"):
        pages.learning_curve(path)


def test_a_damaged_row_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "banquefall.jsonl").write_text('{"format": 1}\n')
    with pytest.raises(HeistError, match=r"line 1 of .*banquefall.jsonl"):
        pages.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["banquefall.jsonl"]


def test_the_page_loads_nothing_and_reports_no_error(page):
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.get_log("browser") == []
    assert page.title == "heist_envs leaderboard"
    assert [one.text for one in page.find_elements(By.CSS_SELECTOR, "nav a")] == [
        "Banküberfall", "How to Rob a Bank", "Robin Hood", "Silence! On vole...", "How to read this",
    ]  # fmt: skip


def test_the_policy_forbids_everything_but_the_page_itself(page):
    page.execute_script("""
        const script = document.createElement("script"); script.textContent = "window.bad = 1"; document.body.append(script);
        const image = document.createElement("img"); image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
        document.body.append(image);
    """)
    assert page.execute_script("return window.bad") is None
    messages = [one["message"] for one in page.get_log("browser")]
    assert all("Content Security Policy" in message for message in messages) and len(messages) == 2


def test_names_of_strangers_are_text_in_the_browser(page):
    assert page.execute_script("return window.bad") is None
    assert page.find_elements(By.CSS_SELECTOR, "main img, main script, main b") == []
    names = [one.text for one in page.find_elements(By.CSS_SELECTOR, "tbody th code")]
    assert EVIL in names and LONG in names
    assert "greedy: <b>took</b> too long" in page.find_element(By.TAG_NAME, "main").text


def column(table, number):
    """The texts of a column of a table."""
    return [row.find_elements(By.XPATH, "./*")[number].text for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]


def test_tables_sort_by_mouse_and_keyboard(page):
    table = page.find_element(By.CSS_SELECTOR, "table.sortable")
    heads = table.find_elements(By.CSS_SELECTOR, "thead th")
    shares = [float(text) for text in column(table, 1)]
    assert shares == sorted(shares, reverse=True)
    assert heads[1].get_attribute("aria-sort") == "descending"
    heads[1].find_element(By.TAG_NAME, "button").click()
    assert [float(text) for text in column(table, 1)] == sorted(shares)
    assert heads[1].get_attribute("aria-sort") == "ascending"
    heads[0].find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    names = [text.split()[0] for text in column(table, 0)]
    assert names == sorted(names) and "baseline" in names
    assert heads[0].get_attribute("aria-sort") == "ascending" and heads[1].get_attribute("aria-sort") is None
    assert page.find_element(By.ID, "said").get_attribute("textContent") == "Sorted by Agent, ascending."
    heads[0].find_element(By.TAG_NAME, "button").send_keys(Keys.SPACE)
    assert [text.split()[0] for text in column(table, 0)] == sorted(names, reverse=True)


def test_numbers_sort_as_numbers_and_what_is_missing_comes_last(page):
    table = page.find_element(By.CSS_SELECTOR, "section:nth-of-type(2) table.sortable")
    page.execute_script("arguments[0].querySelectorAll('tbody td')[0].dataset.value = ''", table)
    first = column(table, 0)[0]
    for _ in range(2):
        table.find_elements(By.CSS_SELECTOR, "thead button")[1].click()
        assert column(table, 0)[-1] == first
    blocks = page.find_element(By.CSS_SELECTOR, "section:nth-of-type(1) details table.sortable")
    blocks.find_elements(By.CSS_SELECTOR, "thead button")[2].click()
    deals = [int(text.replace(",", "")) for text in column(blocks, 2)]
    assert deals == sorted(deals, reverse=True) and len(set(deals)) == 2


def test_everything_can_be_reached_by_keyboard(page):
    reached = page.execute_script("""
        return [...document.querySelectorAll("a, button, summary, .scroll")].every(
            (one) => { one.focus(); return document.activeElement === one; });
    """)
    assert reached
    ids = page.execute_script("return [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    for region in page.find_elements(By.CSS_SELECTOR, "[role=region]"):
        assert region.get_attribute("aria-label")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_are_readable(page, site, scheme):
    open_page(page, site[0] / "leaderboard.html", scheme)
    unfold(page)
    texts, unreadable = low_contrast(page, "body *:not(script, .hidden)", 4.5)
    assert unreadable == [] and texts > 500
    shapes, invisible = low_contrast(page, ".curve path[class^=s], .legend path, .interval :not(.axis)", 3, "stroke")
    assert invisible == [] and shapes > 30


def test_the_system_chooses_the_theme_until_the_button_does(page, site):
    shades = {}
    for scheme in ("light", "dark"):
        open_page(page, site[0] / "leaderboard.html", scheme)
        shades[scheme] = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert shades["light"] != shades["dark"]
    button = page.find_element(By.ID, "theme")
    assert button.text == "Light theme"
    button.click()
    assert page.execute_script("return getComputedStyle(document.body).backgroundColor") == shades["light"]
    assert button.text == "Dark theme"
    button.click()
    assert page.execute_script("return getComputedStyle(document.body).backgroundColor") == shades["dark"]
    page.execute_script("localStorage.clear()")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_never_wider_than_the_window(page, site, width):
    open_page(page, site[0] / "leaderboard.html", width=width)
    unfold(page)
    assert page.execute_script("return document.documentElement.scrollWidth") == width


def test_matrices_are_heat_maps_with_numbers(page):
    cells = page.find_elements(By.CSS_SELECTOR, "section:nth-of-type(1) .matrix td")
    assert len(cells) == len(STRENGTHS) ** 2
    filled = [cell for cell in cells if cell.text != "–"]
    assert len(filled) == len(STRENGTHS) * (len(STRENGTHS) - 1)
    assert all(re.fullmatch(r"[01]\.\d{3}\n±0\.\d{3}", cell.text) for cell in filled)
    most, least = (choose(filled, key=lambda cell: float(cell.text[:5])) for choose in (max, min))
    assert most.get_attribute("class") in ("h1", "h2", "h3", "h4") and least.get_attribute("class").startswith("h-")
    assert most.value_of_css_property("background-color") != least.value_of_css_property("background-color")


def test_games_of_two_roles_have_their_tables(page):
    section = page.find_element(By.CSS_SELECTOR, "section[aria-labelledby=rob_a_bank]")
    assert [one.text for one in section.find_elements(By.TAG_NAME, "h4")] == ["As bank", "As robber"]
    assert len(section.find_elements(By.CSS_SELECTOR, ".matrix")) == 3


def test_replays_are_linked(page, site):
    links = [one.get_attribute("href") for one in page.find_elements(By.CSS_SELECTOR, "section:nth-of-type(1) details a")]
    rows = (site[0] / "results" / "banquefall.jsonl").read_text().splitlines()
    assert len(links) == len(rows)
    folder = (site[0] / "results" / "replays" / "banquefall").as_uri()
    assert all(re.fullmatch(re.escape(folder) + r"/banquefall-[0-9a-f]{12}\.jsonl\.gz", link) for link in links)


def test_intervals_are_drawn_to_scale(page):
    row = page.find_element(By.CSS_SELECTOR, "tbody tr")
    mean = float(row.find_elements(By.TAG_NAME, "td")[0].text)
    low, _, high = row.find_elements(By.TAG_NAME, "td")[1].text.partition(" to ")
    axis, bounds, parity, drawn = (part.rect for part in row.find_elements(By.CSS_SELECTOR, ".interval path"))
    across = lambda share: axis["x"] + share * axis["width"]  # noqa: E731
    assert drawn["x"] == pytest.approx(across(mean), abs=1)
    assert parity["x"] == pytest.approx(across(0.25), abs=1)
    assert bounds["x"] == pytest.approx(across(float(low)), abs=1)
    assert bounds["x"] + bounds["width"] == pytest.approx(across(float(high)), abs=1)


def test_the_learning_curve_is_drawn(page):
    figure = page.find_element(By.TAG_NAME, "figure")
    assert [one.text for one in figure.find_elements(By.CSS_SELECTOR, ".legend li")] == ["greedy 0.600", "pool 0.300"]
    assert [one.text for one in figure.find_elements(By.CSS_SELECTOR, ".curve text")][-1] == "20 M"
    assert len(figure.find_elements(By.CSS_SELECTOR, ".curve path[class^=s]")) == 2
    drawing, texts = figure.find_element(By.TAG_NAME, "svg").rect, figure.find_elements(By.CSS_SELECTOR, ".curve text")
    for box in (text.rect for text in texts):
        assert drawing["x"] <= box["x"] and box["x"] + box["width"] <= drawing["x"] + drawing["width"]
        assert drawing["y"] <= box["y"] and box["y"] + box["height"] <= drawing["y"] + drawing["height"]


def test_bounds_are_called_lower_bounds(page):
    section = page.find_element(By.CSS_SELECTOR, "section[aria-labelledby=rob_a_bank]")
    table = section.find_element(By.CSS_SELECTOR, "[aria-label='Lower bounds on exploitability'] table")
    assert column(table, 1) == ["all", "bank", "robber"]
    assert set(column(table, 2)) == {"+0.230"}
    heads = [one.text for one in page.find_elements(By.TAG_NAME, "h3") if "xploit" in one.text]
    assert heads == ["How exploitable: lower bounds"] * 2


def test_older_versions_are_folded(page, site):
    open_page(page, site[0] / "leaderboard.html")
    older = page.find_element(By.CSS_SELECTOR, "details.older")
    assert older.find_element(By.TAG_NAME, "summary").text.startswith("Older versions of the game, not to be compared")
    assert not older.find_element(By.TAG_NAME, "h3").is_displayed()
    older.find_element(By.TAG_NAME, "summary").click()
    assert older.find_element(By.TAG_NAME, "h3").text == "3 players (version 0)"

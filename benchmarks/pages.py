"""The leaderboard as two pages, made of rows alone: LEADERBOARD.md for the repository, leaderboard.html for a browser.

`write(results)` writes both. The same rows give the same bytes. Names come from strangers: both pages show them as text and
as nothing else, and the HTML page may load nothing (its content security policy says so), so it works without a network.
"""

import base64
import csv
import hashlib
import json
import math
import os
import re
from collections import Counter
from pathlib import Path

from benchmarks import exploit
from benchmarks.ratings import ALL, boards, installed_version
from benchmarks.rows import RESULTS, read_rows
from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import about
from heist_envs.policies.agents import BASELINE, BASELINES
from training.run_folder import write_text

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup
except ModuleNotFoundError as error:
    raise HeistError(f"the pages need {error.name}; pip install 'heist_envs[leaderboard]'.") from None

TEMPLATES = Path(__file__).resolve().parent / "page"
MARKDOWN, HTML = "LEADERBOARD.md", "leaderboard.html"
KINDS = {"run": "run", "submission": "submission"}
HEATS = 4  # steps of colour from parity to 0 and to 1
CURVE, MOST_CURVE = "progress.csv", 2**20
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 260, 40, 472, 10, 226  # of a learning curve, in units of its drawing
COLOURS, DASHES = 6, 3
NOTHING = "–"
PLAIN = re.compile(r"[A-Za-z0-9_.,:/() –-]+")

READING = (
    (
        "Win share",
        "what an agent wins at one side against copies of one other agent at all other sides, each deal played from every "
        "side; the mean over all opponents. A win that several seats share counts its part. A dashed line marks what equal "
        "agents win. Intervals are 95 % bootstraps over deals; one without width means that all deals ended alike.",
    ),
    ("Score", "the mean of the game's own score in those games."),
    (
        "openskill",
        "Plackett-Luce ratings (Joshy 2024) from tables of different agents, refitted on resampled games in random order: "
        "mean and standard deviation over the refits. A newcomer has 25. One number cannot tell who beats whom; the "
        "matrix can.",
    ),
    (
        "α-rank mass",
        "the share of time that a population, invaded by mutants again and again, consists of this agent (Omidshafiei et "
        "al. 2019), from the matrix, averaged over its resampled forms. Agents that beat each other in a circle share the "
        "mass; one that some other always replaces has none.",
    ),
    (
        "Lower bound on exploitability",
        "what best responses, trained against the frozen agent with the stated number of decisions, win beyond what the "
        "agent itself wins in their place. Nobody knows how much more a better training would find.",
    ),
    ("Forfeits", "games that ended because the agent crashed, took too long or chose an illegal action: it lost them."),
)


def write(results=RESULTS, out=None, baselines=BASELINES):
    """Write both pages from a folder of results into the folder `out` (default: `benchmarks` for its own results, else
    `results` itself). Returns their paths. Raises `HeistError` for rows, bounds and curves that cannot be read."""
    results = Path(results)
    out = Path(out) if out else (RESULTS.parent if results.resolve() == RESULTS else results)
    page = describe(results, out, Path(baselines))
    written = {out / MARKDOWN: as_markdown(page), out / HTML: as_html(page)}
    out.mkdir(parents=True, exist_ok=True)
    for path, content in written.items():
        write_text(path, content)
    return list(written)


def describe(results, out, baselines):
    """All that the pages say, ready to be laid out: {games, machines, reading}."""
    rows = [row for path in sorted(results.glob("*.jsonl")) if path.name != exploit.FILE for row in read_rows(path)]
    bounds = exploit.read_bounds(exploit.bound_file(results))
    links = Path(os.path.relpath(results.resolve(), out.resolve())).as_posix()
    found = boards(rows)
    names = sorted({board.game for board in found} | {bound.game for bound in bounds})
    games = [describe_game(name, found, bounds, links, baselines) for name in names]
    return {"games": games, "machines": machines([*rows, *bounds]), "reading": READING}


def describe_game(name, found, bounds, links, baselines):
    """The section of one game (a name)."""
    try:
        title, summary = about(name).title, about(name).summary
    except HeistError:
        title, summary = name, ""
    mine = [board for board in found if board.game == name]
    shown = [describe_board(board, mine, links) for board in mine]
    of_bounds = [bound for bound in bounds if bound.game == name]
    latest = max([installed_version(name), *(one.version for one in (*mine, *of_bounds))])
    lines = [(bound.version == latest, line) for bound in of_bounds for line in describe_bound(bound)]
    return {
        "name": name,
        "title": title,
        "summary": summary,
        "boards": [board for board in shown if board["current"]],
        "older": [board for board in shown if not board["current"]],
        "bounds": [line for current, line in lines if current],
        "older_bounds": [line for current, line in lines if not current],
        "curve": learning_curve(baselines / name / CURVE),
    }


def describe_board(board, siblings, links):
    """A `Board` as the pages show it."""
    others = [other.options for other in siblings if other.version == board.version]
    differing = [name for name in board.options if len({json.dumps(other.get(name)) for other in others}) > 1]
    special = ", ".join(f"{name} {board.options[name]}" for name in differing if name != "num_players")
    heading = f"{board.players} players" + (f", {special}" if special else "") + f" (version {board.version})"
    return {
        "anchor": re.sub(r"[^a-z0-9]+", "-", f"{board.game} {heading}".lower()).strip("-"),
        "heading": heading,
        "current": board.current,
        "parity": board.parity,
        "options": sorted(board.options.items()),
        "tables": [describe_table(board, role) for role in (ALL, *board.roles)],
        "blocks": [describe_block(row, board, links) for row in (*board.rows, *board.superseded)],
        "superseded": len(board.superseded),
        "reasons": list(dict.fromkeys(reason for row in board.rows for reason in row.forfeit_reasons)),
    }


def describe_table(board, role):
    """Standings and matrix of a `Board` in one role."""
    standings, cells = board.standings[role], board.matrix[role]
    names = [one.name for one in standings]
    mean = "mean of all roles" if board.roles else f"equal agents win {share(board.parity)}"
    what = f"Standings as {role}" if role else "Standings"
    lines = [(one, [_cell(cells.get((one, other)), other, board.parity) for other in names]) for one in names]
    return {
        "role": role,
        "label": f"{what}, {board.game}, {board.players} players",
        "matrix_label": "Cross-play" + (f" as {role}" if role else ""),
        "note": f"Win share against copies of each other agent; {'one role' if role else mean}.",
        "masses": any(one.mass for one in standings),
        "standings": [{**vars(one), "kind": kind_of(one.name)} for one in standings],
        "names": names,
        "matrix": lines if cells else [],
    }


def _cell(interval, opponent, parity):
    if interval is None:
        return None
    above = interval.mean >= parity
    part = (interval.mean - parity) / ((1 - parity) if above else parity)
    half = (interval.high - interval.low) / 2
    return {**interval._asdict(), "half": half, "opponent": opponent, "heat": round(HEATS * part)}


def describe_block(row, board, links):
    """A `Row` in the list of all blocks."""
    return {
        "id": row.id,
        "kind": row.kind,
        "names": [agent["name"] for agent in row.agents],
        "deals": row.deals,
        "games": row.games,
        "win_shares": ", ".join(share(one) for one in row.win_share),
        "forfeits": sum(row.forfeits),
        "commit": (row.commit or NOTHING)[:10],
        "replay": f"{links}/{row.replay}",
        "superseded": row in board.superseded,
    }


def describe_bound(bound):
    """The lines of an `exploit.Bound`: one per role, the mean of all roles first."""
    roles = sorted(bound.gain, key=lambda role: role != ALL)
    for role in roles:
        yield {
            "name": bound.agent["name"],
            "kind": kind_of(bound.agent["name"]),
            "role": role or ("all" if len(roles) > 1 else NOTHING),
            "gain": bound.gain[role],
            "gains": bound.gains[role],
            "reference": bound.reference[role],
            "decisions": max(bound.decisions),
            "games": bound.games,
            "players": bound.options.get("num_players"),
        }


def kind_of(name):
    """What kind of agent a name stands for."""
    return "baseline" if name == BASELINE else KINDS.get(name.partition(":")[0], "bot") if ":" in name else "bot"


def machines(made):
    """A line for each machine and commit that rows and bounds were made with, and how many of them."""
    counted = Counter(_machine(one) for one in made)
    return [f"{text}: {count} line{'s' if count > 1 else ''}" for text, count in sorted(counted.items())]


def _machine(one):
    told = [f"{key} {one.machine[key]}" for key in ("platform", "cpu", "cores", "python") if key in one.machine]
    return ", ".join([*told, f"commit {one.commit or NOTHING}"])


def learning_curve(path):
    """The drawing of a progress.csv (decisions, then the win share against each opponent), None if there is no file. Raises
    `HeistError` for a file that is something else."""
    if not path.is_file():
        return None
    xs, series = read_curve(path)
    most = max(xs) or 1.0
    across = lambda x: round(LEFT + (RIGHT - LEFT) * x / most, 1)  # noqa: E731
    up = lambda y: round(BOTTOM - (BOTTOM - TOP) * y, 1)  # noqa: E731
    lines = []
    for number, (name, ys) in enumerate(series.items()):
        points = [f"{across(x)} {up(y)}" for x, y in zip(xs, ys, strict=True) if y is not None]
        if points:
            last = [y for y in ys if y is not None][-1]
            dash = number // COLOURS % DASHES
            lines.append(
                {"name": name, "path": "M" + "L".join(points), "last": last, "colour": number % COLOURS, "dash": dash}
            )
    return {
        "width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT, "lines": lines,
        "across": [(up(y), decimals(y, 2)) for y in (0.0, 0.25, 0.5, 0.75, 1.0)],
        "along": [(across(x), _decisions(x)) for x in _ticks(most)],
    }  # fmt: skip


def _ticks(most):
    """Round numbers from 0 to `most`, at most six of them."""
    size = 10.0 ** math.floor(math.log10(most))
    step = next(part * size for part in (0.2, 0.5, 1, 2) if most <= part * size * (5 + 1e-9))
    return [k * step for k in range(int(most / step + 1e-9) + 1)]


def _decisions(count):
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if count >= size:
            return f"{count / size:.3g}{letter}"
    return f"{count:.0f}"


def read_curve(path):
    """(decisions, {opponent: win shares, None where it was not met}) of a progress.csv."""
    wrong = HeistError(f"{path} is no learning curve: CSV with decisions first, then a win share (0 to 1) per opponent.")
    if path.stat().st_size > MOST_CURVE:
        raise wrong
    try:
        with path.open(encoding="utf-8", newline="") as file:
            heading, *lines = csv.reader(file, strict=True)
        if not lines or len(heading) < 2 or any(len(line) != len(heading) for line in lines):
            raise wrong
        columns = [[float(text) if text else None for text in column] for column in zip(*lines, strict=True)]
    except (ValueError, csv.Error):
        raise wrong from None
    xs, *shares = columns
    if not all(x is not None and 0 <= x < math.inf for x in xs):
        raise wrong
    if not all(y is None or 0 <= y <= 1 for ys in shares for y in ys):
        raise wrong
    return xs, dict(zip(heading[1:], shares, strict=True))


def share(value):
    """A share in three digits."""
    return NOTHING if value is None else f"{value:.3f}"


def signed(value):
    """A gain in three digits, with its sign."""
    return f"{value:+.3f}"


def decimals(value, digits):
    """A number with so many digits after the point."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def thousands(value):
    """A whole number with separators."""
    return f"{value:,}"


def breakable(text):
    """A name as HTML that may be broken behind its separators."""
    return Markup("<wbr>").join(re.split(r"(?<=[/:_.-])", text))


def as_html(page):
    """The HTML page as text."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    filters = {"share": share, "signed": signed, "decimals": decimals, "thousands": thousands, "breakable": breakable}
    environment.filters |= filters
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    hashes = {"style_hash": _csp_hash(style), "script_hash": _csp_hash(script)}
    return environment.get_template("page.html").render(page, style=style, script=script, **hashes).strip() + "\n"


def _csp_hash(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def as_markdown(page):
    """The page of the repository as text."""
    lines = [
        "# Leaderboard",
        "",
        "<!-- written by python benchmarks/leaderboard.py --pages-only -->",
        "",
        "Agents in duplicate matches: every deal is played from every side, so that luck cancels out. Each figure follows",
        "from the rows and replays in [results](results); `python benchmarks/leaderboard.py --verify` plays them again.",
        f"`{HTML}` beside this page has the same with tables that sort, intervals drawn, learning curves and all replays:",
        "open it in a browser. [SUBMITTING.md](SUBMITTING.md) says how an agent gets in.",
        "",
    ]
    if not page["games"]:
        lines += ["No games have been recorded yet: `python benchmarks/leaderboard.py --game banquefall` plays some.", ""]
    for game in page["games"]:
        lines += [f"## {game['title']}", ""]
        lines += [line for board in game["boards"] for line in _board_lines(board)]
        lines += _bound_lines(game["bounds"])
        if game["older"] or game["older_bounds"]:
            older = [line for board in game["older"] for line in _board_lines(board)] + _bound_lines(game["older_bounds"])
            lines += _folded("Older versions of the game, not to be compared with the present one", older)
    lines += ["## How to read this", ""]
    lines += [f"- **{name}**: {meaning}" for name, meaning in page["reading"]]
    return "\n".join(lines).strip() + "\n"


def _folded(summary, lines):
    return ["<details>", f"<summary>{summary}</summary>", "", *lines, "</details>", ""]


def _board_lines(board):
    lines = [f"### {md(board['heading'], code=False)}", ""]
    for table in board["tables"]:
        lines += [f"#### As {md(table['role'], code=False)}", ""] if table["role"] else []
        lines += _standing_lines(table)
        if table["matrix"]:
            lines += _folded(table["matrix_label"] + " with 95 % intervals", _matrix_lines(table))
    return lines


def _standing_lines(table):
    masses = ["α-rank mass"] if table["masses"] else []
    heading = ["Agent", "Kind", "Win share", "95 %", "Score", "openskill", *masses, "Games", "Forfeits"]
    body = []
    for one in table["standings"]:
        won, rating = one["win_share"], one["rating"]
        body.append([
            md(one["name"]), one["kind"], share(won and won.mean),
            f"{share(won.low)} to {share(won.high)}" if won else NOTHING, decimals(one["score"], 2),
            f"{rating.mean:.1f} ±{rating.spread:.1f}" if rating else NOTHING,
            *([share(one["mass"] and one["mass"].mean)] if masses else []),
            thousands(one["games"]), thousands(one["forfeits"]),
        ])  # fmt: skip
    return [*_table(heading, body, words=2), f"{table['note']}", ""]


def _matrix_lines(table):
    body = [
        [md(name), *(f"{share(cell['mean'])} ±{share(cell['half'])}" if cell else NOTHING for cell in cells)]
        for name, cells in table["matrix"]
    ]
    return _table(["Agent", *map(md, table["names"])], body)


def _bound_lines(bounds):
    if not bounds:
        return []
    heading = [
        "Agent",
        "Role",
        "Gain at least",
        "95 %",
        "The agent's own share",
        "Decisions each",
        "Best responses",
        "Players",
    ]
    body = [
        [
            md(one["name"]), md(one["role"]), signed(one["gain"][0]),
            f"{signed(one['gain'][1])} to {signed(one['gain'][2])}", share(one["reference"]), thousands(one["decisions"]),
            str(len(one["gains"])), str(one["players"]),
        ]
        for one in bounds
    ]  # fmt: skip
    return ["### How exploitable: lower bounds", "", *_table(heading, body, words=2)]


def _table(heading, body, words=1):
    """A table whose first columns, so many, are words."""
    rule = ["---" if k < words else "---:" for k in range(len(heading))]
    return [*("| " + " | ".join(cells) + " |" for cells in (heading, rule, *body)), ""]


def md(text, code=True):
    """A text of strangers for Markdown. What is not plain becomes entities, which mean nothing to Markdown."""
    if PLAIN.fullmatch(text):
        return f"`{text}`" if code else text
    safe = "".join(letter if letter.isalnum() or letter == " " else f"&#{ord(letter)};" for letter in text)
    return f"<code>{safe}</code>" if code else safe

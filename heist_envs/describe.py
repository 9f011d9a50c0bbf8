"""Write what can be read off a game's declaration: the README.md of every game, and the table of games in the top one.

`python -m heist_envs.describe` writes, `--check` only says which files are out of date (exit status 1).
"""

import argparse
import inspect
import json
import sys

from .engine.registry import GAMES, about, game_names, load_game
from .policies.agents import BASELINES
from .policies.scripted import bot_names, bot_rule

TOP = GAMES.parents[1] / "README.md"
BEGIN, END = "<!-- games: written by python -m heist_envs.describe -->", "<!-- end of games -->"
LONG_LIST = 6  # words
NOTICE = "<!-- Written by python -m heist_envs.describe from the game's declaration: change that, not this file. -->"
INTRODUCTION = """# {title}

{summary}

| | |
|---|---|
| name | `{name}`, version {version}: `heist/{name}-v{version}` |
| players | {seats}, {default_seats} by default: {agents} |
| a game | at most {longest} decisions by default |
| actions | `Discrete({actions})` |
| observation | {size} numbers, `float32` |
| rules | [RULES.md](RULES.md) |
| game by | {designer} ({publisher}) |

{credits}"""
MAKING = """```python
import heist_envs

env = heist_envs.make_aec("{name}", num_players={default_seats})  # PettingZoo AEC
env = heist_envs.make_parallel("{name}")  # PettingZoo parallel
batch = heist_envs.make_batch("{name}", num_games=1024, seed=0)  # many games in arrays
```

`pettingzoo.make("aec", "heist/{name}-v{version}")` and `from heist_envs import {module}` (with `env`, `raw_env`,
`parallel_env`) make the same environments."""
SPACES = """The spaces are the same for every number of players and every option: the actions do not change, and the
observation has room for the most players; what belongs to absent ones is 0. Each agent observes
`{{"observation": ({size},) float32, "action_mask": ({actions},) int8}}`. An agent that owes no decision has one legal
action, 0: `wait`."""
OBSERVATION = """The vector holds each number divided by its scale; `env.table.game.observation.named(vector)` gives these
slices by name and shape, `decode(vector)` the whole numbers behind them."""
STATE = """Sight says which seats a field is shown to: to all (public), to each its own row (owner), to none (hidden).
Masks, observations and bots are computed from what the deciding seat may see and nothing else."""

BASELINE = """`heist_envs.load_agent("{name}")` is a network trained by league self-play with {players} players at the table,
{timesteps} decisions in {minutes} minutes on one core: `{command}`. Config, versions, learning curve, win table and
weights lie in [heist_envs/baselines/{name}](../../baselines/{name}). It holds one side (one seat, where each plays for
himself) against copies of a bot, {games} games each, every deal once from every side{parity}:"""


def table(head, rows):
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def span(first, count):
    """`count` numbers from `first` on, as text."""
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def words(values):
    """What an argument may be; a run of whole numbers by its ends."""
    is_run = list(values) == [str(i) for i in range(len(values))]
    return f"0 to {len(values) - 1}" if is_run else ", ".join(values)


def options(game):
    """The options of a game."""
    rows = [(f"`{o.name}`", f"`{o.default}`", o.allowed_text(), o.doc) for o in game.options.options]
    return table(("option", "default", "allowed", "meaning"), rows)


def rewards(game):
    """What the option `reward` does."""
    if len(game.about.roles) > 1:
        return (
            "`win` pays every member of the winning side +1 and of the other -1; what else `reward` may be is in RULES.md. "
            "The scores themselves are in `infos[agent]['score']` at the end."
        )
    return (
        "`win` pays each of the w winners +1/w and each of the others -1/(number of others); nobody anything when all win. "
        f"`margin` pays (own score - mean score of the others) / {game.about.score_scale:g}. "
        "Both come at the end of a game; the scores themselves are then in `infos[agent]['score']`."
    )


def actions(game):
    """The verbs of a game, with their ids."""
    rows = []
    for key, verb in game.actions.verbs.items():
        arguments = "; ".join(f"{name}: {words(values)}" for name, values in verb.arguments.items())
        rows.append((f"`{verb.text}`", span(game.actions.first[key], len(verb)), len(verb), verb.doc, arguments))
    return table(("action", "ids", "count", "meaning", "arguments, the last running fastest"), rows)


def observation(game):
    """The slices of the observation vector."""
    rows = []
    for part, start in zip(game.observation.parts, game.observation.at, strict=True):
        shape = " x ".join(map(str, part.shape))
        bounds = f"{part.low:g} to {part.high:g}"
        rows.append((f"`{part.name}`", span(start, part.size), shape, f"{part.scale:g}", bounds, part.doc))
    return table(("slice", "indices", "shape", "scale", "bounds", "meaning"), rows)


def state(game):
    """The fields of the state and who may see them."""
    rows = [(f"`{name}`", kind, sight, doc) for name, kind, sight, doc in game.state.rows()]
    return table(("field", "type", "sight", "meaning"), rows)


def events(game):
    """The events of the log with their fields; long lists of words get a letter and stand below the table."""
    letters, rows = {}, []
    for name, fields in game.events.events.items():
        told = (f"`{key}` {shape_text(shape, letters)}" for key, shape in fields.items())
        rows.append((f"`{name}`", "; ".join(told)))
    lists = [f"- {letter}: {vocabulary}" for vocabulary, letter in letters.items()]
    return "\n".join([table(("event", "fields"), rows), "", *lists]).rstrip()


def shape_text(shape, letters):
    """How a field of an event reads; `letters` gathers the long lists of words."""
    text, inner = str(shape), shape
    while inner.inner:
        inner = inner.inner
    if len(inner.words) < LONG_LIST:
        return text
    letter = letters.setdefault(str(inner), chr(ord("A") + len(letters)))
    return text.replace(str(inner), letter)


def bots(game):
    """The scripted players, the generic ones first."""
    rows = [(f"`{name}`", first_sentence(inspect.getdoc(bot_rule(game, name)))) for name in bot_names(game)]
    return table(("bot", "how it plays"), rows)


def baseline(game):
    """How good the trained agent is that ships with a `Game`, and how it was made; "" if none does."""
    folder = BASELINES / game.name
    if not folder.is_dir():
        return ""
    told = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    rows = [
        (
            f"`{r['opponent']}`",
            *([r["role"]] if r["role"] else []),
            r["play"],
            f"{r['win_share']:.3f}",
            f"{r['low']:.3f}-{r['high']:.3f}",
        )
        for r in told["evaluation"]
    ]
    parity = told["evaluation"][0]["parity"]
    head = ("against", *(["role"] if told["evaluation"][0]["role"] else []), "play", "win share", "95 %")
    facts = {
        "name": game.name,
        "command": (folder / "command.txt").read_text(encoding="utf-8").strip(),
        "timesteps": f"{told['timesteps']:,}",
        "minutes": f"{told['train_seconds'] / 60:.0f}",
        "players": told["options"]["num_players"],
        "games": f"{told['evaluation'][0]['games']:,}",
        "parity": f", parity {parity:.3f}" if parity else "",
    }
    return BASELINE.format(**facts) + "\n\n" + table(head, rows)


def first_sentence(text):
    """The beginning of a docstring as one line."""
    return " ".join((text or "").split()).split(". ")[0].rstrip(".")


def readme(game):
    """The whole README.md of a `Game`."""
    facts = {**vars(game.about), "module": game.about.module_name, "size": game.observation.size}
    names = game.agents(game.about.default_seats)
    facts |= {"actions": len(game.actions), "agents": ", ".join(f"`{name}`" for name in names)}
    facts["seats"] = " to ".join(map(str, game.about.seats))
    history = (f"- {entry['version']}: {entry['note']}" for entry in reversed(game.about.history))
    sections = {
        "Making it": MAKING.format(**facts),
        "Options": f"{options(game)}\n\n{rewards(game)}",
        "Spaces": SPACES.format(**facts),
        "Actions": actions(game),
        "Observation": f"{OBSERVATION}\n\n{observation(game)}",
        "Phases": "Which decision is asked: " + ", ".join(f"{i} `{name}`" for i, name in enumerate(game.phases)) + ".",
        "State": f"{STATE}\n\n{state(game)}",
        "Events": f"What `python -m heist_envs record {game.name}` writes.\n\n{events(game)}",
        "Bots": bots(game),
        "Baseline": baseline(game),
        "Versions": "\n".join(history),
        "Sources": "\n".join(f"- {source}" for source in game.about.sources),
    }
    chapters = [f"## {title}\n\n{text}" for title, text in sections.items() if text]
    return "\n\n".join([NOTICE, INTRODUCTION.format(**facts), *chapters]) + "\n"


def games_table(names):
    """The table of games for the top README."""
    rows = []
    for name in names:
        game, facts = load_game(name), about(name)
        link, seats = f"[`{name}`](heist_envs/games/{name}/README.md)", " to ".join(map(str, facts.seats))
        rows.append((link, facts.title, seats, len(game.actions), game.observation.size, facts.summary))
    return table(("game", "title", "players", "actions", "observation", "what it is"), rows)


def own_games():
    """The names of the games that lie in this package; games registered from outside describe themselves."""
    return [name for name in game_names() if about(name).folder.parent == GAMES]


def contents():
    """{file: its text as it should be} of everything this module writes."""
    names = own_games()
    texts = {about(name).folder / "README.md": readme(load_game(name)) for name in names}
    if TOP.is_file():  # not so in an installed package
        text = TOP.read_text(encoding="utf-8")
        if BEGIN in text and END in text:
            before, after = text.split(BEGIN)[0], text.split(END)[1]
            texts[TOP] = f"{before}{BEGIN}\n\n{games_table(names)}\n\n{END}{after}"
    return texts


def stale():
    """The files that do not say what the declarations say, as a list of paths."""
    return [file for file, text in contents().items() if not file.is_file() or file.read_text(encoding="utf-8") != text]


def main(arguments=None):
    """Write the files, or with `--check` list the ones that are out of date; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m heist_envs.describe", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, list the files that are out of date")
    check = parser.parse_args(arguments).check
    texts, old = contents(), stale()
    for file in old:
        print(f"{'out of date' if check else 'written'}: {file}")
        if not check:
            file.write_text(texts[file], encoding="utf-8")
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main())

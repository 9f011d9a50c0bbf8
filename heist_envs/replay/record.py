"""Let bots play and write every game as one line of JSON."""

import json
import os
from pathlib import Path

import numpy as np

from ..engine.errors import HeistError
from ..engine.table import Table, check_seed, seeds_from
from ..policies.scripted import ScriptedPlayers, bot_rule

FORMAT = 1


def record(game, out, games=1, seed=0, bots=("random_legal",), legal=False, **options):
    """Write `games` games of `game` (a name) to the file `out`, one line each; the same call writes the same bytes.

    `bots` sit down in order, starting over when there are fewer than seats. With `legal` every action carries the list
    of all texts that were legal. The file appears complete or not at all.
    """
    if isinstance(games, bool) or not hasattr(games, "__index__") or games < 1:
        raise HeistError(f"record writes 1 or more games, not {games!r}.")
    if not bots:
        raise HeistError("record needs at least one bot to play the seats, for example random_legal.")
    table = Table(game, recording=True, **options)
    for name in bots:
        bot_rule(table.game, name)  # refuses unknown names
    out = Path(out)
    if not out.parent.is_dir():
        raise HeistError(f"there is no folder {out.parent}; make it or name another file with --out.")
    if out.is_dir():
        raise HeistError(f"{out} is a folder; name a file with --out.")
    names = sorted(set(bots))
    seats = np.array([[names.index(bots[seat % len(bots)]) for seat in range(table.players)]])
    seeds = seeds_from(check_seed(seed), games)
    part = out.with_name(f"{out.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            for game_seed in map(int, seeds):
                players = ScriptedPlayers(table, names, seats, game_seed)
                file.write(json.dumps(play_line(table, players, game_seed, legal), separators=(",", ":")) + "\n")
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def play_line(table, players, seed, legal=False):
    """One game as the dict of its line."""
    game, actions, choice = table.game, [], np.zeros(1, np.int64)
    table.reset(seed)
    events = table.events()
    while not table.over[0]:
        players.choose(choice)
        entry = [int(table.seat[0]), game.actions.text(int(choice[0]))]
        if legal:
            entry.append(game.actions.legal_texts(table.mask[0]))
        actions.append(entry)
        table.play(choice)
        events += table.events()
    return {
        "format": FORMAT,
        "game": game.name,
        "version": game.about.version,
        "options": table.options,
        "seed": seed,
        "actions": actions,
        "events": events,
    }

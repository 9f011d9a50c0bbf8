"""Who plays whom, and the playing of it: blocks of duplicate matches, spread over processes, kept as rows.

Blocks, their ids and seeds follow from the game, its options, the agents, the number of games and a seed, and from nothing
else. So whoever begins again plays just what has no row yet.
"""

import hashlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np

from benchmarks.replays import deal_seeds, write_replay
from benchmarks.rows import Row, block_id, digest_of, figures, one_line, replay_path
from heist_envs.arena.match import play_out
from heist_envs.engine.errors import HeistError
from heist_envs.engine.table import Table
from heist_envs.policies.agents import BASELINE, BASELINES, RUN, SUBMISSION, find_agent
from heist_envs.policies.players import Players
from heist_envs.policies.scripted import bot_names, bot_rule
from heist_envs.policies.submissions import submissions_for

ROOT = Path(__file__).resolve().parents[1]
SUBMISSIONS = ROOT / "benchmarks" / "submissions"
TABLES = 6  # times that every agent is drawn for a table of different agents; a table drawn twice is played once
GRACE = 10.0  # seconds that a worker has to leave its block when the process that started it has gone
TRIES = 2


@dataclass(frozen=True)
class Entrant:
    """An agent in a tournament: `spec` is what `find_agent` knows it by, `name` what rows call it, `digest` what it is."""

    spec: str
    name: str
    digest: str

    @property
    def in_rows(self):
        """What a row says of it."""
        return {"name": self.name, "digest": self.digest}


@dataclass(frozen=True)
class Block:
    """Games that make one row; the fields are those of `Row`, `entrants` its agents."""

    game: str
    version: int
    options: dict
    kind: str
    entrants: tuple
    sides: list
    lineups: list
    deals: int
    seed: int

    @property
    def deciding(self):
        """What decides the block, as a row has it."""
        names = ("game", "version", "options", "kind", "sides", "lineups", "deals", "seed")
        return {**{name: getattr(self, name) for name in names}, "agents": [one.in_rows for one in self.entrants]}

    @property
    def id(self):
        return block_id(self.deciding)

    @property
    def games(self):
        return self.deals * len(self.lineups)


def available_cores():
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def entrant(spec, game):
    """The `Entrant` behind a name that `find_agent` knows, for a `Game`. Raises `HeistError` if it cannot play."""
    agent, name = find_agent(spec, game), short_name(spec)
    if one_line(name) != name:
        raise HeistError(f"the path of {name!r} is too long or cannot be printed; rename its folder.")
    return Entrant(spec, name, agent_digest(agent, game))


def short_name(spec):
    """What rows call an agent: a path in this repository from its top, of any other path the last part only."""
    kind, colon, path = spec.partition(":")
    if not colon:
        return spec
    full = Path(path).resolve()
    inside = kind + colon == RUN and full.is_relative_to(ROOT)
    return kind + colon + (full.relative_to(ROOT).as_posix() if inside else full.name)


def agent_digest(agent, game):
    """sha256 of what an `Agent` of a `Game` is: of a bot the file it is written in (the rules have a version), of a network
    its weights, of a program all its files."""
    if agent.external:
        return agent.external.digest
    if agent.policy is None:
        source = sys.modules[bot_rule(game, agent.name).__module__].__file__
        return hashlib.sha256(Path(source).read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    policy = agent.policy
    digest = hashlib.sha256(repr((policy.network.family, tuple(policy.layers), policy.activation)).encode())
    for name, tensor in sorted(policy.network.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)}".encode() + tensor.numpy().tobytes())
    return digest.hexdigest()


def registered(game, submissions=SUBMISSIONS):
    """The specs of all agents that a tournament of a `Game` is for: its bots, its baseline, what was submitted."""
    baseline = [BASELINE] if (BASELINES / game.name).is_dir() else []
    return [*bot_names(game), *baseline, *(f"{SUBMISSION}{folder}" for folder in submissions_for(game.name, submissions))]


def schedule(game, options, entrants, games, seed):
    """All `Block`s of a tournament: each of the `Entrant`s against each other in duels, both ways, and tables of different
    ones. `game` a `Game`, `options` all resolved, about `games` games per block."""
    if len(entrants) < 2:
        raise HeistError(f"a tournament of {game.name} needs two agents at least; it has {len(entrants)}.")
    names = [one.name for one in entrants]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise HeistError(f"two agents are called {doubles[0]!r} in the results; name each once, or rename a folder.")
    sides = Table(game, 1, **options).sides().tolist()
    count = len(set(sides))
    shared = {"game": game.name, "version": game.about.version, "options": options, "sides": sides}
    listed = [("duel", pair, duel_lineups(sides)) for pair in permutations(entrants, 2)]
    listed += [("table", seated, table_lineups(sides, len(seated))) for seated in draw_tables(entrants, count, shared, seed)]
    return [_block(shared, *block, games, seed) for block in listed]


def _block(shared, kind, entrants, lineups, games, seed):
    deals = max(2, round(games / len(lineups)))
    decided = {**shared, "kind": kind, "entrants": entrants, "lineups": lineups, "deals": deals}
    told = {**decided, "entrants": [one.in_rows for one in entrants], "tournament": seed}
    return Block(**decided, seed=int(digest_of(told)[:12], 16))


def duel_lineups(sides):
    """Agent 0 at one side after the other, agent 1 at all others."""
    return [[0 if side == mine else 1 for side in sides] for mine in sorted(set(sides))]


def table_lineups(sides, agents):
    """Every cyclic order of agents around the sides; if there are more sides than agents, they sit down again in turn."""
    places = sorted(set(sides))
    return [[(places.index(side) + turn) % len(places) % agents for side in sides] for turn in range(len(places))]


def draw_tables(entrants, sides, shared, seed):
    """Tuples of `sides` different `Entrant`s (or all, if they are fewer), each drawn `TABLES` times. The order counts, but
    not who is first."""
    size, drawn = min(sides, len(entrants)), {}
    for turn in range(TABLES):
        order = sorted(entrants, key=lambda one: digest_of([shared, seed, turn, one.in_rows]))
        for first in range(0, len(order), size):
            seated = [*order, *order][first : first + size]
            start = min(range(size), key=lambda at: seated[at].name)
            table = tuple(seated[start:] + seated[:start])
            drawn[tuple(one.name for one in table)] = table
    return [drawn[names] for names in sorted(drawn)]


def play_block(block, results, stopped=lambda: False):
    """Play a `Block` and write its replay file. Returns the fields of its row that follow from the games, and the seconds it
    took; None once `stopped()`."""
    start = time.perf_counter()
    table = Table(block.game, block.games, **block.options)
    seeds = np.repeat(np.array(deal_seeds(block.seed, block.deals), np.uint64), len(block.lineups))
    agents = [_same_agent(one, table.game) for one in block.entrants]
    table.reset(seeds)
    with Players(table, agents, np.tile(block.lineups, (block.deals, 1)), [block.seed, 1]) as players:
        outcome = play_out(table, players, stopped, record=True, lenient=True)
    if outcome is None:
        return None
    forfeits = {game: (seat, one_line(why)) for game, (seat, why) in outcome.forfeits.items()}
    shape = block.deals, len(block.lineups), table.players
    names = [one.name for one in block.entrants]
    found = figures(block.lineups, block.sides, outcome.rank.reshape(shape), outcome.score.reshape(shape), forfeits, names)
    path = replay_path(block.game, block.id)
    head = {**block.deciding, "id": block.id}
    digest = write_replay(Path(results) / path, head, seeds.tolist(), outcome.actions, forfeits)
    return {**found, "replay": path, "replay_sha256": digest, "seconds": round(time.perf_counter() - start, 3)}


def _same_agent(one, game):
    agent = find_agent(one.spec, game)
    if agent_digest(agent, game) != one.digest:
        raise HeistError(f"{one.name} has changed since the tournament began; start it again.")
    return agent


def make_row(block, played, command, commit, machine):
    """The `Row` of a `Block` from what `play_block` returned."""
    return Row(id=block.id, **block.deciding, games=block.games, **played, command=command, commit=commit, machine=machine)


def play_all(blocks, results, workers, stopped=lambda: False):
    """Play `Block`s in processes of their own; yields (block, what `play_block` returned or a `HeistError`) as they end, and
    ends early once `stopped()`.

    An agent's fault is a forfeit and no error. If a whole process dies (killed, out of memory) nobody can tell by whose
    fault, and what it played is lost: its block is played once more, and if that process dies too the block has no result.
    """
    context = multiprocessing.get_context("spawn")
    others, ending = multiprocessing.active_children(), context.Event()
    idle = [None] * workers  # executors of one process each, so that a death concerns one block; None: to be made
    waiting, running = deque((block, 1) for block in blocks), {}
    try:
        while waiting or running:
            if stopped():
                ending.set()
                waiting.clear()
            while waiting and idle:
                executor = idle.pop() or ProcessPoolExecutor(1, context, _begin_worker, (ending,))
                block, tries = waiting.popleft()
                with _without_interrupts():
                    running[executor.submit(_work, block, results)] = executor, block, tries
            for future in wait(running, 0.25, FIRST_COMPLETED).done:
                executor, block, tries = running.pop(future)
                dead = isinstance(future.exception(), BrokenProcessPool)
                if dead:
                    executor.shutdown()
                idle.append(None if dead else executor)
                if dead and tries < TRIES:
                    waiting.appendleft((block, tries + 1))
                elif dead or future.exception() or future.result():
                    yield block, _result(future, dead)
    finally:  # nothing is in play any more, or whoever wants no more results does not want to wait
        ending.set()
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        for executor in {*idle, *(executor for executor, *_ in running.values())} - {None}:
            executor.shutdown(cancel_futures=True)


def _result(future, dead):
    if dead:
        return HeistError(f"the process that played it died {TRIES} times (killed, out of memory?); start again to play it.")
    error = future.exception()
    if error is None or isinstance(error, HeistError):
        return error or future.result()
    return HeistError(f"it could not be played: {type(error).__name__}: {one_line(str(error))}")


@contextmanager
def _without_interrupts():
    """Processes started in here do not hear Ctrl-C, which a terminal sends to all of them: the first one ends the others."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# Of a worker process: `ending` is set by the first process, `orphan` when that has gone; `playing` is held in a block.
_worker = {}


def _begin_worker(ending):
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker.update(ending=ending, orphan=threading.Event(), playing=threading.Lock())
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent():
    multiprocessing.parent_process().join()
    _worker["orphan"].set()
    _worker["playing"].acquire(timeout=GRACE)
    os._exit(1)


def _work(block, results):
    with _worker["playing"]:
        return play_block(block, results, lambda: _worker["orphan"].is_set() or _worker["ending"].is_set())

"""`Table`: N games of one kind in flat arrays. Every front end is a view of a `Table`; a single game is a table of 1."""

import hashlib
import json
from contextlib import suppress
from operator import index

import numpy as np

from .errors import HeistError, IllegalAction
from .events import TAPE
from .kernels import DICE, build
from .registry import load_game

FORMAT = "heist_envs table 1"


def check_seed(seed):
    """`seed` as an int that 64 bits hold, or a `HeistError`."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or not 0 <= int(seed) < 2**64:
        raise HeistError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}.")
    return int(seed)


def check_seeds(seeds, games):
    """One seed per game as (games,) uint64, or a `HeistError`."""
    seeds = list(seeds)
    if len(seeds) != games:
        raise HeistError(f"reset needs one seed, or one per game: {games}, not {len(seeds)}.")
    return np.array([check_seed(seed) for seed in seeds], np.uint64)


def seeds_from(seed, count):
    """`count` seeds (uint64, below 2**63) that follow from one; the first k are the same for every count."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64) >> np.uint64(1)


class Table:
    """N games in arrays, all written in place.

    states (N,) records · seat (N,) int64, who is asked · observation (N, D) float32 · mask (N, A) int8 ·
    rewards (N, players) float64 of the last decision · terminated, truncated (N,) int8 of the last decision.
    """

    def __init__(self, game, games=1, recording=False, **options):
        """`game`: a `Game` or its name. `recording` keeps the events of the last call (tables of 1 only)."""
        self.game = load_game(game) if isinstance(game, str) else game
        if isinstance(games, bool) or not hasattr(games, "__index__") or games < 1:
            raise HeistError(f"a table holds 1 or more games, not {games!r}.")
        if recording and games != 1:
            raise HeistError(f"only a table of 1 game records events, this one has {games}.")
        self.games = int(games)
        self.options = self.game.options.resolve(options)
        self.players = self.options["num_players"]
        self.kernels = build(self.game)
        spec = self.game.state
        self.scratch = np.zeros(spec.words, np.int64)  # what the asked seat sees, while a kernel looks at it
        self.words = np.zeros((self.games, spec.words), np.int64)
        self.states = self.words.view(spec.dtype)[:, 0].view(np.recarray)
        self.blank = self._blank_state()
        self.seat = np.zeros(self.games, np.int64)
        self.observation = np.zeros((self.games, self.game.observation.size), np.float32)
        self.mask = np.zeros((self.games, len(self.game.actions)), np.int8)
        self.rewards = np.zeros((self.games, self.players), np.float64)
        self.terminated = np.zeros(self.games, np.int8)
        self.truncated = np.zeros(self.games, np.int8)
        self.tape = np.zeros(1, TAPE)
        self.tape["recording"] = recording
        self._all = np.ones(self.games, np.uint8)
        self._each_seat = np.arange(self.players).repeat(self.games).reshape(self.players, self.games)
        self.states["seed"] = seeds_from(None, self.games)

    def _blank_state(self):
        """The words of a game before its deal: player count and options, all else 0."""
        blank = np.zeros(1, self.game.state.dtype)
        blank["seats"] = self.players
        for name, value in self.options.items():
            if name != "num_players":
                blank[f"option_{name}"] = self.game.options.by_name[name].code(value)
        return blank.view(np.int64)

    def use_reward(self, name):
        """Pay by this value of the option `reward` from now on, in running games too, without a new deal."""
        code = self.game.options.by_name["reward"].code(self.game.options.by_name["reward"].check(name))
        self.states["option_reward"] = code
        self.blank.view(self.game.state.dtype)["option_reward"] = code

    @property
    def over(self):
        """(N,) int32 view: 1 for each game that has ended."""
        return self.states["over"]

    @property
    def rank(self):
        """(N, seats) int32 view: final places, 1 = winner, 0 while playing."""
        return self.states["rank"]

    def sides(self):
        """(players,) int32: the side of each seat, its own where each plays for himself. It follows from the options, so it
        is the same in all games and in every deal."""
        one = Table(self.game, 1, **self.options)
        one.reset(0)
        return one.states["side"][0, : self.players].copy()

    def reset(self, seed=None, which=None):
        """Deal the games in `which` (N,) bool, or all. `seed`: an int for all of them, or (N,) seeds; None goes on to
        the seed after each game's own. A table of 1 uses an int seed as it is, a larger one derives one per game."""
        which = self._all if which is None else np.ascontiguousarray(which, np.uint8)
        if seed is not None:
            if np.ndim(seed):
                seeds = check_seeds(seed, self.games)
            else:
                seeds = check_seed(seed) if self.games == 1 else seeds_from(check_seed(seed), self.games)
            self.states["seed"] = np.where(which, seeds, self.states["seed"])
        self.tape["used"] = 0
        self.rewards[which != 0] = 0
        self.terminated[which != 0] = 0
        self.truncated[which != 0] = 0
        self.kernels.reset_games(
            self.scratch, self.words, self.blank, which, seed is None, self.seat, self.observation, self.mask, self.tape
        )

    def play(self, actions, which=None, again=False):
        """One decision by the asked seat of each game in `which`; `actions` (N,) ids. With `again` a finished game is
        followed at once by the next. Raises `IllegalAction` before any game has moved."""
        actions = np.ascontiguousarray(actions, np.int64)
        which = self._all if which is None else np.ascontiguousarray(which, np.uint8)
        if actions.shape != (self.games,):
            raise HeistError(f"play needs one action per game, shape ({self.games},), not {actions.shape}.")
        if self.tape["recording"][0]:
            self.tape["used"] = 0
        wrong = self.kernels.play_games(
            self.scratch, self.words, self.blank, which, actions, self.seat,
            self.observation, self.mask, self.rewards, self.terminated, self.truncated, again, self.tape,
        )  # fmt: skip
        if wrong >= 0:
            raise IllegalAction(self.refusal(actions[wrong], wrong))

    def roll_out(self, steps, dice):
        """`steps` random decisions in every game, with auto-reset; `dice` (1,) `DICE`. Returns how many games ended."""
        return self.kernels.roll_out(
            steps, self.scratch, self.words, self.blank, dice, self.seat, self.observation, self.mask,
            self.rewards, self.terminated, self.truncated, self.tape,
        )  # fmt: skip

    def refusal(self, action, game=0, seat=None):
        """The sentence that says why `action` is not legal for a seat (default: the asked one), and what is."""
        table, seat = self.game.actions, self.seat[game] if seat is None else seat
        mask = self.show(seat)[1][game]
        who = self.game.agents(self.players)[seat]
        with suppress(TypeError):
            action = index(action)
        if isinstance(action, int) and 0 <= action < len(table):
            tried = f"{who} may not {table.text(action)!r} (action {action}) now"
        else:
            tried = f"{who} may not play {action!r}: actions are whole numbers 0 to {len(table) - 1}"
        if self.states["over"][game]:
            return f"{tried}: the game is over; reset it to play again."
        return f"{tried}; legal: {table.summary(mask)}."

    def show(self, seat):
        """(observation (N, D), mask (N, A)) as this seat sees them, fresh arrays."""
        observation, mask = np.empty_like(self.observation), np.empty_like(self.mask)
        self.kernels.show_games(self.scratch, self.words, self._seats(seat), observation, mask)
        return observation, mask

    def seen(self, seat):
        """(N,) records: the states with everything blanked that this seat may not see."""
        seen = np.empty_like(self.words)
        self.kernels.hide_games(self.words, self._seats(seat), seen)
        return seen.view(self.game.state.dtype)[:, 0].view(np.recarray)

    def _seats(self, seat):
        if isinstance(seat, (int, np.integer)) and 0 <= seat < self.players:  # the common case, five times quicker
            return self._each_seat[seat]
        seats = np.broadcast_to(np.asarray(seat, np.int64), (self.games,))
        if ((seats < 0) | (seats >= self.players)).any():
            raise HeistError(f"there is no seat {seat}; seats are 0 to {self.players - 1}.")
        return np.ascontiguousarray(seats)

    def redeal(self, seat, seed):
        """Draw anew all that `seat` cannot know, future chance included, consistent with what it sees: for search."""
        dice = np.zeros(1, DICE)
        dice["dice"] = check_seed(seed)
        self.kernels.redeal_games(self.words, self._seats(seat), dice)
        self.kernels.show_games(self.scratch, self.words, self.seat, self.observation, self.mask)

    def broken(self):
        """(N,) int64 flags of violated invariants, bit k = `game.invariants[k]`; all 0 unless there is a bug."""
        flags = np.zeros(self.games, np.int64)
        self.kernels.broken_games(self.words, flags)
        return flags

    def events(self):
        """What happened in the last `reset` or `play` of a recording table: a list of dicts ready for JSON."""
        return self.game.events.decode(self.tape[0])

    def save(self):
        """Everything needed to go on from here, as bytes for `restore`."""
        body = b"".join(a.tobytes() for a in self._live_arrays())
        head = {"format": FORMAT, "game": self.game.name, "version": self.game.about.version, "games": self.games}
        head |= {"options": self.options, "sha256": hashlib.sha256(body).hexdigest()}
        return json.dumps(head).encode() + b"\n" + body

    def restore(self, saved):
        """Go back to what `save` kept; a `HeistError` when the bytes are damaged or of another game or options."""
        head, newline, body = bytes(saved).partition(b"\n")
        try:
            head = json.loads(head)
        except (ValueError, RecursionError):
            head = None
        if not newline or not isinstance(head, dict) or head.get("format") != FORMAT:
            raise HeistError("these bytes are not a saved table; pass what Table.save() returned.")
        mine = {"game": self.game.name, "version": self.game.about.version, "games": self.games, "options": self.options}
        for key, value in mine.items():
            if head.get(key) != value:
                raise HeistError(f"the saved table has {key} {head.get(key)!r}, this one {value!r}; make one like it.")
        whole = len(body) == sum(array.nbytes for array in self._live_arrays())
        if not whole or hashlib.sha256(body).hexdigest() != head.get("sha256"):
            raise HeistError("the saved table is damaged: its checksum does not agree; save it again.")
        at = 0
        for array in self._live_arrays():
            array[...] = np.frombuffer(body, array.dtype, array.size, at).reshape(array.shape)
            at += array.nbytes
        self.kernels.show_games(self.scratch, self.words, self.seat, self.observation, self.mask)

    def _live_arrays(self):
        return self.words, self.seat, self.rewards, self.terminated, self.truncated

    def __getstate__(self):
        recording = bool(self.tape["recording"][0])
        return {"game": self.game.name, "games": self.games, "options": self.options, "recording": recording,
                "saved": self.save(), "tape": self.tape.tobytes() if recording else b""}  # fmt: skip

    def __setstate__(self, kept):
        self.__init__(kept["game"], kept["games"], kept["recording"], **kept["options"])
        self.restore(kept["saved"])
        if kept["recording"]:
            self.tape[:] = np.frombuffer(kept["tape"], TAPE)

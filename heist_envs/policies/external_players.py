"""Submitted programs at the seats of a `Table`. They see what a network sees: observation and mask of their own seat.

No copy of a program meets a deal twice: in a duplicate match it would recognise the cards that it had at another seat, and
at one table the copies would see each other's hands. So each seat of each repetition of a deal has a process of its own.
Whatever a program does wrong costs it the games concerned, and nobody else anything.
"""

import json
from dataclasses import asdict

import numpy as np

from .processes import Fault, Process, Talk, hold, shown

PROTOCOL = 1
READY = "ready"
EXAMPLE = '{"game": 1, "action": 2}'
NOBODY = -1


class ExternalPlayers:
    """The submitted programs among `agents` (a list of `Agent`s or None) at the `seats` (N, players) of a `Table` that has
    just been dealt; `forfeit(game, seat, why)` is told who has failed."""

    def __init__(self, table, agents, seats, forfeit):
        self.table, self.seats, self.forfeit = table, seats, forfeit
        self.programs = {n: Program(agent.external, table) for n, agent in enumerate(agents) if agent and agent.external}
        self._rows = np.arange(table.games)
        self._playing = np.full(seats.shape, NOBODY, np.int64)  # the agent for which a game has begun at that seat
        self._copies = {}  # {(game, seat): its Copy}
        self._deals = [b""] * table.games
        self._met = {}  # {(agent, deal): how many copies of it have met this deal}
        self._texts = Texts()
        self.begin(np.ones(table.games, bool))

    def begin(self, which):
        """New games have been dealt in `which` (N,) bool."""
        self._end(which[:, None] & (self._playing != NOBODY))
        for game in np.flatnonzero(which).tolist():
            self._deals[game] = self.table.words[game].tobytes()

    def choose(self, actions):
        """Write the actions of the games whose asked seat one of the programs plays into `actions` (N,) int64."""
        self._end((self._playing != NOBODY) & (self._playing != self.seats))
        asked = self.seats[self._rows, self.table.seat]
        questions = {}
        for number in self.programs:
            for game in np.flatnonzero(asked == number).tolist():
                questions.setdefault(self._copy_at(game), []).append(game)
        while questions:
            questions = self._ask(questions, actions)
        return actions

    def close(self):
        """End all programs."""
        for program in self.programs.values():
            program.close()

    def _copy_at(self, game):
        """The copy that plays the asked seat of a game."""
        seat = int(self.table.seat[game])
        if self._playing[game, seat] == NOBODY:
            number = self._playing[game, seat] = int(self.seats[game, seat])
            met = self._met.get((number, self._deals[game]), 0)
            self._met[number, self._deals[game]] = met + 1
            self._copies[game, seat] = self.programs[number].copy(met)
        return self._copies[game, seat]

    def _end(self, where):
        """The games at the seats `where` (N, players) bool are over for the programs that play there."""
        for place in np.argwhere(where).tolist():
            self._copies.pop(tuple(place)).end(tuple(place))
        self._playing[where] = NOBODY

    def _ask(self, questions, actions):
        """Ask all copies for their actions in the games {copy: [game]}. Returns those that have to be asked again."""
        talks = {}
        for copy, games in questions.items():
            why = copy.wake_up()
            if why:
                self._forfeit(games, why)
            else:
                talks[copy] = Talk(copy.process, self._requests(copy, games), read_answer, copy.program.limits.decision)
        hold(list(talks.values()))
        again = {}
        for copy, talk in talks.items():
            games = copy.games
            for identity, action in talk.answers.items():
                self._take(games[identity][0], action, actions)
            if talk.fault:
                self._forfeit([games[identity][0] for identity in talk.asked], talk.fault)
                if talk.waiting:
                    again[copy] = [games[identity][0] for identity, _ in talk.waiting]
            copy.settle(talk)
        return again

    def _requests(self, copy, games):
        """[(number of the game, lines)] to send to a copy."""
        for game in games:
            seat = int(self.table.seat[game])
            identity, greeting = copy.identity(game, seat)
            seen = ",".join(map(self._texts.__getitem__, self.table.observation[game].tolist()))
            legal = ",".join(map(str, np.flatnonzero(self.table.mask[game]).tolist()))
            line = f'{{"type":"act","game":{identity},"seat":{seat},"observation":[{seen}],"legal":[{legal}]}}\n'
            yield identity, (greeting + line).encode()

    def _take(self, game, action, actions):
        """Play an answer, or forfeit the game if it is no legal action."""
        mask = self.table.mask[game]
        if type(action) is int and 0 <= action < len(mask) and mask[action]:
            actions[game] = action
        elif type(action) is int and 0 <= action < len(mask):
            self._forfeit([game], f"it chose an illegal action: {self.table.refusal(action, game)}")
        else:
            chosen = shown(json.dumps(action).encode())
            self._forfeit([game], f"it chose {chosen}, which is no action; actions are whole numbers below {len(mask)}.")

    def _forfeit(self, games, why):
        for game in games:
            self.forfeit(game, int(self.table.seat[game]), why)


class Program:
    """A `Submission` of kind "process" that plays at a `Table`, in as many copies as are needed. `faults`: how often copies
    have failed; `gone`: why it plays no more, or None; `decisions` and `seconds` of all copies; `confined`: whether the
    system cuts it off from network and files; `last_words`: the end of what it wrote to its error stream, as bytes."""

    def __init__(self, submission, table):
        self.submission, self.limits = submission, submission.limits
        self.hello = hello(table, submission.limits)
        self.faults, self.gone, self.decisions, self.seconds, self.confined, self.last_words = 0, None, 0, 0.0, None, b""
        self._copies = []

    def copy(self, number):
        """The copy of this number, counted from 0; those before it exist."""
        if number == len(self._copies):
            self._copies.append(Copy(self))
        return self._copies[number]

    def close(self):
        """End all copies."""
        for copy in self._copies:
            if copy.process:
                copy.process.dismiss()  # so that they end side by side
        for copy in self._copies:
            copy.stop()


class Copy:
    """One process of a `Program`, started when it is first needed and again after it has failed. `games`: {number of a game
    as the process knows it: (game, seat)} of the games under way."""

    def __init__(self, program):
        self.program, self.process, self.games = program, None, {}
        self._identities, self._last, self._seconds = {}, 0, 0.0

    def wake_up(self):
        """Start the process if it does not run; a sentence why it cannot play, or None."""
        program = self.program
        if self.process is None and program.gone is None:
            why = self._start(program.submission)
            if why:
                self.stop()
                program.faults += 1
                program.gone = f"it could not be started: {why}"
        return program.gone

    def _start(self, submission):
        """Start the process and wait until it is ready; a sentence why it is not, or None."""
        program = self.program
        try:
            self.process = Process(submission.command, submission.folder, program.limits)
        except OSError as error:
            return f"{error.strerror}."
        talk = Talk(self.process, [(READY, program.hello)], read_ready, program.limits.start)
        hold([talk])
        if talk.fault is None:
            program.confined = self.process.is_confined()
        return talk.fault

    def identity(self, game, seat):
        """(number under which the process knows a game at a seat, what it must be told before)."""
        known = self._identities.get((game, seat))
        if known is not None:
            return known, ""
        self._last += 1
        self._identities[game, seat], self.games[self._last] = self._last, (game, seat)
        return self._last, f'{{"type":"begin","game":{self._last},"seat":{seat}}}\n'

    def end(self, place):
        """A game at a (game, seat) is over."""
        identity = self._identities.pop(place, None)
        if identity is not None:
            del self.games[identity]
            if self.process:
                self.process.unsent += f'{{"type":"end","game":{identity}}}\n'.encode()

    def settle(self, talk):
        """Draw the consequences of a `Talk`."""
        program = self.program
        self._seconds += talk.seconds
        program.seconds += talk.seconds
        program.decisions += len(talk.answers)
        if talk.fault:
            self.stop()
            program.faults += 1
            if program.faults > program.limits.restarts:
                program.gone = f"it had failed {program.faults} times before; the last time: {talk.fault}"
        elif self._seconds > program.limits.game * self._last:
            program.gone = f"its answers took more than {program.limits.game:g} seconds a game."

    def stop(self):
        """End the process."""
        if self.process:
            self.process.read_errors()
            self.program.last_words = self.process.last_words or self.program.last_words
            self.process.close()
            self.process = None
        self.games, self._identities = {}, {}


class Texts(dict):
    """The shortest decimal text of a float32, kept once it has been made: observations hold few different numbers."""

    def __missing__(self, number):
        text = self[number] = repr(float(str(np.float32(number)))).removesuffix(".0")
        return text


def hello(table, limits):
    """The first line that a program gets, as bytes: all that is the same for every game at a `Table`."""
    game = table.game
    line = {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game.name,
        "version": game.about.version,
        "players": table.players,
        "options": table.options,
        "observation": [{"name": part.name, "shape": part.shape, "scale": part.scale} for part in game.observation.parts],
        "actions": list(game.actions.texts),
        "limits": asdict(limits),
    }
    return json.dumps(line).encode() + b"\n"


def read_ready(line):
    """What `Talk` wants to know of the answer to `hello`."""
    if _read_object(line).get("type") != READY:
        raise Fault(f'it answered {shown(line)} to the first line instead of {{"type": "{READY}"}}.')
    return READY, None


def read_answer(line):
    """(number of the game, action) of an answer; whether they make sense is not looked at."""
    answer = _read_object(line)
    if type(answer.get("game")) is not int:
        raise Fault(f"it answered {shown(line)} instead of a line such as {EXAMPLE}.")
    return answer["game"], answer.get("action")


def _read_object(line):
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Fault(f"it answered {shown(line)} instead of a line such as {EXAMPLE}.")
    return value

"""Programs of strangers as processes that can neither block nor stop whoever talks to them."""

import json
import os
import socket
import subprocess
import sys
import weakref
from collections import deque
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic

from ..engine.errors import HeistError

LAUNCH = Path(__file__).with_name("launch.py")
WINDOW = 16  # requests that a program has to answer at a time
LONGEST_LINE = 1000  # bytes of an answer
CHUNK = 65536
LAST_WORDS = 2000  # bytes of the error stream that are kept
FAREWELL = 5.0  # seconds to wait for a process that is being killed


@dataclass(frozen=True)
class Limits:
    """What a program may take: seconds to start, for one answer, and for all answers of a game on average; MiB of memory
    and seconds of processor time of each copy; how often it is started anew after it has failed."""

    start: float = 20
    decision: float = 2
    game: float = 20
    memory: int = 2048
    cpu: int = 14400
    restarts: int = 3


LIMITS = Limits()
CONFINED = b"confined"  # what launch.py tells first, where it could confine the program
CLOSED = "it closed its output."


class Fault(Exception):
    """A program has failed; the text is a sentence that says how."""


def search_path():
    """Where programs are looked for: beside this Python first, so that `python` is this one with its libraries."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def environment(folder):
    """All that a program sees of our environment."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {"PATH": search_path(), "HOME": str(folder), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **one}


class Process:
    """A program that runs in `folder` with its standard streams in our hands; started at once, ended by `close`, by the
    garbage collector or by the end of this process, in whatever way that comes."""

    def __init__(self, command, folder, limits):
        if os.name != "posix":
            raise HeistError("programs can be submitted and played only on Linux and macOS.")
        self._control, theirs = socket.socketpair()
        launch = [sys.executable, "-I", "-S", str(LAUNCH), str(theirs.fileno()), json.dumps(asdict(limits)), *command]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        settings = {"cwd": folder, "env": environment(folder), "start_new_session": True, "bufsize": 0}
        with theirs:
            self._popen = subprocess.Popen(launch, pass_fds=[theirs.fileno()], **pipes, **settings)
        self.input, self.output, self.errors = self._popen.stdin, self._popen.stdout, self._popen.stderr
        for pipe in (self.input, self.output, self.errors):
            os.set_blocking(pipe.fileno(), False)
        self.unsent, self._unread, self.last_words = bytearray(), b"", b""
        self.close = weakref.finalize(self, _end, self._popen, self._control)

    def dismiss(self):
        """Let it be killed, without waiting for that as `close` does."""
        self._control.close()

    def write(self):
        """Send as much of `unsent` as it takes now."""
        try:
            while self.unsent:
                del self.unsent[: os.write(self.input.fileno(), self.unsent[:CHUNK])]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.unsent.clear()  # nobody reads it; why shows at the other pipes

    def read_lines(self):
        """The complete lines it has written by now, as bytes. Raises `Fault` if it has ended or a line is too long."""
        try:
            got = os.read(self.output.fileno(), CHUNK)
        except BlockingIOError:
            return []
        if not got:
            raise Fault(CLOSED)
        *lines, self._unread = (self._unread + got).split(b"\n")
        if any(len(line) > LONGEST_LINE for line in (*lines, self._unread)):
            raise Fault(f"it wrote a line of more than {LONGEST_LINE} bytes.")
        return lines

    def read_errors(self):
        """Take what it has written to its error stream and keep the end. False once it has closed it."""
        with suppress(BlockingIOError):
            got = os.read(self.errors.fileno(), CHUNK)
            self.last_words = (self.last_words + got)[-LAST_WORDS:]
            return bool(got)
        return True

    def is_confined(self):
        """Whether the system keeps it from network and files; known once it has answered."""
        return self._control.recv(len(CONFINED), socket.MSG_PEEK) == CONFINED

    def how_it_ended(self):
        """The launcher's sentence, after the output was closed; waits for it if need be."""
        told = b""
        self._control.settimeout(FAREWELL)
        with suppress(OSError):
            while got := self._control.recv(CHUNK):
                told += got
        self.read_errors()
        sentences = told.decode().splitlines()[1:]
        return sentences[0] if sentences else CLOSED


def _end(popen, control):
    """Let the launcher kill the program and all that it has started."""
    control.close()
    try:
        popen.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        popen.kill()  # the program dies with its launcher
        popen.wait()
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        pipe.close()


class Talk:
    """Requests to one process and what has become of them.

    `requests`: [(key, line)] as bytes; `parse(line)` -> (key, answer) or raises `Fault`; `patience`: seconds from one
    answer to the next. When it is over: `answers` {key: answer}; `fault`: a sentence if the process has failed, else None,
    and then `asked`, the keys it owes an answer to, and `waiting`, the requests that have not reached it; `seconds` it took.
    """

    def __init__(self, process, requests, parse, patience):
        self.process, self.parse, self.patience = process, parse, patience
        self.waiting, self.asked, self.answers, self.fault = deque(requests), set(), {}, None
        self.begun = monotonic()
        self._go_on()

    @property
    def over(self):
        """Whether all is answered, or nothing more will be."""
        return self.fault is not None or not self.asked

    def attend(self, pipe):
        """Do what can be done at a pipe of the process; whether there may be more to do there."""
        try:
            if pipe is self.process.output:
                self._hear()
            elif pipe is self.process.errors:
                return self.process.read_errors()
            else:
                self.process.write()
        except Fault as fault:
            self.fault = str(fault)
        return True

    def look_at_clock(self, now):
        """Note a fault if the process has been silent for too long."""
        if now > self.deadline and not self.over:
            self.fault = f"it did not answer within {self.patience:g} seconds."

    def _hear(self):
        for line in self.process.read_lines():
            key, answer = self.parse(line)
            if key not in self.asked:
                raise Fault(f"it answered {shown(line)}, which nobody had asked for.")
            self.asked.remove(key)
            self.answers[key] = answer
            self._go_on()

    def _go_on(self):
        """Ask for more while the window allows it; the clock begins anew."""
        while self.waiting and len(self.asked) < WINDOW:
            key, line = self.waiting.popleft()
            self.asked.add(key)
            self.process.unsent += line
        now = monotonic()
        self.deadline, self.seconds = now + self.patience, now - self.begun


def hold(talks):
    """Hold all `Talk`s side by side until each of them is over."""
    with DefaultSelector() as selector:
        for talk in talks:
            for pipe in (talk.process.output, talk.process.errors):
                selector.register(pipe, EVENT_READ, talk)
        while running := [talk for talk in talks if not talk.over]:
            for talk in running:
                talk.process.write()
                _register(selector, talk.process.input, EVENT_WRITE, talk if talk.process.unsent else None)
            for key, _ in selector.select(max(0.0, min(talk.deadline for talk in running) - monotonic())):
                if not key.data.over and not key.data.attend(key.fileobj):
                    selector.unregister(key.fileobj)
            now = monotonic()
            for talk in running:
                talk.look_at_clock(now)
                if talk.over:  # whatever it writes now must not wake us up
                    for pipe in (talk.process.input, talk.process.output, talk.process.errors):
                        _register(selector, pipe, 0, None)
    for talk in talks:
        if talk.fault == CLOSED:
            talk.fault = talk.process.how_it_ended()


def _register(selector, pipe, events, talk):
    """Wait for events at a pipe on behalf of a talk, or no longer if that is None."""
    known = pipe in selector.get_map()
    if talk and not known:
        selector.register(pipe, events, talk)
    elif known and not talk:
        selector.unregister(pipe)


def shown(line, most=60):
    """Bytes of a stranger as short printable text."""
    text = ascii(line[:most].decode("ascii", "backslashreplace"))
    return text + ("..." if len(line) > most else "")

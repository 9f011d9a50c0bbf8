"""Starts a submitted program and sees to its end. Run as a script, in a process of its own, by processes.py:

    python -I -S launch.py CONTROL LIMITS PROGRAM WORD...

CONTROL: number of a socket; when its other end closes, the program and all that it has started are killed. Lines go out on
it: first "confined" or "free", then a sentence that tells how the program ended. LIMITS: JSON of `Limits` in processes.py.

Where Linux lets it, the program is confined: no network, no other process's shared memory, and no file can be written. This
keeps honest mistakes and simple mischief in, it is no wall against an attacker who has the rights of this user.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from pathlib import Path

LOOK, COST = 1.0, 100  # seconds between two looks at the memory, or as many times as long as one look takes
PATIENCE = 4.0  # seconds to spend on killing
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x10000000 | 0x40000000  # mounts, System V IPC, users, network
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1
OPEN_FILES, PROCESSES = 256, 512


def main():
    """Start the program, wait until it or the other end of the socket is gone, leave nothing running."""
    control, limits, command = socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2]), sys.argv[3:]
    control.set_inheritable(False)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # what the program leaves behind becomes a child of ours
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    confined = sys.platform == "linux" and confine()
    tell(control, "confined" if confined else "free")
    ended = wake_up_when_a_child_ends()
    program = os.fork()
    if program == 0:
        become(command, limits, confined)
    let_go_of_standard_streams()
    tell(control, watch(program, control, ended, limits["memory"] << 20))
    kill_all(program)


def tell(control, line):
    """Send one line, if anybody still listens."""
    with contextlib.suppress(OSError):
        control.send(line.encode() + b"\n")


def confine():
    """Cut this process and its children off from network, shared memory and writing; whether the system let us."""
    libc = ctypes.CDLL(None)
    if libc.unshare(NEW_NAMESPACES):
        return False
    read_only = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY)
    return libc.syscall(MOUNT_SETATTR, AT_FDCWD, b"/", AT_RECURSIVE, read_only, ctypes.c_size_t(32)) == 0


def become(command, limits, confined):
    """Turn this process into the program, with its limits."""
    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and what is ignored stays so
    memory = limits["memory"] << 20
    most = {"DATA": memory, "CPU": limits["cpu"], "NOFILE": OPEN_FILES, "FSIZE": 0, "CORE": 0}
    if confined:  # otherwise it would count all of this user's processes
        most["NPROC"] = PROCESSES
    try:
        for name, value in most.items():
            limit(getattr(resource, f"RLIMIT_{name}"), value)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.execvp(command[0], command)
    except BaseException as error:
        os.write(2, f"{command[0]}: {error}\n".encode())
    os._exit(127)


def limit(kind, value):
    """Set a limit, or leave a lower one as it is."""
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def wake_up_when_a_child_ends():
    """A file descriptor that can be read when a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def let_go_of_standard_streams():
    """Only the program shall hold them, so that their other ends see when it is gone."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def watch(program, control, ended, memory):
    """Wait until the program has ended, takes too much memory or is wanted no more; a sentence that says which."""
    wait = LOOK
    while True:
        readable = select.select([control, ended], [], [], wait)[0]
        if ended in readable:
            os.read(ended, 4096)
            status = reap(program)
            if status is not None:
                return how_it_ended(status)
        elif control in readable:
            return "it was stopped."
        else:
            begun = time.monotonic()
            if taken() > memory:
                return f"it took more than the {memory >> 20} MiB of memory it may have."
            wait = max(LOOK, COST * (time.monotonic() - begun))


def reap(program):
    """Collect all children that have ended; the exit status of the program if it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == program:
            found = os.waitstatus_to_exitcode(status)


def how_it_ended(status):
    """A sentence for an exit status as Python's subprocess has it."""
    return f"it ended with status {status}." if status >= 0 else f"it was ended by signal {-status}."


def taken():
    """Bytes of memory that the program and all that it has started hold now."""
    pages = 0
    for pid in family():
        with contextlib.suppress(OSError, IndexError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def family():
    """The ids of all processes below this one: the program and what it has started, however it tried to hide it."""
    parents, found, newest = parents_of_all(), set(), {os.getpid()}
    while newest:
        newest = {pid for pid, parent in parents.items() if parent in newest} - found
        found |= newest
    return found


def parents_of_all():
    """{process id: its parent's} of the whole system; empty where there is no /proc as Linux has it."""
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            parents[int(file.parent.name)] = int(file.read_text(errors="replace").rpartition(")")[2].split()[1])
    return parents


def kill_all(program):
    """Kill the program and all that it has started, until nothing is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program, signal.SIGKILL)
    give_up = time.monotonic() + PATIENCE
    while (left := family()) and time.monotonic() < give_up:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
        reap(program)


if __name__ == "__main__":
    main()

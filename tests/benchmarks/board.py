"""The leaderboard with the toy game, in a process of its own that can be made to fail: `python -m tests.benchmarks.board`.

BOARD_FAULT says how: `kill:K` dies while it appends row K, leaving half of it; `stop:K` gets a SIGTERM after row K;
`worker:ID` kills every process that plays the block ID, `once:ID:FILE` only the first one (FILE is made by it).
"""

import os
import signal
import sys
from pathlib import Path

from benchmarks import leaderboard, rows, tournament
from tests import support  # noqa: F401 - registers the toy game, in worker processes too

append_row, play_block = rows.append_row, tournament.play_block
fault, _, detail = os.environ.get("BOARD_FAULT", "").partition(":")
appended = []


def append(file, row):
    """`append_row`, until it is time to fail."""
    appended.append(row)
    if fault == "kill" and len(appended) == int(detail):
        with file.open("ab") as end:
            end.write(rows.row_line(row)[:1000])
        os.kill(os.getpid(), signal.SIGKILL)
    append_row(file, row)
    if fault == "stop" and len(appended) == int(detail):
        os.kill(os.getpid(), signal.SIGTERM)


def play(block, results, stopped):
    """`play_block`, or the end of the process."""
    identity, _, marker = detail.partition(":")
    if fault == "worker" and block.id == identity:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "once" and block.id == identity and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return play_block(block, results, stopped)


leaderboard.append_row, tournament.play_block = append, play

if __name__ == "__main__":
    sys.exit(leaderboard.main())

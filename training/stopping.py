"""Ctrl-C and SIGTERM: the first asks the run to save and end, the second ends it at once."""

import signal
import sys


class StopRequest:
    """A context in which the first SIGINT or SIGTERM is noted in `signum` (else None) and the second one exits. `ending`
    tells the person what happens in between."""

    def __init__(self, ending="saving the policy"):
        self.signum, self.ending = None, ending

    def __enter__(self):
        self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number, _frame):
        if self.signum is not None:
            raise SystemExit(128 + number)
        self.signum = number
        print(f"\nstopping: {self.ending} (once more to quit at once)", file=sys.stderr, flush=True)

    @property
    def status(self):
        """The exit status that tells a shell which signal ended the run; 0 without one."""
        return 0 if self.signum is None else 128 + self.signum

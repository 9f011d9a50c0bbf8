"""What a person sees while training runs: a bar on a terminal, a line now and then elsewhere."""

from time import perf_counter

from rich.progress import BarColumn, Progress, TextColumn

LINE_SECONDS = 15
RATE_UPDATES = 8  # the shown rate is that of the last few updates


class ProgressReport:
    """Shows how far training is; `quiet` shows nothing. `decisions` and `seconds`: how far it was before."""

    def __init__(self, console, total, seconds_limit, bar, quiet=False, decisions=0, seconds=0.0):
        self.console, self.total, self.limit, self.quiet = console, total, seconds_limit, quiet
        self.last_line = perf_counter()
        self.start = self.last_line - seconds
        self.recent = [(self.last_line, decisions)]
        self.bar = None
        if bar and not quiet:
            columns = TextColumn("training"), BarColumn(), TextColumn("{task.percentage:>3.0f} %  {task.fields[text]}")
            self.bar = Progress(*columns, console=console)
            self.task = self.bar.add_task("training", total=1.0, text="")
            self.bar.start()

    def update(self, decisions, win_shares):
        """`decisions` so far and {bot: recent win share}."""
        now = perf_counter()
        self.recent = [*self.recent[-RATE_UPDATES:], (now, decisions)]
        (then, before), passed = self.recent[0], now - self.start
        rate = (decisions - before) / max(now - then, 1e-9)
        left = (self.total - decisions) / max(rate, 1e-9)
        if self.limit:
            left = min(left, self.limit - passed)
        shares = "  ".join(f"{name} {share:.2f}" for name, share in win_shares.items())
        line = f"{rate:,.0f} decisions/s  {clock(left)} left" + (f"  win share vs {shares}" if shares else "")
        if self.bar:
            self.bar.update(self.task, completed=passed / max(passed + left, 1e-9), text=line)
        elif not self.quiet and now - self.last_line >= LINE_SECONDS:
            self.last_line = now
            print(f"{decisions:,} decisions in {clock(passed)}  {line}", flush=True)

    def close(self):
        """Leave the bar as it is."""
        if self.bar:
            self.bar.stop()


def clock(seconds):
    """Minutes and seconds."""
    minutes, seconds = divmod(max(0, round(seconds)), 60)
    return f"{minutes}:{seconds:02d}"

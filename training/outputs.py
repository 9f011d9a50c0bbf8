"""Where a run logs to; a run that goes on adds to what was logged before."""

import csv
import io
import math
from pathlib import Path

from stable_baselines3.common.logger import KVWriter, TensorBoardOutputFormat, filter_excluded_keys
from torch.utils.tensorboard import SummaryWriter

from heist_envs.engine.errors import HeistError
from training.run_folder import ALGORITHM, write_text

TIMESTEPS = "time/total_timesteps"


def outputs(folder, tensorboard, timesteps):
    """progress.csv in the run folder and TensorBoard events there, or in a folder for the run below `tensorboard`. What
    was logged in them after so many timesteps is dropped."""
    events = Path(tensorboard) / ALGORITHM / folder.name if tensorboard else folder
    return [ProgressTable(folder / "progress.csv", timesteps), Events(events, timesteps)]


class ProgressTable(KVWriter):
    """A CSV file with a row for every update. New columns are added at the right; the file is complete at any moment."""

    def __init__(self, path, timesteps):
        self.path, self.file = path, None
        columns, rows = self._read() if path.is_file() else ([], [])
        self._replace(columns, [row for row in rows if _steps_of(row) <= timesteps])

    def write(self, key_values, key_excluded, step=0):
        """Add a row of {column: value}."""
        values = filter_excluded_keys(key_values, key_excluded, "csv")
        row = {key: "" if value is None else str(value) for key, value in values.items()}
        new = sorted(row.keys() - set(self.columns))
        if new:
            self._replace(self.columns + new, self._read()[1])
        csv.DictWriter(self.file, self.columns, "", lineterminator="\n").writerow(row)
        self.file.flush()

    def _read(self):
        """(columns, rows as {column: text}) of the file, without a last line that was cut off."""
        try:
            whole = self.path.read_text(encoding="utf-8").rpartition("\n")[0]
            reader = csv.DictReader(io.StringIO(whole), restkey="", restval="")
            columns, rows = list(reader.fieldnames or []), list(reader)
        except (csv.Error, UnicodeDecodeError):
            columns, rows = [], [{}]
        if rows and TIMESTEPS not in columns:
            raise HeistError(f"{self.path} is not the table that a run writes; move it away, then the run goes on without.")
        return columns, rows

    def _replace(self, columns, rows):
        """Put a file with these rows in the place of the one that is there, and stay at its end."""
        self.close()
        self.columns, text = columns, io.StringIO()
        table = csv.DictWriter(text, columns, "", "ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        write_text(self.path, text.getvalue())
        self.file = self.path.open("a", newline="", encoding="utf-8")

    def close(self):
        """Close the file."""
        if self.file:
            self.file.close()


def _steps_of(row):
    """The timesteps of a row, without end if it tells none."""
    told = row[TIMESTEPS]
    return int(told) if told.isdecimal() else math.inf


class Events(TensorBoardOutputFormat):
    """TensorBoard events; those of earlier files after so many timesteps are hidden."""

    def __init__(self, folder, timesteps):
        self.writer = SummaryWriter(str(folder), purge_step=timesteps + 1 if timesteps else None)
        self._is_closed = False

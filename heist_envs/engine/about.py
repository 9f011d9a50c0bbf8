"""A game's about.toml as a value: cheap to read, so that names and sizes are known without importing any rules."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class About:
    """A game's about.toml: names, version, sizes and credits. Field by field what the file says."""

    name: str
    title: str
    version: int
    summary: str
    seats: tuple[int, int]
    default_seats: int
    longest: int
    score_scale: float
    designer: str
    publisher: str
    credits: str
    sources: tuple[str, ...]
    roles: tuple[str, ...]
    history: tuple[dict, ...]
    folder: Path

    @property
    def module_name(self):
        """The versioned name, `banquefall_v0`."""
        return f"{self.name}_v{self.version}"


def read_about(folder):
    """The `About` of a game folder."""
    values = tomllib.loads((Path(folder) / "about.toml").read_text(encoding="utf-8"))
    lists = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
    return About(**{**values, **lists}, folder=Path(folder))

"""`python -m tests.playthroughs.write [GAME ...] [--reason TEXT]`: write transcripts and counts, see the package's text."""

import argparse
import sys

import heist_envs

from ..support import TABLES
from .counts import counts, store, stored
from .transcript import TRANSCRIPTS, body, file_of, history_line, split


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.playthroughs.write", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: all")
    parser.add_argument("--reason", help="why transcripts change though the version does not")
    args = parser.parse_args()
    refused, everything = [], stored()
    for name, players, options in TRANSCRIPTS:
        if (not args.games or name in args.games) and not write_transcript(name, players, options, args.reason):
            refused.append(file_of(name, players, options).name)
    for name, players in TABLES:
        if (not args.games or name in args.games) and file_of(name, players, {}).name not in refused:
            everything.setdefault(name, {})[str(players)] = counts(name, players)
    store(everything)
    if refused:
        print(f"changed without a new version, give --reason: {', '.join(refused)}", file=sys.stderr)
    return 1 if refused else 0


def write_transcript(name, players, options, reason):
    """Write one file; False when it differs from the one of the same version and no reason was given."""
    about, file, lines = heist_envs.about(name), file_of(name, players, options), body(name, players, options)
    history, old = split(file.read_text(encoding="utf-8")) if file.exists() else ([], [])
    versions = [line.split()[2] for line in history]
    if str(about.version) not in versions:
        note = next(entry["note"] for entry in about.history if entry["version"] == about.version)
        history.append(history_line(about.version, lines, note))
    elif old != lines:
        if not reason:
            return False
        history.append(history_line(about.version, lines, reason))
    file.write_text("\n".join([*history, "", *lines]) + "\n", encoding="utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())

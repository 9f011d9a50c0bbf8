"""Tells whether a submission is fit for the leaderboard, and if not, what is wrong and how to mend it.

`python benchmarks/submit_check.py FOLDER` (or `make submit-check AGENT=FOLDER`) checks the files and the card and lets the
agent play against the bots of its game. With `--from-run RUN` it first makes the folder of a trained run.
benchmarks/SUBMITTING.md says what a submission is.
"""

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter

if not __package__:  # run as a script: make `benchmarks` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from benchmarks.tournament import duel_lineups
from heist_envs.arena.match import play_out
from heist_envs.engine.errors import HeistError
from heist_envs.engine.registry import load_game
from heist_envs.engine.table import Table
from heist_envs.policies.agents import SUBMISSION, Agent
from heist_envs.policies.cards import read_card
from heist_envs.policies.players import Players
from heist_envs.policies.scripted import bot_names
from heist_envs.policies.submissions import ADVICE, CARD, WEIGHTS, check_files, check_who, load_submission

MOST_SHOWN = 3
ANSWERS = (
    'answer each line of type act once, with one line such as {"game": 1, "action": 2}; everything else that the program '
    "wants to say belongs on the error stream"
)
MENDING = {  # part of a sentence: how to mend what it speaks of
    "could not be started": 'try its command in its folder by hand; after the first line it must answer {"type": "ready"}',
    "illegal action": "choose one of the ids in `legal`",
    "is no action": "`action` must be one of the ids in `legal`, a whole number",
    "nobody had asked for": ANSWERS,
    "instead of a line": ANSWERS,
    "wrote a line": ANSWERS,
    "did not answer within": "flush the output after each line, and if the agent thinks too long, let it think less",
    "seconds a game": "let it think less",
    "MiB of memory": "let it take less memory; the limit is for the program and all that it starts",
    "it ended": "read what the program wrote to its error stream, above",
    "closed its output": "keep standard output open until the input ends",
}


def check(folder, games, seed, say):
    """Check a submission step by step and tell `say` how it goes. Returns the findings (sentences), [] if it is fit."""
    findings = _check_card(Path(folder).resolve())
    try:
        submission = load_submission(folder)
    except HeistError as error:
        findings.append(str(error))
    findings = list(dict.fromkeys(findings))
    if findings:
        return findings
    say(f"{submission.name}: {submission.kind} for {submission.game}, by {submission.author}; files and card are in order.")
    return _check_play(submission, games, seed, say)


def _check_card(folder):
    """What is wrong with the files and with who it is, looked at one by one so that all of it is told at once."""
    findings = []
    for step in (check_files, lambda folder: check_who(read_card(folder / CARD, ADVICE, "write it as JSON"), folder)):
        try:
            step(folder)
        except HeistError as error:
            findings.append(str(error))
    return findings


def _check_play(submission, games, seed, say):
    """Play against all bots at the game's default number of players, and against one of them at all others."""
    external = submission if submission.policy is None else None
    agent, game = Agent(SUBMISSION + submission.name, submission.policy, external=external), load_game(submission.game)
    findings, usual, (least, most) = [], game.about.default_seats, game.about.seats
    matches = [(bot, usual) for bot in bot_names(game)]
    matches += [(bot_names(game)[0], players) for players in range(least, most + 1) if players != usual]
    for bot, players in matches:
        findings += _check_match(game, agent, bot, games, seed, say, num_players=players)
        if findings:  # what fails once would fail again, and may take its time
            return findings
    return findings


def _check_match(game, agent, bot, games, seed, say, **options):
    """Findings of one match in which each deal is played from every side, the others' seats taken by a bot."""
    sides = Table(game, 1, **options).sides().tolist()
    lineups = duel_lineups(sides)
    deals = max(1, games // len(lineups))
    table = Table(game, deals * len(lineups), **options)
    table.reset(np.random.default_rng([seed, 1]).integers(2**63, size=deals).repeat(len(lineups)))
    seats, start = np.tile(lineups, (deals, 1)), perf_counter()
    with Players(table, [agent, Agent(bot)], seats, [seed, 2]) as players:
        mine = players.seats == 0
        outcome = play_out(table, players)
    program = players.external and players.external.programs[0]
    share, seconds = outcome.win_shares(mine).mean(), perf_counter() - start
    against = f"{table.games} games of {table.players} players against {bot}"
    if outcome.forfeits:
        if program and program.last_words:
            say("The end of its error stream:\n    " + "\n    ".join(_readable(program.last_words)))
        return [f"{len(outcome.forfeits)} of {against} were forfeited.", *_sentences(outcome.forfeits)]
    say(f"{against}: won {share:.0%} in {seconds:.1f} s{_pace(program)}.")
    return []


def _pace(program):
    """How quick a program is and how it was kept, or "" for a policy."""
    if not program:
        return ""
    kept = "without network, unable to write files" if program.confined else "not confined: this system does not allow it"
    return f", {1000 * program.seconds / max(program.decisions, 1):.2f} ms a decision ({kept})"


def _sentences(forfeits):
    """The different reasons of forfeits, each with how to mend it."""
    reasons = list(dict.fromkeys(why for _, why in forfeits.values()))
    for why in reasons[:MOST_SHOWN]:
        mending = next((how for part, how in MENDING.items() if part in why), None)
        yield f"In one game {why}" + (f" To mend it: {mending}." if mending else "")
    if len(reasons) > MOST_SHOWN:
        yield f"There are {len(reasons) - MOST_SHOWN} more reasons; mend these first."


def _readable(words):
    """The lines of bytes of a stranger, safe to print."""
    text = words.decode("utf-8", "replace")
    return ["".join(letter if letter.isprintable() else "?" for letter in line) for line in text.splitlines()]


def pack(run, folder, author, description):
    """Make a submission `folder` (which must not exist) of the policy in a run folder. Raises `HeistError`."""
    from heist_envs.policies.network import CARD as POLICY_CARD
    from heist_envs.policies.network import load_policy

    run, folder = Path(run), Path(folder)
    load_policy(run)
    card = json.loads((run / POLICY_CARD).read_text(encoding="utf-8"))
    who = {"kind": "policy", "name": folder.resolve().name, "author": author, "description": description}
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise HeistError(f"{folder} exists already; name a new folder, or remove it.") from None
    (folder / WEIGHTS).write_bytes((run / WEIGHTS).read_bytes())
    (folder / CARD).write_text(json.dumps(who | card, indent=2) + "\n", encoding="utf-8")


def parser():
    """The command line."""
    as_written = argparse.RawDescriptionHelpFormatter
    it = argparse.ArgumentParser("submit_check.py", description=__doc__, allow_abbrev=False, formatter_class=as_written)
    add = it.add_argument
    add("folder", metavar="FOLDER", help="the submission, a folder named like the agent")
    add("--games", type=int, default=40, metavar="N", help="games against each bot (default 40)")
    add("--seed", type=int, default=0, metavar="S", help="seed of these games (default 0)")
    add("--from-run", metavar="RUN", help="make FOLDER of the policy in this run folder first")
    add("--author", default="unknown", metavar="TEXT", help="with --from-run: who made it")
    add("--description", default="a trained policy", metavar="TEXT", help="with --from-run: what it is, in one line")
    return it


def main(arguments=None):
    """Check a submission; returns the exit status: 0 fit, 1 not fit, 2 when the call was wrong."""
    args = parser().parse_args(arguments)
    try:
        if args.games < 1 or args.seed < 0:
            raise HeistError("--games is a whole number from 1, --seed one from 0.")
        if args.from_run:
            pack(args.from_run, args.folder, args.author, args.description)
        elif not Path(args.folder).is_dir():
            raise HeistError(f"there is no folder {args.folder}; {ADVICE}.")
    except HeistError as error:
        print(f"submit-check: {error}", file=sys.stderr)
        return 2
    findings = check(args.folder, args.games, args.seed, print)
    for sentence in findings:
        print(f"- {sentence}")
    print("It is not fit for the leaderboard yet." if findings else "It is fit for the leaderboard.")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

"""Train a policy for one game: `python training/train.py --game banquefall`. Results go to a folder of their own.
`--resume FOLDER` goes on with the run there, if it was stopped or killed or is to become longer."""

import argparse
import json
import secrets
import sys
from contextlib import ExitStack
from itertools import product
from pathlib import Path

if not __package__:  # run as a script: make `training` importable from the folder above
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from heist_envs.engine.errors import HeistError, unknown
from heist_envs.engine.registry import about, load_game
from heist_envs.envs.mix import opponent_mix
from training.config import SETTINGS, device, load_config, read_pairs, real, text, threads, whole
from training.stopping import StopRequest

USAGE_ERROR = 2
LARGEST_SEED = 2**32 - 1
# What a run that goes on keeps, from its args.yml, and what may be told anew.
KEPT = ("game", "seed", "device", "tensorboard_log", "eval_freq", "eval_episodes", "save_freq")
NEW = ("resume", "game", "n_timesteps", "max_minutes", "verbose", "progress", "help")


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence."""

    def error(self, message):
        raise HeistError(f"{message}; see --help.")


def parser():
    """The command line, spelled as in rl-zoo3."""
    described = [(name, f.metadata["doc"], f.metadata["kind"].allowed) for name, f in SETTINGS.items()]
    settings = "\n".join(f"  {name:<14} {doc}\n{'':<17}({allowed})" for name, doc, allowed in described)
    it = Parser(
        prog="training/train.py",
        description=__doc__,
        epilog=f"settings for --hyperparams and --conf-file:\n{settings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = it.add_argument
    add("--game", "--env", metavar="GAME", help="which game; see python -m heist_envs games")
    add("-n", "--n-timesteps", metavar="N", help="decisions of the learner to train for")
    add("--max-minutes", metavar="M", help="end training after this time, 0 = never")
    add("--opponents", metavar="MIX", help="for example latest:0.7,pool:0.2,greedy:0.1")
    add("--num-players", metavar="N", help="players at the table (default: the game's)")
    add("--env-kwargs", nargs="+", default=[], metavar="NAME:VALUE", help="options of the game")
    add("-params", "--hyperparams", nargs="+", default=[], metavar="NAME:VALUE", help="settings, see below")
    add("-conf", "--conf-file", metavar="FILE", help="YAML with settings that replace those of configs/maskable_ppo.yaml")
    add("--seed", default="-1", help="of everything; -1 draws one and prints it (default -1)")
    add("--device", default="auto", help="auto, cpu or cuda (default auto)")
    add("--num-threads", metavar="N", help="threads of torch, or auto; 1 makes runs repeat to the last bit")
    add("-f", "--log-folder", default="runs", metavar="DIR", help="where run folders are made (default runs)")
    add("-tb", "--tensorboard-log", metavar="DIR", help="where TensorBoard events go (default: the run folder)")
    add("--eval-freq", default="0", metavar="N", help="evaluate every N decisions (default 0: only at the end)")
    add("--eval-episodes", default="400", metavar="N", help="games per bot in those evaluations (default 400)")
    add("--save-freq", default="1000000", metavar="N", help="save every N decisions, 0 = only at the end (default 1000000)")
    add("--verbose", default="1", help="0 = results only, 1 = progress too (default 1)")
    add("-P", "--progress", action="store_true", help="show the progress bar even if this is no terminal")
    exact = (
        "to the last bit on the CPU of the same machine with a fixed --num-threads, except for what --max-minutes decides"
    )
    besides = "besides it only -n, --max-minutes (both counted from the beginning), --verbose and -P"
    add("--resume", metavar="RUN", help=f"go on with the run in this folder as if it had never stopped, {exact}; {besides}")
    add("--dry-run", action="store_true", help="build everything, say what would be done, write nothing")
    add("--print-config", action="store_true", help="print the resolved settings as YAML and end")
    return it


def read_arguments(arguments):
    """The parsed flags; a `HeistError` for unknown flags and for values that a flag may not have."""
    it = parser()
    args, rest = it.parse_known_args(arguments)
    if rest:
        flags = [flag for action in it._actions for flag in action.option_strings]
        raise unknown("flag", rest[0], flags)
    if args.resume is not None:
        _refuse_changes(arguments)
    elif args.game is None:
        it.error("the following arguments are required: --game/--env")
    check_flags(args)
    return args


def _refuse_changes(arguments):
    """Raise a `HeistError` if flags are given that a run which goes on has already."""
    it = parser()
    for action in it._actions:
        action.default = argparse.SUPPRESS  # only what is given is parsed
    given = vars(it.parse_args(arguments))
    for action in it._actions:
        if action.dest in given and action.dest not in NEW:
            flag = action.option_strings[-1]
            raise HeistError(f"{flag} is as it was when the run began; with --resume leave it out, see --help.")


def check_flags(args):
    """Turn the texts of flags into values, or raise a `HeistError`."""
    kinds = {
        "seed": whole(-1, LARGEST_SEED),
        "eval_freq": whole(0),
        "eval_episodes": whole(2),
        "save_freq": whole(0),
        "verbose": whole(0, 1),
        "device": device,
        "log_folder": text,
    }
    for name, kind in kinds.items():
        setattr(args, name, kind.check(f"--{name.replace('_', '-')}", getattr(args, name)))


def resolve_config(args):
    """The `Config` of a command line, with the game's options and opponents checked."""
    game = load_game(args.game)
    changes = read_pairs(args.hyperparams, "--hyperparams")
    flags = {"n_timesteps": whole(1), "max_minutes": real(0), "num_threads": threads}
    for flag, kind in flags.items():
        value = getattr(args, flag)
        if value is not None:
            changes["torch_threads" if flag == "num_threads" else flag] = kind.check(f"--{flag.replace('_', '-')}", value)
    if args.opponents is not None:
        changes["opponents"] = args.opponents
    config = load_config(args.game, args.conf_file, changes)
    options = dict(config.env_kwargs)
    given = read_pairs(args.env_kwargs, "--env-kwargs")
    if args.num_players is not None:
        given["num_players"] = args.num_players
    options |= game.options.read([f"{name}={value}" for name, value in given.items()])
    game.options.resolve(options)
    opponent_mix(config.opponents, game)
    if config.start_reward != "none":
        game.options.by_name["reward"].check(config.start_reward)
    return load_config(args.game, args.conf_file, {**changes, "env_kwargs": options})


def main(arguments=None):
    """Train and evaluate; returns the exit status: 0, 2 when the call was wrong, 130 and 143 when stopped by a signal."""
    try:
        args = read_arguments(arguments)
        if args.resume is not None:
            return resume(args)
        about(args.game)
        config = resolve_config(args)
        if args.print_config:
            print(config.as_yaml(), end="")
            return 0
        return run(args, config)
    except HeistError as error:
        print(f"train: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("train: stopped before training began.", file=sys.stderr)
        return 130


def resume(args):
    """Go on with the run in the folder `args.resume`; returns the exit status."""
    from training.run_folder import ARGUMENTS, CONFIG, locked, read_run

    folder = Path(args.resume)
    kept = read_run(folder)
    if args.game not in (None, kept.get("game")):
        raise HeistError(f"the run in {folder} plays {kept.get('game')}, not {args.game}; leave --game out.")
    try:
        for name in KEPT:
            if name not in kept:
                raise HeistError(f"{name} is missing.")
            setattr(args, name, kept[name])
        check_flags(args)
        args.game, args.seed = text.check("game", args.game), whole(0, LARGEST_SEED).check("seed", args.seed)
        args.tensorboard_log = args.tensorboard_log and text.check("tensorboard_log", args.tensorboard_log)
        about(args.game)
    except HeistError as error:
        raise HeistError(f"{folder / ARGUMENTS} cannot be used: {error}") from None
    with locked(folder):
        args.conf_file = folder / CONFIG
        return run(args, resolve_config(args), folder)


def run(args, config, begun=None):
    """Train, save, evaluate, report; `begun`: the folder of a run to go on with, whose lock is held."""
    # Imported here, so that --help, --print-config and refusals do not wait for torch.
    from rich.console import Console

    from training.progress import ProgressReport
    from training.run_folder import describe_run, locked, make_run_folder
    from training.trainer import Cadence, Run, build, choose_device

    console = Console()
    seed = secrets.randbelow(LARGEST_SEED + 1) if args.seed == -1 else args.seed
    chosen = choose_device(args.device)
    with StopRequest() as stop, ExitStack() as held:
        print(f"preparing {args.game} (when run for the first time its rules are compiled, which takes a while)", flush=True)
        model = build(args.game, config, seed, chosen)
        if args.dry_run:
            print(config.as_yaml(), end="")
            print(f"dry run: would train {args.game} for {config.n_timesteps:,} decisions, seed {seed}, on {chosen}")
            return 0
        if stop.signum is not None:
            print("train: stopped before training began.", file=sys.stderr)
            return stop.status
        folder = begun or make_run_folder(args.log_folder, args.game)
        stopped = lambda: stop.signum is not None  # noqa: E731
        cadence = Cadence(args.save_freq, args.eval_freq, args.eval_episodes)
        job = Run(args.game, config, seed, model, folder, cadence, stopped)
        if begun:
            if not go_on(job, args):
                return 0
        else:
            held.enter_context(locked(folder))
            describe_run(folder, config, {**vars(args), "seed": seed}, config.torch_threads)
        done, seconds = model.num_timesteps, job.watch.elapsed
        where = f"from {done:,} of {config.n_timesteps:,} decisions on, " if begun else ""
        print(f"training {args.game}, {where}seed {seed}, on {chosen}; results in {folder}", flush=True)
        bar = args.progress or console.is_terminal
        limit, quiet = config.max_minutes * 60, args.verbose == 0
        report = ProgressReport(console, config.n_timesteps, limit, bar, quiet, done, seconds)
        summary = job.train(report, args.tensorboard_log)
        job.write_results(summary, [])
        tell(summary, folder)
        finish(job, summary, config, stopped, console)
        if stopped():
            print(f"to go on: --resume {folder}")
        return stop.status


def go_on(job, args):
    """Bring a `Run` that was just made to where its folder says it is. False if there is nothing left to do there."""
    from heist_envs.policies.network import WEIGHTS
    from training.checkpoint import FILE, restore
    from training.run_folder import CONFIG, add_command, changes, forget_parts, write_text

    path = job.folder / FILE
    forget_parts(path)
    if path.is_file():
        changed = changes(restore(job), job.versions)
        if changed:
            told = "; ".join(changed)
            print(f"train: since {path} was saved these have changed, so it may not go on exactly: {told}", file=sys.stderr)
    elif (job.folder / WEIGHTS).is_file():
        raise HeistError(f"{job.folder} holds a policy, but no {FILE} to go on from; train anew.")
    else:
        print(f"nothing was saved in {job.folder} yet; the run begins again with its seed", flush=True)
    done = job.model.num_timesteps
    if args.n_timesteps is not None and job.config.n_timesteps < done:
        raise HeistError(f"-n counts from the beginning, and {done:,} decisions are made already; give more than that.")
    if job.ended_by() and is_evaluated(job):
        ended, flag = job.ended_by(), {"n_timesteps": "-n", "max_minutes": "--max-minutes"}[job.ended_by()]
        print(
            f"the run in {job.folder} is complete ({done:,} decisions, ended by {ended}); {flag} with more makes it longer"
        )
        return False
    add_command(job.folder)
    if args.n_timesteps is not None or args.max_minutes is not None:
        write_text(job.folder / CONFIG, job.config.as_yaml())
    return True


def is_evaluated(job):
    """Whether the final evaluation of a `Run` is in its results.json, complete."""
    from heist_envs.arena.match import PLAYS
    from heist_envs.policies.scripted import bot_names

    game = job.batch.game
    try:
        results = json.loads((job.folder / "results.json").read_text(encoding="utf-8"))["evaluation"]
        met = {(result["opponent"], result["role"], result["play"]) for result in results}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    roles = game.about.roles if len(game.about.roles) > 1 else [""]
    return met >= set(product(bot_names(game), roles, PLAYS))


def tell(summary, folder):
    """One line about the training that has ended."""
    shares = ", ".join(f"{name} {share:.0%}" for name, share in summary["time_shares"].items())
    print(
        f"trained {summary['timesteps']:,} decisions in {summary['train_seconds']:.0f} s, "
        f"{summary['decisions_per_second']:,.0f} per second ({shares}; {summary['torch_threads']} threads); "
        f"ended by {summary['ended_by']}; policy saved in {folder}",
        flush=True,
    )


def finish(job, summary, config, stopped, console):
    """The final evaluation: each result is shown and kept, also when it is stopped half-way."""
    from training.evaluate import evaluate, show_results

    results = list(evaluate(job.policy(), games=config.eval_games, seed=job.seed, stopped=stopped))
    job.write_results(summary, results)
    show_results(results, console)
    print(f"results in {job.folder}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

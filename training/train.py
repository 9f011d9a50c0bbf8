"""Train a policy for one game: `python training/train.py --game banquefall`. Results go to a folder of their own."""

import argparse
import secrets
import sys
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
    add("--game", "--env", required=True, metavar="GAME", help="which game; see python -m heist_envs games")
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
    return args


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


def run(args, config):
    """Train, save, evaluate, report."""
    # Imported here, so that --help, --print-config and refusals do not wait for torch.
    from rich.console import Console

    from training.progress import ProgressReport
    from training.run_folder import describe_run, make_run_folder
    from training.trainer import Cadence, Run, build, choose_device

    console = Console()
    seed = secrets.randbelow(LARGEST_SEED + 1) if args.seed == -1 else args.seed
    chosen = choose_device(args.device)
    with StopRequest() as stop:
        print(f"preparing {args.game} (when run for the first time its rules are compiled, which takes a while)", flush=True)
        model = build(args.game, config, seed, chosen)
        if args.dry_run:
            print(config.as_yaml(), end="")
            print(f"dry run: would train {args.game} for {config.n_timesteps:,} decisions, seed {seed}, on {chosen}")
            return 0
        if stop.signum is not None:
            print("train: stopped before training began.", file=sys.stderr)
            return stop.status
        folder = make_run_folder(args.log_folder, args.game)
        describe_run(folder, config, {**vars(args), "seed": seed}, config.torch_threads)
        print(f"training {args.game}, seed {seed}, on {chosen}; results in {folder}", flush=True)
        job = Run(args.game, config, seed, model, folder)
        bar = args.progress or console.is_terminal
        report = ProgressReport(console, config.n_timesteps, config.max_minutes * 60, bar, quiet=args.verbose == 0)
        cadence = Cadence(args.save_freq, args.eval_freq, args.eval_episodes)
        stopped = lambda: stop.signum is not None  # noqa: E731
        summary = job.train(report, cadence, stopped, args.tensorboard_log)
        job.write_results(summary, [])
        tell(summary, folder)
        finish(job, summary, config, stopped, console)
        return stop.status


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

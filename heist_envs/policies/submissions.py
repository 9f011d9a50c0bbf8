"""Submitted agents: folders made by strangers, checked before anything in them is used. Nothing is unpickled or imported.

A submission is a folder, named like the agent, with `agent.json`. Kind "policy": `policy.safetensors` beside it, and the
card is that of a policy (network.py) with four more keys. Kind "process": a program that speaks JSON lines
(benchmarks/SUBMITTING.md); it runs as a process of its own, see processes.py.
"""

import hashlib
import json
import re
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..engine.errors import HeistError, unknown
from ..engine.registry import about, game_names
from .cards import check_card, read_card
from .processes import LIMITS, Limits, search_path

CARD, WEIGHTS = "agent.json", "policy.safetensors"
FORMAT = 1
WHO = {"kind": str, "name": str, "author": str, "description": str}
PROCESS_KEYS = {"format": int, **WHO, "game": str, "game_version": int, "command": list}
MOST_FILES, MOST_BYTES, MOST_DEPTH = 200, 64 * 2**20, 8
NAME = re.compile(r"[a-z0-9_]{1,32}")
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
TEXTS = {"author": 80, "description": 400}
MOST_WORDS, MOST_LETTERS = 20, 200
POLICY_FILES = {CARD, WEIGHTS, "README.md", "LICENSE"}
ADVICE = f"a submission is a folder with {CARD}, see benchmarks/SUBMITTING.md"


@dataclass(frozen=True)
class Submission:
    """A submitted agent that has passed all checks. `policy`: a `NetworkPolicy`, None for a program; `command`: the words
    that start a program in `folder`, () for a policy; `digest`: sha256 of all files; `limits`: what a program may take."""

    folder: Path
    name: str
    author: str
    description: str
    kind: str
    game: str
    digest: str
    policy: object = None
    command: tuple = ()
    limits: Limits = LIMITS


def load_submission(folder, game=None):
    """The `Submission` in `folder`; with `game` (a name) it must be for that game. Raises `HeistError` for everything that
    is damaged, hostile or made for another game or version. A program is not started."""
    if Path(folder).is_symlink():
        raise HeistError(f"{folder} is a link; name the folder itself.")
    folder = Path(folder).resolve()
    files = check_files(folder)
    card = read_card(folder / CARD, ADVICE, "write it as JSON, see benchmarks/SUBMITTING.md")
    kind = check_who(card, folder)
    if kind == "policy":
        more = {"policy": _policy(card, folder, files, game)}
        made_for = more["policy"].game.name
    else:
        more = {"command": _command(card, folder, game)}
        made_for = card["game"]
    who = {key: card[key] for key in WHO}
    return Submission(folder=folder, **who, game=made_for, digest=_digest(folder, files), **more)


def submissions_for(game, root):
    """The folders (`Path`) of all submissions below `root` for a game (a name), sorted: `root`/<game>/<name>."""
    return sorted(file.parent for file in (Path(root) / game).glob(f"*/{CARD}"))


def check_files(folder):
    """All files of a folder as sorted posix paths in it. Raises `HeistError` for links, anything that is no plain file,
    strange names, too many or too large ones."""
    if not folder.is_dir():
        raise HeistError(f"there is no folder {folder}; {ADVICE}.")
    found, folders, size = [], [folder], 0
    while folders:
        for entry in folders.pop().iterdir():
            where, status = entry.relative_to(folder), entry.lstat()
            if _is_folder(entry, where.as_posix(), status.st_mode):
                folders.append(entry)
            else:
                found.append(where.as_posix())
                size += status.st_size
            if len(where.parts) > MOST_DEPTH or len(found) + len(folders) > MOST_FILES or size > MOST_BYTES:
                most = f"{MOST_FILES} files and folders, {MOST_DEPTH} levels and {MOST_BYTES >> 20} MiB"
                raise HeistError(f"{folder} has more than the {most} it may have; leave out what the agent does not need.")
    return sorted(found)


def _is_folder(entry, where, mode):
    """Whether an entry is a folder rather than a plain file; `HeistError` if it is neither or has a strange name."""
    if not FILE_NAME.fullmatch(entry.name) or entry.name == "__pycache__":
        raise HeistError(
            f"the file name {ascii(where)} is not allowed; remove it, or use the letters A-Z a-z 0-9 . _ - only."
        )
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise HeistError(f"{where} is a link or something else that is no plain file; put a copy of the file there.")
    return stat.S_ISDIR(mode)


def check_who(card, folder):
    """The kind of a card whose name, author and description are as they must be; otherwise `HeistError`."""
    path = folder / CARD
    if not isinstance(card, dict) or not WHO.keys() <= card.keys():
        raise HeistError(f"{path} must be a JSON object with the keys {', '.join(WHO)} and those of its kind.")
    for key in WHO:
        if not isinstance(card[key], str):
            raise HeistError(f"{key} in {path} must be a text.")
    if card["kind"] not in ("policy", "process"):
        raise unknown(f"kind in {path}:", card["kind"][:40], ("policy", "process"))
    if not NAME.fullmatch(card["name"]) or card["name"] != folder.name:
        raise HeistError(
            f"name in {path} must be that of the folder, 1 to 32 characters a-z 0-9 _, not {ascii(card['name'][:40])}."
        )
    for key, most in TEXTS.items():
        if not 1 <= len(card[key]) <= most or not card[key].isprintable():
            raise HeistError(f"{key} in {path} must be one line of 1 to {most} printable characters.")
    return card["kind"]


def _policy(card, folder, files, game):
    """The `NetworkPolicy` of a card of kind "policy"."""
    strange = sorted(set(files) - POLICY_FILES)
    if strange:
        allowed = ", ".join(sorted(POLICY_FILES))
        raise HeistError(f"a policy submission has no file {strange[0]}; allowed: {allowed}.")
    try:
        from .network import policy_of_card  # needs torch
    except ModuleNotFoundError as error:
        raise HeistError(f"{folder.name} is a network and needs {error.name}; pip install 'heist_envs[train]'.") from None
    rest = {key: value for key, value in card.items() if key not in WHO}
    return policy_of_card(rest, folder / CARD, game)


def _command(card, folder, game):
    """The words of a card of kind "process", all of whose values have been checked."""
    path = folder / CARD
    check_card(card, path, "a process", PROCESS_KEYS)
    if card["format"] != FORMAT:
        raise HeistError(f"{path} has format {card['format']}, this version of heist_envs reads format {FORMAT}.")
    if card["game"] not in game_names():
        raise unknown(f"game in {path}:", card["game"][:40], game_names())
    if game is not None and card["game"] != game:
        raise HeistError(f"{path} is an agent for {card['game']!r}, not for {game!r}; name one for {game!r}.")
    version = about(card["game"]).version
    if card["game_version"] != version:
        raise HeistError(f"{path} is for version {card['game_version']} of {card['game']}, now {version}; see what changed.")
    _check_words(card["command"], path)
    return tuple(card["command"])


def _check_words(command, path):
    """Raise `HeistError` unless `command` is a list of words that stay in the folder and start with a program."""
    if not 1 <= len(command) <= MOST_WORDS or not all(isinstance(word, str) for word in command):
        raise HeistError(f'command in {path} must be a list of 1 to {MOST_WORDS} texts, such as ["python", "agent.py"].')
    for word in command:
        if not 1 <= len(word) <= MOST_LETTERS or not word.isprintable():
            raise HeistError(f"a word of command in {path} must be 1 to {MOST_LETTERS} printable characters.")
        if word.startswith(("/", "~")) or ".." in PurePosixPath(word).parts:
            raise HeistError(f"the word {word!r} of command in {path} leads out of the folder; name a file inside it.")
    program = command[0]
    if not shutil.which(str(path.with_name(program)) if "/" in program else program, path=search_path()):
        where = "in the folder (or it may not be executed)" if "/" in program else "on this machine"
        raise HeistError(f"there is no program {program!r} {where}, with which command in {path} begins.")


def _digest(folder, files):
    """sha256 over names and contents of all files."""
    contents = [[name, hashlib.sha256((folder / name).read_bytes()).hexdigest()] for name in files]
    return hashlib.sha256(json.dumps(contents).encode()).hexdigest()

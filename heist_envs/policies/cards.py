"""Cards: small JSON files that say what an agent is. They may come from anybody, so size, keys and types are checked."""

import json

from ..engine.errors import HeistError

CARD_BYTES = 64 * 1024


def read_bytes(path, most, advice):
    """The content of a `Path`, at most `most` bytes. Raises `HeistError`; `advice` ends the sentence for a missing file."""
    if not path.is_file():
        raise HeistError(f"there is no file {path}; {advice}.")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise HeistError(f"{path} is larger than the {most} bytes it may have; it is no file of this kind.")
    return content


def read_card(path, advice, mend):
    """The JSON value in a `Path`. Raises `HeistError`; `advice` as in `read_bytes`, `mend` ends the one for bad JSON."""
    content = read_bytes(path, CARD_BYTES, advice)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise HeistError(f"{path} is not JSON; {mend}.") from None


def check_card(card, path, what, keys):
    """Raise `HeistError` unless a card is an object with exactly these `keys` {name: type}; `what` it is the card of."""
    if not isinstance(card, dict) or card.keys() != keys.keys():
        raise HeistError(f"{path} is not the card of {what}; it must have exactly the keys {', '.join(keys)}.")
    for key, kind in keys.items():
        if type(card[key]) is not kind:
            raise HeistError(f"{key} in {path} must be of type {kind.__name__}, not {type(card[key]).__name__}.")

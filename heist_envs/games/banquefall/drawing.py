"""The table as text: for one seat with what it knows, or (seat None) with every card face up for an onlooker."""

import json

from .pieces import BANKS, CARD_NAMES, CARDS, DECK_SIZE, RESULT_NAMES, TILE_NAMES, Card, Phase, Result

SHORT = {"seductress": "Sed", "policeman": "Pol", "detective": "Det", "thief": "Thi"}


def draw(seen, seat, events):
    """The state as `seat` sees it, as a few lines of text; for an onlooker also the events since the last drawing."""
    lines = [_heading(seen), *_banks(seen), *_seats(seen, seat)]
    if seen.last_result:
        lines.append(_last_robbery(seen))
    if seat is None:  # events tell everything
        lines += [f"  * {_event(event)}" for event in events]
    return "\n".join(lines)


def _heading(seen):
    if seen.over:
        stand = "game over"
    elif seen.phase == Phase.BID:
        stand = f"bids for bank {seen.target}" + (", final round" if seen.final else "")
    else:
        stand = f"player_{seen.turn} turned {TILE_NAMES[seen.phase]}"
    tiles = " ".join(f"{name} {count}" for name, count in zip(TILE_NAMES, seen.tiles, strict=True))
    return f"banquefall: {stand} | pile {DECK_SIZE - seen.drawn} | tiles left: {tiles}"


def _banks(seen):
    """One line a bank: [card] face up, (card) face down, ( ? ) unknown; +K and dealt cards carry their origin."""
    for bank in range(BANKS):
        cards = " ".join(_card_at(seen, bank, slot) for slot in range(seen.length[bank]))
        mark = ">" if seen.phase == Phase.BID and seen.target == bank and not seen.over else " "
        yield f" {mark} bank {bank}: {cards or '-'}"


def _card_at(seen, bank, slot):
    kind = seen.row[bank, slot]
    name = _name(kind) if kind != Card.UNKNOWN else "?"
    if seen.face_up[bank, slot]:
        return f"[{name}]"
    origin = seen.origin[bank, slot]
    return f"({name} from {f'player_{origin - 1}' if origin else 'deal'})"


def _name(kind):
    name = CARD_NAMES[kind - 1]
    return SHORT.get(name, name)


def _seats(seen, seat):
    for player in range(seen.seats):
        hand = " ".join(_name(kind) for kind in range(1, CARDS) for _ in range(seen.hand[player, kind]))
        known = seat is None or seat == player
        owes = " owes a decision" if seen.to_act[player] else ""
        funds = seen.funds[player] if known or seen.option_perfect_recall else "?"
        cards = hand if known else f"{seen.hand_size[player]} cards"
        result = f" | score {seen.score[player]}, rank {seen.rank[player]}" if seen.over else ""
        yield f"   player_{player}: funds {funds}, red coins {seen.credits[player]} | {cards or 'no cards'}{result}{owes}"


def _last_robbery(seen):
    bids = " ".join(str(seen.last_bid[player]) for player in range(seen.seats))
    paid = " ".join(str(seen.last_paid[player] - seen.last_lost[player]) for player in range(seen.seats))
    loot = f", loot {seen.last_loot}" if seen.last_result == Result.SHARED else ""
    return f"   last robbery: bank {seen.last_bank} {RESULT_NAMES[seen.last_result]}{loot} | bids {bids} | gains {paid}"


def _event(event):
    fields = ", ".join(f"{key} {json.dumps(value)}" for key, value in event.items() if key not in ("event", "deck", "hands"))
    return f"{event['event']}: {fields}"

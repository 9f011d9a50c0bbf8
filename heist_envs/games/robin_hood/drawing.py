"""The table as text: for one seat with what it knows, or (seat None) with all cards for an onlooker."""

import json

from .pieces import CARD_NAMES, COLOURS, KIND_NAMES, KINDS, SYMBOLS, Phase

ASKED = {
    Phase.TURN: "is on",
    Phase.TARGET: "picks a treasure to steal",
    Phase.COUNTER: "robs and may be countered",
    Phase.LOSE: "was countered and loses a card",
    Phase.DISCARD: "has a card too many",
}


def draw(seen, seat, events):
    """The state as `seat` sees it, as a few lines of text; for an onlooker also the events since the last drawing."""
    stand = "game over" if seen.over else f"turn {seen.turns + 1}, player_{seen.turn} {ASKED[seen.phase]}"
    market = " ".join(_card(seen, card) for card in seen.market)
    lines = [f"robin_hood: {stand} | market {market} | pile {seen.pile} | coins {seen.stock}"]
    if seen.pending[0]:
        aim = f" for {_card(seen, seen.target)} of player_{seen.victim - 1}" if seen.victim else ""
        lines.append(f"   trio {' '.join(_card(seen, card) for card in seen.pending)}{aim}")
    for player in range(seen.seats):
        lines += _player(seen, seat, player)
    if seat is None:  # events tell everything
        lines += [f"  * {_event(event)}" for event in events]
    return "\n".join(lines)


def _card(seen, card):
    if card == 0:
        return "-"
    return CARD_NAMES[card - 1] if seen.option_symbol_mode else KIND_NAMES[(card - 1) // len(SYMBOLS)]


def _player(seen, seat, player):
    """Two lines: the hide-out ([sets] protected), then the hand as far as it may be seen."""
    safe = " ".join(KIND_NAMES[kind] for kind in range(KINDS) for _ in range(seen.safe[player, kind]))
    lying = " ".join(
        _card(seen, seen.open_cards[player, colour, i])
        for colour in range(len(COLOURS))
        for i in range(seen.open_count[player, colour])
    )
    marian = ", Marian" if seen.marian == player + 1 else ""
    result = f" | score {seen.score[player]}, rank {seen.rank[player]}" if seen.over else ""
    owes = " owes a decision" if seen.to_act[player] else ""
    yield f"   player_{player}: [{safe}] {lying or '-'} | coins {seen.coins[player]}{marian}{result}{owes}"
    yield f"      hand: {_hand(seen, seat, player)}"


def _hand(seen, seat, player):
    if seat is None or seat == player:
        cards = [1 + 3 * kind + s for kind in range(KINDS) for s in range(3) for _ in range(seen.hand[player, kind, s])]
        return " ".join(_card(seen, card) for card in cards) or "-"
    known = " ".join(KIND_NAMES[kind] for kind in range(KINDS) for _ in range(seen.known[player, kind]))
    return f"{seen.hand_size[player]} cards" + (f", among them {known}" if known else "")


def _event(event):
    fields = ", ".join(f"{key} {json.dumps(value)}" for key, value in event.items() if key not in ("event", "deck", "hands"))
    return f"{event['event']}: {fields}"

"""The table as text: for one seat with what it knows, or (seat None) with all cards for an onlooker."""

import json

from .pieces import LOOT_NAMES, Phase

ASKED = {
    Phase.SUPPLY: "lays out the loot",
    Phase.PLACE: "waits for the others",
    Phase.GENTLEMAN: "chooses last",
    Phase.DECLARE: "declares",
    Phase.CONFIRM: "has declared",
}


def draw(seen, seat, events):
    """The state as `seat` sees it, as a few lines of text; for an onlooker also the events since the last drawing."""
    stand = "game over" if seen.over else f"round {seen.rounds}, Gentleman player_{seen.gentleman} {ASKED[seen.phase]}"
    lines = [f"robby_solo: {stand}{_declaration(seen)} | deck {seen.deck_size}"]
    lines += [f"   bank {bank}: {_row(seen.lying[bank], seen.length[bank])}" for bank in range(seen.banks)]
    lines += [_looter(seen, seat, looter) for looter in range(seen.looters)]
    if seat is None:  # events tell everything
        lines += [f"  * {_event(event)}" for event in events]
    return "\n".join(lines)


def _declaration(seen):
    if not seen.declared:
        return ""
    return f": I {'' if seen.declared_robs else 'do not '}rob bank {seen.declared - 1}"


def _row(cards, count):
    return " ".join(LOOT_NAMES[cards[i] - 1] for i in range(count)) or "-"


def _looter(seen, seat, looter):
    junior = looter == seen.seats
    name = "Robby Junior" if junior else f"player_{looter}"
    whole = seat is None or seat == looter or seen.option_perfect_recall
    size, top = seen.pile_size[looter], seen.pile_top[looter]
    pile = _row(seen.pile[looter], size) if whole else f"{size} cards, {LOOT_NAMES[top - 1]} on top" if size else "-"
    card = "" if junior or not seen.choice[looter] else f" | card: bank {seen.choice[looter] - 1}"
    back = " (taken back)" if not junior and seen.took_back[looter] else ""
    result = f" | score {seen.score[looter]}, rank {seen.rank[looter]}" if seen.over and not junior else ""
    owes = " owes a decision" if not junior and seen.to_act[looter] else ""
    return f"   {name}: {pile}{card}{back}{result}{owes}"


def _event(event):
    fields = ", ".join(f"{key} {json.dumps(value)}" for key, value in event.items() if key not in ("event", "deck"))
    return f"{event['event']}: {fields}"

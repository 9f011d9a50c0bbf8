"""The house as text: for one seat with what it knows, or (seat None) with all cards and tokens for an onlooker."""

import json

from .pieces import CARDS, GONE, OUTSIDE, SIZE, Phase


def draw(seen, seat, events):
    """The state as `seat` sees it, as a few lines of text; for an onlooker also the events since the last drawing."""
    lines = [f"silence: {_stand(seen)} | threshold {seen.threshold}", *_house(seen)]
    lines += [_player(seen, seat, player) for player in range(seen.seats)]
    if seat is None:  # events tell everything
        lines += [f"  * {_event(event)}" for event in events]
    return "\n".join(lines)


def _stand(seen):
    if seen.over:
        return "game over"
    if seen.phase == Phase.WALK:
        return f"round {seen.rounds}, player_{seen.mover} walks with {seen.budget} left"
    return f"round {seen.rounds}, cards are chosen"


def _house(seen):
    """A cell is its cost, * where a token lies, and the pawn's number in brackets; = and | mark the doors."""
    pawns = {seen.pawn[player]: player for player in range(seen.seats)}
    door = "           ==  =="
    yield "    " + door
    for row in range(SIZE):
        side = "|" if row in (3, 4) else " "
        cells = " ".join(_cell(seen, pawns, row * SIZE + col) for col in range(SIZE))
        yield f"   {side}{cells}{side}"
    yield "    " + door


def _cell(seen, pawns, cell):
    token = "*" if seen.lying[cell] else " "
    return f"[{pawns[1 + cell]}]" if 1 + cell in pawns else f" {seen.cost[cell]}{token}"


def _player(seen, seat, player):
    known = seat is None or seat == player
    place = seen.pawn[player]
    where = "outside" if place == OUTSIDE else "gone" if place == GONE else f"at {divmod(int(place) - 1, SIZE)}"
    hand = " ".join(str(card + 1) for card in range(CARDS) for _ in range(seen.hand[player, card]))
    mates = seat is not None and seen.side[seat] == seen.side[player]
    loot = f"worth {seen.loot[player]}" if known or mates or seen.over else "worth ?"
    cards = hand or "no cards" if known else f"{seen.hand_size[player]} cards"
    team = f" (team {seen.side[player]})" if seen.option_teams else ""
    result = f" | score {seen.score[player]}, rank {seen.rank[player]}" if seen.over else ""
    owes = " owes a decision" if seen.to_act[player] else ""
    return f"   player_{player}{team}: {where} | {seen.taken[player]} tokens {loot} | {cards}{result}{owes}"


def _event(event):
    hidden = ("event", "board", "tokens", "decks")
    return f"{event['event']}: " + ", ".join(
        f"{key} {json.dumps(value)}" for key, value in event.items() if key not in hidden
    )

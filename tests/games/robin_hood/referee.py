"""An independent second implementation of robin_hood, used by tests to check recorded games.

It was written from the rules alone (rules/robin_hood.md and the printed rules), without
a look at the engine, and shares no code with it.  From a replay line the referee
believes only the outcomes of chance: the first seat and the deal in `setup`, and the
order of the new pile in `reshuffle`.  It lets the recorded actions decide, works out
everything else again (whose decision it is, the legal texts, every field of every event,
scores and winners) and raises `Foul` at the first disagreement.

    python -m tests.games.robin_hood.referee FILE.jsonl

checks every line of a file: exit status 0 and the number of games that agree, or 1
with the line number at the first foul.  `python -m doctest` on this file runs the
examples of `runs` and `trios`.
"""

from collections import Counter, deque
from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

from tests.games.refereeing import Foul, RefereeBase, at_least, main, one_of

__all__ = ["Foul", "referee"]

COLOURS = ("red", "blue", "yellow")
SYMBOLS = ("bow", "hat", "staff")
VALUES = range(1, 10)
COPIES = 4
SYMBOL_OF_COLOUR = {"red": "hat", "blue": "staff", "yellow": "bow"}

SLOTS = range(3)
HAND_SIZE = 9
COIN = 3
"""All coins are counted in coins of 3: a six only serves as change."""


# -------------------------------------------------------------------------- the cards


class Card(NamedTuple):
    """A treasure.  Where several fit, the smallest is used: lowest symbol, then lowest colour."""

    symbol: int
    colour: int
    value: int
    name: str
    """Its text in events."""

    @property
    def kind(self) -> str:
        """Its text in actions."""
        return f"{COLOURS[self.colour]}{self.value}"


def all_treasures(symbol_mode: str) -> Counter[Card]:
    return Counter(
        printed_card(symbol_mode, colour, value, copy)
        for colour in range(len(COLOURS))
        for value in VALUES
        for copy in range(COPIES)
    )


def printed_card(symbol_mode: str, colour: int, value: int, copy: int) -> Card:
    kind = f"{COLOURS[colour]}{value}"
    if symbol_mode == "by_color":
        return Card(SYMBOLS.index(SYMBOL_OF_COLOUR[COLOURS[colour]]), colour, value, kind)
    symbol = copy if copy < len(SYMBOLS) else (colour + value) % len(SYMBOLS)
    return Card(symbol, colour, value, f"{kind}-{SYMBOLS[symbol]}")


def names(cards: Iterable[Card]) -> list[str]:
    return [card.name for card in cards]


def by_kind(cards: Iterable[Card]) -> dict[str, Card]:
    """The card to use of each kind."""
    return {card.kind: card for card in sorted(cards, reverse=True)}


def runs(cards: Iterable[Card]) -> dict[str, list[Card]]:
    """The cards, ascending, of each run that can be laid out of `cards`.

    >>> hand = [printed_card("by_color", 1, value, 0) for value in (9, 5, 7, 1, 8, 7)]
    >>> {text: names(run) for text, run in runs(hand).items()}
    {'run blue 7': ['blue7', 'blue8', 'blue9']}
    >>> hand = [printed_card("latin", 0, value, copy) for value in (1, 2, 3) for copy in (2, 1)]
    >>> {text: names(run) for text, run in runs(hand).items()}
    {'run red 1': ['red1-hat', 'red2-hat', 'red3-hat']}
    """
    found = {}
    held = by_kind(cards)
    for colour in COLOURS:
        for first in VALUES[:-2]:
            kinds = [f"{colour}{first + step}" for step in range(3)]
            if held.keys() >= set(kinds):
                found[f"run {colour} {first}"] = [held[kind] for kind in kinds]
    return found


def trios(cards: Iterable[Card]) -> dict[str, list[Card]]:
    """The cards, in the order of the text, of each trio that can be laid out of `cards`.

    >>> hand = [printed_card("by_color", colour, 5, 0) for colour in (0, 2, 1, 2)]
    >>> for text, trio in trios(hand).items():
    ...     print(text, names(trio))
    trio 5 bow+bow+hat ['yellow5', 'yellow5', 'red5']
    trio 5 bow+bow+staff ['yellow5', 'yellow5', 'blue5']
    trio 5 bow+hat+staff ['yellow5', 'red5', 'blue5']
    >>> hand = [printed_card("latin", colour, 4, 1) for colour in (2, 1, 0, 0)]
    >>> {text: names(trio) for text, trio in trios(hand).items()}
    {'trio 4 hat+hat+hat': ['red4-hat', 'red4-hat', 'blue4-hat']}
    """
    found: dict[str, list[Card]] = {}
    for trio in combinations(sorted(cards, key=lambda card: (card.value, card)), 3):
        if len({card.value for card in trio}) == 1:
            text = f"trio {trio[0].value} " + "+".join(SYMBOLS[card.symbol] for card in trio)
            # Of all trios with this text the first has the lowest colours.
            found.setdefault(text, list(trio))
    return found


# --------------------------------------------------------------------------- the game


class Referee(RefereeBase):
    game = "robin_hood"
    allowed_options = {
        "num_players": one_of(3, 4, 5, 6),
        "symbol_mode": one_of("by_color", "latin"),
        "use_marian": one_of(False, True),
        "max_turns": at_least(1),
        "perfect_recall": one_of(False, True),
        "reward": one_of("win", "margin"),
    }

    def __init__(self, line: Any) -> None:
        super().__init__(line)
        self.seats: int = self.options["num_players"]
        self.treasures = all_treasures(self.options["symbol_mode"])
        self.card_of_name = {card.name: card for card in self.treasures}
        self.set_size = 4 if self.seats == 3 else 3
        """So many cards of a colour protect each other."""
        self.all_coins = 9 if self.seats == 3 else 13
        self.stock = self.all_coins
        self.coins = [0] * self.seats
        self.hands: list[list[Card]] = []
        self.open: list[list[Card]] = [[] for _ in range(self.seats)]
        """What can be stolen from each hide-out, in order of arrival."""
        self.protected: list[list[Card]] = [[] for _ in range(self.seats)]
        self.market: list[Card | None] = []
        self.pile: deque[Card] = deque()
        self.discard: list[Card] = []
        self.laid: list[Card] = []
        """The trio on the table, while the theft is open."""
        self.marian: int | None = None
        self.first_seat = 0
        self.reshuffled = False

    def check(self) -> None:
        """Replay the game from the deal to the last event; `Foul` where it is wrong."""
        self._set_up()
        turns = 0
        while (reason := self._reason_to_end(turns)) is None:
            self._turn((self.first_seat + turns) % self.seats)
            turns += 1
        self._finish(reason)

    # ------------------------------------------------------------ the course of the game

    def _set_up(self) -> None:
        """Take over the outcomes of chance."""
        event = self._next_event("setup", ("num_players", "first_seat", "hands", "market", "deck"))
        self._compare(event, num_players=self.seats)
        self.first_seat = self._seat_in(event, "first_seat", self.seats)
        hands = event["hands"]
        if not isinstance(hands, list) or len(hands) != self.seats:
            self._foul_event("hands", f"{self.seats} lists of {HAND_SIZE} cards", hands)
        self.hands = [self._cards("hands", hand, HAND_SIZE) for hand in hands]
        self.market = [*self._cards("market", event["market"], len(SLOTS))]
        left = self.treasures.total() - self.seats * HAND_SIZE - len(SLOTS)
        self.pile.extend(self._cards("deck", event["deck"], left))
        if self._all_cards() != self.treasures:
            self._foul_event("the cards", f"the {self.treasures.total()} treasures of the game", "others")

    def _reason_to_end(self, turns: int) -> str | None:
        """Why no further turn begins, None if one does."""
        if not any(self.market):
            return "market_empty"
        if turns == self.options["max_turns"]:
            return "max_turns"
        return None

    def _turn(self, seat: int) -> None:
        """Take one or two cards, act, end; `seat` decides until he ends."""
        taken, acted = 0, False
        while (choice := self._ask(seat, self._choices(seat, taken, acted))) is not None:
            verb, what = choice
            if verb == "take":
                self._take(seat, what)
                taken += 1
            elif verb == "run":
                self._run(seat, what)
                acted = True
            else:
                self._trio(seat, what)
                acted = True
        if len(self.hands[seat]) > HAND_SIZE:
            self._discard_one(seat)
        self._refill()

    def _choices(self, seat: int, taken: int, acted: bool) -> dict[str, tuple[str, Any] | None]:
        """What the turn's player may do; None stands for the end of his turn."""
        on_offer = {f"take {slot}": ("take", slot) for slot in SLOTS if self.market[slot]}
        if taken == 0:
            return on_offer
        hand = self.hands[seat]
        choices: dict[str, tuple[str, Any] | None] = {**self._possible(seat, hand)}
        if taken == 1 and not acted:
            # A second card obliges to act, so it has to make an action possible.
            choices |= {text: take for text, take in on_offer.items() if self._possible(seat, [*hand, self.market[take[1]]])}
        if taken == 1 or acted:
            choices["end"] = None
        return choices

    def _possible(self, seat: int, hand: list[Any]) -> dict[str, tuple[str, list[Card]]]:
        """The actions that `seat` could start with `hand`."""
        possible = {text: ("run", cards) for text, cards in runs(hand).items()}
        if self._targets(seat):
            possible |= {text: ("trio", cards) for text, cards in trios(hand).items()}
        return possible

    def _targets(self, seat: int) -> dict[str, tuple[int, Card]]:
        """The treasures that `seat` may steal, each with its owner."""
        targets = {}
        for step in range(1, self.seats):
            victim = (seat + step) % self.seats
            if victim != self.marian:
                targets |= {f"target +{step} {kind}": (victim, card) for kind, card in by_kind(self.open[victim]).items()}
        return targets

    def _take(self, seat: int, slot: int) -> None:
        card = self.market[slot]
        assert card is not None, "an empty slot was offered"
        self.market[slot] = None
        self.hands[seat].append(card)
        self._expect("take", seat=seat, slot=slot, card=card.name)

    def _run(self, seat: int, cards: list[Card]) -> None:
        """Rob the sheriff."""
        *rest, kept = cards
        self._remove_from_hand(seat, cards)
        self.discard += rest
        self.open[seat].append(kept)
        self._expect("run", seat=seat, cards=names(cards), kept=kept.name, coins=self._pay(seat))
        self._protect(seat, kept.colour, bonus=True)

    def _trio(self, seat: int, cards: list[Card]) -> None:
        """Try to rob another player."""
        self._remove_from_hand(seat, cards)
        self.laid = cards
        victim, target = self._ask(seat, self._targets(seat))
        counterable = len({card.symbol for card in cards}) < len(SYMBOLS)
        fields = {"victim": victim, "target": target.name, "counterable": counterable}
        self._expect("trio", seat=seat, cards=names(cards), **fields)
        if counterable and self._is_countered(victim, cards[0].value):
            self._lose_one(seat)
        else:
            self._steal(seat, victim, target)

    def _is_countered(self, victim: int, value: int) -> bool:
        """Whether the owner shows a card of that value; nobody is asked if he has none."""
        shown = min((card for card in self.hands[victim] if card.value == value), default=None)
        if shown is None:
            return False
        countered = self._ask(victim, {"counter": True, "decline": False})
        self._expect("counter", seat=victim, card=shown.name if countered else None)
        return countered

    def _lose_one(self, seat: int) -> None:
        """A countered thief discards one of his three cards and takes back the others."""
        lost = min(self.laid)
        colours = by_kind(self.laid)
        if len(colours) > 1:
            lost = self._ask(seat, {f"discard {kind}": card for kind, card in colours.items()})
        self.laid.remove(lost)
        self.hands[seat] += self.laid
        self.laid = []
        self.discard.append(lost)
        self._expect("lost_card", seat=seat, card=lost.name)

    def _steal(self, seat: int, victim: int, card: Card) -> None:
        """The theft succeeds, and Marian comforts the victim."""
        self.discard += self.laid
        self.laid = []
        # Of equal cards the one that came first: the others keep their order of arrival.
        self.open[victim].remove(card)
        self.open[seat].append(card)
        if self.options["use_marian"]:
            self.marian = victim
        self._expect("stolen", seat=seat, victim=victim, card=card.name, marian=self.marian)
        self._protect(seat, card.colour, bonus=False)

    def _protect(self, seat: int, colour: int, bonus: bool) -> None:
        """Protect the cards of `colour` if they are enough by now."""
        cards = [card for card in self.open[seat] if card.colour == colour]
        if len(cards) == self.set_size:
            self.open[seat] = [card for card in self.open[seat] if card.colour != colour]
            self.protected[seat] += cards
            coins = self._pay(seat) if bonus else 0
            self._expect("protect", seat=seat, colour=COLOURS[colour], cards=names(cards), coins=coins)

    def _pay(self, seat: int) -> int:
        """Pay one coin, if there is one left; the number of coins paid."""
        paid = min(1, self.stock)
        self.stock -= paid
        self.coins[seat] += paid
        return paid

    def _discard_one(self, seat: int) -> None:
        """Reduce the hand to what it may be at the end of a turn."""
        kinds = by_kind(self.hands[seat])
        card = self._ask(seat, {f"discard {kind}": card for kind, card in kinds.items()})
        self._remove_from_hand(seat, [card])
        assert len(self.hands[seat]) == HAND_SIZE, "a hand was too large to end the turn"
        self.discard.append(card)
        self._expect("discard", seat=seat, card=card.name)

    def _refill(self) -> None:
        """Fill the market; the first time that the pile is empty the discard becomes a new one."""
        while self.pile and not all(self.market):
            empty = [slot for slot in SLOTS if self.market[slot] is None]
            drawn = [self.pile.popleft() for _ in empty[: len(self.pile)]]
            for slot, card in zip(empty, drawn, strict=False):
                self.market[slot] = card
            self._expect("refill", cards=names(drawn))
            if not self.pile and not self.reshuffled:
                self._reshuffle()

    def _reshuffle(self) -> None:
        """Take over the order of the new pile; no game gets here with an empty discard,
        as the first turn of everybody leaves at least one card there."""
        self.reshuffled = True
        deck = self._next_event("reshuffle", ("deck",))["deck"]
        cards = self._cards("deck", deck, len(self.discard))
        if Counter(cards) != Counter(self.discard):
            self._foul_event("deck", f"the cards {sorted(names(self.discard))} in some order", deck)
        self.pile.extend(cards)
        self.discard = []

    def _finish(self, reason: str) -> None:
        scores = [self._score(seat) for seat in range(self.seats)]
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
        self._expect_end(reason=reason, scores=scores, winners=winners)

    def _score(self, seat: int) -> int:
        return sum(card.value for card in self.open[seat] + self.protected[seat]) + COIN * self.coins[seat]

    # ------------------------------------------------------------------ cards and choices

    def _remove_from_hand(self, seat: int, cards: Iterable[Card]) -> None:
        for card in cards:
            self.hands[seat].remove(card)

    def _cards(self, key: str, found: Any, length: int) -> list[Card]:
        """The cards that the list `found` in the event taken last names."""
        if not isinstance(found, list) or len(found) != length:
            self._foul_event(key, f"{length} cards", found)
        for name in found:
            if not isinstance(name, str) or name not in self.card_of_name:
                self._foul_event(key, "names of cards", name)
        return [self.card_of_name[name] for name in found]

    # ---------------------------------------------------------------------- the invariants

    def _check_invariants(self) -> None:
        assert self._all_cards() == self.treasures, "the referee has lost or gained a card"
        assert self.stock + sum(self.coins) == self.all_coins, "the referee has lost or gained a coin"

    def _all_cards(self) -> Counter[Card]:
        """Every treasure, wherever it is."""
        cards = Counter(self.laid)
        for some in (*self.hands, *self.open, *self.protected, filter(None, self.market), self.pile, self.discard):
            cards.update(some)
        return cards


def referee(line: dict[str, Any]) -> None:
    """Check one parsed replay line; raises `Foul` at the first disagreement."""
    Referee(line).check()


if __name__ == "__main__":
    main(referee)

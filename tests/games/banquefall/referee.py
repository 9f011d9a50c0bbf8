"""An independent second implementation of banquefall, to check recorded games.

It was written from the rules alone (rules/banquefall.md and the printed rules),
without a look at the engine, and shares no code with it.  From a replay line the
referee believes only the outcomes of chance: the deal, the first seat and the tiles
turned.  It lets the recorded actions decide, works out everything else again (whose
decision it is, the legal texts, every field of every event, scores and winners) and
raises `Foul` at the first disagreement.

    python -m tests.games.banquefall.referee FILE.jsonl

checks every line of a file: exit status 0 and the number of games that agree, or 1
with the line number at the first foul.  `python -m doctest` on this file runs the
worked examples of `evaluate`.
"""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.games.refereeing import Foul, RefereeBase, main, one_of

__all__ = ["Foul", "referee"]

MONEY = {"2": 2, "3": 3, "4": 4, "5": 5, "10": 10}
PEOPLE = ("seductress", "policeman", "detective", "thief")
DECK = Counter({"2": 4, "3": 4, "4": 4, "5": 11, "10": 2, "X": 4} | dict.fromkeys(PEOPLE, 4))
TILES = Counter(place=4, spy=1, reveal=1, rob=1)

BANKS = 5
BANK_CAPACITY = 20
HAND_SIZE = 5
START_FUNDS = 10
MAX_BID = 111
POLICE_REWARD = 5
CREDIT = 10


def is_cards(value: Any, length: int) -> bool:
    """Whether `value` is a list of exactly `length` card names."""
    return isinstance(value, list) and len(value) == length and all(isinstance(card, str) and card in DECK for card in value)


def is_card_lists(value: Any, lists: int, length: int) -> bool:
    return isinstance(value, list) and len(value) == lists and all(is_cards(cards, length) for cards in value)


# ------------------------------------------------------------------------ the robbery


class Outcome(NamedTuple):
    """What a robbery does; the lists have one entry per seat."""

    result: str
    order: str
    loot: int
    paid: list[int]
    lost: list[int]
    funds: list[int]
    """After the robbery, credit included."""
    red_coins: list[int]
    """Credits taken in this robbery."""


def judge_people(cards: Iterable[str]) -> tuple[str, str]:
    """Result and order of payment that the people among `cards` bring about."""
    count = Counter(cards)
    if count["seductress"] == 1:
        return "shared", "ascending"
    if count["policeman"] == 1:
        return "police", "ascending"
    if count["thief"] > count["detective"]:
        return "thief", "ascending"
    if count["detective"] > count["thief"]:
        return "shared", "descending"
    return "shared", "ascending"


def loot_of(cards: Iterable[str]) -> int:
    count = Counter(cards)
    money = sum(value * count[card] for card, value in MONEY.items())
    return money * (1 + count["X"])


def share(loot: int, bids: list[int], descending: bool, stop_on_unpaid: bool) -> list[int]:
    """What each seat is paid: equal bids together or not at all."""
    paid = [0] * len(bids)
    for bid, bidders in sorted(Counter(bids).items(), reverse=descending):
        if bid * bidders <= loot:
            loot -= bid * bidders
            for seat, own in enumerate(bids):
                if own == bid:
                    paid[seat] = bid
        elif stop_on_unpaid:
            break
    return paid


def evaluate(cards: Iterable[str], bids: list[int], funds: list[int], stop_on_unpaid: bool = False) -> Outcome:
    """Evaluate the robbery of a bank with `cards` by players who own `funds`.

    The worked examples of the rules, section 4:

    >>> def rob(cards, bids=(0, 2)):
    ...     return evaluate(cards.split(), list(bids), [10] * len(bids))
    >>> [rob(cards).loot for cards in ("5 5 X", "10 X X", "X")]
    [20, 30, 0]
    >>> rob("seductress policeman 5")[:4]
    ('shared', 'ascending', 5, [0, 2])
    >>> rob("seductress seductress policeman 5")[:4]
    ('police', 'ascending', 0, [5, 0])
    >>> rob("policeman policeman 5")[:4]
    ('shared', 'ascending', 5, [0, 2])
    >>> rob("detective thief 5")[:3]
    ('shared', 'ascending', 5)
    >>> rob("detective detective thief 5")[:3]
    ('shared', 'descending', 5)
    >>> robbery = rob("thief 5")
    >>> robbery.result, robbery.paid, robbery.lost, robbery.funds, robbery.red_coins
    ('thief', [0, 0], [0, 2], [10, 18], [0, 1])
    >>> rob("10", (3, 4, 4, 5)).paid, rob("10 detective", (3, 4, 4, 5)).paid
    ([3, 0, 0, 5], [3, 0, 0, 5])

    The last two differ only when payment stops at the first that fails:

    >>> evaluate(["10"], [3, 4, 4, 5], [10] * 4, stop_on_unpaid=True).paid
    [3, 0, 0, 0]
    >>> evaluate(["10", "detective"], [3, 4, 4, 5], [10] * 4, stop_on_unpaid=True).paid
    [0, 0, 0, 5]
    """
    cards = list(cards)
    result, order = judge_people(cards)
    loot = 0
    paid = [0] * len(bids)
    lost = [0] * len(bids)
    if result == "shared":
        loot = loot_of(cards)
        paid = share(loot, bids, order == "descending", stop_on_unpaid)
    elif result == "police":
        paid = [POLICE_REWARD if bid == 0 else 0 for bid in bids]
    else:
        lost = list(bids)
    left = [own + gain - loss for own, gain, loss in zip(funds, paid, lost, strict=True)]
    # One red coin is always enough, because nobody can bid more than he owns.
    red_coins = [int(own < START_FUNDS) for own in left]
    after = [own + CREDIT * red for own, red in zip(left, red_coins, strict=True)]
    return Outcome(result, order, loot, paid, lost, after, red_coins)


# ------------------------------------------------------------------------- the referee


@dataclass(slots=True)
class Card:
    """A card in the row of a bank."""

    kind: str
    placer: int | None = None
    """None: dealt, at set-up or as a restocked card."""
    face_up: bool = False
    known_by: set[int] = field(default_factory=set)
    """The seats that know the kind although the card lies face down."""


class Referee(RefereeBase):
    game = "banquefall"
    allowed_options = {
        "num_players": one_of(2, 3, 4, 5),
        "perfect_recall": one_of(False, True),
        "stop_on_unpaid": one_of(False, True),
        "reward": one_of("win", "margin"),
    }

    def __init__(self, line: Any) -> None:
        super().__init__(line)
        self.num_players: int = self.options["num_players"]
        self.stop_on_unpaid: bool = self.options["stop_on_unpaid"]
        self.rows: list[list[Card]] = []
        self.hands: list[list[str]] = []
        self.pile: deque[str] = deque()
        self.gone: Counter[str] = Counter()
        self.unturned: Counter[str] = Counter()
        self.funds = [START_FUNDS] * self.num_players
        self.credits = [0] * self.num_players

    def check(self) -> None:
        """Replay the game from the deal to the last event; `Foul` where it is wrong."""
        seat = self._set_up()
        while not self._turn(seat):
            seat = (seat + 1) % self.num_players
        self._final_round(seat)
        self._finish()

    # ------------------------------------------------------------ the course of the game

    def _set_up(self) -> int:
        """Take over the deal and return the first seat."""
        n = self.num_players
        event = self._next_event("setup", ("num_players", "first_seat", "banks", "hands", "deck"))
        self._compare(event, num_players=n)
        first = self._seat_in(event, "first_seat", n)
        banks, hands, deck = event["banks"], event["hands"], event["deck"]
        if not is_card_lists(banks, BANKS, 1):
            self._foul_event("banks", f"{BANKS} lists of one card", banks)
        if not is_card_lists(hands, n, HAND_SIZE):
            self._foul_event("hands", f"{n} lists of {HAND_SIZE} cards", hands)
        pile_size = DECK.total() - BANKS - HAND_SIZE * n
        if not is_cards(deck, pile_size):
            self._foul_event("deck", f"a list of {pile_size} cards", deck)
        self.rows = [[Card(kind)] for [kind] in banks]
        # Copies, so that the caller's line survives the game.
        self.hands = [list(hand) for hand in hands]
        self.pile = deque(deck)
        if self._all_cards() != DECK:
            raise Foul(f"event 0 (setup): expected the {DECK.total()} cards of the game, found {dict(self._all_cards())}")
        return first

    def _turn(self, seat: int) -> bool:
        """One tile; True if it brings the final round about."""
        tile = self._turn_tile(seat)
        if tile == "place":
            return self._place(seat)
        if tile == "spy":
            self._spy(seat)
        elif tile == "reveal":
            self._reveal(seat)
        else:
            bank = self._ask(seat, {f"rob {bank}": bank for bank in range(BANKS)})
            self._rob(bank, seat)
        return False

    def _turn_tile(self, seat: int) -> str:
        if not self.unturned.total():
            self.unturned = TILES.copy()
        event = self._next_event("tile", ("seat", "tile"))
        self._compare(event, seat=seat)
        tile = event["tile"]
        if not isinstance(tile, str) or not self.unturned[tile]:
            unturned = sorted(self.unturned.elements())
            self._foul_event("tile", f"one of the tiles not turned yet, {unturned}", tile)
        self.unturned[tile] -= 1
        return tile

    def _place(self, seat: int) -> bool:
        """Place a card and refill; True if that was the last card of the ending player."""
        hand = self.hands[seat]
        choices = {
            f"place {kind} @{bank}": (kind, bank)
            for bank, row in enumerate(self.rows)
            if len(row) < BANK_CAPACITY
            for kind in hand
        }
        kind, bank = self._ask(seat, choices)
        hand.remove(kind)
        self.rows[bank].append(Card(kind, placer=seat, known_by={seat}))
        drew = self._draw()
        if drew is not None:
            hand.append(drew)
        self._expect("place", seat=seat, card=kind, bank=bank, drew=drew)
        # A hand is refilled while there is a pile, so an empty one means both are gone.
        return not hand

    def _spy(self, seat: int) -> None:
        bank, slot = self._ask_card(seat, self._card_choices(seat, least_face_down=1))
        kind = None
        if bank is not None:
            card = self.rows[bank][slot]
            card.known_by.add(seat)
            kind = card.kind
        self._expect("spy", seat=seat, bank=bank, slot=slot, card=kind)

    def _reveal(self, seat: int) -> None:
        # One card of every bank has to stay hidden.
        bank, slot = self._ask_card(seat, self._card_choices(seat, least_face_down=2))
        kind = None
        if bank is not None:
            card = self.rows[bank][slot]
            card.face_up = True
            kind = card.kind
        self._expect("reveal", seat=seat, bank=bank, slot=slot, card=kind)

    def _rob(self, bank: int, robber: int | None) -> None:
        """Everybody robs `bank`; `robber` turned the tile, None in the final round."""
        self._expect("rob", seat=robber, bank=bank)
        bids = [self._ask(seat, self._bid_choices(seat)) for seat in range(self.num_players)]
        self._expect("bids", bids=bids)
        cards = [card.kind for card in self.rows[bank]]
        outcome = evaluate(cards, bids, self.funds, self.stop_on_unpaid)
        self.funds = outcome.funds
        self.credits = [old + new for old, new in zip(self.credits, outcome.red_coins, strict=True)]
        self.gone.update(cards)
        restock = self._draw()
        self.rows[bank] = [] if restock is None else [Card(restock)]
        self._expect(
            "robbery",
            bank=bank,
            cards=cards,
            result=outcome.result,
            order=outcome.order,
            loot=outcome.loot,
            paid=outcome.paid,
            lost=outcome.lost,
            funds=self.funds,
            credits=self.credits,
            restock=restock,
        )

    def _final_round(self, ending_seat: int) -> None:
        """Rob every bank that has cards, "vers la droite" from the ending player's own."""
        for step in range(BANKS):
            bank = (ending_seat - step) % BANKS
            if self.rows[bank]:
                self._rob(bank, robber=None)

    def _finish(self) -> None:
        scores = [own - CREDIT * red for own, red in zip(self.funds, self.credits, strict=True)]
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
        self._expect_end(reason="last_card", scores=scores, winners=winners)

    # ------------------------------------------------------------------ cards and choices

    def _draw(self) -> str | None:
        return self.pile.popleft() if self.pile else None

    def _class_of(self, card: Card, seat: int) -> str:
        """The class of a face-down card as `seat` sees it."""
        if seat in card.known_by:
            return card.kind
        if card.placer is None:
            return "dealt"
        return f"+{(card.placer - seat) % self.num_players}"

    def _card_choices(self, seat: int, least_face_down: int) -> dict[str, tuple[int, int]]:
        """Bank and slot by text, at the banks with enough face-down cards."""
        choices: dict[str, tuple[int, int]] = {}
        for bank, row in enumerate(self.rows):
            if sum(not card.face_up for card in row) < least_face_down:
                continue
            for slot, card in enumerate(row):
                if not card.face_up:
                    # The text names the oldest card of its class: the first one stays.
                    choices.setdefault(f"card {bank} {self._class_of(card, seat)}", (bank, slot))
        return choices

    def _bid_choices(self, seat: int) -> dict[str, int]:
        return {f"bid {bid}": bid for bid in range(min(self.funds[seat], MAX_BID) + 1)}

    def _ask_card(self, seat: int, choices: Mapping[str, tuple[int, int]]) -> tuple[int, int] | tuple[None, None]:
        """Bank and slot chosen by `seat`; nobody is asked when there is no such card."""
        if not choices:
            return None, None
        return self._ask(seat, {**choices, "pass": (None, None)})

    # ---------------------------------------------------------------------- the invariants

    def _check_invariants(self) -> None:
        assert self._all_cards() == DECK, "the referee has lost or gained a card"

    def _all_cards(self) -> Counter[str]:
        cards = Counter(self.pile)
        for hand in self.hands:
            cards.update(hand)
        for row in self.rows:
            cards.update([card.kind for card in row])
        cards.update(self.gone)
        return cards


def referee(line: dict[str, Any]) -> None:
    """Check one parsed replay line; raises `Foul` at the first disagreement."""
    Referee(line).check()


if __name__ == "__main__":
    main(referee)

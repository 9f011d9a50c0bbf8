"""An independent second implementation of robby_solo, used by tests to check recorded games.

It was written from the rules alone (rules/robby_solo.md and the printed rules), without
a look at the engine, and shares no code with it.  From a replay line the referee
believes only the outcomes of chance, all of them in `setup`: the first Gentleman, the
order of the deck and Robby Junior's pack.  It lets the recorded actions decide, works
out everything else again (whose decision it is, the legal texts, every field of every
event, scores and winners) and raises `Foul` at the first disagreement.

    python -m tests.games.robby_solo.referee FILE.jsonl

checks every line of a file: exit status 0 and the number of games that agree, or 1
with the line number at the first foul.  `python -m doctest` on this file runs the
examples of `score_of` and `dearest`.
"""

from collections import Counter, deque
from collections.abc import Iterable
from typing import Any

from tests.games.refereeing import Foul, RefereeBase, at_least, main, one_of

__all__ = ["Foul", "referee"]

OBJECT = "object"
DECK = Counter({str(value): 6 for value in range(1, 10)} | {OBJECT: 7})
OBJECT_SCALE = (0, 1, 10, 20, 40, 60, 80, 100)
"""What a number of objects is worth; all money is in thousands."""

MAX_SEATS = 6
POLICE_AT = 4
"""So many cards left at a bank call the police."""


def is_deck(value: Any) -> bool:
    """Whether `value` is a list of exactly the loot cards of the game."""
    return isinstance(value, list) and all(isinstance(card, str) for card in value) and Counter(value) == DECK


def is_pack(value: Any, num_banks: int) -> bool:
    """Whether `value` is a list with every bank once."""
    return isinstance(value, list) and all(type(bank) is int for bank in value) and sorted(value) == list(range(num_banks))


def score_of(pile: Iterable[str]) -> int:
    """What a pile is worth at the end.

    >>> score_of([]), score_of(["3", "9", "3"]), score_of(["object", "2"])
    (0, 15, 3)
    >>> [score_of(["object"] * objects) for objects in range(8)]
    [0, 1, 10, 20, 40, 60, 80, 100]
    """
    count = Counter(pile)
    objects = count.pop(OBJECT, 0)
    return OBJECT_SCALE[objects] + sum(int(card) * copies for card, copies in count.items())


def dearest(pile: Iterable[str]) -> str:
    """The card of a pile that the police take: an object only if there is no money.

    >>> dearest(["2", "7", "object", "5"]), dearest(["object", "1"]), dearest(["object"])
    ('7', '1', 'object')
    """
    return max((card for card in pile if card != OBJECT), key=int, default=OBJECT)


class Referee(RefereeBase):
    """A "seat" is an agent or, as the last one, Robby Junior; only agents are ever asked."""

    game = "robby_solo"
    allowed_options = {
        "num_players": one_of(3, 4, 5, 6),
        "robby_junior": one_of(False, True),
        "junior_can_win": one_of(False, True),
        "supply_choice": one_of(False, True),
        "max_rounds": at_least(1),
        "perfect_recall": one_of(False, True),
        "reward": one_of("win", "margin"),
    }

    def __init__(self, line: Any) -> None:
        super().__init__(line)
        self.agents: int = self.options["num_players"]
        self.seats = self.agents + self.options["robby_junior"]
        self.banks = range(self.seats + 1)
        self.rows: list[list[str]] = [[] for _ in self.banks]
        self.piles: list[list[str]] = [[] for _ in range(self.seats)]
        self.deck: deque[str] = deque()
        self.junior_pack: deque[int] = deque()
        self.gentleman = 0
        self.rounds = 0
        """Rounds that have ended."""

    def check(self) -> None:
        """Replay the game from the deal to the last event; `Foul` where it is wrong."""
        self._set_up()
        while (reason := self._reason_to_end()) is None:
            self._round()
        self._finish(reason)

    def _check_options(self, options: Any) -> None:
        super()._check_options(options)
        if options["num_players"] + options["robby_junior"] > MAX_SEATS:
            raise Foul(f"line: expected at most {MAX_SEATS} seats, found {options['num_players']} players and Robby Junior")

    # ------------------------------------------------------------ the course of the game

    def _set_up(self) -> None:
        """Take over the outcomes of chance."""
        junior = self.options["robby_junior"]
        event = self._next_event("setup", ("num_players", "junior", "num_banks", "gentleman", "deck", "junior_pack"))
        self._compare(event, num_players=self.agents, junior=junior, num_banks=len(self.banks))
        self.gentleman = self._seat_in(event, "gentleman", self.agents)
        deck, pack = event["deck"], event["junior_pack"]
        if not is_deck(deck):
            self._foul_event("deck", f"the {DECK.total()} cards of the game", deck)
        if not junior:
            self._compare(event, junior_pack=None)
        elif not is_pack(pack, len(self.banks)):
            self._foul_event("junior_pack", f"each of {len(self.banks)} banks once", pack)
        # Copies, so that the caller's line survives the game.
        self.deck = deque(deck)
        self.junior_pack = deque(pack or ())

    def _reason_to_end(self) -> str | None:
        """Why no further round begins, None if one does."""
        if len(self.deck) < len(self.banks):
            return "deck"
        if self.rounds == self.options["max_rounds"]:
            return "max_rounds"
        return None

    def _round(self) -> None:
        self._supply()
        lying = self._place()
        self._declare(lying[self.gentleman])
        self._confirm(lying)
        self._reveal([lying[seat] for seat in range(self.agents)] + self._junior_choice())
        for bank in self.banks:
            if len(self.rows[bank]) == POLICE_AT:
                self._police(bank)
        self.rounds += 1
        self.gentleman = (self.gentleman + 1) % self.agents
        self._expect("round_end", round=self.rounds, gentleman=self.gentleman, deck_size=len(self.deck))

    def _supply(self) -> None:
        """One new card for every bank, along the row from the side that was chosen."""
        direction = "right"
        if self.options["supply_choice"]:
            direction = self._ask(self.gentleman, {"left": "left", "right": "right"})
        for bank in self.banks if direction == "right" else reversed(self.banks):
            self.rows[bank].append(self.deck.popleft())
        self._expect("supply", direction=direction, cards=[row[-1] for row in self.rows])

    def _place(self) -> dict[int, int]:
        """The bank that each agent wants to rob, by seat."""
        lying: dict[int, int] = {}
        for seat in [*self._others(), self.gentleman]:
            lying[seat] = self._ask(seat, self._bank_choices("place"))
            self._expect("place", seat=seat, bank=lying[seat])
        return lying

    def _declare(self, own: int) -> None:
        """The Gentleman tells the truth about a bank; `own` is the one that he robs."""
        bank = self._ask(self.gentleman, self._bank_choices("declare"))
        self._expect("declare", seat=self.gentleman, bank=bank, robs=bank == own)

    def _confirm(self, lying: dict[int, int]) -> None:
        """One pass in which everybody but the Gentleman may change his card in `lying`."""
        for seat in self._others():
            replays = {text: ("replay", bank) for text, bank in self._bank_choices("replay").items()}
            action, lying[seat] = self._ask(seat, {"keep": ("keep", lying[seat]), **replays})
            self._expect("confirm", seat=seat, action=action, bank=lying[seat])

    def _junior_choice(self) -> list[int]:
        """The bank that Robby Junior robs; empty if he does not play."""
        first = list(self.junior_pack)[:1]
        self.junior_pack.rotate(-1)
        return first

    def _reveal(self, choices: list[int]) -> None:
        """Whoever robs a bank alone takes its whole row."""
        taken: list[list[str]] = [[] for _ in choices]
        for seat, bank in enumerate(choices):
            if choices.count(bank) == 1:
                taken[seat], self.rows[bank] = self.rows[bank], []
                self.piles[seat] += taken[seat]
        self._expect("reveal", choices=choices, taken=taken)

    def _police(self, bank: int) -> None:
        """Clear `bank`, then take a card from everybody who has the most of them."""
        removed, self.rows[bank] = self.rows[bank], []
        self.deck += removed
        lost: list[str | None] = [None] * self.seats
        most = max(map(len, self.piles))
        for step in range(self.seats):
            seat = (self.gentleman + step) % self.seats
            pile = self.piles[seat]
            if pile and len(pile) == most:
                card = lost[seat] = dearest(pile)
                pile.remove(card)  # the lowest one, as piles run from bottom to top
                self.deck.append(card)
        self._expect("police", bank=bank, removed=removed, lost=lost)

    def _finish(self, reason: str) -> None:
        scores = [score_of(pile) for pile in self.piles]
        rivals = scores if self.options["junior_can_win"] else scores[: self.agents]
        winners = [seat for seat, score in enumerate(rivals) if score == max(rivals)]
        self._expect_end(reason=reason, scores=scores, winners=winners)

    # ------------------------------------------------------------------ seats and choices

    def _others(self) -> list[int]:
        """The agents without the Gentleman, clockwise from his left."""
        return [(self.gentleman + step) % self.agents for step in range(1, self.agents)]

    def _bank_choices(self, verb: str) -> dict[str, int]:
        return {f"{verb} {bank}": bank for bank in self.banks}

    # ---------------------------------------------------------------------- the invariants

    def _check_invariants(self) -> None:
        assert self._all_cards() == DECK, "the referee has lost or gained a card"

    def _all_cards(self) -> Counter[str]:
        cards = Counter(self.deck)
        for cards_of_one in (*self.rows, *self.piles):
            cards.update(cards_of_one)
        return cards


def referee(line: dict[str, Any]) -> None:
    """Check one parsed replay line; raises `Foul` at the first disagreement."""
    Referee(line).check()


if __name__ == "__main__":
    main(referee)

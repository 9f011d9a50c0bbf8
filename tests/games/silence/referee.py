"""An independent second implementation of silence, used by tests to check recorded games.

It was written from the rules alone (rules/silence.md and the printed rules), without a
look at the engine, and shares no code with it.  From a replay line the referee believes
only the outcomes of chance, all of them in `setup`: how the parts of the house lie, the
tokens, the decks and the first seat.  It lets the recorded actions decide, works out
everything else again (whose decision it is, the legal texts, every field of every event,
scores and winners) and raises `Foul` at the first disagreement.

    python -m tests.games.silence.referee FILE.jsonl

checks every line of a file: exit status 0 and the number of games that agree, or 1
with the line number at the first foul.  `python -m doctest` on this file runs the
examples of `unfolded`, `parts_of`, `can_finish` and `cells_to_door`.
"""

from collections import Counter, deque
from collections.abc import Container, Iterable
from typing import Any

from tests.games.refereeing import Foul, RefereeBase, main, one_of

__all__ = ["Foul", "referee"]

Cell = tuple[int, int]
Grid = list[list[int]]

SIZE = 8
PARTS = {
    "A": ("5432", "4353", "3544", "2342"),
    "B": ("5342", "3435", "4354", "2432"),
    "C": ("5432", "4233", "5344", "2352"),
    "D": ("4532", "5343", "3425", "2432"),
}
"""Each from the outer corner of the house to its centre."""
QUADRANTS = ((False, False), (False, True), (True, False), (True, True))
"""North-west, north-east, south-west, south-east: whether it is the south one, the east one."""

CELLS = [(row, column) for row in range(SIZE) for column in range(SIZE)]
ENTRANCE: Cell = (SIZE, 3)
"""The place outside where all pawns start; no cell, and no step leads back to it."""
STEPS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
STEPS_INSIDE = {"north": (7, 3), "east": (7, 4)}
"""The cells that the entrance touches, by the step that enters them."""
DOORS = {(0, 3), (0, 4), (3, 0), (4, 0), (3, 7), (4, 7)}
"""The cells beside the doors in the north, west and east."""
SOUTH_DOOR = {(7, 3), (7, 4), ENTRANCE}
EXIT_COST = 1

DECK = Counter(2 * list(range(1, 8)))
HAND_SIZE = 5
TOKENS = {
    3: Counter({2: 7, 3: 7, 4: 6}),
    4: Counter({4: 6, 5: 6, 6: 6}),
    5: Counter({6: 4, 8: 4, 10: 4}),
}
"""How often each value lies on the cells of a cost."""
ALL_TOKENS = sum(TOKENS.values(), Counter())
THRESHOLD_PER_SEAT = 5

TEAMS = ((4, 2), (6, 2), (6, 3))
"""Numbers of players and sizes of a team that go together."""


def is_list(value: Any, length: int) -> bool:
    """Whether `value` is a list of so many integers."""
    return isinstance(value, list) and len(value) == length and all(type(number) is int for number in value)


def is_grid(value: Any) -> bool:
    return isinstance(value, list) and len(value) == SIZE and all(is_list(row, SIZE) for row in value)


# -------------------------------------------------------------------------- the house


def unfolded(board: Grid, south: bool, east: bool) -> tuple[str, ...]:
    """A quadrant as its part was written: from the outer corner to the centre.

    >>> board = [[10 * row + column for column in range(8)] for row in range(8)]
    >>> unfolded(board, False, True)[1]
    '17161514'
    """
    rows = board[::-1] if south else board
    half = SIZE // 2
    return tuple("".join(str(cost) for cost in (row[::-1] if east else row)[:half]) for row in rows[:half])


def transposed(part: Iterable[str]) -> tuple[str, ...]:
    return tuple("".join(column) for column in zip(*part, strict=True))


def part_named(rows: tuple[str, ...], may_turn: bool) -> str | None:
    """The part that these rows show, as written or, if it may be turned, transposed."""
    for name, part in PARTS.items():
        if rows == part or (may_turn and rows == transposed(part)):
            return name
    return None


def parts_of(board: Grid, may_turn: bool) -> list[str | None]:
    """The parts in the four quadrants; None where there is no such part.

    >>> north = [[int(cost) for cost in row + row[::-1]] for row in PARTS["A"]]
    >>> board = north + [row[:] for row in north[::-1]]
    >>> parts_of(board, False)
    ['A', 'A', 'A', 'A']
    >>> board[0][7] = 2
    >>> parts_of(board, True)
    ['A', None, 'A', 'A']
    """
    return [part_named(unfolded(board, south, east), may_turn) for south, east in QUADRANTS]


def neighbours(cell: Cell) -> dict[str, Cell]:
    """The cells that one step leads to, whatever it costs."""
    if cell == ENTRANCE:
        return STEPS_INSIDE
    row, column = cell
    ahead = {text: (row + down, column + right) for text, (down, right) in STEPS.items()}
    return {text: target for text, target in ahead.items() if all(0 <= place < SIZE for place in target)}


def can_finish(board: Grid, exits: Container[Cell], others: Container[Cell], cell: Cell, budget: int) -> bool:
    """Whether a pawn on `cell` can end its move on a cell free of `others` or leave.

    >>> board = [[2] * 8 for _ in range(8)]
    >>> can_finish(board, [], [(1, 1)], (1, 1), 1), can_finish(board, [], [(1, 1)], (1, 1), 2)
    (False, True)
    >>> can_finish(board, [(1, 1)], [(1, 1)], (1, 1), 1)
    True
    >>> around = [(0, 0), (0, 1), (1, 0)]
    >>> can_finish(board, [], around, (0, 0), 3), can_finish(board, [], around, (0, 0), 4)
    (False, True)
    """
    if cell not in others or (cell in exits and budget >= EXIT_COST):
        return True
    return any(
        cost <= budget and can_finish(board, exits, others, target, budget - cost)
        for target in neighbours(cell).values()
        if (cost := board[target[0]][target[1]])
    )


def cells_to_door(start: Cell, exits: Container[Cell]) -> int:
    """The number of cells on the shortest way out, the exit included.

    >>> cells_to_door((0, 3), DOORS), cells_to_door((0, 0), DOORS), cells_to_door((7, 7), DOORS)
    (1, 4, 4)
    >>> cells_to_door(ENTRANCE, DOORS | SOUTH_DOOR), cells_to_door(ENTRANCE, DOORS)
    (1, 8)
    """
    distance = {start: 1}
    queue = deque([start])
    while queue[0] not in exits:
        cell = queue.popleft()
        for target in neighbours(cell).values():
            if target not in distance:
                distance[target] = distance[cell] + 1
                queue.append(target)
    return distance[queue[0]]


# --------------------------------------------------------------------------- the game


class Referee(RefereeBase):
    game = "silence"
    allowed_options = {
        "num_players": one_of(3, 4, 5, 6),
        "layout": one_of("random", "fixed"),
        "token_mode": one_of("by_cost", "uniform"),
        "teams": one_of(None, 2, 3),
        "entrance_is_exit": one_of(False, True),
        "perfect_recall": one_of(False, True),
        "reward": one_of("win", "margin"),
    }

    def __init__(self, line: Any) -> None:
        super().__init__(line)
        self.seats: int = self.options["num_players"]
        self.teams = self._teams()
        self.exits = DOORS | SOUTH_DOOR if self.options["entrance_is_exit"] else DOORS
        """Where a pawn can leave."""
        self.board: Grid = []
        self.tokens: dict[Cell, int] = {}
        """The treasures that still lie in the house."""
        self.decks: list[deque[int]] = []
        self.hands: list[list[int]] = [[] for _ in range(self.seats)]
        self.played: list[list[int]] = [[] for _ in range(self.seats)]
        self.loot: list[list[int]] = [[] for _ in range(self.seats)]
        self.pawns: list[Cell | None] = [ENTRANCE] * self.seats
        """None for a pawn that has left."""
        self.threshold = THRESHOLD_PER_SEAT * self.seats
        self.first_seat = 0
        self.last_starter: int | None = None

    def check(self) -> None:
        """Replay the game from the set-up to the last event; `Foul` where it is wrong."""
        self._set_up()
        while True:
            self._round()
            reason = self._reason_to_end()
            if reason is not None:
                break
            self._expect("refill", drawn=self._draw())
        self._finish(reason)

    def _teams(self) -> list[int] | None:
        """The team of each seat."""
        size = self.options["teams"]
        return None if size is None else [seat % (self.seats // size) for seat in range(self.seats)]

    def _check_options(self, options: Any) -> None:
        super()._check_options(options)
        players, size = options["num_players"], options["teams"]
        if size is not None and (players, size) not in TEAMS:
            raise Foul(f"line: expected teams that {players} players can form, found teams of {size}")

    # ------------------------------------------------------------ the course of the game

    def _set_up(self) -> None:
        """Take over the outcomes of chance."""
        fields = ("num_players", "first_seat", "teams", "board", "tokens", "decks", "threshold")
        event = self._next_event("setup", fields)
        self._compare(event, num_players=self.seats, teams=self.teams, threshold=self.threshold)
        self.first_seat = self._seat_in(event, "first_seat", self.seats)
        self._set_up_board(event["board"])
        self._set_up_tokens(event["tokens"])
        self._set_up_decks(event["decks"])
        self._draw()

    def _set_up_board(self, board: Any) -> None:
        if not is_grid(board):
            self._foul_event("board", f"{SIZE} lists of {SIZE} costs", board)
        fixed = self.options["layout"] == "fixed"
        found = parts_of(board, may_turn=not fixed)
        if fixed and found != list(PARTS):
            self._foul_event("board", f"the parts {list(PARTS)}, none of them transposed", f"{found} in {board}")
        if Counter(found) != Counter(list(PARTS)):
            self._foul_event("board", f"the parts {list(PARTS)} in some order", f"{found} in {board}")
        self.board = board

    def _set_up_tokens(self, tokens: Any) -> None:
        if not is_grid(tokens):
            self._foul_event("tokens", f"{SIZE} lists of {SIZE} values", tokens)
        lying: dict[int, list[int]] = {}
        for row, column in CELLS:
            lying.setdefault(self.board[row][column], []).append(tokens[row][column])
        if any(lying.pop(2)):
            self._foul_event("tokens", "0 on all cells of cost 2", tokens)
        if self.options["token_mode"] == "by_cost":
            for cost, values in TOKENS.items():
                self._check_tokens(f"the cells of cost {cost}", values, lying[cost])
        else:
            self._check_tokens("the other cells", ALL_TOKENS, sum(lying.values(), []))
        self.tokens = {(row, column): tokens[row][column] for row, column in CELLS if tokens[row][column]}

    def _check_tokens(self, where: str, expected: Counter[int], found: list[int]) -> None:
        if Counter(found) != expected:
            self._foul_event("tokens", f"{sorted(expected.elements())} in some order on {where}", sorted(found))

    def _set_up_decks(self, decks: Any) -> None:
        if not isinstance(decks, list) or len(decks) != self.seats:
            self._foul_event("decks", f"{self.seats} lists of {DECK.total()} cards", decks)
        for deck in decks:
            if not is_list(deck, DECK.total()) or Counter(deck) != DECK:
                self._foul_event("decks", f"the cards {sorted(DECK.elements())} in some order for every seat", deck)
        # Copies, so that the caller's line survives the game.
        self.decks = [deque(deck) for deck in decks]

    def _draw(self) -> list[list[int]]:
        """Everybody fills up his hand while his deck lasts; the cards that each one draws."""
        drawn = []
        for hand, deck in zip(self.hands, self.decks, strict=True):
            missing = min(HAND_SIZE - len(hand), len(deck))
            drawn.append([deck.popleft() for _ in range(missing)])
            hand += drawn[-1]
        return drawn

    def _round(self) -> None:
        cards = self._play()
        if self._stay_quiet(sum(card or 0 for card in cards)):
            first = self._first_mover(cards)
            self.last_starter = first
            for step in range(self.seats):
                seat = (first + step) % self.seats
                if self.pawns[seat] is not None:
                    self._move(seat, cards[seat])

    def _play(self) -> list[Any]:
        """All choose a card at once; None stands for a pass."""
        # Everybody is asked before any card leaves a hand.
        cards = [self._ask(seat, self._card_choices(seat)) for seat in range(self.seats)]
        for seat, card in enumerate(cards):
            if card is not None:
                self.hands[seat].remove(card)
                self.played[seat].append(card)
        self._expect("play", cards=cards)
        return cards

    def _card_choices(self, seat: int) -> dict[str, int | None]:
        choices: dict[str, int | None] = {f"play {card}": card for card in self.hands[seat]}
        if self.pawns[seat] is None:
            choices["pass"] = None
        return choices

    def _stay_quiet(self, noise: int) -> bool:
        """Compare the noise with the threshold, which then moves; whether it was low enough."""
        limit = self.threshold
        success = noise <= limit
        self.threshold = max(0, limit - (self.seats - 1)) if success else limit + self.seats - 2
        self._expect("noise", sum=noise, limit=limit, success=success, threshold=self.threshold)
        return success

    def _first_mover(self, cards: list[int | None]) -> int:
        """The seat that moves first; somebody is still inside, or the game would be over."""
        highest = max(card for card in cards if card is not None)
        leaders = [seat for seat, card in enumerate(cards) if card == highest]
        if len(leaders) == 1:
            first = leaders[0]
        elif self.last_starter is None:
            first = self.first_seat
        else:
            first = self.last_starter + 1
        clockwise = ((first + step) % self.seats for step in range(self.seats))
        return next(seat for seat in clockwise if self.pawns[seat] is not None)

    def _move(self, seat: int, budget: int) -> None:
        """Walk step by step until the pawn stays, leaves or can do nothing but stay."""
        path: list[list[int]] = []
        picked: list[int] = []
        while (choices := self._walk_choices(seat, budget)).keys() != {"stay"}:
            target = self._ask(seat, choices)
            if target == self.pawns[seat]:
                break
            self.pawns[seat] = target
            if target is None:
                break
            budget -= self._cost(target)
            path.append(list(target))
            picked += self._pick_up(seat, target)
        self._expect("move", seat=seat, path=path, picked=picked, exited=self.pawns[seat] is None)

    def _walk_choices(self, seat: int, budget: int) -> dict[str, Cell | None]:
        """Where the pawn may go next: None to leave, its own place to stay."""
        here = self.pawns[seat]
        assert here is not None, "a pawn that has left was to walk"
        others = self._others(seat)
        choices: dict[str, Cell | None] = {
            text: target
            for text, target in neighbours(here).items()
            if (left := budget - self._cost(target)) >= 0 and can_finish(self.board, self.exits, others, target, left)
        }
        if here in self.exits and budget >= EXIT_COST:
            choices["exit"] = None
        if here not in others:
            choices["stay"] = here
        assert choices, "a pawn was let onto a cell from which it cannot go on"
        return choices

    def _others(self, seat: int) -> set[Cell]:
        """The cells with other pawns; the entrance has room for all."""
        return {cell for other, cell in enumerate(self.pawns) if other != seat and cell is not None} - {ENTRANCE}

    def _cost(self, cell: Cell) -> int:
        row, column = cell
        return self.board[row][column]

    def _pick_up(self, seat: int, cell: Cell) -> list[int]:
        """The treasure on `cell`, if there is one left."""
        found = [self.tokens.pop(cell)] if cell in self.tokens else []
        self.loot[seat] += found
        return found

    def _reason_to_end(self) -> str | None:
        """Why no further round begins, None if one does."""
        inside = [seat for seat, cell in enumerate(self.pawns) if cell is not None]
        if not inside:
            return "all_out"
        if not any(self.hands[seat] or self.decks[seat] for seat in inside):
            return "no_cards"
        return None

    def _finish(self, reason: str) -> None:
        loot = [sum(tokens) for tokens in self.loot]
        penalties = [0 if cell is None else cells_to_door(cell, self.exits) for cell in self.pawns]
        scores = self._scores([value - lost for value, lost in zip(loot, penalties, strict=True)])
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
        self._expect_end(reason=reason, loot=loot, penalties=penalties, scores=scores, winners=winners)

    def _scores(self, own: list[int]) -> list[int]:
        """What counts for each seat: his own points, or those of his team."""
        if self.teams is None:
            return own
        totals: Counter[int] = Counter()
        for team, points in zip(self.teams, own, strict=True):
            totals[team] += points
        return [totals[team] for team in self.teams]

    # ---------------------------------------------------------------------- the invariants

    def _check_invariants(self) -> None:
        assert sum(map(Counter, self.loot), Counter(self.tokens.values())) == ALL_TOKENS, "a token was lost or gained"
        for piles in zip(self.hands, self.decks, self.played, strict=True):
            assert sum(map(Counter, piles), Counter()) == DECK, "a card was lost or gained"
        inside = [cell for cell in self.pawns if cell not in (None, ENTRANCE)]
        assert len(set(inside)) == len(inside), "two pawns share a cell"


def referee(line: dict[str, Any]) -> None:
    """Check one parsed replay line; raises `Foul` at the first disagreement."""
    Referee(line).check()


if __name__ == "__main__":
    main(referee)

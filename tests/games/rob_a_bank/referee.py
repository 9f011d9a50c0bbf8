"""An independent second implementation of rob_a_bank, used by tests to check recorded games.

It was written from the rules alone (rules/rob_a_bank.md and the printed rules), without a
look at the engine, and shares no code with it.  From a replay line the referee believes
only the outcomes of chance: each round's `layout`, as far as it is a possible one, and
`draw`.  It lets the recorded actions decide, works out everything else again (whose
decision it is, the legal texts, every field of every event, score and winners) and raises
`Foul` at the first disagreement.

    python -m tests.games.rob_a_bank.referee FILE.jsonl

checks every line of a file: exit status 0 and the number of games that agree, or 1
with the line number at the first foul.  `python -m doctest` on this file runs the
examples of the functions on the plan of the bank and on cards.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from tests.games.refereeing import Foul, RefereeBase, at_least, main, one_of, same

__all__ = ["Foul", "referee"]

Wall = tuple[int, str]
"""A room and the side of its tile."""
Doors = dict[int, list[int]]
"""The rooms that one step leads to from each room."""

ROOMS = range(9)
SIDES = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
STREET = {"N": (0, 1, 2), "E": (2, 5, 8), "S": (8, 7, 6), "W": (6, 3, 0)}
"""The rooms along the street, clockwise from the top left."""

ROBBERS_TILE = 1
ALARM_TILE = 4
WALLED_TILES = (4, 5, 6, 7)
COMMON_TILES = range(1, 9)


class Setting(NamedTuple):
    """What depends on the number of players."""

    robbers: int
    guards: int
    bags_to_win: int
    """The default, and the most that the option may ask for."""
    extra_tile: int
    guard_tiles: tuple[int, ...]
    bag_tiles: tuple[int, ...]


FEW = Setting(robbers=2, guards=2, bags_to_win=4, extra_tile=9, guard_tiles=(2, 3), bag_tiles=(5, 6, 7, 9))
MANY = Setting(robbers=3, guards=3, bags_to_win=5, extra_tile=10, guard_tiles=(2, 3, 10), bag_tiles=(5, 6, 7))
SETTINGS = {2: FEW, 3: FEW, 4: MANY}

BAG_TOKENS = 7
ROUNDS = 3
HAND_SIZE = 8
PILE_SIZE = 5
BANK_DECK = Counter({"MOVE": 4, "MOVE+MOVE": 3, "MOVE+TACKLE": 2, "MOVE+LOCK": 2, "MOVE+TACKLE|LOCK": 2, "TACKLE|LOCK": 2})
ROBBER_DECK = Counter(
    {
        "MOVE": 1,
        "MOVE+MOVE": 3,
        "MOVE+PICKUP": 3,
        "MOVE+PEPPER": 2,
        "MOVE+UNLOCK": 1,
        "CRAWL": 1,
        "MOVE+PEPPER|PICKUP": 2,
        "MOVE+UNLOCK|PICKUP": 2,
    }
)

MANDATORY = {"MOVE", "CRAWL"}
BONUS = "BONUS"
END = "END"
"""With `BONUS`, what an action can use instead of an icon of the card."""

BANK = 0
"""The seat of the bank; in the list of all actors, its place."""

# ------------------------------------------------------------------ the plan of the bank


def neighbour(room: int, side: str) -> int | None:
    """The room beyond a side, None for the street.

    >>> [neighbour(4, side) for side in "NESW"], [neighbour(2, side) for side in "NESW"]
    ([1, 5, 7, 3], [None, None, 5, 1])
    """
    down, right = SIDES[side]
    row, column = room // 3 + down, room % 3 + right
    return 3 * row + column if row in range(3) and column in range(3) else None


def doors(walls: Collection[Wall]) -> Doors:
    """Where one step leads; a wall blocks both ways, whichever of the two tiles has it.

    >>> plan = doors([(0, "E"), (4, "N"), (8, "S")])
    >>> plan[0], plan[1], plan[4], plan[8]
    ([3], [2], [5, 7, 3], [5, 7])
    """
    plan: Doors = {room: [] for room in ROOMS}
    for room in ROOMS:
        for side in SIDES:
            other = neighbour(room, side)
            if other is not None and (room, side) not in walls and (other, OPPOSITE[side]) not in walls:
                plan[room].append(other)
    return plan


def is_connected(plan: Doors) -> bool:
    """Whether every room can be reached from every other.

    >>> is_connected(doors([(0, "E"), (3, "E"), (7, "W")])), is_connected(doors([(0, "E"), (3, "N")]))
    (False, False)
    >>> is_connected(doors([(0, "E"), (1, "W"), (3, "E")]))
    True
    """
    reached, new = {0}, [0]
    while new:
        beyond = set(plan[new.pop()]) - reached
        reached |= beyond
        new += beyond
    return len(reached) == len(ROOMS)


def street(corners: bool) -> list[Wall | None]:
    """The room and its side beside each space of the street, None beside a corner.

    >>> street(False)[1:4], street(True)[1:5]
    ([(1, 'N'), (2, 'N'), (2, 'E')], [(1, 'N'), (2, 'N'), None, (2, 'E')])
    >>> len(street(False)), [space for space, beside in enumerate(street(True)) if beside is None]
    (12, [3, 7, 11, 15])
    """
    spaces: list[Wall | None] = []
    for side, rooms in STREET.items():
        spaces += [(room, side) for room in rooms]
        spaces += [None] * corners
    return spaces


def distance(room: int, other: int) -> int:
    """The steps between two rooms of a bank without walls."""
    return abs(room // 3 - other // 3) + abs(room % 3 - other % 3)


def car_starts(spaces: list[Wall | None], robbers: int) -> list[int]:
    """The spaces opposite the room where the robbers start.

    >>> car_starts(street(False), 0), car_starts(street(True), 1), car_starts(street(False), 4)
    ([5, 6], [6, 8, 10, 12], [0, 2, 3, 5, 6, 8, 9, 11])
    """
    far = {space: distance(beside[0], robbers) for space, beside in enumerate(spaces) if beside is not None}
    return [space for space, steps in far.items() if steps == max(far.values())]


def guard_steps(plan: Doors, places: Mapping[int, int], origins: Mapping[int, int]) -> list[tuple[int, int]]:
    """Each guard and room of a possible step, of the standing guards at `places`.

    `origins` is where those that have already moved in this turn started from.

    >>> plan = doors([(0, "E"), (4, "N"), (4, "E")])
    >>> guard_steps(plan, {0: 3, 2: 4}, {})
    [(0, 0), (0, 4), (0, 6), (2, 7), (2, 3)]
    >>> guard_steps(plan, {0: 3, 2: 4}, {0: 4}), guard_steps(plan, {2: 0}, {2: 3})
    ([(0, 0), (0, 6), (2, 7), (2, 3)], [])
    """
    return [(guard, room) for guard, place in places.items() for room in plan[place] if room != origins.get(guard)]


def first_steps(plan: Doors, places: Mapping[int, int]) -> list[tuple[int, int]]:
    """The first steps of two: those that leave a second one, or all if there are none of these.

    >>> plan = doors([(0, "E"), (4, "N"), (4, "E")])
    >>> first_steps(plan, {0: 3}), first_steps(plan, {0: 3, 1: 0})
    ([(0, 4), (0, 6)], [(0, 0), (0, 4), (0, 6), (1, 3)])
    """
    steps = guard_steps(plan, places, {})
    lasting = [(guard, room) for guard, room in steps if guard_steps(plan, {**places, guard: room}, {guard: places[guard]})]
    return lasting or steps


# ------------------------------------------------------------------- pawns, cards, actions


@dataclass(slots=True)
class Pawn:
    """A guard or a robber."""

    room: int
    is_down: bool = False
    bags: int = 0


class Deed(NamedTuple):
    """A legal action."""

    text: str
    uses: str
    """An icon of the card, `BONUS` or `END`."""
    change: Callable[[], None]
    """Carries it out on the table."""
    guard: int | None = None


def nothing() -> None:
    """What `done` changes."""


DONE = Deed("done", END, nothing)


@dataclass(slots=True)
class Turn:
    """What is left of a turn.

    >>> turn = Turn.with_card("MOVE+PEPPER|PICKUP")
    >>> turn.parts, turn.may_take_bonus()
    ([['MOVE'], ['PEPPER', 'PICKUP']], True)
    >>> turn.use("PICKUP"); turn.parts, turn.may_take_bonus()
    ([['MOVE']], False)
    >>> turn.use("MOVE"); turn.parts, turn.may_take_bonus()
    ([], True)
    >>> turn = Turn.with_card("MOVE+UNLOCK")
    >>> turn.use("BONUS"); turn.use("MOVE"); turn.parts, turn.may_take_bonus()
    ([['UNLOCK']], False)
    >>> turn = Turn.with_card("MOVE+UNLOCK")
    >>> turn.use("MOVE"); turn.use("BONUS"); turn.parts, turn.may_take_bonus()
    ([], False)
    """

    parts: list[list[str]]
    """One entry for each action that the card still grants: the icons to choose from."""
    has_begun: bool = False
    """Whether an action of the card has been carried out."""
    has_bonus: bool = True
    origins: dict[int, int] = field(default_factory=dict)
    """Where the guards that moved started from."""

    @classmethod
    def with_card(cls, card: str) -> "Turn":
        return cls([part.split("|") for part in card.split("+")])

    def icons(self) -> set[str]:
        return {icon for part in self.parts for icon in part}

    def may_take_bonus(self) -> bool:
        return self.has_bonus and not (self.has_begun and self.icons() & MANDATORY)

    def use(self, used: str) -> None:
        if used == BONUS:
            self.has_bonus = False
            if self.has_begun:
                self.parts = []
        elif used == END:
            self.has_begun, self.has_bonus, self.parts = True, False, []
        else:
            self.has_begun = True
            self.parts.remove(next(part for part in self.parts if used in part))


def with_done(deeds: list[Deed]) -> list[Deed]:
    """The same, and `done` if no mandatory action is among them."""
    return deeds if any(deed.uses in MANDATORY for deed in deeds) else [*deeds, DONE]


# ------------------------------------------------------------------------------ JSON values


def is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int for number in value)


def is_walls(value: Any) -> bool:
    """Whether `value` is a list of rooms with a side each."""
    return isinstance(value, list) and all(
        isinstance(wall, list) and len(wall) == 2 and isinstance(wall[1], str) and wall[1] in SIDES for wall in value
    )


def is_hand(value: Any, deck: Counter[str]) -> bool:
    """Whether `value` is a list of cards that can be drawn from `deck`."""
    if not isinstance(value, list) or len(value) != HAND_SIZE or not all(isinstance(card, str) for card in value):
        return False
    return Counter(value) <= deck


# --------------------------------------------------------------------------- the game


class Referee(RefereeBase):
    game = "rob_a_bank"
    allowed_options = {
        "num_players": one_of(2, 3, 4),
        "bags_to_win": at_least(1),
        "street_corners": one_of(False, True),
        "perfect_recall": one_of(False, True),
        "reward": one_of("win", "margin", "shaped"),
    }

    def __init__(self, line: Any) -> None:
        super().__init__(line)
        self.setting = SETTINGS[self.options["num_players"]]
        self.bags_to_win: int = self.options["bags_to_win"]
        self.street = street(self.options["street_corners"])
        self.actors = ["bank", *(f"robber_{number}" for number in range(self.setting.robbers))]
        self.walls: set[Wall] = set()
        self.doors: Doors = {}
        self.guards: list[Pawn] = []
        self.robbers: list[Pawn] = []
        self.unlocked: Counter[int] = Counter()
        """The bags that lie in each room and can be picked up."""
        self.locked: Counter[int] = Counter()
        self.laid_bags = 0
        """So many bags were laid out in this round."""
        self.alarm_room = 0
        self.alarm_is_locked = False
        self.alarm_is_parked = False
        """Beside the street, after it has rung."""
        self.car = 0
        self.stolen = 0
        self.stolen_before = 0
        """Of these, the ones from earlier rounds."""

    def check(self) -> None:
        """Replay the game from the set-up to the last event; `Foul` where it is wrong."""
        robbers, guards = self.setting.robbers, self.setting.guards
        players = self.options["num_players"]
        self._expect("setup", num_players=players, num_robbers=robbers, num_guards=guards, bags_to_win=self.bags_to_win)
        for number in range(1, ROUNDS + 1):
            self._lay_out(number)
            self._rob(self._plan(self._draw()))
            if self._is_won():
                self._expect_end(reason="bags", scores=[self.stolen], winners="robbers")
                return
            self._clear_away()
            self._expect("round_end", round=number, stolen=self.stolen)
        self._expect_end(reason="rounds", scores=[self.stolen], winners="bank")

    def _check_options(self, options: Any) -> None:
        super()._check_options(options)
        players, bags = options["num_players"], options["bags_to_win"]
        most = SETTINGS[players].bags_to_win
        if bags > most:
            raise Foul(f"line: expected bags_to_win to be at most {most} with {players} players, found {bags}")

    def _is_won(self) -> bool:
        return self.stolen == self.bags_to_win

    def _seat_of(self, actor: int) -> int:
        """The seat that decides for an actor; with two players one of them runs both robbers."""
        return min(actor, self.options["num_players"] - 1)

    # ------------------------------------------------------------- phase 1: the layout

    def _lay_out(self, number: int) -> None:
        """Take over the tiles, the walls, the numbers of the guards and the car's start."""
        event = self._next_event("layout", ("round", "tiles", "walls", "bags", "alarm", "guards", "robbers", "car"))
        self._compare(event, round=number)
        room_of = self._rooms_of_tiles(event["tiles"])
        self._lay_walls(event["walls"], sorted(room_of[tile] for tile in WALLED_TILES))
        self._lay_tokens(event, room_of)
        self._place_pawns(event, room_of)
        self._place_car(event["car"], room_of[ROBBERS_TILE])

    def _rooms_of_tiles(self, tiles: Any) -> dict[int, int]:
        expected = sorted([*COMMON_TILES, self.setting.extra_tile])
        if not is_numbers(tiles) or sorted(tiles) != expected:
            self._foul_event("tiles", f"the tiles {expected} in some order", tiles)
        return {tile: room for room, tile in enumerate(tiles)}

    def _lay_walls(self, walls: Any, rooms: list[int]) -> None:
        if not is_walls(walls) or not same(rooms, [room for room, _ in walls]):
            self._foul_event("walls", f"one [room, side] for each of the rooms {rooms}", walls)
        self.walls = {(room, side) for room, side in walls}
        self.doors = doors(self.walls)
        if not is_connected(self.doors):
            self._foul_event("walls", "such that no room is closed", walls)

    def _lay_tokens(self, event: dict[str, Any], room_of: dict[int, int]) -> None:
        bags = sorted(room_of[tile] for tile in self.setting.bag_tiles)
        self._compare(event, bags=bags, alarm=room_of[ALARM_TILE])
        self.unlocked, self.locked = Counter(bags), Counter()
        self.laid_bags = len(bags)
        self.stolen_before = self.stolen
        self.alarm_room = room_of[ALARM_TILE]
        self.alarm_is_locked = self.alarm_is_parked = False

    def _place_pawns(self, event: dict[str, Any], room_of: dict[int, int]) -> None:
        rooms = sorted(room_of[tile] for tile in self.setting.guard_tiles)
        guards = event["guards"]
        if not is_numbers(guards) or sorted(guards) != rooms:
            self._foul_event("guards", f"the rooms {rooms} in some order", guards)
        start = [room_of[ROBBERS_TILE]] * self.setting.robbers
        self._compare(event, robbers=start)
        self.guards = [Pawn(room) for room in guards]
        self.robbers = [Pawn(room) for room in start]

    def _place_car(self, car: Any, robbers: int) -> None:
        spaces = car_starts(self.street, robbers)
        if type(car) is not int or car not in spaces:
            self._foul_event("car", f"one of the spaces {spaces}, opposite room {robbers}", car)
        self.car = car

    # ----------------------------------------------------------- phase 2: draw and plan

    def _draw(self) -> list[list[str]]:
        """The cards in the hand of each actor, as the log has them."""
        event = self._next_event("draw", ("bank", "robbers"))
        bank, robbers = event["bank"], event["robbers"]
        if not is_hand(bank, BANK_DECK):
            self._foul_event("bank", f"{HAND_SIZE} cards of {dict(BANK_DECK)}", bank)
        if not isinstance(robbers, list) or len(robbers) != self.setting.robbers:
            self._foul_event("robbers", f"{self.setting.robbers} lists of cards", robbers)
        for hand in robbers:
            if not is_hand(hand, ROBBER_DECK):
                self._foul_event("robbers", f"lists of {HAND_SIZE} cards of {dict(ROBBER_DECK)}", hand)
        # Copies, so that the caller's line survives the game.
        return [list(hand) for hand in (bank, *robbers)]

    def _plan(self, hands: list[list[str]]) -> list[list[str]]:
        """The pile of each actor, its first card first."""
        piles: list[list[str]] = [[] for _ in hands]
        for _ in range(PILE_SIZE):
            for actor, (hand, pile) in enumerate(zip(hands, piles, strict=True)):
                card = self._ask(self._seat_of(actor), {f"plan {card}": card for card in hand})
                hand.remove(card)
                pile.append(card)
                self._expect("plan", actor=self.actors[actor], card=card)
        assert all(len(hand) == HAND_SIZE - PILE_SIZE for hand in hands), "a card was lost or gained"
        return piles

    # ------------------------------------------------------------- phase 3: the robbery

    def _rob(self, piles: list[list[str]]) -> None:
        """Execute the piles; the game may be won before they are through."""
        for cards in zip(*piles, strict=True):
            self.alarm_is_parked = False
            self._bank_turn(cards[BANK])
            for number, card in enumerate(cards[BANK + 1 :]):
                self._robber_turn(number, card)
                if self._is_won():
                    return

    def _bank_turn(self, card: str) -> None:
        turn = Turn.with_card(card)
        deed = self._decision(BANK, self._bank_deeds(turn))
        is_spent = deed is not None and deed.text == "revive"
        self._expect("turn", actor=self.actors[BANK], card=card, spent=is_spent)
        while deed is not None:
            self._carry_out(BANK, deed, turn)
            deed = self._decision(BANK, self._bank_deeds(turn))

    def _robber_turn(self, number: int, card: str) -> None:
        actor, robber, turn = BANK + 1 + number, self.robbers[number], Turn.with_card(card)
        is_spent = robber.is_down
        robber.is_down = False
        self._expect("turn", actor=self.actors[actor], card=card, spent=is_spent)
        if is_spent:
            return
        while deed := self._decision(self._seat_of(actor), self._robber_deeds(robber, turn)):
            self._carry_out(actor, deed, turn)
            if deed.text == "ring alarm":
                self._expect("alarm", guards=[guard.room for guard in self.guards])
            elif deed.text == "throw":
                self._expect("stolen", pawn=number, total=self.stolen)
                if self._is_won():
                    return

    def _decision(self, seat: int, deeds: list[Deed]) -> Deed | None:
        """What `seat` chooses; nobody is asked, and the turn ends, if only `done` is left."""
        if deeds == [DONE]:
            return None
        return self._ask(seat, {deed.text: deed for deed in deeds})

    def _carry_out(self, actor: int, deed: Deed, turn: Turn) -> None:
        deed.change()
        turn.use(deed.uses)
        self._expect("act", actor=self.actors[actor], action=deed.text, guard=deed.guard)

    def _clear_away(self) -> None:
        """End a round: what is not in the car is lost."""
        for robber in self.robbers:
            robber.bags = 0
        self.unlocked, self.locked = Counter(), Counter()
        self.laid_bags = self.stolen - self.stolen_before

    # --------------------------------------------------------- what the bank may do

    def _bank_deeds(self, turn: Turn) -> list[Deed]:
        revive = []
        if not turn.has_begun and any(guard.is_down for guard in self.guards):
            revive.append(Deed("revive", END, self._revive))
            if not self._standing_guards():
                return revive
        by_icon = {"MOVE": self._guard_moves(turn), "TACKLE": self._tackles(), "LOCK": self._locks()}
        return with_done(revive + self._deeds_of_card(turn, by_icon))

    def _deeds_of_card(self, turn: Turn, by_icon: Mapping[str, Iterable[Deed]]) -> list[Deed]:
        return [deed for icon in turn.icons() for deed in by_icon[icon]]

    def _standing_guards(self) -> dict[int, int]:
        """The rooms of those that stand, in ascending order of their numbers."""
        return {number: guard.room for number, guard in enumerate(self.guards) if not guard.is_down}

    def _revive(self) -> None:
        for guard in self.guards:
            guard.is_down = False

    def _guard_moves(self, turn: Turn) -> list[Deed]:
        places = self._standing_guards()
        is_first = turn.parts.count(["MOVE"]) == 2
        steps = first_steps(self.doors, places) if is_first else guard_steps(self.doors, places, turn.origins)
        return [
            Deed(f"guard {guard} to {room}", "MOVE", partial(self._move_guard, guard, room, turn), guard)
            for guard, room in steps
        ]

    def _move_guard(self, number: int, room: int, turn: Turn) -> None:
        guard = self.guards[number]
        turn.origins.setdefault(number, guard.room)
        guard.room = room

    def _tackles(self) -> list[Deed]:
        guards_in: dict[int, list[int]] = {}
        for guard, room in self._standing_guards().items():
            guards_in.setdefault(room, []).append(guard)
        return [
            Deed(f"tackle {number}", "TACKLE", partial(self._tackle, robber), guards_in[robber.room][0])
            for number, robber in enumerate(self.robbers)
            if not robber.is_down and robber.room in guards_in
        ]

    def _tackle(self, robber: Pawn) -> None:
        robber.is_down = True
        self.unlocked[robber.room] += robber.bags
        robber.bags = 0

    def _locks(self) -> list[Deed]:
        guarded = set(self._standing_guards().values())
        bags = [
            Deed(f"lock bag {room}", "LOCK", partial(self._move_bag, room, self.unlocked, self.locked))
            for room in guarded
            if self.unlocked[room]
        ]
        if self.alarm_room in guarded and not (self.alarm_is_parked or self.alarm_is_locked):
            return [*bags, Deed("lock alarm", "LOCK", partial(self._set_alarm_lock, True))]
        return bags

    def _move_bag(self, room: int, source: Counter[int], target: Counter[int]) -> None:
        """Turn a bag over, to or from its locked side."""
        source[room] -= 1
        target[room] += 1

    def _set_alarm_lock(self, is_locked: bool) -> None:
        self.alarm_is_locked = is_locked

    # ---------------------------------------------------------- what a robber may do

    def _robber_deeds(self, robber: Pawn, turn: Turn) -> list[Deed]:
        by_icon = {
            "MOVE": self._moves(robber, "move", self.doors[robber.room]),
            "CRAWL": self._moves(robber, "crawl", set(ROOMS) - {robber.room}),
            "PICKUP": self._pick_ups(robber),
            "UNLOCK": self._unlocks(robber),
            "PEPPER": self._peppers(robber),
        }
        bonus = self._bonus_deeds(robber) if turn.may_take_bonus() else []
        return with_done(self._deeds_of_card(turn, by_icon) + bonus)

    def _bonus_deeds(self, robber: Pawn) -> list[Deed]:
        return self._drives() + self._throws(robber) + self._gifts(robber) + self._rings(robber)

    def _is_guarded(self, room: int) -> bool:
        return room in self._standing_guards().values()

    def _moves(self, robber: Pawn, verb: str, rooms: Iterable[int]) -> list[Deed]:
        return [Deed(f"{verb} to {room}", verb.upper(), partial(self._go, robber, room)) for room in rooms]

    def _go(self, robber: Pawn, room: int) -> None:
        robber.room = room

    def _pick_ups(self, robber: Pawn) -> list[Deed]:
        if self._is_guarded(robber.room) or not self.unlocked[robber.room]:
            return []
        return [Deed("pick up", "PICKUP", partial(self._pick_up, robber))]

    def _pick_up(self, robber: Pawn) -> None:
        self.unlocked[robber.room] -= 1
        robber.bags += 1

    def _unlocks(self, robber: Pawn) -> list[Deed]:
        room, deeds = robber.room, []
        if self._is_guarded(room):
            return []
        if self.locked[room]:
            deeds.append(Deed("unlock bag", "UNLOCK", partial(self._move_bag, room, self.locked, self.unlocked)))
        if self.alarm_room == room and self.alarm_is_locked:
            deeds.append(Deed("unlock alarm", "UNLOCK", partial(self._set_alarm_lock, False)))
        return deeds

    def _peppers(self, robber: Pawn) -> list[Deed]:
        return [
            Deed(f"pepper {number}", "PEPPER", partial(self._pepper, number))
            for number, room in self._standing_guards().items()
            if room == robber.room
        ]

    def _pepper(self, number: int) -> None:
        self.guards[number].is_down = True

    def _drives(self) -> list[Deed]:
        return [Deed("car left", BONUS, partial(self._drive, -1)), Deed("car right", BONUS, partial(self._drive, 1))]

    def _drive(self, step: int) -> None:
        self.car = (self.car + step) % len(self.street)

    def _throws(self, robber: Pawn) -> list[Deed]:
        """Through the window between the robber and the car."""
        window = self.street[self.car]
        if window is None or window in self.walls or window[0] != robber.room:
            return []
        if not robber.bags or self._is_guarded(robber.room):
            return []
        return [Deed("throw", BONUS, partial(self._throw, robber))]

    def _throw(self, robber: Pawn) -> None:
        robber.bags -= 1
        self.stolen += 1

    def _gifts(self, robber: Pawn) -> list[Deed]:
        if not robber.bags or self._is_guarded(robber.room):
            return []
        return [
            Deed(f"give {number}", BONUS, partial(self._give, robber, other))
            for number, other in enumerate(self.robbers)
            if other is not robber and other.room == robber.room and not other.is_down
        ]

    def _give(self, robber: Pawn, other: Pawn) -> None:
        robber.bags -= 1
        other.bags += 1

    def _rings(self, robber: Pawn) -> list[Deed]:
        if robber.room != self.alarm_room or self._is_guarded(robber.room):
            return []
        if self.alarm_is_locked or self.alarm_is_parked:
            return []
        return [Deed("ring alarm", BONUS, self._ring)]

    def _ring(self) -> None:
        """Park the token and send every guard that stands to its room."""
        self.alarm_is_parked = True
        for number in self._standing_guards():
            self.guards[number].room = self.alarm_room

    # ---------------------------------------------------------------------- the invariants

    def _check_invariants(self) -> None:
        carried = [robber.bags for robber in self.robbers]
        left = self.unlocked.total() + self.locked.total() + sum(carried)
        assert left + self.stolen - self.stolen_before == self.laid_bags, "a bag was lost or gained"
        assert min([0, *carried, *self.unlocked.values(), *self.locked.values()]) == 0, "fewer bags than none"
        assert self.stolen + left <= BAG_TOKENS, "there are not so many bags in the box"
        assert self.stolen <= self.bags_to_win, "the game went on after it was won"
        assert not any(robber.is_down and robber.bags for robber in self.robbers), "an unconscious robber holds a bag"
        assert not (self.alarm_is_locked and self.alarm_is_parked), "the alarm is in two places"


def referee(line: dict[str, Any]) -> None:
    """Check one parsed replay line; raises `Foul` at the first disagreement."""
    Referee(line).check()


if __name__ == "__main__":
    main(referee)

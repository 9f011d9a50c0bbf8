"""The rules of banquefall as the rulebook tells them; numbers are sections of RULES.md."""

import numpy as np
import pytest

from heist_envs.engine.table import Table
from heist_envs.games.banquefall.pieces import CARD_NAMES, DECK, TILE_COPIES, Phase, Tile

from ..position import Position, of

NAMES = {name: kind for kind, name in enumerate(CARD_NAMES, 1)}


class Robbery(Position):
    """Banquefall with emptied banks to lay cards at."""

    def __init__(self, players=4, seed=1, **options):
        super().__init__("banquefall", players, seed, **options)
        for bank in range(5):
            self.row(bank, "")

    def row(self, bank, cards, origin=0, face_up=False, known_to=()):
        """Lay cards (names in one string) at an emptied bank."""
        kinds = [NAMES[name] for name in cards.split()]
        self.state.length[bank] = len(kinds)
        for field, value in (("origin", origin), ("face_up", face_up)):
            self.state[field][bank] = 0
            self.state[field][bank, : len(kinds)] = value
        seers = range(self.table.players) if face_up else known_to
        self.state.row[bank] = 0
        self.state.row[bank, : len(kinds)] = kinds
        self.state.knowers[bank, : len(kinds)] = sum(1 << seat for seat in seers)

    def hand(self, seat, cards):
        self.state.hand[seat] = np.bincount([NAMES[name] for name in cards.split()], minlength=len(CARD_NAMES) + 1)
        self.state.hand_size[seat] = len(cards.split())

    def turn(self, phase, seat):
        """Seat `seat` has turned this tile."""
        self.state.turn = seat
        self.ask(phase, seat)

    def all_bid(self):
        """Everybody bids for bank 0."""
        self.state.target = 0
        self.ask(Phase.BID, *range(self.table.players))


def rob(cards, bids, funds=30, pile=True, **options):
    """The `robbery` event of these bids for a row of cards."""
    position = Robbery(len(bids), **options)
    position.row(0, cards)
    position.state.funds[: len(bids)] = funds
    if not pile:
        position.state.drawn = len(DECK)
    position.all_bid()
    return next(e for e in position.play(*(f"bid {bid}" for bid in bids)) if e["event"] == "robbery")


def test_deck_has_45_cards():
    """1.1 29 money cards worth 111, 4 X among them, and 4 of each of four people."""
    counts = {name: int(np.count_nonzero(kind == DECK)) for name, kind in NAMES.items()}
    assert counts == {
        "2": 4, "3": 4, "4": 4, "5": 11, "10": 2, "X": 4, "seductress": 4, "policeman": 4, "detective": 4, "thief": 4,
    }  # fmt: skip
    assert sum(int(name) * count for name, count in counts.items() if name.isdigit()) == 111


def test_seven_tiles_are_turned_before_they_are_mixed_again():
    """1.2, 3.1 Of seven tiles four are Placement, one each Spy, Reveal, Robbery."""
    position = Robbery(seed=7)
    events = position.table.events()
    position.table.reset(7)
    rng = np.random.default_rng(0)
    while not position.table.over[0]:
        position.table.play(rng.choice(np.flatnonzero(position.table.mask[0]), 1))
        events += position.table.events()
    tiles = [event["tile"] for event in of(events, "tile")]
    for cycle in range(len(tiles) // 7):
        assert sorted(tiles[7 * cycle : 7 * cycle + 7]) == ["place"] * 4 + ["reveal", "rob", "spy"]
    assert list(TILE_COPIES) == [4, 1, 1, 1]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_deal(players):
    """1.3, 2.1, 2.2 A card at each bank, five in each hand, ten coins each, the first seat by lot."""
    firsts = set()
    for seed in range(40):
        table = Table("banquefall", recording=True, num_players=players)
        table.reset(seed)
        setup, state = table.events()[0], table.states[0]
        assert [len(bank) for bank in setup["banks"]] == [1] * 5
        assert [len(hand) for hand in setup["hands"]] == [5] * players
        assert len(setup["deck"]) == 40 - 5 * players
        assert list(state.funds[:players]) == [10] * players
        assert not state.knowers.any(), "nobody sees the first cards"
        firsts.add(setup["first_seat"])
    assert firsts == set(range(players))


def test_placement_lays_a_card_face_down_and_draws_one():
    """3.2 Any hand card at any bank, own included; then the hand is filled up from the pile."""
    position = Robbery()
    position.hand(0, "5 5 X thief 2")
    position.turn(Phase.PLACE, 0)
    assert position.legal() == [f"place {card} @{bank}" for card in ("2", "5", "X", "thief") for bank in range(5)]
    next_card = CARD_NAMES[position.state.deck[position.state.drawn] - 1]
    placed = of(position.play("place X @0"), "place")
    assert placed == [{"event": "place", "seat": 0, "card": "X", "bank": 0, "drew": next_card}]
    assert position.state.hand_size[0] == 5
    assert not position.state.face_up[0, 0]


def test_placement_draws_nothing_from_an_empty_pile():
    """3.2 Without a pile the hand shrinks."""
    position = Robbery()
    position.hand(0, "5 5")
    position.state.drawn = len(DECK)
    position.turn(Phase.PLACE, 0)
    assert of(position.play("place 5 @3"), "place")[0]["drew"] is None
    assert position.state.hand_size[0] == 1


def test_spy_shows_one_card_to_the_spy_alone():
    """3.3 The spy remembers the card, the others see only which one it was; passing is allowed."""
    position = Robbery()
    position.row(2, "10 thief")
    position.turn(Phase.SPY, 1)
    assert position.legal() == ["card 2 dealt", "pass"]
    spied = of(position.play("card 2 dealt"), "spy")
    assert spied == [{"event": "spy", "seat": 1, "bank": 2, "slot": 0, "card": "10"}]
    assert [position.table.seen(seat)[0].row[2, 0] for seat in range(4)] == [0, NAMES["10"], 0, 0]
    assert [position.table.seen(seat)[0].row[2, 1] for seat in range(4)] == [0, 0, 0, 0]


def test_spying_may_be_passed():
    """3.3 A passed Spy is logged with nulls."""
    position = Robbery()
    position.row(2, "10")
    position.turn(Phase.SPY, 1)
    assert of(position.play("pass"), "spy") == [{"event": "spy", "seat": 1, "bank": None, "slot": None, "card": None}]


def test_nobody_is_asked_to_spy_where_nothing_lies_face_down():
    """3.3 A Spy tile that cannot be executed passes the turn on."""
    position = Robbery()
    position.row(0, "5 5", face_up=True)
    position.hand(0, "5 5")
    position.state.tiles[:] = 0
    position.state.tiles[Tile.SPY] = 1
    position.turn(Phase.SPY, 0)
    events = position.play("pass")
    assert events[0] == {"event": "spy", "seat": 0, "bank": None, "slot": None, "card": None}
    assert events[1] == {"event": "tile", "seat": 1, "tile": "spy"}
    assert events[2] == {"event": "spy", "seat": 1, "bank": None, "slot": None, "card": None}
    assert events[3]["event"] == "tile" and events[3]["seat"] == 2


def test_reveal_leaves_a_hidden_card():
    """3.4 Only banks with two face-down cards; the last one stays hidden. Everybody knows a revealed card."""
    position = Robbery()
    position.row(0, "5")
    position.row(3, "10 thief")
    position.turn(Phase.REVEAL, 2)
    assert position.legal() == ["card 3 dealt", "pass"]
    revealed = position.play("card 3 dealt")[0]
    assert revealed == {"event": "reveal", "seat": 2, "bank": 3, "slot": 0, "card": "10"}
    assert [position.table.seen(seat)[0].row[3, 0] for seat in range(4)] == [NAMES["10"]] * 4
    position.turn(Phase.REVEAL, 2)
    assert position.legal() == ["pass"]


def test_reveal_as_the_very_first_tile_does_nothing():
    """3.4 One card lies at each bank, so nothing may be revealed."""
    for seed in range(200):
        table = Table("banquefall", recording=True)
        table.reset(seed)
        events = table.events()
        if events[1]["tile"] == "reveal":
            assert events[2] == {"event": "reveal", "seat": events[1]["seat"], "bank": None, "slot": None, "card": None}
            return
    raise AssertionError("no game began with a Reveal")


def test_robbery_tile_calls_all_seats_to_bid():
    """3.5, 4.1 Any bank, even an empty one (loot 0); all seats bid, the caller too."""
    position = Robbery()
    position.turn(Phase.ROB, 3)
    assert position.legal() == [f"rob {bank}" for bank in range(5)]
    events = position.play("rob 4", "bid 0", "bid 10", "bid 0", "bid 3")
    assert events[0] == {"event": "rob", "seat": 3, "bank": 4}
    assert of(events, "bids")[0]["bids"] == [0, 10, 0, 3]
    assert of(events, "robbery")[0]["loot"] == 0


def test_bids_are_anything_up_to_the_funds():
    """4.1 From nothing to all; asked in seat order and unseen until the last one is in."""
    position = Robbery(3)
    position.state.funds[:3] = 10, 12, 200
    position.all_bid()
    before = position.table.show(2)
    assert position.legal() == [f"bid {coins}" for coins in range(11)]
    assert position.play("bid 10") == []
    assert position.legal() == [f"bid {coins}" for coins in range(13)]
    assert position.play("bid 4") == []
    assert all((a == b).all() for a, b in zip(before, position.table.show(2), strict=True))


def test_bid_cap():
    """7.2 Nobody can bid more than all the money of the deck."""
    position = Robbery(2)
    position.state.funds[:2] = 200
    position.all_bid()
    assert position.legal() == [f"bid {coins}" for coins in range(112)]


def test_turn_passes_to_the_left():
    """3.6 After every tile the next seat clockwise is on."""
    position = Robbery()
    position.hand(3, "5 5")
    position.turn(Phase.PLACE, 3)
    assert of(position.play("place 5 @1"), "tile")[0]["seat"] == 0


@pytest.mark.parametrize(
    ("cards", "loot"), [("5 5 X", 20), ("10 X X", 30), ("X", 0), ("seductress policeman 5", 5), ("policeman policeman 5", 5)]
)
def test_loot(cards, loot):
    """4.2, 4.3, 4.5 The worked examples: X multiply, a lone seductress silences the police, two policemen play cards."""
    event = rob(cards, [loot, 0])
    assert (event["result"], event["order"], event["loot"]) == ("shared", "ascending", loot)
    assert event["paid"] == [loot, 0]
    assert rob(cards, [loot + 1, 0], funds=40)["paid"] == [0, 0]


def test_two_seductresses_chat_and_the_police_acts():
    """4.2, 4.3 {S, S, P, 5}: everybody who bid nothing gets five coins, nobody loses anything."""
    event = rob("seductress seductress policeman 5", [5, 0, 3, 0])
    assert event["result"] == "police" and event["loot"] == 0
    assert event["paid"] == [0, 5, 0, 5] and event["lost"] == [0, 0, 0, 0]


def test_detective_and_thief_leave_together():
    """4.4 {D, T, 5}: 5, the lowest bid first."""
    event = rob("detective thief 5", [2, 3, 4])
    assert (event["order"], event["loot"], event["paid"]) == ("ascending", 5, [2, 3, 0])


def test_a_spare_detective_turns_the_order():
    """4.4 {D, D, T, 5}: 5, the highest bid first."""
    event = rob("detective detective thief 5", [2, 3, 4])
    assert (event["order"], event["loot"], event["paid"]) == ("descending", 5, [0, 0, 4])


def test_a_lone_seductress_silences_detectives_too():
    """4.2 All other people go, so the order is the usual one."""
    assert rob("seductress detective 5", [2, 3, 4])["order"] == "ascending"


def test_a_thief_takes_all_bids():
    """4.7 {T, 5}: bids are lost, a bid of nothing loses nothing."""
    event = rob("thief 5", [7, 0, 30])
    assert event["result"] == "thief" and event["lost"] == [7, 0, 30] and event["paid"] == [0, 0, 0]


def test_equal_bids_are_paid_together_or_not_at_all():
    """4.6 Loot 10, bids 3, 4, 4, 5: the pair fails from either end, the others are paid."""
    assert rob("10", [3, 4, 4, 5])["paid"] == [3, 0, 0, 5]
    assert rob("10 detective", [3, 4, 4, 5])["paid"] == [3, 0, 0, 5]


def test_stop_on_unpaid():
    """4.6, 8 With the option the first bid that fails ends the payment."""
    assert rob("10", [3, 4, 4, 5], stop_on_unpaid=True)["paid"] == [3, 0, 0, 0]
    assert rob("10 detective", [3, 4, 4, 5], stop_on_unpaid=True)["paid"] == [0, 0, 0, 5]


def test_bids_come_back():
    """4.6 Whoever is paid keeps the bid and gets as much again, the others just keep it."""
    assert rob("10", [6, 6, 9, 10], funds=20)["funds"] == [20, 20, 29, 20]


def test_credit():
    """4.8 Below ten coins: ten more and a red coin."""
    event = rob("thief", [10, 1, 0], funds=10)
    assert event["funds"] == [10, 19, 10] and event["credits"] == [1, 1, 0]


def test_new_card_after_every_robbery():
    """4.9 Face down and unseen, whatever happened, while the pile lasts."""
    for cards in ("5", "policeman", "thief", ""):
        assert rob(cards, [0, 0])["restock"] in CARD_NAMES
        assert rob(cards, [0, 0], pile=False)["restock"] is None
    position = Robbery(2)
    position.row(0, "thief", origin=1, face_up=True)
    position.all_bid()
    position.play("bid 0", "bid 0")
    assert position.state.length[0] == 1
    assert not position.state.face_up[0, 0] and not position.state.knowers[0, 0] and not position.state.origin[0, 0]


def test_last_card_ends_the_turns_and_all_banks_are_robbed():
    """5.1, 5.2 From the bank of the seat that played its last card, counter-clockwise; empty banks are skipped."""
    position = Robbery(4)
    position.state.drawn = len(DECK)
    position.hand(1, "5")
    for bank in (0, 3, 4):
        position.row(bank, "2")
    position.turn(Phase.PLACE, 1)
    events = position.play("place 5 @0", *["bid 0"] * 12)
    assert [(event["seat"], event["bank"]) for event in of(events, "rob")] == [(None, 0), (None, 4), (None, 3)]
    assert all(event["restock"] is None for event in of(events, "robbery"))
    assert events[-1]["event"] == "end" and position.table.over[0]


def test_score():
    """5.3 Funds less ten for each red coin; equal scores share the win, cards in hand are worth nothing."""
    position = Robbery(3)
    position.state.drawn = len(DECK)
    position.hand(0, "5")
    position.state.funds[:3] = 30, 25, 20
    position.state.credits[:3] = 1, 0, 0
    position.turn(Phase.PLACE, 0)
    end = position.play("place 5 @0", "bid 5", "bid 0", "bid 5")[-1]
    assert end == {"event": "end", "reason": "last_card", "scores": [20, 25, 20], "winners": [1]}
    position = Robbery(3)
    position.state.drawn = len(DECK)
    position.hand(0, "5")
    position.turn(Phase.PLACE, 0)
    end = position.play("place 5 @0", "bid 0", "bid 0", "bid 0")[-1]
    assert end["winners"] == [0, 1, 2]
    assert position.table.rewards[0].tolist() == [0, 0, 0]


def test_classes_of_face_down_cards():
    """6.1 A seat tells its own and spied cards by kind, the others by who placed them; the oldest of a class is taken."""
    position = Robbery(4)
    position.row(0, "2 3 2 10 thief", known_to=())
    position.state.origin[0, :5] = 0, 1 + 2, 1 + 3, 1 + 2, 1 + 0
    position.state.knowers[0, :5] = 0, 1 << 2 | 1 << 0, 1 << 3, 1 << 2, 1 << 0
    position.turn(Phase.SPY, 0)
    assert position.legal() == ["card 0 3", "card 0 thief", "card 0 dealt", "card 0 +2", "card 0 +3", "pass"]
    position.turn(Phase.SPY, 1)
    assert position.legal() == ["card 0 dealt", "card 0 +1", "card 0 +2", "card 0 +3", "pass"]
    assert of(position.play("card 0 +1"), "spy")[0]["slot"] == 1
    position.turn(Phase.SPY, 1)
    assert position.legal() == ["card 0 3", "card 0 dealt", "card 0 +1", "card 0 +2", "card 0 +3", "pass"]
    assert of(position.play("card 0 +1"), "spy")[0]["slot"] == 3


def test_full_rows_take_no_card():
    """7.1 At a row of 20 cards nothing can be placed."""
    position = Robbery()
    position.row(2, "5 " * 20)
    position.hand(0, "5")
    position.turn(Phase.PLACE, 0)
    assert position.legal() == [f"place 5 @{bank}" for bank in (0, 1, 3, 4)]


def test_what_is_seen():
    """6.2, 6.3 Others' hands never; their funds and the robbed cards only with perfect recall."""
    for recall in (True, False):
        position = Robbery(3, perfect_recall=recall)
        position.row(0, "10 thief")
        position.state.funds[:3] = 10, 20, 30
        position.all_bid()
        position.play("bid 0", "bid 0", "bid 0")
        spec = position.table.game.observation
        sees = spec.decode(position.table.show(1)[0][0])
        assert sees["funds"].tolist() == ([20, 30, 10, 0, 0] if recall else [20, 0, 0, 0, 0])
        assert sees["gone"].sum() == (2 if recall else 0)
        assert sees["last_result"].tolist() == [0, 0, 1]
        assert sees["hand"].tolist() == position.state.hand[1, 1:].tolist()
        assert not position.table.seen(1)[0].hand[0].any()

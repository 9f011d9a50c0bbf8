"""The rules of silence as the rulebook tells them; numbers are sections of RULES.md."""

import numpy as np
import pytest

from heist_envs import HeistError
from heist_envs.engine.table import Table
from heist_envs.games.silence.pieces import DECK, GONE, NEXT, OUTSIDE, PARTS, TOKEN_COPIES, WAY_OUT, Phase

from ...support import hidden_bytes, walk
from ..position import Position, of

TOKEN_WORTH = np.arange(TOKEN_COPIES.shape[1])


def place(row, col):
    return 1 + row * 8 + col


class House(Position):
    """silence in the fixed house; hands as the test deals them, seat 0 first in a first tie."""

    def __init__(self, players=4, seed=1, **options):
        super().__init__("silence", players, seed, **{"layout": "fixed", **options})
        self.state.first_seat = 0

    def deal(self, *hands):
        """Hands by seat, as lists of cards; the decks run out."""
        self.state.drawn[:] = len(DECK)
        self.state.undrawn[:], self.state.hand[:] = 0, 0
        for seat, hand in enumerate(hands):
            self.state.hand[seat] = np.bincount(hand, minlength=8)[1:]
            self.state.hand_size[seat] = len(hand)
        self.look()

    def put(self, seat, row, col):
        """A pawn in a cell."""
        self.state.pawn[seat] = place(row, col)
        self.look()

    def cards(self, *cards):
        """Everybody plays these; returns the events."""
        self.deal(*([card, 1] for card in cards))
        return self.play(*(f"play {card}" for card in cards))

    def walks(self, seat, budget):
        """Seat `seat` stands before its walk with this card."""
        self.state.phase, self.state.mover, self.state.budget = Phase.WALK, seat, budget
        self.ask(Phase.WALK, seat)
        return self.legal()


def test_cells_of_the_house():
    """1.1, 2.1 Four parts in four quadrants: 14 corridors of 2, 20 cells of 3, 18 of 4, 12 of 5, whatever the layout."""
    assert np.bincount(PARTS.reshape(-1)).tolist() == [0, 0, 14, 20, 18, 12]
    for seed in range(20):
        table = Table("silence", recording=True)
        table.reset(seed)
        board = np.array(table.events()[0]["board"])
        assert np.bincount(board.reshape(-1)).tolist() == [0, 0, 14, 20, 18, 12]
        assert {board[0, 3], board[3, 0], board[3, 3], board[4, 4], board[7, 3]} == {2}


def test_fixed_layout():
    """2.1 A north-west, B north-east, C south-west, D south-east, each with its first cell outside."""
    board = House().state.cost.reshape(8, 8)
    assert (board[:4, :4] == PARTS[0]).all() and (board[:4, :3:-1] == PARTS[1]).all()
    assert (board[:3:-1, :4] == PARTS[2]).all() and (board[:3:-1, :3:-1] == PARTS[3]).all()


def test_doors():
    """1.2 One in the middle of each side; the south door is the entrance."""
    beside = {divmod(at - 1, 8) for at in range(1, 65) if WAY_OUT[1, at] == 1}
    assert beside == {(0, 3), (0, 4), (3, 0), (4, 0), (3, 7), (4, 7), (7, 3), (7, 4)}
    assert [divmod(int(to) - 1, 8) for to in NEXT[OUTSIDE] if to] == [(7, 3), (7, 4)]


def test_tokens():
    """1.3 50 tokens worth 245, by the cost of their cell or mixed."""
    assert TOKEN_COPIES.sum(1).tolist() == [20, 18, 12] and (TOKEN_COPIES * TOKEN_WORTH).sum() == 245
    for mode in ("by_cost", "uniform"):
        state = House(token_mode=mode).state
        assert (state.lying == (state.cost > 2)).all() and state.token.sum() == 245 and not state.bag.any()
        by_cost = all(set(state.token[state.cost == 3 + k]) == set(np.flatnonzero(TOKEN_COPIES[k])) for k in range(3))
        assert by_cost == (mode == "by_cost")


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_setup(players):
    """2.2, 2.3 Fourteen cards each, five in hand, pawns outside, a threshold of five a head, the first seat by lot."""
    firsts = set()
    for seed in range(40):
        table = Table("silence", recording=True, num_players=players)
        table.reset(seed)
        (setup,), state = table.events(), table.states[0]
        assert all(sorted(deck) == DECK.tolist() for deck in setup["decks"]) and setup["threshold"] == 5 * players
        assert (state.hand_size[:players] == 5).all() and not state.pawn.any() and setup["teams"] is None
        firsts.add(setup["first_seat"])
    assert firsts == set(range(players))


def test_refill():
    """3.1 Up to five cards after every round but the last, failed ones too; nothing from an empty deck."""
    house = House(3)
    cards = [int(np.flatnonzero(house.state.hand[seat])[-1]) + 1 for seat in range(3)]
    house.state.threshold = 0
    drawn = of(house.play(*(f"play {card}" for card in cards)), "refill")[0]["drawn"]
    assert drawn == [[int(house.state.deck[seat, 5])] for seat in range(3)]
    house.state.threshold = 0
    house.deal([1, 2], [1, 2], [1, 2])
    assert of(house.play("play 1", "play 1", "play 1"), "refill")[0]["drawn"] == [[], [], []]


def test_cards_are_secret():
    """3.2 Chosen at once; inside nobody may pass, whoever is out may."""
    house = House(3)
    house.state.pawn[2] = GONE
    house.deal([1, 7], [2, 7], [3])
    before = [house.table.show(seat) for seat in range(3)]
    assert house.legal() == ["play 1", "play 7"]
    assert house.play("play 7") == []
    assert all((a == b).all() for seat in (1, 2) for a, b in zip(before[seat], house.table.show(seat), strict=True))
    house.play("play 2")
    assert house.legal() == ["play 3", "pass"]
    assert of(house.play("pass"), "play")[0]["cards"] == [7, 2, None]


@pytest.mark.parametrize(("threshold", "success", "after"), [(20, True, 17), (12, True, 9), (11, False, 13), (2, False, 4)])
def test_noise(threshold, success, after):
    """3.3 Four players, sum 12: up to the threshold it falls by three, above it rises by two."""
    house = House()
    house.state.threshold = threshold
    noise = of(house.cards(3, 3, 3, 3), "noise")[0]
    assert noise == {"event": "noise", "sum": 12, "limit": threshold, "success": success, "threshold": after}


def test_threshold_floor():
    """3.3 It never falls below nothing."""
    house = House()
    house.state.threshold = 2
    house.state.pawn[2:4] = GONE
    house.deal([1, 1], [1, 1], [1], [1])
    assert of(house.play("play 1", "play 1", "pass", "pass"), "noise")[0]["threshold"] == 0


def first_walker(house, *cards):
    house.cards(*cards)
    return int(house.table.seat[0])


def test_the_loudest_moves_first():
    """3.4 Then clockwise; in a first tie `first_seat`, later the seat after the last starter, tied or not."""
    assert first_walker(House(), 1, 5, 2, 3) == 1
    house = House()
    house.state.first_seat = 2
    assert first_walker(house, 3, 3, 1, 1) == 2
    house = House()
    house.state.starter = 1 + 2
    assert first_walker(house, 3, 3, 1, 1) == 3


def test_a_first_mover_who_has_left_is_skipped():
    """3.4 Cards of those outside count, the next seat still inside moves first and is remembered."""
    house = House()
    house.state.pawn[1] = GONE
    assert first_walker(house, 1, 7, 2, 3) == 2
    assert house.state.starter == 1 + 2


def test_a_failed_round_changes_no_starter():
    """3.4 Only a round in which somebody walked counts."""
    house = House()
    house.state.starter, house.state.threshold = 1 + 3, 0
    house.cards(7, 1, 1, 1)
    assert house.state.starter == 1 + 3


def test_steps_cost_what_their_cells_say():
    """4.1 Orthogonal, up to the card; what is left may be saved."""
    house = House()
    house.put(0, 6, 3)
    cost = house.state.cost.reshape(8, 8)
    for budget in range(1, 8):
        reachable = {"north": cost[5, 3], "east": cost[6, 4], "south": cost[7, 3], "west": cost[6, 2]}
        steps = [way for way, price in reachable.items() if price <= budget]
        assert house.walks(0, budget) == [*steps, "stay"]


def test_passing_over_pawns():
    """4.2 A step onto another pawn only if the walk can still end in a free cell or at an exit."""
    house = House()
    house.put(0, 6, 3)
    house.put(1, 7, 3)
    assert "south" in house.walks(0, 3), "2 for the cell and 1 to leave"
    house.play("south")
    assert house.legal() == ["exit"], "no stay on another pawn"
    house = House(entrance_is_exit=False)
    house.put(0, 6, 3)
    house.put(1, 7, 3)
    assert "south" not in house.walks(0, 3)
    assert "south" in house.walks(0, 4), "on to (7,4)"
    house.put(2, 7, 4)
    back = 2 + house.state.cost.reshape(8, 8)[6, 3]
    assert ("south" in house.walks(0, int(back))) and "south" not in house.walks(0, 4 if back > 4 else 3)


def test_entering_the_house():
    """4.3 From outside north enters (7,3), east (7,4); there is room for all outside."""
    for way, col in (("north", 3), ("east", 4)):
        house = House()
        assert house.walks(0, 2) == ["north", "east", "exit", "stay"]
        house.play(way)
        assert house.state.pawn[0] == place(7, col)
    assert House(entrance_is_exit=False).walks(0, 2) == ["north", "east", "stay"]


def test_picking_up():
    """4.4 Every token on the way, without a choice; only the taker sees its value."""
    house = House()
    house.put(0, 7, 3)
    cell = 8 * 7 + 2
    value, cost = int(house.state.token[cell]), int(house.state.cost[cell])
    house.walks(0, cost + 1)
    house.play("west")
    state = house.state
    assert state.loot[0] == value and not state.lying[cell] and state.taken[0] == 1 and state.taken_at[0, cost - 3] == 1
    assert house.table.seen(0)[0].loot[0] == value and house.table.seen(1)[0].loot[0] == 0


def test_leaving_is_for_good():
    """4.5 For one, from a cell at a door."""
    house = House()
    house.put(0, 0, 3)
    assert "exit" in house.walks(0, 1)
    moved = of(house.play("exit"), "move")[0]
    assert moved == {"event": "move", "seat": 0, "path": [], "picked": [], "exited": True}
    assert house.state.pawn[0] == GONE
    house.put(0, 1, 3)
    assert "exit" not in house.walks(0, 1)


def test_nobody_is_asked_when_only_staying_is_possible():
    """4.6 At the start and in the middle of a walk; the move is written all the same."""
    house = House(3, entrance_is_exit=False)
    events = house.cards(1, 1, 1)
    assert of(events, "move") == [{"event": "move", "seat": s, "path": [], "picked": [], "exited": False} for s in (0, 1, 2)]
    house = House(3, entrance_is_exit=False)
    house.cards(2, 1, 1)
    assert of(house.play("north"), "move")[0] == {
        "event": "move", "seat": 0, "path": [[7, 3]], "picked": [], "exited": False,
    }  # fmt: skip


def test_the_game_ends_when_all_are_out():
    """3.5, 5.1, 5.3 Tested before the cards; the most loot wins, equals share the win."""
    house = House(3)
    house.state.pawn[1:3] = GONE
    house.state.loot[:3] = 3, 5, 5
    house.state.tokens[:] = 0
    house.put(0, 0, 3)
    house.deal([1], [1], [1])
    end = house.play("play 1", "pass", "pass", "exit")[-1]
    assert end == {
        "event": "end", "reason": "all_out", "loot": [3, 5, 5], "penalties": [0, 0, 0], "scores": [3, 5, 5],
        "winners": [1, 2],
    }  # fmt: skip


def test_penalties():
    """5.2 Without cards the game ends; who is inside loses a point a cell to the nearest door, the door included."""
    house = House(3)
    house.put(0, 5, 4)
    house.put(1, 7, 3)
    house.deal([1], [1], [1])
    house.state.threshold = 0
    end = house.play("play 1", "play 1", "play 1")[-1]
    assert (end["reason"], end["penalties"], end["scores"]) == ("no_cards", [3, 1, 1], [-3, -1, -1])
    assert WAY_OUT[0, OUTSIDE] == 8 and WAY_OUT[0, place(7, 3)] == 7 and WAY_OUT[1, OUTSIDE] == 1


@pytest.mark.parametrize(
    ("players", "teams", "ids"), [(4, 2, [0, 1, 0, 1]), (6, 2, [0, 1, 2, 0, 1, 2]), (6, 3, [0, 1, 0, 1, 0, 1])]
)
def test_teams(players, teams, ids):
    """6.1, 6.2 Pairs sit opposite, threes in every other seat; treasure, penalties and the win are shared."""
    table = Table("silence", recording=True, num_players=players, teams=teams)
    table.reset(1)
    assert table.events()[0]["teams"] == ids
    house = House(players, teams=teams)
    house.state.pawn[1:players] = GONE
    house.state.loot[:players] = range(players)
    house.state.threshold = 0
    house.deal([1], *[[1]] * (players - 1))
    end = house.play("play 1", *["pass"] * (players - 1))[-1]
    totals = [sum(seat - (seat == 0) for seat in range(players) if ids[seat] == team) for team in ids]
    assert end["scores"] == totals and end["winners"] == [seat for seat in range(players) if totals[seat] == max(totals)]
    winners = len(end["winners"])
    assert house.table.rewards[0].sum() == pytest.approx(0) and house.table.rewards[0].max() == pytest.approx(1 / winners)


def test_teams_that_do_not_fit():
    """6.1, 8 Refused with what is allowed."""
    for players, teams in ((3, 2), (5, 2), (4, 3), (3, 3)):
        with pytest.raises(HeistError, match="allowed: 2 with 4 or 6 players"):
            Table("silence", num_players=players, teams=teams)


@pytest.mark.parametrize(("players", "teams"), [(4, 2), (6, 2), (6, 3)])
def test_team_mates_see_each_others_loot_and_nothing_else(players, teams):
    """7.3 Worked out from the declarations, with everything hidden scrambled."""
    table, rng = Table("silence", num_players=players, teams=teams), np.random.default_rng(1)
    shown = 0
    for _ in walk(table, seed=2):
        seat = int(rng.integers(players))
        mate = (seat + players // teams) % players if teams == 2 else (seat + 2) % players
        before, words = [a.copy() for a in table.show(seat)], table.words.copy()
        shown += table.states[0].loot[mate] > 0
        assert table.seen(seat)[0].loot[mate] == table.states[0].loot[mate]
        assert not table.seen(seat)[0].hand[mate].any()
        hidden = hidden_bytes(table, seat)
        table.words.view(np.uint8)[0, hidden] = rng.integers(0, 256, hidden.sum(), np.uint8)
        assert all((a == b).all() for a, b in zip(before, table.show(seat), strict=True))
        table.words[:] = words
    assert shown


@pytest.mark.parametrize("recall", [True, False])
def test_what_is_seen(recall):
    """7.1, 7.2 Cards played and where tokens came from with perfect recall, else the last cards and a total."""
    house = House(3, perfect_recall=recall)
    house.state.threshold = 0
    house.cards(1, 2, 3)
    house.state.taken_at[1] = 1, 0, 2
    house.state.taken[1] = 3
    sees = house.table.game.observation.decode(house.table.show(0)[0][0])
    assert sees["played"][1].tolist() == ([0, 1, 0, 0, 0, 0, 0] if recall else [0] * 7)
    assert sees["last_card"][1].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert sees["taken"][1] == 3 and sees["taken_at"][1].tolist() == ([1, 0, 2] if recall else [0, 0, 0])
    assert not house.table.seen(0)[0].token.any() and not house.table.seen(0)[0].deck.any()

"""The rules of rob_a_bank as the rulebook tells them; numbers are sections of RULES.md."""

import numpy as np
import pytest

from heist_envs import HeistError
from heist_envs.engine.table import Table
from heist_envs.games.rob_a_bank.pieces import (
    CARD_CRAWLS,
    CARD_MOVES,
    CARD_NAMES,
    CARD_OTHER,
    DECKS,
    NEIGHBOUR,
    PLANNED,
    TOUCHES,
    UNLOCK,
    Alarm,
    Phase,
)

from ..position import Position, of

KIND = {name: kind for kind, name in enumerate(CARD_NAMES)}


class Bank(Position):
    """rob_a_bank without walls and bags, the alarm in room 8, everybody where the test puts him."""

    def __init__(self, players=3, seed=1, **options):
        super().__init__("rob_a_bank", players, seed, **options)
        self.state.wall[:], self.state.bags[:], self.state.locked[:] = 0, 0, 0
        self.state.alarm_room, self.state.alarm, self.state.car = 8, Alarm.READY, 0
        self.guards(0, 0, 0)
        self.robbers(4, 4, 4)

    def guards(self, *rooms):
        self.state.guard[: len(rooms)] = rooms

    def robbers(self, *rooms):
        self.state.robber[: len(rooms)] = rooms

    def turn(self, actor, card, *later):
        """The actor (0 bank, 1 + pawn) turns up this card in the last go-round; returns what is legal."""
        state = self.state
        state.phase, state.go, state.actor = Phase.ACT, PLANNED - 1, actor
        state.plan[:, PLANNED - 1] = 1 + KIND["MOVE"]
        state.plan[actor, PLANNED - 1] = state.plan_top[actor] = 1 + KIND[card]
        state.moves, state.crawls = CARD_MOVES[KIND[card]], CARD_CRAWLS[KIND[card]]
        state.other, state.acted, state.bonus_used, state.told = CARD_OTHER[KIND[card]], 0, 0, 0
        state.guard_start[:], state.guard_moved[:] = state.guard, 0
        self.ask(Phase.ACT, 1 if actor and self.table.players == 2 else actor)
        return self.legal()

    def may(self, *starts):
        return [text for text in self.legal() if text.startswith(starts)]


@pytest.mark.parametrize(("players", "pawns", "bags"), [(2, 2, 4), (3, 2, 4), (4, 3, 5)])
def test_sides(players, pawns, bags):
    """1.1, 8.2 Two robbers and guards with two or three players, three with four; four or five bags to win."""
    table = Table("rob_a_bank", recording=True, num_players=players)
    table.reset(1)
    assert table.events()[0] == {
        "event": "setup", "num_players": players, "num_robbers": pawns, "num_guards": pawns, "bags_to_win": bags,
    }  # fmt: skip
    assert table.game.agents(players) == ("bank_0", *[f"robber_{k}" for k in range(players - 1)])
    assert table.states[0].side[:players].tolist() == [0] + [1] * (players - 1)


def test_too_many_bags_to_win():
    """8.2, 10 There are only seven tokens."""
    with pytest.raises(HeistError, match="may be 1 to 4"):
        Table("rob_a_bank", bags_to_win=5)
    assert Table("rob_a_bank", bags_to_win=1).options["bags_to_win"] == 1


def test_rooms_and_street():
    """1.2 Nine rooms; the street touches every outer side once, clockwise from the north of room 0."""
    assert NEIGHBOUR[4].tolist() == [1, 5, 7, 3] and NEIGHBOUR[0].tolist() == [-1, 1, 3, -1]
    rooms, sides = TOUCHES[0, :12].T.tolist()
    assert rooms == [0, 1, 2, 2, 5, 8, 8, 7, 6, 6, 3, 0] and sides == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [k for k in range(16) if TOUCHES[1, k, 0] < 0] == [3, 7, 11, 15]
    assert [room.tolist() for room in TOUCHES[1] if room[0] >= 0] == TOUCHES[0, :12].tolist()


def test_decks():
    """1.4, 1.5 Fifteen cards each."""
    names = [[CARD_NAMES[kind] for kind in deck] for deck in DECKS]
    counts = [{name: deck.count(name) for name in deck} for deck in names]
    assert counts[0] == {
        "MOVE": 4, "MOVE+MOVE": 3, "MOVE+TACKLE": 2, "MOVE+LOCK": 2, "MOVE+TACKLE|LOCK": 2, "TACKLE|LOCK": 2,
    }  # fmt: skip
    assert counts[1] == {
        "MOVE": 1, "MOVE+MOVE": 3, "MOVE+PICKUP": 3, "MOVE+PEPPER": 2, "MOVE+UNLOCK": 1, "CRAWL": 1,
        "MOVE+PEPPER|PICKUP": 2, "MOVE+UNLOCK|PICKUP": 2,
    }  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 4])
def test_layout(players):
    """1.3, 2.1, 2.2, 2.3 Nine tiles with four walls, all rooms reachable; bags, alarm and pawns on their tiles; the car
    far from the robbers."""
    for seed in range(30):
        table = Table("rob_a_bank", recording=True, num_players=players)
        table.reset(seed)
        layout = table.events()[1]
        assert sorted(layout["tiles"]) == [1, 2, 3, 4, 5, 6, 7, 8, 10 if players == 4 else 9]
        assert [layout["tiles"][room] for room, _ in layout["walls"]] == [t for t in layout["tiles"] if t in (4, 5, 6, 7)]
        assert layout["bags"] == [room for room in range(9) if layout["tiles"][room] in (5, 6, 7, 9)]
        assert layout["alarm"] == layout["tiles"].index(4)
        assert set(layout["robbers"]) == {layout["tiles"].index(1)}
        assert layout["guards"] == [layout["tiles"].index(tile) for tile in (2, 3, 10)[: len(layout["guards"])]]
        start, beside = layout["robbers"][0], TOUCHES[0, layout["car"], 0]
        far = max(abs(r // 3 - start // 3) + abs(r % 3 - start % 3) for r in range(9) if r != 4)
        assert abs(beside // 3 - start // 3) + abs(beside % 3 - start % 3) == far


def test_drawing_and_planning():
    """2.4, 3.1 Eight of fifteen cards; bank, then pawn by pawn, five times; with two players one seat plans for both."""
    table = Table("rob_a_bank", recording=True, num_players=2)
    table.reset(1)
    draw = table.events()[2]
    assert len(draw["bank"]) == 8 and [len(hand) for hand in draw["robbers"]] == [8, 8]
    actors, seats = [], []
    while table.states[0].phase == Phase.PLAN:
        seats.append(int(table.seat[0]))
        texts = table.game.actions.legal_texts(table.mask[0])
        hand = draw["bank"] if len(seats) == 1 else None
        assert hand is None or sorted(texts) == sorted({f"plan {card}" for card in hand})
        table.play(np.flatnonzero(table.mask[0])[:1])
        actors.append(table.events()[0]["actor"])
    assert actors == ["bank", "robber_0", "robber_1"] * 5 and seats == [0, 1, 1] * 5


def test_order_of_turns():
    """4.1 Bank first, then the pawns, five cards each, in the order planned."""
    table = Table("rob_a_bank", recording=True)
    table.reset(3)
    events = table.events()
    rng = np.random.default_rng(0)
    while not of(events, "round_end"):
        table.play(rng.choice(np.flatnonzero(table.mask[0]), 1))
        events += table.events()
    turns = [(event["actor"], event["card"]) for event in of(events, "turn")]
    assert turns == [(event["actor"], event["card"]) for event in of(events, "plan")]


def test_actions_of_a_card_in_any_order():
    """4.2 Moves are mandatory, the other action is not; `done` comes with the last move (4.4)."""
    bank = Bank()
    bank.state.bags[4] = 1
    legal = bank.turn(1, "MOVE+PICKUP")
    assert "pick up" in legal and "move to 1" in legal and "done" not in legal
    bank.play("pick up")
    assert bank.may("move", "pick", "done", "car") == [f"move to {room}" for room in (1, 3, 5, 7)]
    bank.play("move to 5")
    assert bank.legal() == ["car left", "car right", "done"]


def test_one_of_two_alternatives():
    """4.2 `|` allows one of both."""
    bank = Bank()
    bank.guards(4, 0)
    bank.state.bags[4] = 1
    assert "pepper 0" in bank.turn(1, "MOVE+PEPPER|PICKUP")
    bank.play("pepper 0")
    assert not bank.may("pick", "pepper")


def test_a_turn_without_choice_ends_by_itself():
    """4.4 TACKLE|LOCK with nobody and nothing there: the turn is written, nobody asked."""
    bank = Bank()
    bank.robbers(8, 8)
    bank.turn(0, "MOVE")
    bank.state.go = PLANNED - 2
    bank.state.plan[1:, PLANNED - 2] = 1 + KIND["MOVE"]
    bank.state.plan[0, PLANNED - 1] = 1 + KIND["TACKLE|LOCK"]
    bank.guards(0, 2)
    bank.play("guard 0 to 1", "move to 5", "done")
    events = bank.play("move to 5", "done")
    assert of(events, "turn")[-1] == {"event": "turn", "actor": "bank", "card": "TACKLE|LOCK", "spent": False}
    assert bank.table.seat[0] == 1


def test_guards_move_and_do_not_turn_back():
    """5.1 Two guards one step each, or one two steps, but not back to where he began."""
    bank = Bank()
    bank.guards(0, 8)
    assert bank.turn(0, "MOVE+MOVE") == ["guard 0 to 1", "guard 0 to 3", "guard 1 to 5", "guard 1 to 7"]
    event = bank.play("guard 0 to 1")[-1]
    assert event == {"event": "act", "actor": "bank", "action": "guard 0 to 1", "guard": 0}
    assert bank.may("guard 0") == ["guard 0 to 2", "guard 0 to 4"]


def test_walls_stop_guards_from_both_sides():
    """1.2, 5.1 A wall belongs to one tile and blocks both rooms."""
    bank = Bank()
    bank.guards(0, 1)
    bank.state.wall[1] = 1 + 3
    assert "guard 0 to 1" not in bank.turn(0, "MOVE") and "guard 1 to 0" not in bank.legal()


def test_a_step_into_a_dead_end():
    """4.3 Illegal while a first step exists after which a second is possible; otherwise the second is skipped."""
    bank = Bank()
    bank.guards(1, 8)
    bank.state.guard_down[1] = 1
    bank.state.wall[0] = 1 + 2
    assert "guard 0 to 0" not in bank.turn(0, "MOVE+MOVE") and "guard 0 to 2" in bank.legal()
    bank = Bank()
    bank.guards(0, 8)
    bank.state.guard_down[1] = 1
    bank.state.wall[0], bank.state.wall[1], bank.state.wall[4] = 1 + 2, 1 + 1, 1 + 0
    assert bank.turn(0, "MOVE+MOVE") == ["guard 0 to 1", "revive"]
    bank.play("guard 0 to 1")
    assert bank.table.seat[0] == 1, "nothing is left but done"


def test_tackle():
    """5.2 A standing robber beside a standing guard lies down and drops his bags unlocked."""
    bank = Bank()
    bank.guards(8, 4)
    bank.state.carried[0] = 2
    bank.turn(0, "TACKLE|LOCK")
    assert bank.may("tackle") == ["tackle 0", "tackle 1"]
    event = of(bank.play("tackle 0"), "act")[0]
    assert event == {"event": "act", "actor": "bank", "action": "tackle 0", "guard": 1}
    assert bank.state.bags[4] == 2 and bank.state.carried[0] == 0


def test_lock():
    """5.3 A lying bag or the alarm beside a standing guard; not a carried one."""
    bank = Bank()
    bank.guards(4, 8)
    bank.robbers(0, 0)
    bank.state.carried[0] = 1
    bank.state.bags[4], bank.state.bags[0] = 1, 1
    assert bank.turn(0, "TACKLE|LOCK") == ["lock bag 4", "lock alarm", "done"]
    bank.play("lock bag 4")
    assert bank.state.locked[4] == 1 and bank.state.bags[4] == 0


def test_revive():
    """5.4 The whole card for all guards; a choice while one stands, forced when none does."""
    bank = Bank()
    bank.state.guard_down[0] = 1
    assert bank.turn(0, "MOVE")[-1] == "revive"
    bank.state.guard_down[1] = 1
    assert bank.turn(0, "MOVE") == ["revive"]
    turn, act = bank.play("revive")[:2]
    assert turn["spent"] is True and act["action"] == "revive" and act["guard"] is None
    assert not bank.state.guard_down.any()


def test_revive_only_first():
    """5.4 Not after an action."""
    bank = Bank()
    bank.state.guard_down[0] = 1
    bank.turn(0, "MOVE+MOVE")
    bank.play("guard 1 to 1")
    assert "revive" not in bank.legal()


def test_an_unconscious_robber_stands_up_and_does_nothing_else():
    """6.1 His card is spent."""
    bank = Bank()
    bank.state.robber_down[0] = 1
    bank.guards(0, 8)
    bank.turn(0, "MOVE")
    turns = of(bank.play("guard 0 to 1"), "turn")
    assert turns[1] == {"event": "turn", "actor": "robber_0", "card": "MOVE", "spent": True}
    assert not bank.state.robber_down[0] and bank.table.seat[0] == 2


def test_move_and_crawl():
    """6.2 Next door without a wall, with all bags; crawling anywhere else."""
    bank = Bank()
    bank.state.wall[4] = 1 + 0
    assert [text for text in bank.turn(1, "MOVE") if "to" in text] == ["move to 3", "move to 5", "move to 7"]
    assert [text for text in bank.turn(1, "CRAWL") if "to" in text] == [f"crawl to {room}" for room in range(9) if room != 4]


def test_pick_up_needs_an_unlocked_bag_and_no_standing_guard():
    """6.3 An unconscious guard does not matter."""
    bank = Bank()
    assert "pick up" not in bank.turn(1, "MOVE+PICKUP")
    bank.state.bags[4] = 2
    assert "pick up" in bank.turn(1, "MOVE+PICKUP")
    bank.guards(4, 0)
    assert "pick up" not in bank.turn(1, "MOVE+PICKUP")
    bank.state.guard_down[0] = 1
    assert "pick up" in bank.turn(1, "MOVE+PICKUP")
    bank.play("pick up")
    assert bank.state.carried[0] == 1 and bank.state.bags[4] == 1


def test_unlock():
    """6.4 One bag or the alarm."""
    bank = Bank()
    bank.state.locked[4], bank.state.alarm, bank.state.alarm_room = 1, Alarm.LOCKED, 4
    assert {"unlock bag", "unlock alarm"} <= set(bank.turn(1, "MOVE+UNLOCK"))
    bank.play("unlock alarm")
    assert bank.state.alarm == Alarm.READY and not bank.may("unlock")
    assert CARD_OTHER[KIND["MOVE+UNLOCK"]] == UNLOCK


def test_pepper():
    """6.5 One guard in the same room."""
    bank = Bank()
    bank.guards(4, 4)
    assert bank.turn(1, "MOVE+PEPPER")[-2:] == ["car left", "car right"] and bank.may("pepper") == ["pepper 0", "pepper 1"]
    bank.play("pepper 1")
    assert bank.state.guard_down.tolist() == [0, 1, 0]


def test_bonus_before_or_after_the_card():
    """7.1 Before it, or once nothing mandatory is left; after an action of the card it ends the turn."""
    bank = Bank()
    bank.state.bags[4] = 1
    assert bank.turn(1, "MOVE+PICKUP")[-2:] == ["car left", "car right"]
    bank.play("pick up")
    assert not bank.may("car"), "the move is still to be made"
    bank.play("move to 3", "car left")
    assert bank.table.seat[0] == 2
    bank.turn(1, "MOVE+PICKUP")
    bank.play("car right")
    assert bank.table.seat[0] == 1 and not bank.may("car")


def test_car():
    """7.2 One space either way round the street, with or without corners."""
    for corners, last in ((False, 11), (True, 15)):
        bank = Bank(street_corners=corners)
        bank.turn(1, "MOVE")
        bank.play("car left")
        assert bank.state.car == last
        bank.turn(2, "MOVE")
        bank.play("car right")
        assert bank.state.car == 0


def test_throw():
    """7.3 Out of the window beside the car: one bag; not through a wall, not under a guard's eyes."""
    bank = Bank()
    bank.robbers(0, 4)
    bank.guards(8, 8)
    bank.state.carried[0] = 2
    assert "throw" in bank.turn(1, "MOVE")
    bank.state.wall[0] = 1 + 0
    assert "throw" not in bank.turn(1, "MOVE")
    bank.state.wall[0] = 1 + 3
    bank.guards(0, 8)
    assert "throw" not in bank.turn(1, "MOVE")
    bank.state.guard_down[0] = 1
    bank.turn(1, "MOVE")
    events = bank.play("throw")
    assert events[-1] == {"event": "stolen", "pawn": 0, "total": 1} and bank.state.carried[0] == 1


def test_give():
    """7.4 One bag to a standing robber in the same room."""
    bank = Bank()
    bank.state.carried[0] = 1
    assert "give 1" in bank.turn(1, "MOVE")
    bank.state.robber_down[1] = 1
    assert "give 1" not in bank.turn(1, "MOVE")
    bank.state.robber_down[1] = 0
    bank.turn(1, "MOVE")
    bank.play("give 1")
    assert bank.state.carried[:2].tolist() == [0, 1]


def test_alarm():
    """7.5 All standing guards run there; once a go-round, then it is back, unlocked."""
    bank = Bank()
    bank.robbers(8, 8)
    bank.guards(0, 2)
    bank.state.guard_down[1] = 1
    assert "ring alarm" in bank.turn(1, "MOVE")
    assert bank.play("ring alarm")[-1] == {"event": "alarm", "guards": [8, 2]}
    bank.state.guard[0] = 0
    assert "ring alarm" not in bank.turn(2, "MOVE")
    bank.turn(0, "MOVE")
    bank.state.go, bank.state.alarm = PLANNED - 2, Alarm.LOCKED
    assert "ring alarm" not in bank.turn(1, "MOVE")


def test_end_of_a_round():
    """8.1 What is not in the car is lost and all begin anew; after three rounds the bank has won."""
    bank = Bank()
    bank.state.carried[0], bank.state.stolen = 1, 2
    bank.turn(2, "MOVE")
    events = bank.play("move to 5", "done")
    assert of(events, "round_end") == [{"event": "round_end", "round": 1, "stolen": 2}]
    assert of(events, "layout")[0]["round"] == 2 and not bank.state.carried.any()
    bank.state.round_number = 3
    bank.turn(2, "MOVE")
    room = next(text for text in bank.legal() if text.startswith("move"))
    end = bank.play(room, "done")[-1]
    assert end == {"event": "end", "reason": "rounds", "scores": [2], "winners": "bank"}
    assert bank.table.rewards[0].tolist() == [1, -1, -1]


@pytest.mark.parametrize(("reward", "paid"), [("win", [-1, 1, 1]), ("margin", [-1, 1, 1]), ("shaped", [-1.05, 1.05, 1.05])])
def test_the_last_bag_ends_the_game_at_once(reward, paid):
    """8.2, 8.3 No card is played to its end; `shaped` pays for every bag on the way."""
    bank = Bank(bags_to_win=2, reward=reward)
    bank.robbers(0, 4)
    bank.guards(8, 8)
    bank.state.carried[0] = 2
    bank.turn(1, "MOVE")
    bank.play("throw")
    assert bank.table.rewards[0].tolist() == pytest.approx([-0.05, 0.05, 0.05] if reward == "shaped" else [0, 0, 0])
    bank.turn(1, "MOVE")
    end = bank.play("throw")[-1]
    assert end == {"event": "end", "reason": "bags", "scores": [2], "winners": "robbers"}
    assert bank.table.rewards[0].tolist() == pytest.approx(paid)


@pytest.mark.parametrize("recall", [True, False])
def test_what_is_seen(recall):
    """9.1, 9.2 Robbers see each other's hands, never the bank's, and the other way round; planned cards by position only
    with perfect recall."""
    table = Table("rob_a_bank", num_players=4, perfect_recall=recall)
    table.reset(1)
    for _ in range(6):
        table.play(np.flatnonzero(table.mask[0])[:1])
    bank, robber = table.seen(0)[0], table.seen(2)[0]
    assert bank.hand[0].any() and not bank.hand[1:].any()
    assert not robber.hand[0].any() and all(robber.hand[1 + pawn].any() for pawn in range(3))
    assert bool(robber.plan.any()) is recall and robber.plan_top.all()
    assert robber.plan_height.tolist() == [2, 2, 1, 1]

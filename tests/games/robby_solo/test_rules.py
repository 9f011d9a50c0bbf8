"""The rules of robby_solo as the rulebook tells them; numbers are sections of RULES.md."""

import numpy as np
import pytest

from heist_envs import HeistError
from heist_envs.engine.table import Table
from heist_envs.games.robby_solo.pieces import DECK, KINDS, LOOT_NAMES, OBJECT, OBJECT_WORTH, Phase

from ..position import Position, of

KINDS_BY_NAME = {name: kind for kind, name in enumerate(LOOT_NAMES, 1)}


class Street(Position):
    """robby_solo with emptied banks and piles to put loot at; seat 0 is the Gentleman."""

    def __init__(self, players=4, seed=1, **options):
        super().__init__("robby_solo", players, seed, **options)
        self.state.gentleman = 0
        self.state.lying[:], self.state.length[:] = 0, 0

    def bank(self, bank, loot):
        """Loot (names in one string) at a bank."""
        kinds = [KINDS_BY_NAME[name] for name in loot.split()]
        self.state.lying[bank, : len(kinds)] = kinds
        self.state.length[bank] = len(kinds)

    def pile(self, looter, loot):
        """Loot that somebody has taken, oldest first."""
        kinds = [KINDS_BY_NAME[name] for name in loot.split()]
        self.state.pile[looter, : len(kinds)] = kinds
        self.state.loot[looter] = np.bincount(kinds, minlength=KINDS)
        self.state.pile_size[looter] = len(kinds)
        self.state.pile_top[looter] = kinds[-1] if kinds else 0

    def choose(self, *banks):
        """All rob these banks, the Gentleman (seat 0) too, who declares his own; everybody keeps. Returns the events."""
        others = range(1, self.table.players)
        self.ask(Phase.PLACE, *others)
        places = [f"place {banks[seat]}" for seat in (*others, 0)]
        return self.play(*places, f"declare {banks[0]}", *["keep"] * len(others))


def test_banks_in_play():
    """1.1 One bank more than players, Robby Junior counted."""
    banks = {n: Table("robby_solo", num_players=n).options and Street(n).state.banks for n in (3, 4, 5, 6)}
    assert banks == {3: 4, 4: 5, 5: 6, 6: 7}
    assert Street(4, robby_junior=True).state.banks == 6


def test_loot_cards():
    """1.2 61 cards: six of each value from 1 to 9 and seven objects (inferred)."""
    assert np.bincount(DECK).tolist() == [0, *[6] * 9, 7]


def test_value_of_objects():
    """1.3 0, 1, 10, 20, 40, 60, 80, 100 thousand for none to seven."""
    assert OBJECT_WORTH.tolist() == [0, 1, 10, 20, 40, 60, 80, 100]
    for count in range(8):
        street = Street()
        street.pile(0, "object " * count + "9")
        assert end_scores(street)[0] == 9 + OBJECT_WORTH[count]


def end_scores(street):
    """Let the deck run out and play one more round; the scores at the end."""
    street.state.deck_size = 0
    return street.choose(0, 0, 0, 0)[-1]["scores"]


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_setup(players):
    """2.1 The whole shuffled deck, the first Gentleman by lot."""
    gentlemen = set()
    for seed in range(60):
        table = Table("robby_solo", recording=True, num_players=players)
        table.reset(seed)
        setup = table.events()[0]
        assert sorted(setup["deck"]) == sorted(LOOT_NAMES[kind - 1] for kind in DECK)
        assert setup["junior"] is False and setup["junior_pack"] is None
        gentlemen.add(setup["gentleman"])
    assert gentlemen == set(range(players))


def test_juniors_pack():
    """2.2 Robby Junior has each bank once, in an order of his own."""
    table = Table("robby_solo", recording=True, num_players=5, robby_junior=True)
    table.reset(3)
    setup = table.events()[0]
    assert setup["junior"] is True and sorted(setup["junior_pack"]) == list(range(7))
    assert setup["num_players"] == 5 and setup["num_banks"] == 7


def test_junior_needs_a_free_bank():
    """2.2 With six players there is no bank left for him."""
    with pytest.raises(HeistError, match="allowed: 3 to 5"):
        Table("robby_solo", num_players=6, robby_junior=True)


def test_supply_from_either_side():
    """3.2 The Gentleman picks a side without seeing the cards; every bank gets the next card from there on."""
    for direction in ("right", "left"):
        table = Table("robby_solo", recording=True)
        table.reset(5)
        setup = table.events()[0]
        assert table.game.actions.legal_texts(table.mask[0]) == ["left", "right"]
        assert table.seat[0] == setup["gentleman"]
        table.play([table.game.actions.parse(direction)])
        laid = setup["deck"][:5] if direction == "right" else setup["deck"][4::-1]
        assert table.events()[0] == {"event": "supply", "direction": direction, "cards": laid}


def test_supply_without_choice():
    """3.2, 7 With `supply_choice` off nobody is asked: the first bank comes first."""
    table = Table("robby_solo", recording=True, supply_choice=False)
    table.reset(5)
    setup, supply = table.events()
    assert supply == {"event": "supply", "direction": "right", "cards": setup["deck"][:5]}


def test_choices_are_secret():
    """3.3, 3.4 The others choose at once, from the Gentleman's left on; he chooses last and knows no more."""
    street = Street()
    street.ask(Phase.PLACE, 1, 2, 3)
    assert street.legal() == [f"place {bank}" for bank in range(5)]
    before = [street.table.show(seat) for seat in range(4)]
    events = street.play("place 4")
    assert events == [{"event": "place", "seat": 1, "bank": 4}]
    for seat in (0, 2, 3):
        assert all((a == b).all() for a, b in zip(before[seat], street.table.show(seat), strict=True))
    street.play("place 1", "place 1")
    assert street.table.seat[0] == 0 and street.legal() == [f"place {bank}" for bank in range(5)]
    assert not street.table.seen(0)[0].choice[1:].any()


def test_declaration_is_true():
    """3.5 His own bank: `I rob it`. Any other: `I do not rob it`."""
    for bank, robs in ((2, True), (0, False), (4, False)):
        street = Street()
        street.ask(Phase.PLACE, 1, 2, 3)
        street.play("place 0", "place 0", "place 0", "place 2")
        assert street.legal() == [f"declare {b}" for b in range(5)]
        assert street.play(f"declare {bank}") == [{"event": "declare", "seat": 0, "bank": bank, "robs": robs}]


def test_keep_or_replay():
    """3.6 One chance each, clockwise; taking back shows, the card does not, and it may be the same again."""
    street = Street()
    street.ask(Phase.PLACE, 1, 2, 3)
    street.play("place 0", "place 1", "place 2", "place 3", "declare 3")
    assert street.table.seat[0] == 1
    assert street.legal() == ["keep", *(f"replay {bank}" for bank in range(5))]
    assert street.play("replay 0") == [{"event": "confirm", "seat": 1, "action": "replay", "bank": 0}]
    part = street.table.game.observation.at.took_back
    assert street.table.observation[0, part : part + 4].tolist() == [0, 0, 0, 1], "seat 2 sees that seat 1 took back"
    assert street.play("keep") == [{"event": "confirm", "seat": 2, "action": "keep", "bank": 1}]
    assert of(street.play("replay 4"), "reveal")[0]["choices"] == [3, 0, 1, 4]


def test_who_is_alone_takes_all():
    """3.7 A lone robber takes the row, oldest card first; where two meet it stays."""
    street = Street()
    street.bank(1, "3 object")
    street.bank(2, "9")
    reveal = of(street.choose(1, 2, 2, 4), "reveal")[0]
    assert reveal["choices"] == [1, 2, 2, 4]
    assert reveal["taken"] == [["3", "object"], [], [], []]
    assert street.state.lying[2, 0] == KINDS_BY_NAME["9"]
    assert street.state.pile_top[0] == OBJECT


def test_police_takes_the_dearest_card_of_whoever_has_most():
    """3.8 Four cards left at a bank go under the deck; a tie costs each a card, money before objects."""
    street = Street()
    street.bank(0, "1 2 3 4")
    street.pile(1, "5 9 9")
    street.pile(2, "object 1 object")
    street.pile(3, "9 9")
    size = street.state.deck_size
    police = of(street.choose(1, 1, 1, 1), "police")
    assert police == [{"event": "police", "bank": 0, "removed": ["1", "2", "3", "4"], "lost": [None, "9", "1", None]}]
    assert street.state.deck_size == size + 6
    assert street.state.pile[1, :2].tolist() == [5, 9], "of two nines the lower one goes"


def test_an_object_goes_only_without_money():
    """3.8 Who has nothing but objects loses one."""
    street = Street()
    street.bank(0, "1 2 3 4")
    street.pile(2, "object object")
    assert of(street.choose(1, 1, 1, 1), "police")[0]["lost"] == [None, None, "object", None]


def test_police_without_loot():
    """3.8 Nobody holds a card: nobody loses one."""
    street = Street()
    street.bank(3, "1 2 3 4")
    assert of(street.choose(1, 1, 1, 1), "police")[0]["lost"] == [None] * 4


def test_police_comes_once_for_every_full_bank():
    """3.8 Counted again each time."""
    street = Street()
    street.bank(0, "1 1 1 1")
    street.bank(4, "2 2 2 2")
    street.pile(1, "7 8")
    street.pile(2, "6")
    assert [event["lost"] for event in of(street.choose(1, 1, 1, 1), "police")] == [
        [None, "8", None, None],
        [None, "7", "6", None],
    ]


def test_order_under_the_deck():
    """3.8 The four cards first, then what the police took, from the Gentleman on."""
    street = Street()
    street.state.deck_top = 50
    street.bank(0, "1 2 3 4")
    street.pile(3, "7")
    street.pile(0, "8")
    bottom = (50 + street.state.deck_size) % 61
    street.choose(1, 1, 1, 1)
    ring = [int(street.state.deck[(bottom + i) % 61]) for i in range(6)]
    assert ring == [1, 2, 3, 4, 8, 7]


def test_the_deck_passes_to_the_left():
    """3.9 The next seat is the Gentleman, after the last one the first; never Robby Junior."""
    street = Street(3, robby_junior=True)
    ends = [of(street.choose(0, 0, 0), "round_end")[0]["gentleman"]]
    for gentleman in (1, 2):
        street.play("right", "place 0", "place 0", "place 0", "declare 0", "keep")
        ends.append(of(street.play("keep"), "round_end")[0]["gentleman"])
        assert gentleman == ends[-2]
    assert ends == [1, 2, 0]


def test_junior_plays_his_pack_in_order_for_ever():
    """4.1, 4.2 Unshuffled, without placing or confirming; he keeps two from a bank and takes what he robs alone."""
    table = Table("robby_solo", recording=True, robby_junior=True, supply_choice=False)
    table.reset(2)
    events = table.events()
    rng = np.random.default_rng(0)
    while not table.over[0]:
        table.play(rng.choice(np.flatnonzero(table.mask[0]), 1))
        events += table.events()
    pack = events[0]["junior_pack"]
    played = [event["choices"][4] for event in of(events, "reveal")]
    assert played == [pack[k % 6] for k in range(len(played))]
    assert {event["seat"] for event in events if event["event"] in ("place", "confirm")} == {0, 1, 2, 3}
    assert len(events[-1]["scores"]) == 5 and max(events[-1]["winners"]) < 4


def test_junior_meets_the_police():
    """4.2 His pile counts."""
    street = Street(robby_junior=True)
    street.bank(0, "1 2 3 4")
    street.pile(4, "5 6")
    street.state.junior_pack[street.state.junior_at] = 1 + 1
    assert of(street.choose(1, 1, 1, 1), "police")[0]["lost"] == [None, None, None, None, "6"]


@pytest.mark.parametrize("contends", [False, True])
def test_junior_as_contender(contends):
    """4.3 Only with `junior_can_win` can he win; then nobody gets his share."""
    street = Street(robby_junior=True, junior_can_win=contends)
    street.pile(4, "9 9")
    street.pile(2, "8")
    street.state.deck_size = 0
    end = street.choose(0, 0, 0, 0)[-1]
    assert end["scores"] == [0, 0, 8, 0, 18]
    assert end["winners"] == ([4] if contends else [2])
    rewards = street.table.rewards[0].tolist()
    assert rewards == pytest.approx([-1 / 4] * 4 if contends else [-1 / 3, -1 / 3, 1, -1 / 3])


def test_end_when_the_deck_cannot_supply_all_banks():
    """3.1, 5.1 Tested before the supply; no partial round is played. 5.2 Loot still lying is nobody's."""
    street = Street()
    street.pile(1, "4 5")
    street.bank(2, "9 9")
    street.state.deck_size = 4
    events = street.choose(0, 0, 0, 0)
    assert events[-1] == {"event": "end", "reason": "deck", "scores": [0, 9, 0, 0], "winners": [1]}
    assert street.table.terminated[0] and not street.table.truncated[0]


def test_shared_win():
    """5.3 Equal scores share the win."""
    street = Street()
    street.pile(1, "4 5")
    street.pile(3, "9")
    street.state.deck_size = 0
    assert street.choose(0, 0, 0, 0)[-1]["winners"] == [1, 3]
    assert street.table.rewards[0].tolist() == [-0.5, 0.5, -0.5, 0.5]


def test_round_limit():
    """5.4 After `max_rounds` all are truncated at once; a deck that is too small as well ends the game properly."""
    street = Street(max_rounds=1)
    end = street.choose(0, 0, 0, 0)[-1]
    assert end["reason"] == "max_rounds" and end["winners"] == [0, 1, 2, 3]
    assert street.table.truncated[0] and not street.table.terminated[0]
    street = Street(max_rounds=1)
    street.state.deck_size = 0
    assert street.choose(0, 0, 0, 0)[-1]["reason"] == "deck"


@pytest.mark.parametrize("recall", [True, False])
def test_what_is_seen(recall):
    """6.1, 6.2, 6.3 Piles, last choices and Junior's cycle with perfect recall; else size, top card, his last card."""
    street = Street(robby_junior=True, perfect_recall=recall)
    street.pile(1, "4 5")
    street.state.junior_pack[:6] = 3, 1, 2, 4, 5, 6
    street.choose(0, 0, 0, 0)
    sees = street.table.game.observation.decode(street.table.show(2)[0][0])
    assert sees["pile_size"][3] == 2 and sees["top_money"][3] == 5
    assert sees["loot"][3].tolist() == ([0, 0, 0, 1, 1, 0, 0, 0, 0, 0] if recall else [0] * 10)
    assert sees["last_choice"].any() == recall
    assert sees["junior_last"].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert sees["junior_next"][5].tolist() == ([0, 0, 1, 0, 0, 0, 0] if recall else [0] * 7), "again in five rounds"
    assert not sees["junior_next"][:5].any()
    assert not street.table.seen(2)[0].deck.any()

"""The rules of robin_hood as the rulebook tells them; numbers are sections of RULES.md."""

import numpy as np
import pytest

from heist_envs.engine.table import Table
from heist_envs.games.robin_hood.pieces import CARD_NAMES, DECKS, KIND_NAMES, Phase

from ..position import Position, of

# In `by_color` a colour has one symbol: red = hat, blue = staff, yellow = bow.
SYMBOL = {"red": "hat", "blue": "staff", "yellow": "bow"}


def number(card):
    """The number of a card written as colour and value, with a symbol in `latin` mode."""
    if "-" not in card:
        card = f"{card}-{SYMBOL[card[:-1]]}"
    return 1 + CARD_NAMES.index(card)


class Forest(Position):
    """robin_hood with emptied hands; seat 0 is on and has taken one card."""

    def __init__(self, players=4, seed=1, **options):
        super().__init__("robin_hood", players, seed, **options)
        self.state.turn = 0
        self.state.hand[:], self.state.hand_size[:] = 0, 0
        self.turn(taken=1)

    def hand(self, seat, cards):
        self.state.hand[seat] = 0
        for card in cards.split():
            self.state.hand[seat].reshape(-1)[number(card) - 1] += 1
        self.state.hand_size[seat] = len(cards.split())
        self.look()

    def hideout(self, seat, cards):
        """Open treasures, in order of arrival."""
        for card in cards.split():
            colour = list(SYMBOL).index(card.split("-")[0][:-1])
            self.state.open_cards[seat, colour, self.state.open_count[seat, colour]] = number(card)
            self.state.open_count[seat, colour] += 1
        self.look()

    def turn(self, taken):
        self.state.taken = taken
        self.ask(Phase.TURN, 0)

    def may(self, verb):
        return [text for text in self.legal() if text.split()[0] == verb]


def test_treasures():
    """1.1 108 cards: three colours, nine values, four copies; 36 cards of each symbol in both modes."""
    for mode in (0, 1):
        kinds, symbols = (DECKS[mode] - 1) // 3, (DECKS[mode] - 1) % 3
        assert np.bincount(kinds).tolist() == [4] * 27
        assert np.bincount(symbols).tolist() == [36] * 3
    by_value = np.bincount(((DECKS[1] - 1) // 3 % 9) * 3 + (DECKS[1] - 1) % 3)
    assert by_value.tolist() == [4] * 27, "latin: four cards of each symbol a value"


@pytest.mark.parametrize(("players", "coins"), [(3, 9), (4, 13), (5, 13), (6, 13)])
def test_coins(players, coins):
    """1.2 Nine coins of three, with four and more players two sixes as change for four more."""
    assert Table("robin_hood", num_players=players).options["num_players"] == players
    assert Forest(players).state.stock == coins


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_deal(players):
    """1.3, 2.1 Nine cards each, three open, the first seat by lot, Marian with nobody."""
    firsts = set()
    for seed in range(60):
        table = Table("robin_hood", recording=True, num_players=players)
        table.reset(seed)
        setup = table.events()[0]
        assert [len(hand) for hand in setup["hands"]] == [9] * players
        assert len(setup["market"]) == 3 and len(setup["deck"]) == 105 - 9 * players
        assert table.states[0].marian == 0
        firsts.add(setup["first_seat"])
    assert firsts == set(range(players))


def test_a_turn_begins_with_a_card_of_the_market():
    """3.1, 3.2 Taking comes first; the slot stays empty until the turn ends."""
    forest = Forest()
    forest.turn(taken=0)
    forest.hand(0, "red1 red2 red3")
    assert forest.legal() == ["take 0", "take 1", "take 2"]
    card = KIND_NAMES[(forest.state.market[1] - 1) // 3]
    assert forest.play("take 1") == [{"event": "take", "seat": 0, "slot": 1, "card": card}]
    assert forest.state.market[1] == 0 and forest.state.known[0].sum() == 1
    assert "run red 1" in forest.legal() and "end" in forest.legal()


def test_second_take_needs_an_action():
    """3.3 Only a card after which a run, or a trio with a target, exists; then the end waits for an action."""
    forest = Forest()
    forest.state.market[:] = number("red3"), number("blue9"), 0
    forest.hand(0, "red1 red2 blue8 yellow9 red9")
    assert forest.may("take") == ["take 0"]
    forest.hideout(2, "yellow5")
    assert forest.may("take") == ["take 0", "take 1"]
    forest.play("take 0")
    assert forest.legal() == ["run red 1"]
    forest.play("run red 1")
    assert forest.may("end") == ["end"] and not forest.may("take")


def test_second_take_comes_before_all_actions():
    """3.1, 3.3 After an action no card can be taken."""
    forest = Forest()
    forest.state.market[:] = number("red6"), 0, 0
    forest.hand(0, "red1 red2 red3 red4 red5")
    assert forest.may("take") == ["take 0"]
    forest.play("run red 1")
    assert not forest.may("take")


def test_hand_limit():
    """3.4 Ten cards at the end of a turn: one is discarded, face up."""
    forest = Forest()
    forest.hand(0, "red1 red1 red3 red5 red7 blue1 blue3 blue5 yellow7 yellow9")
    forest.play("end")
    assert forest.legal()[:2] == ["discard red1", "discard red3"] and len(forest.legal()) == 9
    assert forest.play("discard red1")[0] == {"event": "discard", "seat": 0, "card": "red1"}
    assert forest.state.discard[0].sum() == 1 and forest.state.hand_size[0] == 9


def test_refill():
    """3.5 Empty slots are filled in order at the end of the turn; then the left neighbour is on."""
    forest = Forest()
    forest.state.market[:] = 0, number("red1"), 0
    nxt = [KIND_NAMES[(forest.state.deck[forest.state.drawn + k] - 1) // 3] for k in range(2)]
    assert forest.play("end") == [{"event": "refill", "cards": nxt}]
    assert forest.table.seat[0] == 1 and forest.state.taken == 0
    assert (forest.state.market > 0).all()


@pytest.mark.parametrize(
    ("cards", "kept"), [("blue5 blue6 blue7", "blue7"), ("red7 red8 red9", "red9"), ("yellow2 yellow3 yellow4", "yellow4")]
)
def test_runs_of_the_rulebook(cards, kept):
    """4.1, 5.1 5-6-7 crowns, 7-8-9 chests, 2-3-4 sacks: the highest is kept, two are discarded, a coin is paid."""
    forest = Forest()
    forest.hand(0, cards)
    colour, first = kept[:-1], cards.split()[0][-1]
    assert forest.may("run") == [f"run {colour} {first}"]
    events = forest.play(f"run {colour} {first}")
    assert events == [{"event": "run", "seat": 0, "cards": cards.split(), "kept": kept, "coins": 1}]
    assert forest.state.coins[0] == 1 and forest.state.stock == 12 and forest.state.discard.sum() == 2
    assert forest.state.hand_size[0] == 0


def test_runs_do_not_wrap_or_mix():
    """4.1 Three consecutive values of one colour; after nine comes nothing."""
    forest = Forest()
    forest.hand(0, "red8 red9 red1 blue1 blue2 yellow3")
    assert not forest.may("run")


def test_three_symbols_cannot_be_countered():
    """4.2, 4.4 Three different symbols: the owner is not asked, even with a card of the value."""
    forest = Forest()
    forest.hand(0, "red5 blue5 yellow5")
    forest.hand(2, "red5")
    forest.hideout(2, "yellow7")
    assert forest.may("trio") == ["trio 5 bow+hat+staff"]
    forest.play("trio 5 bow+hat+staff")
    assert forest.legal() == ["target +2 yellow7"]
    events = forest.play("target +2 yellow7")
    assert events[0] == {
        "event": "trio", "seat": 0, "cards": ["yellow5", "red5", "blue5"], "victim": 2, "target": "yellow7",
        "counterable": False,
    }  # fmt: skip
    assert events[1] == {"event": "stolen", "seat": 0, "victim": 2, "card": "yellow7", "marian": 2}
    assert forest.state.discard.sum() == 3 and forest.state.open_count[0, 2] == 1


def countered():
    """The rulebook's example: two 5 bow and one 5 hat at a yellow 7, countered with a 5 staff."""
    forest = Forest()
    forest.hand(0, "yellow5 yellow5 red5")
    forest.hand(1, "blue5 red2")
    forest.hideout(1, "yellow7")
    forest.play("trio 5 bow+bow+hat", "target +1 yellow7")
    return forest


def test_counter_of_the_rulebook():
    """4.4, 4.5 The owner shows a 5 of any symbol and keeps both; the thief loses one card of his choice."""
    forest = countered()
    assert forest.table.seat[0] == 1 and forest.legal() == ["counter", "decline"]
    assert forest.play("counter") == [{"event": "counter", "seat": 1, "card": "blue5"}]
    assert forest.state.hand_size[1] == 2 and forest.state.open_count[1, 2] == 1
    assert forest.table.seat[0] == 0 and forest.legal() == ["discard red5", "discard yellow5"]
    assert forest.play("discard yellow5") == [{"event": "lost_card", "seat": 0, "card": "yellow5"}]
    assert forest.state.hand_size[0] == 2 and forest.state.acted == 1 and forest.state.marian == 0


def test_declining_lets_the_treasure_go():
    """4.4, 4.6 No card is shown and the theft succeeds."""
    events = countered().play("decline")
    assert events[0] == {"event": "counter", "seat": 1, "card": None}
    assert events[1]["event"] == "stolen"


def test_owner_without_the_value_is_not_asked():
    """4.4 He has nothing to decide."""
    forest = Forest()
    forest.hand(0, "yellow5 yellow5 red5")
    forest.hand(1, "blue4")
    forest.hideout(1, "yellow7")
    events = forest.play("trio 5 bow+bow+hat", "target +1 yellow7")
    assert [event["event"] for event in events] == ["trio", "stolen"] and events[0]["counterable"] is True


def test_thief_with_three_of_a_colour_has_no_choice():
    """4.5 One of them goes unasked, in latin mode the one with the lowest symbol."""
    forest = Forest(symbol_mode="latin")
    forest.hand(0, "red5-staff red5-staff red5-hat")
    forest.hand(1, "blue5-bow")
    forest.hideout(1, "yellow7-bow")
    events = forest.play("trio 5 hat+staff+staff", "target +1 yellow7", "counter")
    assert events[-1] == {"event": "lost_card", "seat": 0, "card": "red5-hat"}


def test_lowest_symbol_and_colour_are_used():
    """4.1, 4.2 Where several copies fit a text, in latin mode."""
    forest = Forest(symbol_mode="latin")
    forest.hand(0, "red4-staff red4-bow red5-hat red6-hat")
    assert of(forest.play("run red 4"), "run")[0]["cards"] == ["red4-bow", "red5-hat", "red6-hat"]
    forest = Forest(symbol_mode="latin")
    forest.hand(0, "yellow5-bow blue5-bow red5-hat red5-staff")
    forest.hideout(3, "red1-hat")
    forest.play("trio 5 bow+hat+staff")
    assert of(forest.play("target +3 red1"), "trio")[0]["cards"] == ["blue5-bow", "red5-hat", "red5-staff"]


def test_protected_cards_and_coins_are_no_targets():
    """4.3, 5.2, 5.3 Only open treasures can be stolen."""
    forest = Forest()
    forest.state.safe[1, :3] = 1
    forest.state.coins[1] = 3
    forest.hand(0, "red5 blue5 yellow5")
    assert not forest.may("trio")
    forest.hideout(1, "blue2")
    forest.play("trio 5 bow+hat+staff")
    assert forest.legal() == ["target +1 blue2"]


def test_marian_protects_whoever_was_robbed_last():
    """4.7, 1.3 She stays with the victim until another is robbed, also against three symbols."""
    forest = Forest()
    forest.hideout(1, "blue2 red3")
    forest.hideout(2, "blue4")
    forest.hand(0, "red5 blue5 yellow5 red6 blue6 yellow6")
    forest.play("trio 5 bow+hat+staff")
    assert of(forest.play("target +1 red3"), "stolen")[0]["marian"] == 1
    forest.play("trio 6 bow+hat+staff")
    assert forest.legal() == ["target +2 blue4"]
    assert of(forest.play("target +2 blue4"), "stolen")[0]["marian"] == 2


def test_without_marian():
    """4.7, 8 With `use_marian` off nobody is protected."""
    forest = Forest(use_marian=False)
    forest.hideout(1, "blue2 red3")
    forest.hand(0, "red5 blue5 yellow5 red6 blue6 yellow6")
    forest.play("trio 5 bow+hat+staff")
    assert of(forest.play("target +1 red3"), "stolen")[0]["marian"] is None
    assert forest.may("trio") == ["trio 6 bow+hat+staff"]


@pytest.mark.parametrize(("players", "lying"), [(4, "red1 red2"), (3, "red1 red2 red2")])
def test_a_set_is_protected_at_once(players, lying):
    """5.2, 5.3 Three open cards of a colour (four with three players); completed from the sheriff it brings a coin more."""
    forest = Forest(players)
    forest.hideout(0, lying)
    forest.hand(0, "red5 red6 red7")
    events = forest.play("run red 5")
    assert events[1] == {"event": "protect", "seat": 0, "colour": "red", "cards": [*lying.split(), "red7"], "coins": 1}
    assert (
        forest.state.coins[0] == 2
        and forest.state.open_count[0, 0] == 0
        and forest.state.safe[0].sum() == len(events[1]["cards"])
    )


def test_a_set_completed_by_stealing_brings_no_coin():
    """5.3 The bonus names only the sheriff."""
    forest = Forest()
    forest.hideout(0, "red1 red2")
    forest.hideout(1, "red9")
    forest.hand(0, "red5 blue5 yellow5")
    events = forest.play("trio 5 bow+hat+staff", "target +1 red9")
    assert events[-1] == {"event": "protect", "seat": 0, "colour": "red", "cards": ["red1", "red2", "red9"], "coins": 0}


@pytest.mark.parametrize(("stock", "paid"), [(0, (0, 0)), (1, (1, 0)), (2, (1, 1))])
def test_coins_run_out(stock, paid):
    """5.3 Two bonuses are due: what is left is paid."""
    forest = Forest()
    forest.state.stock = stock
    forest.hideout(0, "red1 red2")
    forest.hand(0, "red5 red6 red7")
    run, protect = forest.play("run red 5")
    assert (run["coins"], protect["coins"]) == paid


def test_first_exhaustion():
    """6.1 As soon as the pile is empty the discard becomes the pile, in the middle of a refill too."""
    forest = Forest()
    forest.state.drawn, forest.state.pile = 107, 1
    forest.state.market[:] = 0, 0, number("red1")
    forest.state.discard[4, 0], forest.state.discard[8, 1] = 1, 1
    events = forest.play("end")
    assert [event["event"] for event in events] == ["refill", "reshuffle", "refill"]
    assert sorted(events[1]["deck"]) == ["red5", "red9"] and len(events[2]["cards"]) == 1
    assert forest.state.exhaustions == 1 and not forest.state.discard.any()


def test_exhaustion_without_discard_counts_twice():
    """6.1, 6.2 Nothing to rebuild from."""
    forest = Forest()
    forest.state.drawn, forest.state.pile = 107, 1
    forest.state.market[:] = 0, number("red2"), number("red1")
    assert [event["event"] for event in forest.play("end")] == ["refill"]
    assert forest.state.exhaustions == 2


def test_the_end():
    """6.2, 6.3 After the second exhaustion the open cards are taken; the turn of the last one is the last."""
    forest = Forest()
    forest.state.pile, forest.state.exhaustions = 0, 2
    forest.state.market[:] = 0
    forest.hand(0, "red9 blue9")
    forest.hideout(1, "red4")
    forest.state.safe[1, 2] = 1
    forest.state.coins[2] = 2
    end = forest.play("end")[-1]
    assert end == {"event": "end", "reason": "market_empty", "scores": [0, 7, 6, 0], "winners": [1]}
    assert forest.table.terminated[0]


def test_only_one_card_left_to_take():
    """3.3, 6.2 No second take where nothing lies."""
    forest = Forest()
    forest.state.pile, forest.state.exhaustions = 0, 2
    forest.state.market[:] = 0
    forest.hand(0, "red1 red2 red3")
    assert not forest.may("take")


def test_turn_limit():
    """6.4 After `max_turns` turns all are truncated and the scores count; equals share the win."""
    forest = Forest(max_turns=1)
    end = forest.play("end")[-1]
    assert end["reason"] == "max_turns" and end["winners"] == [0, 1, 2, 3]
    assert forest.table.truncated[0] and not forest.table.terminated[0]


def test_publicly_known_cards():
    """7.2 A taken card, cards back from a counter and a shown one are known until a copy leaves the hand."""
    forest = countered()
    forest.state.known[0] = 0
    forest.play("counter", "discard yellow5")
    known = {(seat, KIND_NAMES[kind]): int(n) for (seat, kind), n in np.ndenumerate(forest.state.known) if n}
    assert known == {(0, "yellow5"): 1, (0, "red5"): 1, (1, "blue5"): 1}
    forest = Forest()
    forest.hand(0, "red1 red1 red2 red3")
    forest.state.known[0, 0] = 1
    forest.play("run red 1")
    assert forest.state.known[0, 0] == 0


@pytest.mark.parametrize("recall", [True, False])
def test_what_is_seen(recall):
    """7.1, 7.3 Hands never; known cards and the discard pile with perfect recall."""
    forest = Forest(perfect_recall=recall)
    forest.hand(1, "red1 blue2")
    forest.state.known[1, 0] = 1
    forest.state.discard[5, 1] = 2
    forest.hideout(1, "yellow9")
    sees = forest.table.game.observation.decode(forest.table.show(0)[0][0])
    assert sees["known"][1, 0] == int(recall) and sees["discard"][5] == 2 * recall
    assert sees["hand_size"].tolist() == [0, 2, 0, 0, 0, 0] and sees["open"][1, 26] == 1
    assert not forest.table.seen(0)[0].hand[1].any()

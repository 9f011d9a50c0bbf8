"""The loops over games. The upper-case and rule names at the top are bound to one game by `build`.

`words` (N, W) int64 are the states; views of the same memory give the records (N, 1), int32 words and bytes.
Views are made once per loop and handed on with an index: making one costs compiled code some 30 ns, a decision takes 240.
`scratch` (W,) int64 is the caller's: what the asked seat may see is put together there.
"""

from functools import cache

import numpy as np

from . import rewards as reward_rules
from .chance import next_word, random_below, scramble, seed_after
from .compile import bind, bind_rule, rule
from .seating import to_the_left

STATE = SIGHT = KNOWN = TEAM = ROW = MASK = None
setup = legal = play = observe = redeal = broken = choose = pay = hide = show = begin = advance = None

THROWS = 24
DICE = np.dtype((np.record, np.dtype([("dice", np.uint64)])))


@rule
def next_seat(state):
    """The seat that is asked now: from `lead` on the first that owes a decision."""
    for k in range(state.seats):
        seat = to_the_left(state.lead, k, state.seats)
        if state.to_act[seat]:
            return seat
    return 0


@rule
def pick(mask, dice):
    """A uniformly random legal action of one mask. Throwing until a legal one comes up is as fair as counting them,
    and usually faster; after some throws they are counted all the same."""
    for _ in range(THROWS):
        action = random_below(dice, mask.shape[0])
        if mask[action]:
            return action
    count = np.int32(0)
    for action in range(mask.shape[0]):
        count += np.int32(mask[action])
    left = random_below(dice, count)
    for action in range(mask.shape[0]):
        left -= mask[action]
        if left < 0:
            return action
    return 0


def hide(states, words, bytes_, i, seat, seen_words, seen_bytes):
    """Copy game i as `seat` may see it: what it may not see is 0."""
    sight = SIGHT[states[i, 0].option_perfect_recall, seat]
    for w in range(seen_words.shape[0]):
        seen_words[w] = words[i, w] & sight[w]
    bit = np.int8(1 << seat)
    for k in range(KNOWN.shape[0]):
        first, knowers, count = KNOWN[k, 0], KNOWN[k, 1], KNOWN[k, 2]
        for e in range(count):
            seen_bytes[first + e] = seen_bytes[first + e] if bytes_[i, knowers + e] & bit else 0
    for k in range(TEAM.shape[0]):
        state, first, count = states[i, 0], TEAM[k, 0], TEAM[k, 1]
        for mate in range(state.seats):
            if state.side[mate] == state.side[seat]:
                for b in range(first + mate * count, first + (mate + 1) * count):
                    seen_bytes[b] = bytes_[i, b]


def show(states, words, bytes_, i, seat, seen, seen_words, seen_bytes, observation, mask):
    """What `seat` sees of game i and may do in it."""
    hide(states, words, bytes_, i, seat, seen_words, seen_bytes)
    for action in range(mask.shape[0]):
        mask[action] = 0
    for k in range(observation.shape[0]):
        observation[k] = 0
    if seen.over or not seen.to_act[seat]:
        mask[0] = 1
    else:
        legal(seen, seat, mask)
    observe(seen, seat, observation)


def begin(states, words, blank, i, seed, tape):
    """Deal a new game from a seed; options and player count are in `blank`."""
    for w in range(words.shape[1]):
        words[i, w] = blank[w]
    state = states[i, 0]
    state.seed = seed
    state.dice = scramble(seed)
    for seat in range(state.seats):
        state.side[seat] = seat
    setup(state, tape)


def advance(states, words, blank, i, seat, action, rewards, terminated, truncated, again, tape):
    """Play one decision of game i; with `again` a finished game is followed by the next one. Returns who is asked."""
    state = states[i, 0]
    for p in range(rewards.shape[1]):
        rewards[i, p] = 0
    terminated[i] = 0
    truncated[i] = 0
    if not state.over:
        state.decisions += 1
        for p in range(state.seats):
            state.bonus[p] = 0
        play(state, seat, action, tape)
        for p in range(state.seats):
            rewards[i, p] = state.bonus[p] / 1000
        if state.over:
            pay(state, rewards[i])
            terminated[i] = 1 - state.truncated
            truncated[i] = state.truncated
            if again:
                begin(states, words, blank, i, seed_after(state.seed), tape)
    return next_seat(state)


def reset_games(scratch, words, blank, which, proceed, seat, observation, mask, tape):
    """Deal anew the games in `which`: from the seed in their state or, with `proceed`, from the one after it."""
    states, words32, bytes_, blank32 = words.view(STATE), words.view(np.int32), words.view(np.int8), blank.view(np.int32)
    views, masks = observation.view(ROW), mask.view(MASK)
    seen, seen32, seen8 = scratch.view(STATE)[0], scratch.view(np.int32), scratch.view(np.int8)
    for i in range(words.shape[0]):
        if which[i]:
            seed = states[i, 0].seed
            begin(states, words32, blank32, i, seed_after(seed) if proceed else seed, tape[0])
            seat[i] = next_seat(states[i, 0])
            show(states, words32, bytes_, i, seat[i], seen, seen32, seen8, views[i, 0].row, masks[i, 0].row)


def play_games(scratch, words, blank, which, actions, seat, observation, mask, rewards, terminated, truncated, again, tape):
    """One decision in each game in `which`. Returns -1, or the first game whose action is illegal: then none moved."""
    for i in range(words.shape[0]):
        if which[i] and (actions[i] < 0 or actions[i] >= mask.shape[1] or mask[i, actions[i]] == 0):
            return i
    states, words32, bytes_, blank32 = words.view(STATE), words.view(np.int32), words.view(np.int8), blank.view(np.int32)
    views, masks = observation.view(ROW), mask.view(MASK)
    seen, seen32, seen8 = scratch.view(STATE)[0], scratch.view(np.int32), scratch.view(np.int8)
    for i in range(words.shape[0]):
        if which[i]:
            seat[i] = advance(
                states, words32, blank32, i, seat[i], actions[i], rewards, terminated, truncated, again, tape[0]
            )
            show(states, words32, bytes_, i, seat[i], seen, seen32, seen8, views[i, 0].row, masks[i, 0].row)
    return -1


def roll_out(steps, scratch, words, blank, dice, seat, observation, mask, rewards, terminated, truncated, tape):
    """`steps` uniformly random legal decisions in every game, with auto-reset. Returns the number of finished games."""
    states, words32, bytes_, blank32 = words.view(STATE), words.view(np.int32), words.view(np.int8), blank.view(np.int32)
    views, masks = observation.view(ROW), mask.view(MASK)
    seen, seen32, seen8 = scratch.view(STATE)[0], scratch.view(np.int32), scratch.view(np.int8)
    finished = 0
    for _ in range(steps):
        for i in range(words.shape[0]):
            action = pick(masks[i, 0].row, dice[0])
            seat[i] = advance(states, words32, blank32, i, seat[i], action, rewards, terminated, truncated, True, tape[0])
            finished += terminated[i] + truncated[i]
            show(states, words32, bytes_, i, seat[i], seen, seen32, seen8, views[i, 0].row, masks[i, 0].row)
    return finished


def show_games(scratch, words, seat, observation, mask):
    """What the given seat of every game sees and may do."""
    states, words32, bytes_ = words.view(STATE), words.view(np.int32), words.view(np.int8)
    views, masks = observation.view(ROW), mask.view(MASK)
    seen, seen32, seen8 = scratch.view(STATE)[0], scratch.view(np.int32), scratch.view(np.int8)
    for i in range(words.shape[0]):
        show(states, words32, bytes_, i, seat[i], seen, seen32, seen8, views[i, 0].row, masks[i, 0].row)


def hide_games(words, seat, seen):
    """Every game as the given seat may see it."""
    states, words32, bytes_ = words.view(STATE), words.view(np.int32), words.view(np.int8)
    seen32, seen8 = seen.view(np.int32), seen.view(np.int8)
    for i in range(words.shape[0]):
        hide(states, words32, bytes_, i, seat[i], seen32[i], seen8[i])


def redeal_games(words, seat, dice):
    """Draw anew all that the given seat of every game cannot know, future dice included."""
    states = words.view(STATE)
    for i in range(words.shape[0]):
        state = states[i, 0]
        state.dice = next_word(dice[0])
        redeal(state, seat[i])


def broken_games(words, flags):
    """The violated invariants of every game."""
    states = words.view(STATE)
    for i in range(words.shape[0]):
        flags[i] = broken(states[i, 0])


def random_games(mask, dice, actions):
    """A uniformly random legal action for every game."""
    masks = mask.view(MASK)
    for i in range(mask.shape[0]):
        actions[i] = pick(masks[i, 0].row, dice[0])


def choose_games(scratch, words, seat, mask, players, number, memory, actions):
    """Let bot `number` decide in every game whose asked seat it plays (`players` (N, seats))."""
    states, words32, bytes_ = words.view(STATE), words.view(np.int32), words.view(np.int8)
    masks = mask.view(MASK)
    seen, seen32, seen8 = scratch.view(STATE)[0], scratch.view(np.int32), scratch.view(np.int8)
    for i in range(words.shape[0]):
        if players[i, seat[i]] == number and not states[i, 0].over:
            hide(states, words32, bytes_, i, seat[i], seen32, seen8)
            actions[i] = choose(seen, seat[i], masks[i, 0].row, memory[i, seat[i]])


def row_of(kind, count):
    """One row of a matrix as a record with one array in it: its length is then known when the loops are compiled."""
    return np.dtype((np.record, np.dtype([("row", kind, count)])))


class Kernels:
    """The loops of one game, each compiled when it is first called."""

    def __init__(self, game):
        self.game = game
        spec = game.state
        self._names = {"STATE": spec.dtype, "SIGHT": spec.sight, "KNOWN": spec.known, "TEAM": spec.team}
        self._names |= {"ROW": row_of(np.float32, game.observation.size), "MASK": row_of(np.int8, len(game.actions))}
        self._names |= {name: getattr(game, name) for name in ("setup", "legal", "play", "observe", "redeal", "broken")}
        for function in (hide, show, begin):
            self._names[function.__name__] = bind_rule(function, self._names)
        self._names["pay"] = self._bind_rewards()
        self._names["advance"] = bind_rule(advance, self._names)
        for function in LOOPS:
            setattr(self, function.__name__, self._bind(function, self._names, function.__name__))

    def _bind_rewards(self):
        """`pay` of this game: two sides win or lose as such, everybody else for himself; the margin as the game has it."""
        names = {"SCORE_SCALE": float(self.game.about.score_scale)}
        names["margin_reward"] = self.game.margin or bind_rule(reward_rules.margin_reward, names)
        if len(self.game.about.roles) > 1:
            names["win_reward"] = reward_rules.side_reward
        return bind_rule(reward_rules.pay, names)

    def _bind(self, function, names, label):
        return bind(function, f"{self.game.name}_{label}", names, self.game.about.folder)

    @cache  # noqa: B019 - one Kernels per game, kept for the life of the process
    def chooser(self, name, rule):
        """`choose_games` bound to one bot."""
        return self._bind(choose_games, {**self._names, "choose": rule}, f"choose_{name}")


LOOPS = (reset_games, play_games, roll_out, show_games, hide_games, redeal_games, broken_games, random_games)
_built = {}


def build(game):
    """The `Kernels` of a game, made once per process."""
    if game.name not in _built or _built[game.name].game is not game:
        _built[game.name] = Kernels(game)
    return _built[game.name]

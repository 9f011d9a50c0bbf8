"""The contract: what a game tells the engine. One frozen value per game; everything generic reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .about import About
from .actions import ActionTable
from .events import EventSpec
from .fields import StateSpec
from .observation import ObservationSpec
from .options import OptionSpec


def players(count):
    """The usual agent names."""
    return tuple(f"player_{seat}" for seat in range(count))


@dataclass(frozen=True)
class Game:
    """Everything the rest of the package knows about one game.

    The functions are rules (`engine.compile.rule`); `state` is everything, `seen` what one seat may know, `mask` int8
    (actions,), `out` float32 (observation size,), `memory` the bot's own record with `dice` and `notes`.
    """

    about: About
    options: OptionSpec
    state: StateSpec
    actions: ActionTable
    observation: ObservationSpec
    events: EventSpec
    phases: tuple[str, ...]
    setup: Callable  # setup(state, tape): deal a game into a zeroed state
    legal: Callable  # legal(seen, seat, mask): put 1 at each legal action of an owing seat
    play: Callable  # play(state, seat, action, tape)
    observe: Callable  # observe(seen, seat, out): fill the zeroed vector
    redeal: Callable  # redeal(state, seat): draw anew all that the seat cannot know
    broken: Callable  # broken(state) -> flags, bit k = invariants[k] is violated
    invariants: tuple[str, ...]
    draw: Callable[..., str]  # draw(seen, seat, events) -> text; seat None = seen is the whole state
    bots: Mapping[str, Callable] = field(default_factory=dict)  # choose(seen, seat, mask, memory) -> action
    agents: Callable[[int], tuple[str, ...]] = players
    margin: Callable | None = None  # margin(state, seat) -> reward, if not engine/rewards.py's

    @property
    def name(self):
        return self.about.name

"""The 15 actions of silence, the same for every player count."""

from heist_envs.engine.actions import ActionTable, Verb

from .pieces import CARDS

ACTIONS = ActionTable(
    play=Verb("play {value}", "choose a card in secret", value=range(1, CARDS + 1)),
    skip=Verb("pass", "play no card, once out of the house"),
    north=Verb("north", "step north; from outside into the western of the two cells behind the entrance"),
    east=Verb("east", "step east; from outside into the eastern of the two cells behind the entrance"),
    south=Verb("south", "step south"),
    west=Verb("west", "step west"),
    exit=Verb("exit", "leave the house for good"),
    stay=Verb("stay", "end the walk here"),
)
PLAY, PASS, STEP, EXIT, STAY = (ACTIONS.first[verb] for verb in ("play", "skip", "north", "exit", "stay"))

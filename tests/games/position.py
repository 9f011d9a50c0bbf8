"""A table of one game that a rule test arranges as it likes and then plays with action texts."""

import numpy as np

from heist_envs.engine.table import Table


class Position:
    """`state` is the live record: tests write to it, call `ask` or `look`, and `play` texts."""

    def __init__(self, game, players, seed=1, **options):
        self.table = Table(game, recording=True, num_players=players, **options)
        self.table.reset(seed)
        self.state = self.table.states[0]

    def ask(self, phase, *seats):
        """These seats, in order, owe a decision of this phase."""
        self.state.phase, self.state.lead = phase, seats[0]
        for seat in range(self.table.players):
            self.state.to_act[seat] = seat in seats
        self.table.seat[0] = seats[0]
        self.look()

    def look(self):
        """Bring observation and mask up to date after the state was changed by hand."""
        self.table.observation[:], self.table.mask[:] = self.table.show(self.table.seat[0])

    def legal(self):
        return self.table.game.actions.legal_texts(self.table.mask[0])

    def play(self, *texts):
        """Play the texts for the asked seats; returns the events they caused."""
        events = []
        for text in texts:
            self.table.play(np.array([self.table.game.actions.parse(text)]))
            events += self.table.events()
        return events


def of(events, name):
    """The events of one kind."""
    return [event for event in events if event["event"] == name]

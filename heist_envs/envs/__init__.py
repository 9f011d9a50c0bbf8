"""Adapters: the same `Table` as PettingZoo AEC, PettingZoo parallel, a batch, and a learner's view. No rules here."""

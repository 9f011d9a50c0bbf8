"""Adapters: the same `Table` as PettingZoo AEC and parallel, Gymnasium, a batch, and a learner's view. No rules here."""

"""Seats in a circle."""

from .compile import rule


@rule
def to_the_left(seat, steps, seats):
    """The seat `steps` (0..seats) places to the left. No modulo: a division costs more than all the rest of a look-up."""
    other = seat + steps
    return other - seats if other >= seats else other


@rule
def steps_to(seat, other, seats):
    """How many places `other` sits to the left of `seat`, 0..seats-1."""
    steps = other - seat
    return steps + seats if steps < 0 else steps

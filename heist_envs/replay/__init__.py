"""Recorded games: one JSON line each, complete enough to referee, exact enough to play again."""

"""Measuring: speed, the leaderboard and its parts. Scripts, run as `python benchmarks/NAME.py`; nothing imports them."""

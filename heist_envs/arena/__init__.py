"""Agents against each other: duplicate matches and what they tell."""

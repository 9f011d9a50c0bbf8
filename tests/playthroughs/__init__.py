"""Golden games: what everybody sees and may do, decision by decision, and small counts of reachable positions.

`python -m tests.playthroughs.write` writes what is missing or belongs to an older version of its game. A transcript that
changes without a new version needs `--reason "..."`, and the reason stays in the file.
"""

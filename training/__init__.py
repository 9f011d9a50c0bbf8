"""The training scripts: `python training/train.py --game GAME`, `python training/evaluate.py RUN`."""

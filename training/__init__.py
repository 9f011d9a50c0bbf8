"""The training scripts: `python training/train.py --game GAME`, `python training/evaluate.py RUN`."""

import os

# Before torch is loaded: threads that wait for work must sleep, not spin. On a machine with other work on its cores two
# spinning threads are two to four times slower than one.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

"""A random player: the smallest program that can be submitted. It needs nothing but Python."""

import json
import random
import sys


def say(message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        texts = message["actions"]  # what the action ids mean, in case you want to know
        say({"type": "ready"})
    elif message["type"] == "act":
        action = random.choice(message["legal"])
        say({"game": message["game"], "action": action})

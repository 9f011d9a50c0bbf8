"""Named actions: one family per verb, one id per combination of its arguments. Id 0 is always `wait`."""

import itertools

import numpy as np

from .errors import HeistError

WAIT = 0


class Verb:
    """A family of actions. `text` holds the arguments in braces; each argument lists the words it may be."""

    def __init__(self, text, doc, **arguments):
        self.text, self.doc = text, doc
        self.arguments = {name: tuple(map(str, words)) for name, words in arguments.items()}

    def __len__(self):
        return int(np.prod([len(words) for words in self.arguments.values()], dtype=int))

    def texts(self):
        """All texts, the last argument running fastest."""
        for words in itertools.product(*self.arguments.values()):
            yield self.text.format(**dict(zip(self.arguments, words, strict=True)))


class ActionTable:
    """All actions of a game: ids <-> texts, and what the rules need to read an id.

    `first[verb]` is a verb's first id; `decode[id]` = (number of the verb, position of each argument), int32.
    """

    def __init__(self, **verbs):
        self.verbs = {"wait": Verb("wait", "nothing: this seat owes no decision"), **verbs}
        self.texts, self.first = [], {}
        rows = []
        for number, (name, verb) in enumerate(self.verbs.items()):
            self.first[name] = len(self.texts)
            self.texts.extend(verb.texts())
            rows += [(number, *at) for at in itertools.product(*(range(len(w)) for w in verb.arguments.values()))]
        self.ids = {text: i for i, text in enumerate(self.texts)}
        self.decode = np.zeros((len(rows), max(map(len, rows))), np.int32)
        for i, row in enumerate(rows):
            self.decode[i, : len(row)] = row

    def __len__(self):
        return len(self.texts)

    def text(self, action):
        """The text of an action id."""
        return self.texts[action]

    def parse(self, text):
        """The id of an action text, or a `HeistError`."""
        if text not in self.ids:
            verbs = "; ".join(verb.text for verb in self.verbs.values())
            raise HeistError(f"there is no action {text!r}; actions read: {verbs}.")
        return self.ids[text]

    def legal_texts(self, mask):
        """The texts of all legal actions of a mask, in id order."""
        return [self.texts[i] for i in np.flatnonzero(mask)]

    def summary(self, mask, most=12):
        """The legal actions of a mask as one short text for messages."""
        texts = self.legal_texts(mask)
        if len(texts) <= most:
            return ", ".join(texts)
        return ", ".join(texts[: most - 1]) + f", ... {texts[-1]} ({len(texts)} actions)"

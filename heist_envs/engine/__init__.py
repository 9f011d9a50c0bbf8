"""The engine knows no game and no framework: it knows one contract, `Game`, and runs N games of it, `Table`."""

"""One folder per game. Adding one is copying one: the registry finds it by its about.toml."""

"""Who decides: scripted bots for every game and for single ones."""

"""What every game promises, one promise per file, over every registered game (the toy game too) and player count."""

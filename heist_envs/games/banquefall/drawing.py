def draw(seen, seat, events):
    return "x"

"""The actions of rob_a_bank, the same for both sides and every player count."""

from heist_envs.engine.actions import ActionTable, Verb

from .pieces import CARD_NAMES, MOST_PAWNS, ROOMS

PAWN, ROOM = range(MOST_PAWNS), range(ROOMS)
ACTIONS = ActionTable(
    plan=Verb("plan {card}", "put a hand card on the own pile", card=CARD_NAMES),
    guard=Verb("guard {guard} to {room}", "a guard steps into the next room", guard=PAWN, room=ROOM),
    tackle=Verb("tackle {robber}", "knock out a robber beside a guard", robber=PAWN),
    lock_bag=Verb("lock bag {room}", "lock a bag beside a guard", room=ROOM),
    lock_alarm=Verb("lock alarm", "lock the alarm beside a guard"),
    revive=Verb("revive", "spend the card so that all guards stand up"),
    move=Verb("move to {room}", "step into the next room", room=ROOM),
    crawl=Verb("crawl to {room}", "crawl to any other room", room=ROOM),
    pick_up=Verb("pick up", "pick up a bag"),
    unlock_bag=Verb("unlock bag", "unlock a bag"),
    unlock_alarm=Verb("unlock alarm", "unlock the alarm"),
    pepper=Verb("pepper {guard}", "knock out a guard", guard=PAWN),
    car_left=Verb("car left", "bonus: the car goes one space counter-clockwise"),
    car_right=Verb("car right", "bonus: the car goes one space clockwise"),
    throw=Verb("throw", "bonus: throw a bag into the car"),
    give=Verb("give {robber}", "bonus: give a bag to a robber in the same room", robber=PAWN),
    ring=Verb("ring alarm", "bonus: ring the alarm"),
    done=Verb("done", "end the turn"),
)
DECODE = ACTIONS.decode
_first = ACTIONS.first
PLAN, GUARD, TACKLE_ROBBER, LOCK_BAG = _first["plan"], _first["guard"], _first["tackle"], _first["lock_bag"]
LOCK_ALARM, REVIVE, MOVE, CRAWL = _first["lock_alarm"], _first["revive"], _first["move"], _first["crawl"]
PICK_UP, UNLOCK_BAG, UNLOCK_ALARM = _first["pick_up"], _first["unlock_bag"], _first["unlock_alarm"]
PEPPER_GUARD, CAR_LEFT, CAR_RIGHT = _first["pepper"], _first["car_left"], _first["car_right"]
THROW, GIVE, RING, DONE = _first["throw"], _first["give"], _first["ring"], _first["done"]
FIRST_BONUS, LAST_BONUS = CAR_LEFT, RING

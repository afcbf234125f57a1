"""Roles: what tiles and markers do in a game, so that games can be played with any tileset.

A tile has the role that its tileset declares. Otherwise, a tile whose name or kind is the name of a role has that role;
all others are walls if they are impassable, and floor if they are passable. A marker has the role of its first word:
`key red` is a key.
"""

from __future__ import annotations

FLOOR, WALL = "floor", "wall"
ROLES = {
    FLOOR: "Free space.",
    WALL: "Blocks every move.",
    "player": "Where the player starts.",
    "exit": "Where the player has to arrive.",
    "key": "Opens a door, or all locks of its color.",
    "door": "Is closed until the player has a key.",
    "lock": "Is closed until the player has the key of its color.",
    "enemy": "Costs health, or blocks the player.",
    "boss": "An enemy that costs more health.",
    "potion": "Gives health back.",
    "treasure": "Can be collected; is not needed.",
    "coin": "Can be collected; is not needed.",
    "gold": "Has to be collected.",
    "crate": "Can be pushed.",
    "target": "Needs a crate.",
    "crate_on_target": "A crate that is already on a target.",
    "player_on_target": "The player starts on a target.",
    "spike": "Kills the player.",
    "platform": "Can be passed from below and carries the player.",
    "ladder": "Can be climbed, and carries the player.",
    "rope": "Carries a player who hangs on it.",
    "spring": "Throws the player up.",
    "brick": "A wall that can be dug away.",
}
"""Roles of the built-in games, with their descriptions. Other games may use further words."""
DECLARED = (FLOOR, WALL, "door")
"""Roles that a tile never has by its name: doors of most tilesets are open."""
ALIASES = {
    "start": "player", "spikes": "spike", "diamond": "coin", "gem": "coin", "box": "crate", "goal": "target",
    "monster": "enemy", "goblin": "enemy", "bat": "enemy", "ogre": "boss", "lava": "spike", "bricks": "brick",
    "rail": "rope",
}  # fmt: skip
"""Further names of tiles, kinds and markers, with their roles."""


def role_of_name(name: str) -> str:
    """Return the role of a name of a tile, kind or marker; empty if it is not the name of a role.

    >>> role_of_name("start"), role_of_name("key red"), role_of_name("fountain")
    ('player', 'key', '')
    """
    for word in (name, name.partition(" ")[0]):
        if (word in ROLES and word not in DECLARED) or word in ALIASES:
            return ALIASES.get(word, word)
    return ""

"""Roles: what tiles and markers do in a game, so that games can be played with any tileset.

A tile has the role that its tileset declares. Otherwise, a tile whose name or kind is the name of a role has that role;
all others are walls if they are impassable, and floor if they are passable. A marker has the role of its first word:
`key red` is a key.

The roles of the built-in games are:

- floor: free space.
- wall: blocks every move.
- player: where the player starts.
- exit: where the player has to arrive.
- key: opens a door, or all locks of its color.
- door: is closed until the player has a key.
- lock: is closed until the player has the key of its color.
- enemy: costs health, or blocks the player.
- boss: an enemy that costs more health.
- potion: gives health back.
- treasure: can be collected; is not needed.
- coin: can be collected; is not needed.
- gold: has to be collected.
- crate: can be pushed.
- target: needs a crate.
- crate_on_target: a crate that is already on a target.
- player_on_target: the player starts on a target.
- spike: kills the player.
- platform: can be passed from below and carries the player.
- ladder: can be climbed, and carries the player.
- rope: carries a player who hangs on it.
- spring: throws the player up.
- brick: a wall that can be dug away.
"""

from __future__ import annotations

FLOOR, WALL = "floor", "wall"
NAMED = frozenset((
    "player", "exit", "key", "lock", "enemy", "boss", "potion", "treasure", "coin", "gold", "crate", "target",
    "crate_on_target", "player_on_target", "spike", "platform", "ladder", "rope", "spring", "brick",
))  # fmt: skip
"""Roles that a tile or marker has by its name. Doors of most tilesets are open, so a tile is not a door by its name.
Other games may use further words."""
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
        if word in NAMED or word in ALIASES:
            return ALIASES.get(word, word)
    return ""

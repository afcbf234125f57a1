"""Repairs of platformer levels: bridges, steps, cleared walls and removed spikes."""

from __future__ import annotations

import numpy as np

from ...kernels.platformer import EDITS, RepairArrays, find_repairs
from ...play.games.platformer import PlatformerRules, build_level, encode_state
from .repair import GROUND, Changes, Mask, choose_role, find_fixed_cells

PLATFORM = GROUND[0]
MAX_STATES = 1 << 22
MAX_KEYS = 8
PENDING = 4
"""Space for pending states, as a multiple of all states."""


def repair_platformer(rules: PlatformerRules, locked: Mask) -> Changes:
    """Return the cheapest changes with which the level can be finished; none if there are none."""
    level = build_level(rules)
    level = level._replace(air_levels=level.air_levels + 1)  # one more for a player on new ground
    per_keys = level.flags.size * level.air_levels * level.directions
    ground, floor = choose_role(rules.board, *GROUND), choose_role(rules.board, "floor")
    if level.key_count > MAX_KEYS or per_keys << level.key_count > MAX_STATES or not ground or not floor:
        return {}
    total = per_keys << level.key_count
    fixed = find_fixed_cells(rules.board, locked).view(np.uint8).reshape(-1)
    changes = np.empty(4 * level.flags.size, dtype=np.int64)
    count = find_repairs(
        level,
        encode_state(level, rules),
        RepairArrays(fixed, int(ground != PLATFORM), np.zeros(EDITS, dtype=np.int64)),
        np.full(total, np.inf),
        np.empty(total, dtype=np.int32),
        np.empty(total, dtype=np.uint8),
        np.empty(PENDING * total),
        np.empty(PENDING * total, dtype=np.int64),
        changes,
    )
    found: dict[tuple[int, int], str] = {}
    for change in changes[: max(count, 0)][::-1].tolist():
        row, column = divmod(change // 2, level.columns)
        found[row, column] = ground if change % 2 else floor
    return found

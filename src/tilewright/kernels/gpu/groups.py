"""Groups of threads that hold one map, two rows per thread: a warp, or a block.

A warp exchanges rows by shuffles and holds up to 64 rows. A block exchanges them through shared memory. It holds up to
1,024 rows, and runs in numba-cuda's simulator, which has no shuffles. The functions of both kinds have the same
arguments: `lane` is the number of the thread in its group, `words` and `slots` are shared memory of the block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import cuda, int32, uint64

from . import is_simulated
from .device_code import on_device

WARP = 32
"""Number of threads of a warp."""
ALL_LANES = 0xFFFFFFFF
MAX_LANES = 512
"""Maximum number of threads of a block, and of pairs of rows."""
MAX_REGISTERS = 128
"""Maximum number of registers per thread, so that a block of `MAX_LANES` threads has enough of them."""
NO_LANE = 1 << 30


class Group(NamedTuple):
    """Functions by which the threads of a group exchange values. All threads of a group must call them together."""

    from_above: Any
    """Value of the thread before this one; the first one gets its own."""
    from_below: Any
    """Value of the thread after this one; the last one gets its own."""
    from_lane: Any
    """Value of a given thread."""
    is_any: Any
    """Whether a condition holds in any thread."""
    first_lane: Any
    """Number of the first thread in which a condition holds; `NO_LANE` or more if there is none."""
    add_up: Any
    """Sum of the values of all threads."""


def choose_group(height: int) -> Group:
    """Return the kind of group for maps with this number of rows."""
    return block if height > 2 * WARP or is_simulated() else warp


def find_launch(group: Group, height: int, count: int) -> tuple[int, int]:
    """Return the number of blocks and the threads per block for a number of maps."""
    if group is block:
        return count, (height + 1) // 2
    return (count + MAPS_PER_BLOCK - 1) // MAPS_PER_BLOCK, WARP * MAPS_PER_BLOCK


MAPS_PER_BLOCK = 8
"""Number of maps per block of warps."""

# -- warps ----------------------------------------------------------------------------------------------------


@on_device
def _shuffle_down(value, lane, words):
    return uint64(cuda.shfl_up_sync(ALL_LANES, np.int64(value), 1))


@on_device
def _shuffle_up(value, lane, words):
    return uint64(cuda.shfl_down_sync(ALL_LANES, np.int64(value), 1))


@on_device
def _shuffle_from(value, source, lane, words):
    return uint64(cuda.shfl_sync(ALL_LANES, np.int64(value), source))


@on_device
def _vote(condition, slots):
    return cuda.any_sync(ALL_LANES, condition)


@on_device
def _vote_first(condition, lane, slots):
    votes = cuda.ballot_sync(ALL_LANES, condition)
    return int32(cuda.ffs(votes)) - int32(1) if votes != 0 else int32(NO_LANE)


@on_device
def _shuffle_sum(value, slots):
    total = int32(value)
    for distance in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(ALL_LANES, int32(total), distance)
    return total


warp = Group(_shuffle_down, _shuffle_up, _shuffle_from, _vote, _vote_first, _shuffle_sum)

# -- blocks ---------------------------------------------------------------------------------------------------


@on_device
def _share_down(value, lane, words):
    words[lane] = value
    cuda.syncthreads()
    moved = words[max(0, lane - 1)]
    cuda.syncthreads()
    return moved


@on_device
def _share_up(value, lane, words):
    words[lane] = value
    cuda.syncthreads()
    moved = words[min(lane + 1, cuda.blockDim.x - 1)]
    cuda.syncthreads()
    return moved


@on_device
def _share_from(value, source, lane, words):
    words[lane] = value
    cuda.syncthreads()
    moved = words[source]
    cuda.syncthreads()
    return moved


@on_device
def _share_vote(condition, slots):
    return cuda.syncthreads_or(int32(condition)) != 0


@on_device
def _share_first(condition, lane, slots):
    if lane == 0:
        slots[0] = NO_LANE
    cuda.syncthreads()
    if condition:
        cuda.atomic.min(slots, 0, lane)
    cuda.syncthreads()
    first = slots[0]
    cuda.syncthreads()
    return first


@on_device
def _share_sum(value, slots):
    if cuda.threadIdx.x == 0:
        slots[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(slots, 0, int32(value))
    cuda.syncthreads()
    total = slots[0]
    cuda.syncthreads()
    return total


block = Group(_share_down, _share_up, _share_from, _share_vote, _share_first, _share_sum)

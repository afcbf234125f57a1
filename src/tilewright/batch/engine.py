"""Engines: devices that make and measure the maps of a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import STREAM, Rng
from .program import BatchProgram

Keys = NDArray[np.uint64]
Planes = NDArray[np.uint64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Made:
    """Maps that an engine made."""

    numbers: Numbers
    """(map, column) numbers of each map; see `batch/columns.py`."""
    planes: Planes | None
    """(map, plane, row) bits of the states, or None if they are not kept."""


class MapEngine(Protocol):
    """A device that makes and measures the maps of a program."""

    device: str
    program: BatchProgram
    path: tuple[str, ...]
    """Names that lead from the stream of the seed to that of the maps."""

    def make_range(self, first: int, count: int, *, prefix: str, needs: int, keeps: bool) -> Made:
        """Make the maps of consecutive seeds: a prefix and a decimal number each."""
        ...

    def make_keys(self, keys: Keys, *, needs: int, keeps: bool) -> Made:
        """Make maps from the keys (map, word) of their streams."""
        ...


def encode_prefix(prefix: str) -> NDArray[np.uint8]:
    """Return the bytes that are hashed before the decimal digits of a seed."""
    return np.frombuffer(STREAM + prefix.encode(), dtype=np.uint8).copy()


def hash_seeds(seeds: Sequence[str], path: Sequence[str]) -> Keys:
    """Return the keys (seed, word) of a stream for any seeds.

    >>> hash_seeds(["7"], ["caves"])[0].tobytes() == Rng.of(7).child("caves").key
    True
    """
    keys = bytearray()
    for seed in seeds:
        stream = Rng.of(seed)
        for name in path:
            stream = stream.child(name)
        keys += stream.key
    return np.frombuffer(bytes(keys), dtype="<u8").astype(np.uint64).reshape(-1, 2)


def decode_cells(planes: Planes, program: BatchProgram) -> NDArray[np.generic]:
    """Return tile ids (map, row, column) from bit planes."""
    count, depth, height = planes.shape
    rows = planes.astype("<u8", copy=False).view(np.uint8).reshape(count, depth, height, 8)
    states = np.unpackbits(rows[:, 0], axis=-1, count=program.width, bitorder="little")
    for plane in range(1, depth):
        bits = np.unpackbits(rows[:, plane], axis=-1, count=program.width, bitorder="little")
        states |= bits << np.uint8(plane)
    dtype = program.recipe.tileset.dtype
    if (program.ids == np.arange(len(program.ids))).all():  # States are tiles.
        return states.astype(dtype, copy=False)
    return program.ids.astype(dtype)[states]

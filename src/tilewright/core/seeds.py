"""Seeds and streams: one random source, the same numbers in Python, numpy and kernels, on every machine.

SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014) with a gamma of its own
for every stream. A stream is named by a path from the seed (stage, part, retry ...) and keyed by blake2b, so that
adding a stage never shifts another one. numpy's Generator is not used because its streams may change between
versions. `kernels/random` holds the compiled twins of what is here; a test keeps them equal.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import inf
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .deprecation import renamed_members
from .errors import InvalidRecipe

T = TypeVar("T")
Seed = str
"""A seed in its one written form: text. 7 and "7" are the same seed."""

MAX_CHARACTERS = 1000
"""Of a seed: it is written into every file and into many a file's name."""
MASK = (1 << 64) - 1
STREAM = b"tilewright/1"
CELL_GAMMA = 0x9E3779B97F4A7C15
"""The step from one cell of a field to the next: 2^64 / golden ratio, odd."""
ROW_SALT = 0xD1B54A32D192ED03
"""Keeps the keys of rows apart from the bits of cells, which are made the same way."""


def read_seed(value: int | np.integer[Any] | str | None) -> Seed:
    """The written form of a seed; None picks one below 10^9."""
    if value is None:
        return str(secrets.randbelow(10**9))
    if isinstance(value, bool) or not isinstance(value, (int, str, np.integer)):
        raise InvalidRecipe("a whole number or a text", at="seed", got=value, rule="type")
    try:
        text = str(value)
        text.encode()
    except UnicodeEncodeError:
        raise InvalidRecipe("holds half a character, which no file can keep", at="seed", got=value) from None
    except ValueError:  # Python writes no numbers of more than some thousand digits
        raise InvalidRecipe(f"at most {MAX_CHARACTERS:,} digits, got more than can be written", at="seed") from None
    if not text:
        raise InvalidRecipe("the text is empty; leave the seed out to have one picked", at="seed")
    if len(text) > MAX_CHARACTERS:
        raise InvalidRecipe(f"at most {MAX_CHARACTERS:,} characters, got {len(text):,}", at="seed", rule="maximum")
    return text


def mix(value: int) -> int:
    """SplitMix64's finaliser: every input bit changes about half of the output bits."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def _mix_array(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`mix` on an array, in place."""
    value ^= value >> np.uint64(30)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(27)
    value *= np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    return value


def _positions(first: int, count: int) -> NDArray[np.uint64]:
    """`count` places in a row, modulo 2^64: the world has no edge at which numbers end."""
    return np.arange(count, dtype=np.uint64) + np.uint64(first & MASK)


@renamed_members(shuffled="shuffle", weighted="weighted_index")
class Rng:
    """One stream of random numbers.

    `state` is a uint64 array (state, gamma) that kernels take and advance; the methods here advance the same one,
    so Python and kernels can take turns. `key` is what cell fields and children grow from: it never changes.
    """

    __slots__ = ("_state", "key")

    def __init__(self, key: bytes) -> None:
        self.key = key
        """16 bytes: the stream's name, hashed."""
        self._state: NDArray[np.uint64] | None = None

    @property
    def state(self) -> NDArray[np.uint64]:
        """Made when first asked for: many a stream has only children and fields."""
        if self._state is None:
            state = int.from_bytes(self.key[:8], "little")
            gamma = int.from_bytes(self.key[8:], "little") | 1
            # A gamma with few bit changes makes a weak sequence (Steele et al., mixGamma).
            if (gamma ^ (gamma >> 1)).bit_count() < 24:
                gamma ^= 0xAAAAAAAAAAAAAAAA
            self._state = np.array([state, gamma], dtype=np.uint64)
        return self._state

    def __repr__(self) -> str:
        return f"Rng({self.key.hex()})"

    @classmethod
    def of(cls, seed: int | str) -> Rng:
        """The root stream of a seed."""
        return cls(blake2b(STREAM + read_seed(seed).encode(), digest_size=16).digest())

    def child(self, name: str, number: int = 0) -> Rng:
        """A stream of its own for a part, a retry or a member; the same whatever was drawn from this one."""
        text = f"{name}\x00{number}".encode()
        return Rng(blake2b(self.key + text, digest_size=16).digest())

    # -- one number at a time ---------------------------------------------------------------------------------

    def bits(self) -> int:
        """The next 64 random bits."""
        state = self.state
        value = (int(state[0]) + int(state[1])) & MASK
        state[0] = value
        return mix(value)

    def random(self) -> float:
        """A number in [0, 1) with 53 random bits."""
        return (self.bits() >> 11) * 2.0**-53

    def below(self, limit: int) -> int:
        """A whole number in [0, limit), exactly uniform up to 2^-32 (multiply-shift of the upper half)."""
        if not 0 < limit <= 1 << 32:
            raise ValueError(f"limit must be in 1..2^32, got {limit}")
        return ((self.bits() >> 32) * limit) >> 32

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high], both ends included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def choice(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def weighted_index(self, weights: Sequence[float]) -> int:
        """A position drawn in proportion to its weight."""
        total = 0.0
        for weight in weights:  # not sum(), which rounds otherwise from Python 3.12 on
            if not 0 <= weight < inf:
                raise ValueError(f"weights must be finite and not negative, got {weight}")
            total += weight
        if not 0 < total < inf:
            raise ValueError(f"weights must add up to more than nothing, got {total}")
        mark = self.random() * total
        last = 0
        for position, weight in enumerate(weights):
            if weight > 0:
                if mark < weight:
                    return position
                last = position
            mark -= weight
        return last

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Return a new list in random order (Fisher-Yates from the end)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    # -- many at once -----------------------------------------------------------------------------------------

    def randoms(self, count: int) -> NDArray[np.float64]:
        """The next `count` numbers of `random()` as an array."""
        steps = np.arange(1, count + 1, dtype=np.uint64)
        state = self.state
        steps *= state[1]
        steps += state[0]
        if count:
            state[0] = steps[-1]
        return (_mix_array(steps) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def cells(self, shape: Sequence[int], origin: Sequence[int] | None = None) -> NDArray[np.float64]:
        """A number in [0, 1) for every cell of a window, by absolute position alone.

        `origin` is the window's first cell, in the order of `shape`: (row, column) or (level, row, column).
        Two windows of one world agree where they overlap, and nothing is drawn from the stream: a second field
        needs a child of its own.
        """
        out = np.empty(tuple(shape), dtype=np.float64)
        for target, bits in zip(out.reshape(-1, out.shape[-1]), self._cell_rows(shape, origin), strict=True):
            np.multiply(bits >> np.uint64(11), 2.0**-53, out=target)
        return out

    def level_key(self, level: int = 0) -> int:
        """The key of one level, from which kernels make those of its rows; a flat map is level 0."""
        start = int.from_bytes(self.key[:8], "little") ^ ROW_SALT
        return mix((start + level * CELL_GAMMA) & MASK)

    def row_keys(self, shape: Sequence[int], origin: Sequence[int] | None = None) -> NDArray[np.uint64]:
        """One key per row of a window: the bits of column x in that row are `mix(key + x * CELL_GAMMA)`."""
        *outer, _ = shape
        *first, _ = origin if origin is not None else (0,) * len(shape)
        keys = np.array([int.from_bytes(self.key[:8], "little")], dtype=np.uint64)
        if len(outer) == 1:  # a flat map is level 0 of a world with levels
            outer, first = [1, *outer], [0, *first]
        for count, start in zip(outer, first, strict=True):
            steps = _positions(start, count) * np.uint64(CELL_GAMMA)
            keys = _mix_array((keys[:, None] ^ np.uint64(ROW_SALT)) + steps[None, :]).reshape(-1)
        return keys

    def _cell_rows(self, shape: Sequence[int], origin: Sequence[int] | None) -> Iterator[NDArray[np.uint64]]:
        """The 64 bits of every cell, row by row, so that large windows need no large temporaries."""
        first = origin[-1] if origin is not None else 0
        columns = _positions(first, shape[-1]) * np.uint64(CELL_GAMMA)
        for key in self.row_keys(shape, origin):
            yield _mix_array(columns + key)

"""Seeds and random streams, with the same numbers in Python, numpy and kernels on every machine.

The generator is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), with a
different gamma for each stream. A stream has a path of names from the seed, hashed with blake2b, so that adding a stage
does not change the numbers of another stage. numpy's Generator is not used because its streams may change between
versions. `kernels/random` has compiled versions of these functions; a test compares them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import inf
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe

T = TypeVar("T")
Seed = str
"""A seed as a string. 7 and "7" are the same seed."""

MAX_CHARACTERS = 1000
"""Maximum length of a seed, because file names may contain it."""
MASK = (1 << 64) - 1
STREAM = b"tilewright/1"
CELL_GAMMA = 0x9E3779B97F4A7C15
"""Difference of the states of two adjacent cells: the odd integer nearest to 2^64 / golden ratio."""
ROW_SALT = 0xD1B54A32D192ED03
"""Salt that makes the keys of rows differ from the bits of cells, which are computed the same way."""


def read_seed(value: int | np.integer[Any] | str | None) -> Seed:
    """Return a seed as a string. For None, return a random seed below 10^9."""
    if value is None:
        return str(secrets.randbelow(10**9))
    if isinstance(value, bool) or not isinstance(value, (int, str, np.integer)):
        raise InvalidRecipe("must be an integer or a string", at="seed", got=value, rule="type")
    try:
        text = str(value)
        text.encode()
    except UnicodeEncodeError:
        raise InvalidRecipe("contains half a surrogate pair, which cannot be stored", at="seed", got=value) from None
    except ValueError:  # Python limits the number of digits that it converts.
        raise InvalidRecipe(f"must be at most {MAX_CHARACTERS:,} digits, got more", at="seed") from None
    if not text:
        raise InvalidRecipe("must not be empty; leave it out for a random seed", at="seed")
    if len(text) > MAX_CHARACTERS:
        raise InvalidRecipe(
            f"must be at most {MAX_CHARACTERS:,} characters, got {len(text):,}", at="seed", rule="maximum"
        )
    return text


def number_seed(seed: Seed, number: int) -> Seed:
    """Return the seed of one of several maps, which are numbered from 0.

    >>> number_seed("7", 0)
    '7-0'
    """
    return f"{seed}-{number}"


def mix(value: int) -> int:
    """Apply the finalizer of SplitMix64, in which each input bit changes about half of the output bits."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def _mix_array(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply `mix` to an array in place."""
    value ^= value >> np.uint64(30)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(27)
    value *= np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    return value


def _positions(first: int, count: int) -> NDArray[np.uint64]:
    """Return `count` consecutive coordinates modulo 2^64, so that worlds have no edge."""
    return np.arange(count, dtype=np.uint64) + np.uint64(first & MASK)


class Rng:
    """A stream of random numbers.

    The methods and the kernels advance the same `state`, so both can draw from one stream. `child` and `cells` depend
    only on `key`, which never changes, and draw nothing from the stream.

    Parameters
    ----------
    key
        16 bytes that identify the stream. Use `Rng.of` for the stream of a seed.

    Examples
    --------
    >>> rng = Rng.of(7)
    >>> rng.between(1, 6), rng.choice("abc"), rng.random() < 1
    (2, 'a', True)
    >>> rng.child("rooms").key == Rng.of(7).child("rooms").key
    True
    """

    __slots__ = ("_state", "key")

    def __init__(self, key: bytes) -> None:
        self.key = key
        """16 bytes: hash of the names that lead to the stream."""
        self._state: NDArray[np.uint64] | None = None

    @property
    def state(self) -> NDArray[np.uint64]:
        """uint64 array (state, gamma), which kernels advance. Created at first use: many streams need only a key."""
        if self._state is None:
            state = int.from_bytes(self.key[:8], "little")
            gamma = int.from_bytes(self.key[8:], "little") | 1
            # A gamma with few bit transitions makes a weak sequence (Steele et al., mixGamma).
            if (gamma ^ (gamma >> 1)).bit_count() < 24:
                gamma ^= 0xAAAAAAAAAAAAAAAA
            self._state = np.array([state, gamma], dtype=np.uint64)
        return self._state

    def __repr__(self) -> str:
        return f"Rng({self.key.hex()})"

    @classmethod
    def of(cls, seed: int | str) -> Rng:
        """Return the root stream of a seed."""
        return cls(blake2b(STREAM + read_seed(seed).encode(), digest_size=16).digest())

    def child(self, name: str, number: int = 0) -> Rng:
        """Return an independent stream, which does not depend on the numbers drawn from this stream.

        Parameters
        ----------
        name
            Name of the child, such as the step of the technique that draws from it.
        number
            Number of the child among those of the same name, such as a retry.

        Returns
        -------
        Rng
            The stream.
        """
        text = f"{name}\x00{number}".encode()
        return Rng(blake2b(self.key + text, digest_size=16).digest())

    # -- single numbers ---------------------------------------------------------------------------------------

    def bits(self) -> int:
        """Draw 64 random bits."""
        state = self.state
        value = (int(state[0]) + int(state[1])) & MASK
        state[0] = value
        return mix(value)

    def random(self) -> float:
        """Draw a number in [0, 1) with 53 random bits."""
        return (self.bits() >> 11) * 2.0**-53

    def below(self, limit: int) -> int:
        """Draw an integer in [0, limit), uniform up to an error of 2^-32 (multiply-shift of the upper half)."""
        if not 0 < limit <= 1 << 32:
            raise ValueError(f"limit must be in 1..2^32, got {limit}")
        return ((self.bits() >> 32) * limit) >> 32

    def between(self, low: int, high: int) -> int:
        """Draw an integer in [low, high], both ends included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.random() < probability

    def choice(self, options: Sequence[T]) -> T:
        """Draw one of the options, all with the same probability."""
        return options[self.below(len(options))]

    def weighted_index(self, weights: Sequence[float]) -> int:
        """Draw a position with a probability in proportion to its weight."""
        total = 0.0
        for weight in weights:  # sum() rounds differently since Python 3.12.
            if not 0 <= weight < inf:
                raise ValueError(f"weights must be finite and not negative, got {weight}")
            total += weight
        if not 0 < total < inf:
            raise ValueError(f"the sum of the weights must be finite and more than 0, got {total}")
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

    # -- arrays -----------------------------------------------------------------------------------------------

    def randoms(self, count: int) -> NDArray[np.float64]:
        """Draw an array of `count` numbers, the same as `count` calls of `random()`."""
        steps = np.arange(1, count + 1, dtype=np.uint64)
        state = self.state
        steps *= state[1]
        steps += state[0]
        if count:
            state[0] = steps[-1]
        return (_mix_array(steps) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def cells(self, shape: Sequence[int], origin: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Return a number in [0, 1) for each cell of a window, which depends only on the key and the cell's position.

        Windows of the same world agree where they overlap. The stream is not advanced, so use a different child stream
        for each array.

        Parameters
        ----------
        shape
            Shape of the window: (row, column) or (level, row, column).
        origin
            Position of the window's first cell in the world, in the same order. The default is 0.

        Returns
        -------
        ndarray of float64
            The numbers.

        Examples
        --------
        >>> rng = Rng.of(7)
        >>> bool((rng.cells((4, 4))[1:, 2:] == rng.cells((3, 2), (1, 2))).all())
        True
        """
        out = np.empty(tuple(shape), dtype=np.float64)
        for target, bits in zip(out.reshape(-1, out.shape[-1]), self._cell_rows(shape, origin), strict=True):
            np.multiply(bits >> np.uint64(11), 2.0**-53, out=target)
        return out

    def level_key(self, level: int = 0) -> int:
        """Return the key of a level, from which kernels compute the keys of its rows. A 2D map is level 0."""
        start = int.from_bytes(self.key[:8], "little") ^ ROW_SALT
        return mix((start + level * CELL_GAMMA) & MASK)

    def row_keys(self, shape: Sequence[int], origin: Sequence[int] | None = None) -> NDArray[np.uint64]:
        """Return a key for each row of a window. The bits of column x in that row are `mix(key + x * CELL_GAMMA)`."""
        *outer, _ = shape
        *first, _ = origin if origin is not None else (0,) * len(shape)
        keys = np.array([int.from_bytes(self.key[:8], "little")], dtype=np.uint64)
        if len(outer) == 1:  # A 2D map is level 0.
            outer, first = [1, *outer], [0, *first]
        for count, start in zip(outer, first, strict=True):
            steps = _positions(start, count) * np.uint64(CELL_GAMMA)
            keys = _mix_array((keys[:, None] ^ np.uint64(ROW_SALT)) + steps[None, :]).reshape(-1)
        return keys

    def _cell_rows(self, shape: Sequence[int], origin: Sequence[int] | None) -> Iterator[NDArray[np.uint64]]:
        """Yield the 64 bits of each cell row by row, which avoids large temporary arrays."""
        first = origin[-1] if origin is not None else 0
        columns = _positions(first, shape[-1]) * np.uint64(CELL_GAMMA)
        for key in self.row_keys(shape, origin):
            yield _mix_array(columns + key)

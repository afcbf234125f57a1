"""Caches: of what is learned from samples, bounded by its size in memory, and of the most recently used values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import cache, wraps
from itertools import islice
from math import inf
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
MAX_CACHED_BYTES = 1 << 27
"""Maximum size of all cached values and arguments together, in bytes."""
MAX_COUNTED = 100_000
"""Maximum number of objects that are counted of one value."""
MAX_RECOUNTED = 8
"""Number of the most recently used values that are counted again when another one is stored."""
OBJECT_BYTES = 56
"""Approximate size of a small object and the reference to it."""
ATOMS = (int, float, bool, type(None), np.generic, np.dtype, type, ModuleType, FunctionType)
COMMON_ATOMS = frozenset(ATOMS[:4])


class LruCache(Generic[K, T]):
    """The most recently used values, up to a number of values and a total size."""

    def __init__(self, max_size: float = inf, max_count: float = inf) -> None:
        self.max_size, self.max_count = max_size, max_count
        self.size = 0.0
        self._entries: OrderedDict[K, tuple[T, float]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> T | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: K, value: T, size: float = 0) -> None:
        """Store a value, and drop the oldest ones. The newest is always kept."""
        self.remove(key)
        with self._lock:
            self._entries[key] = value, size
            self.size += size
            while len(self._entries) > 1 and (len(self._entries) > self.max_count or self.size > self.max_size):
                self.size -= self._entries.popitem(last=False)[1][1]

    def remove(self, key: K) -> None:
        with self._lock:
            self.size -= self._entries.pop(key, (None, 0))[1]


class SizedCache:
    """The values of several functions. The least recently used ones are dropped when all together are too large."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self.max_bytes = max_bytes
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._total = 0
        """Sum of the sizes."""
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value of a key; if it is not stored, compute and store it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: T = self._values[key]
                return found
        value = compute()
        size = count_bytes((key, value))
        if size <= self.max_bytes:
            with self._lock:
                self._recount()
                self._values[key] = value
                self._values.move_to_end(key)
                self._set_size(key, size)
                while self._total > self.max_bytes:
                    oldest, _ = self._values.popitem(last=False)
                    self._total -= self._sizes.pop(oldest)
        return value

    def count_bytes(self) -> int:
        """Return the approximate size of all stored values and their arguments."""
        with self._lock:
            return sum(map(count_bytes, self._values.items()))

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._sizes.clear()
            self._total = 0

    def _recount(self) -> None:
        """Count the most recently used values again, because cached properties make values larger while they are used.

        Counting all values takes seconds if they are many.
        """
        for key in islice(reversed(self._values), MAX_RECOUNTED):
            self._set_size(key, count_bytes((key, self._values[key])))

    def _set_size(self, key: Hashable, size: int) -> None:
        self._total += size - self._sizes.get(key, 0)
        self._sizes[key] = size


shared_cache = SizedCache()
"""The cache of this process."""


def cached_by_size(function: Callable[P, T]) -> Callable[P, T]:
    """Cache the values of a function in `shared_cache`. Arguments are positional and hashable."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (function.__module__, function.__qualname__, args, tuple(kwargs.items()))
        return shared_cache.get(key, lambda: function(*args, **kwargs))

    return call


def count_bytes(value: object) -> int:
    """Return the approximate size of a value in memory, with everything that it refers to.

    >>> count_bytes(np.zeros((100, 100))) // 1000
    80
    """
    total, waiting = 0, [value]
    seen: set[int] = set()
    while waiting and len(seen) < MAX_COUNTED:
        one = waiting.pop()
        kind = type(one)
        total += OBJECT_BYTES
        if kind in COMMON_ATOMS or id(one) in seen:
            continue
        seen.add(id(one))
        if kind is str:  # Comparing types is much faster than `isinstance`, and strings and tuples are the most common.
            total += len(one)  # type: ignore[arg-type]
        elif kind is tuple:
            waiting += one  # type: ignore[arg-type]
        elif isinstance(one, ATOMS):
            pass
        elif isinstance(one, np.ndarray):
            total += one.nbytes
        elif isinstance(one, (str, bytes, bytearray)):
            total += len(one)
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (tuple, list, set, frozenset)):
            waiting += one
        else:
            waiting += _list_attributes(one)
    return total


def _list_attributes(one: object) -> list[object]:
    own = [getattr(one, name, None) for name in _list_slots(type(one))]  # type: ignore[arg-type]
    named = getattr(one, "__dict__", None)  # Wrappers of C libraries give any attribute a value.
    return [*own, *named.values()] if isinstance(named, Mapping) else own


@cache
def _list_slots(kind: type) -> list[str]:
    """Return the names of a type's attributes that are not in a dictionary."""
    slots = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    return [name for name in slots if not name.startswith("__")]

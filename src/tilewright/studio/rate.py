"""Number of steps per second of a running job."""

from __future__ import annotations

import time
from collections import deque

RATE_SECONDS = 3.0
"""Seconds over which a rate is averaged."""


class RateMeter:
    """Average number of steps per second in the last seconds."""

    def __init__(self) -> None:
        self._times: deque[tuple[float, int]] = deque()
        """Times with the number of steps until then."""

    def add(self, count: int) -> None:
        """Note the number of steps until now."""
        now = time.monotonic()
        self._times.append((now, count))
        while len(self._times) > 2 and self._times[0][0] < now - RATE_SECONDS:
            self._times.popleft()

    def clear(self) -> None:
        """Forget all steps, such as after a pause."""
        self._times.clear()

    @property
    def rate(self) -> float:
        """Steps per second; 0 if unknown."""
        if len(self._times) < 2:
            return 0.0
        (first, before), (last, after) = self._times[0], self._times[-1]
        return (after - before) / (last - first) if last > first else 0.0

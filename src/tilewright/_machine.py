"""Resources of this machine."""

from __future__ import annotations

import os


def available_memory() -> int:
    """Return the number of bytes of memory available now, or 0 if it is unknown."""
    try:
        with open("/proc/meminfo") as report:  # On Linux, this number includes memory that can be reclaimed.
            found = next(line for line in report if line.startswith("MemAvailable"))
        return int(found.split()[1]) * 1024
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0

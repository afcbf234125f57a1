"""What this machine has to offer."""

from __future__ import annotations

import os


def available_memory() -> int:
    """Return the bytes of memory that could be used now; 0 where the machine does not say."""
    try:
        with open("/proc/meminfo") as report:  # only Linux says how much could be freed
            found = next(line for line in report if line.startswith("MemAvailable"))
        return int(found.split()[1]) * 1024
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0

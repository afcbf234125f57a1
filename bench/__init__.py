"""Benchmarks of Tilewright and alternatives: `python -m bench`, or `python -m bench caves`.

Every module with a function `rows()` is a subject; there is no table to edit. It first checks that all implementations
give the same cells. It then measures them in turns, so that a busy machine slows all of them, and keeps the best time
of each.
"""

import os

# One thread for all, set before numpy and numba are imported: maps are generated in parallel, not their cells.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

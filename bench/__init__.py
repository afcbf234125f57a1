"""How fast Tilewright is, beside what people would use instead: `python -m bench`, or `python -m bench caves`.

Every file here with a function `rows()` is a subject; there is no table to edit. It checks first that all it compares
give the same cells, then measures them in turns, so that a busy machine slows all alike, and keeps the best of each.
"""

import os

# One thread for all, told before numpy and numba are imported: maps are made in parallel, not their cells.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

"""CUDA counterparts of the kernels, written with numba-cuda. They give the same bytes as the kernels for CPUs.

Modules of this package import numba-cuda, so import them only after `find_problem` has returned nothing.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec


def is_simulated() -> bool:
    """Return whether numba-cuda's simulator runs the kernels in Python, which is for tests."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


@cache
def find_problem() -> str:
    """Return why no GPU can be used, in one line; an empty string if one can be."""
    if find_spec("numba_cuda") is None:
        return "the extra gpu is not installed: pip install 'tilewright[gpu]'"
    from numba import cuda

    if is_simulated():
        return ""
    try:
        cuda.current_context()
    except Exception as error:  # numba-cuda raises errors of the driver, of its bindings and of the system's loader
        reason = " ".join(str(error).replace("Error at driver init:", "").split()).rstrip(" :")[:160]
        return f"CUDA found no usable GPU or driver ({reason or type(error).__name__})"
    return ""

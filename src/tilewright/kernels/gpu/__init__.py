"""CUDA counterparts of the kernels, written with numba-cuda. They give the same bytes as the kernels for CPUs.

Modules of this package import numba-cuda, so import them only after `find_problem` has returned nothing.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from importlib.util import find_spec

import numpy as np


def is_simulated() -> bool:
    """Return whether numba-cuda's simulator runs the kernels in Python, which is for tests."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


@cache
def find_problem() -> str:
    """Return why no GPU can be used, in one line; an empty string if one can be."""
    if find_spec("numba_cuda") is None:
        return "the extra gpu is not installed: pip install 'tilewright[gpu]'"
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # which has no `row_stack`
        return f"numba-cuda needs numpy before 2.5, and {np.__version__} is installed: pip install 'tilewright[gpu]'"
    if is_simulated():
        return ""
    try:  # This takes no time, unlike the import of numba-cuda.
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return "there is no NVIDIA driver on this machine"
    from numba import cuda

    try:
        cuda.current_context()
    except Exception as error:  # numba-cuda raises errors of the driver, of its bindings and of the system's loader
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        return f"CUDA found no usable GPU, or the driver is too old ({reason})"
    return ""

"""Parts of the kernels for CPUs as device functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda.core import config

from .. import Kernel
from ..bit_rows import count_bits, reverse_bits
from . import is_simulated

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # Small ranges need few blocks; users cannot change that.


def on_device(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call. It is inlined by LLVM, because inlining by numba takes minutes."""
    return (cuda.jit(device=True) if is_simulated() else cuda.jit(device=True, forceinline=True))(function)


def compile_kernel(max_registers: int) -> Any:
    """Return the decorator of a kernel whose threads have at most this number of registers."""
    return cuda.jit if is_simulated() else cuda.jit(max_registers=max_registers)


@on_device
def count_bits_on_gpu(word: np.uint64) -> np.int32:
    """Return the number of set bits."""
    return np.int32(cuda.popc(word))


@on_device
def reverse_bits_on_gpu(word: np.uint64) -> np.uint64:
    """Return the word with bit 0 at bit 63."""
    return np.uint64(cuda.brev(word))


INSTRUCTIONS: dict[Kernel[..., Any], Any] = {count_bits: count_bits_on_gpu}
"""Parts that are one instruction of a GPU, which its compiler does not recognize."""
if not is_simulated():  # The simulator reverses 32 bits only.
    INSTRUCTIONS[reverse_bits] = reverse_bits_on_gpu


@cache
def port(part: Kernel[..., Any]) -> Any:
    """Return a part as a device function. The parts that it calls are ported, too."""
    if part in INSTRUCTIONS:
        return INSTRUCTIONS[part]
    plain = part.__wrapped__
    assert isinstance(plain, FunctionType)
    known = dict(plain.__globals__)
    known |= {callee.__wrapped__.__name__: port(callee) for callee in part.callees()}
    moved = FunctionType(plain.__code__, known, plain.__name__, plain.__defaults__, plain.__closure__)
    moved.__module__, moved.__qualname__ = plain.__module__, plain.__qualname__
    return on_device(moved)

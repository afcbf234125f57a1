"""Parts of the kernels for CPUs as device functions: `port` for integers, and `unfuse` for floats that round like CPUs.

Compilers for GPUs fuse a product and a sum into one operation, which rounds once instead of twice. numba-cuda has no
option against it. In parts that are unfused, products become calls of `multiply`, which is never fused.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba import cuda, types
from numba.cuda import libdevice
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


# -- floats -------------------------------------------------------------------------------------------------


def multiply(a, b):
    """Return a product that is rounded before it is added to anything."""
    return a * b


if not is_simulated():
    from numba.cuda.extending import overload

    @overload(multiply, target="cuda")
    def _multiply_on_gpu(a, b):
        if isinstance(a, types.Float) or isinstance(b, types.Float):
            return lambda a, b: libdevice.dmul_rn(a, b)
        return lambda a, b: a * b


NUMPY_FUNCTIONS = {"sqrt": libdevice.dsqrt_rn, "floor": libdevice.floor, "minimum": libdevice.fmin}
"""Counterparts of numpy's functions, which numba-cuda does not compile."""


class _SplitProducts(ast.NodeTransformer):
    """Replace products by calls of `multiply`, and functions of numpy by those of libdevice."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return _call_multiply(node.left, node.right) if isinstance(node.op, ast.Mult) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mult):
            return node
        assert isinstance(node.target, ast.Name)
        before = ast.Name(node.target.id, ast.Load())
        return ast.Assign([node.target], _call_multiply(before, node.value))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        is_numpy = isinstance(node.value, ast.Name) and node.value.id == "np"
        return ast.Name(node.attr, ast.Load()) if is_numpy and node.attr in NUMPY_FUNCTIONS else node


def _call_multiply(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("multiply", ast.Load()), [left, right], [])


@cache
def unfuse(part: Kernel[..., Any] | Callable[..., Any]) -> Any:
    """Return a part, or a plain function, as a device function without fused products, as are the parts it calls."""
    if is_simulated():
        return port(part) if isinstance(part, Kernel) else on_device(part)
    plain = part.__wrapped__ if isinstance(part, Kernel) else part
    assert isinstance(plain, FunctionType)
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    changed = ast.fix_missing_locations(_SplitProducts().visit(tree))
    module = compile(changed, inspect.getfile(plain), "exec", dont_inherit=True)
    (code,) = (constant for constant in module.co_consts if isinstance(constant, CodeType))
    known = plain.__globals__ | NUMPY_FUNCTIONS | {"multiply": multiply}
    if isinstance(part, Kernel):
        known |= {callee.__wrapped__.__name__: unfuse(callee) for callee in part.callees()}
    return on_device(FunctionType(code, known, plain.__name__))

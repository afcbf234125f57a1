"""The device on which single maps are made: the CPU, or a GPU for techniques that have kernels for large maps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...core.errors import Fix, InvalidRecipe
from . import find_problem

DEVICES = ("cpu", "gpu")
TECHNIQUES = ("fashion",)
"""Techniques that make single maps on a GPU."""
_device: ContextVar[str] = ContextVar("device", default="cpu")


def wants_gpu() -> bool:
    """Return whether the current map is to be made on a GPU."""
    return _device.get() == "gpu"


@contextmanager
def use_device(device: str, technique: str) -> Iterator[None]:
    """Make maps of a technique on a device, in this block.

    Raises
    ------
    InvalidRecipe
        If there is no such device, no GPU can be used, or the technique makes no single maps on a GPU.
    """
    if device not in DEVICES:
        raise InvalidRecipe(f"must be {' or '.join(DEVICES)}", at="device", got=device, rule="choice")
    if device == "gpu":
        fixes = [Fix("set", ("device",), "cpu")]
        if technique not in TECHNIQUES:
            text = f"single maps of {technique} are made on the CPU; seek, corpora and make_many use a GPU"
            raise InvalidRecipe(text, at="device", rule="conflict", fixes=fixes)
        if wrong := find_problem():
            raise InvalidRecipe(wrong, at="device", got=device, rule="missing", fixes=fixes)
    before = _device.set(device)
    try:
        yield
    finally:
        _device.reset(before)

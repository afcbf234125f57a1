"""The optional dependency torch."""

from __future__ import annotations

from importlib.util import find_spec

from ..core.errors import TilewrightError


def has_torch() -> bool:
    """Return whether torch is installed."""
    return find_spec("torch") is not None


def refuse_without_torch(what: str) -> None:
    """Raise an error with installation instructions if torch is missing; `what` is what needs it."""
    if not has_torch():
        raise TilewrightError(f'{what} needs torch; install it with: pip install "tilewright[neural]"')


def choose_device(device: str) -> str:
    """Return the torch device of a name: `cpu`, `cuda`, or with `auto` the one that is faster and exists.

    Raises
    ------
    TilewrightError
        If there is no such device on this machine.
    """
    import torch

    has_cuda = torch.cuda.is_available()
    if device == "cuda" and not has_cuda:
        raise TilewrightError("torch finds no CUDA device on this machine; use device=cpu")
    return "cuda" if has_cuda and device == "auto" else "cpu" if device == "auto" else device

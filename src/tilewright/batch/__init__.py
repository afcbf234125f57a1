"""Many maps of one recipe at once: kernels make and measure thousands of small maps in one call.

A `Scanner` tests a range of seeds against requirements. `open_scanner` returns one for recipes that have kernels on the
chosen device. The maps and measures are those of `tw.run` and `tw.measure`, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..core.errors import InvalidRecipe
from ..core.many_maps import NoKernel as NoKernel
from ..core.recipe import Recipe
from ..core.require import Requirement
from ..kernels.gpu import find_problem
from .scanner import EngineScanner
from .scanner import ScanBound as ScanBound
from .scanner import Scanner as Scanner
from .scanner import ScanResult as ScanResult
from .scanner import bin_width as bin_width
from .scanner import count_bins as count_bins
from .scanner import find_better as find_better
from .scanner import find_bins as find_bins

if TYPE_CHECKING:
    from .engine import MapEngine

Device = Literal["auto", "cpu", "gpu"]
DEVICES: tuple[Device, ...] = ("auto", "cpu", "gpu")


def open_engine(recipe: Recipe, device: str = "auto") -> MapEngine:
    """Return the engine that makes the maps of a recipe: the GPU if there is one, otherwise the CPU.

    Raises
    ------
    NoKernel
        If the recipe has no kernels. The message is the reason.
    InvalidRecipe
        If there is no such device, or if the device is `gpu` and no GPU can be used.
    """
    from .program import BatchProgram

    if device not in DEVICES:
        raise InvalidRecipe(f"must be one of {', '.join(DEVICES)}", at="device", got=device, rule="choice")
    if device == "gpu" and (missing := find_problem()):
        raise InvalidRecipe(missing, at="device", got="gpu", rule="missing")
    program = BatchProgram.of(recipe)
    if device != "cpu" and has_gpu():
        from .gpu import GpuEngine

        try:
            return GpuEngine(program)
        except NoKernel:
            if device == "gpu":
                raise
    from .cpu import CpuEngine

    return CpuEngine(program)


def open_scanner(
    recipe: Recipe, requirements: Sequence[Requirement], measures: Sequence[str], device: str = "auto"
) -> Scanner:
    """Return a scanner of a recipe's seeds.

    Parameters
    ----------
    recipe
        The recipe. Its seed is ignored.
    requirements
        Requirements for the measures, at most one of which is `most` or `least`.
    measures
        Measures to record, including those of the requirements.
    device
        `cpu`, `gpu`, or `auto` for the GPU if there is one.

    Raises
    ------
    NoKernel
        If the recipe or a measure has no kernels. The message is the reason.
    InvalidRecipe
        If there is no such device, or if the device is `gpu` and no GPU can be used.
    """
    engine = open_engine(recipe, device)
    if engine.device == "gpu":
        from .gpu import GpuEngine, GpuScanner

        assert isinstance(engine, GpuEngine)
        return GpuScanner(engine, requirements, measures)
    return EngineScanner(engine, requirements, measures)


def has_gpu() -> bool:
    """Return whether a GPU can be used."""
    return not find_problem()

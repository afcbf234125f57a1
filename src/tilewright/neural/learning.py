"""Learning of a network from maps: training in PyTorch, then quantization.

A checkpoint holds the state of an unfinished training. It is continued if the maps and settings are the same.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.model import Checkpoint
from ..core.network import VERSION, Network
from ._torch import choose_device, refuse_without_torch
from .architecture import SIZES
from .quantization import quantize
from .training_set import TrainingSet

if TYPE_CHECKING:
    from .training import TrainedWeights, Trainer, TrainingProgress

KEY = "key"
"""Name of the array of a checkpoint that identifies its maps and settings."""


@dataclass(frozen=True, kw_only=True)
class LearningSettings:
    """How a network is learned; `of_size` has the defaults."""

    size: str
    """Name of an architecture in `SIZES`."""
    steps: int
    """Number of training steps."""
    crop: int
    """Maximum edge length of the windows to train on."""
    batch: int
    """Number of windows per step."""
    symmetry: int = 1
    """Number of views of the maps: 1 as they are, 2 also mirrored, 8 also rotated."""
    seed: int = 1
    device: str = "auto"
    """auto, cpu or cuda."""

    @classmethod
    def of_size(
        cls,
        size: str,
        *,
        steps: int | None = None,
        crop: int | None = None,
        batch: int | None = None,
        symmetry: int = 1,
        seed: int = 1,
        device: str = "auto",
    ) -> LearningSettings:
        """Return settings, with the defaults of a size for what is None."""
        default_steps, default_crop, default_batch = DEFAULTS[size]
        return cls(
            size=size,
            steps=steps or default_steps,
            crop=crop or default_crop,
            batch=batch or default_batch,
            symmetry=symmetry,
            seed=seed,
            device=device,
        )


DEFAULTS: Mapping[str, tuple[int, int, int]] = {
    "small": (4000, 24, 32),
    "normal": (15_000, 32, 64),
    "large": (15_000, 40, 64),
}
"""Default steps, crop and batch by size."""
OnTraining = Callable[["TrainingProgress", Callable[[], Network]], None]
"""Function that is called every few steps, with the progress and a function that returns the present network."""


def learn_network(
    training_set: TrainingSet,
    settings: LearningSettings,
    *,
    name: str = "",
    on_progress: OnTraining | None = None,
    checkpoint: Checkpoint | None = None,
) -> Network:
    """Learn a network from maps.

    Parameters
    ----------
    training_set
        The maps and their tiles.
    settings
        Size of the network, and how to train it.
    name
        Name of the network.
    on_progress
        Function that is called every few steps.
    checkpoint
        Storage for the state of the training. A stored state of the same maps and settings is continued.

    Returns
    -------
    Network
        The quantized network.

    Raises
    ------
    TilewrightError
        If PyTorch is not installed, or the device is not available.
    InvalidRecipe
        If the training diverged.
    """
    refuse_without_torch("learning a network")
    from .training import Trainer, TrainingSettings

    settings = replace(settings, device=choose_device(settings.device))
    architecture = SIZES[settings.size]
    if settings.device == "cpu" and settings.size != "small":
        warnings.warn(f"a {settings.size} network takes hours on a CPU; size=small takes minutes", stacklevel=2)
    maps, held_out = training_set.split(settings.symmetry)
    training = Trainer(
        maps,
        held_out,
        len(training_set.labels),
        TrainingSettings(
            architecture=architecture,
            steps=settings.steps,
            batch=settings.batch,
            crop=settings.crop,
            seed=settings.seed,
            device=settings.device,
        ),
    )
    key = _find_key(training_set, settings)
    if checkpoint is not None:
        _restore(training, checkpoint, key)
    curve: list[list[float | int | None]] = []

    def build(trained: TrainedWeights) -> Network:
        manifest = _make_manifest(training_set, settings, trained.progress, curve)
        arrays = quantize(trained.weights, trained.ranges)
        return Network(training_set.labels, training_set.tileset, architecture.dilations, arrays, manifest, name)

    def store() -> None:
        if checkpoint is not None:
            checkpoint.store({KEY: key, **training.read_state()})

    def report(progress: TrainingProgress) -> None:
        if on_progress is not None:
            on_progress(progress, lambda: build(training.read_average()))

    def report_evaluation(progress: TrainingProgress) -> None:
        curve.append([progress.step, _round(progress.loss), _round(progress.held_out_loss)])
        store()
        report(progress)

    try:
        return build(training.run(report_evaluation, report))
    except BaseException:  # Ctrl-C, for example: nothing that was learned is lost.
        store()
        raise


def _find_key(training_set: TrainingSet, settings: LearningSettings) -> NDArray[np.uint8]:
    """Return the digest of everything that a checkpoint depends on. The device may change."""
    own = {name: value for name, value in asdict(settings).items() if name != "device"}
    architecture = asdict(SIZES[settings.size])
    text = json.dumps([VERSION, training_set.digests, training_set.labels, own, architecture])
    return np.frombuffer(blake2b(text.encode(), digest_size=16).digest(), dtype=np.uint8)


def _restore(training: Trainer, checkpoint: Checkpoint, key: NDArray[np.uint8]) -> None:
    """Continue a training if its checkpoint is of the same maps and settings."""
    state = checkpoint.load()
    if state is not None and np.array_equal(state.get(KEY, ()), key):
        training.restore(state)


def _make_manifest(
    training_set: TrainingSet,
    settings: LearningSettings,
    progress: TrainingProgress,
    curve: list[list[float | int | None]],
) -> dict[str, Any]:
    from .. import __version__

    sizes = sorted({f"{map.shape[1]}x{map.shape[0]}" for map in training_set.maps})
    return {
        "tilewright": __version__,
        "maps": len(training_set.maps),
        "cells": sum(map.size for map in training_set.maps),
        "sizes": sizes if len(sizes) <= 8 else [sizes[0], "...", sizes[-1]],
        "pieces": "chosen" if training_set.are_pieces_chosen else "learned",
        "settings": {name: value for name, value in asdict(settings).items() if name != "device"},
        "steps": progress.step,
        "loss": _round(progress.loss),
        "held_out_loss": _round(progress.held_out_loss),
        "curve": list(curve),
        "digests": training_set.digests,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 5)

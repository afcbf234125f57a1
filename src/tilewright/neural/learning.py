"""Learning of a network from maps: training in PyTorch, then quantization.

A checkpoint holds the state of an unfinished training. It is continued if the maps and settings are the same.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import TilewrightError
from ..core.model import Checkpoint
from ..core.network import VERSION, Network
from ._torch import choose_device, refuse_without_torch
from .quantization import quantize
from .settings import TrainingSettings
from .training_set import TrainingSet

if TYPE_CHECKING:
    from .training import TrainedWeights, Trainer, TrainingProgress

KEY, CURVE = "key", "curve"
"""Names of the arrays of a checkpoint that identify its maps and settings, and contain its losses."""
LossCurve = list[list[float | int | None]]
"""Step, training loss and held-out loss of each evaluation."""
OnTraining = Callable[["TrainingProgress", Callable[[], Network]], None]
"""Function that is called every few steps, with the progress and a function that returns the present network."""


def learn_network(
    training_set: TrainingSet,
    settings: TrainingSettings,
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
    from torch import OutOfMemoryError

    from .training import Trainer

    settings = replace(settings, device=choose_device(settings.device))
    if settings.device == "cpu" and settings.size != "small":
        warnings.warn(f"a {settings.size} network takes hours on a CPU; size=small takes minutes", stacklevel=2)
    maps, held_out = training_set.split(settings.symmetry)
    training = Trainer(maps, held_out, len(training_set.labels), settings)
    key = _find_key(training_set, settings)
    curve = [] if checkpoint is None else _restore(training, checkpoint, key)

    def build(trained: TrainedWeights) -> Network:
        manifest = _make_manifest(training_set, settings, trained.progress, curve)
        arrays = quantize(trained.weights, trained.ranges)
        return Network(
            training_set.labels, training_set.tileset, settings.architecture.dilations, arrays, manifest, name
        )

    def store() -> None:
        if checkpoint is not None:
            losses = np.array(curve, dtype=np.float64).reshape(-1, 3)
            checkpoint.store({KEY: key, CURVE: losses, **training.read_state()})

    def report(progress: TrainingProgress) -> None:
        if on_progress is not None:
            on_progress(progress, lambda: build(training.read_average()))

    def report_evaluation(progress: TrainingProgress) -> None:
        curve.append([progress.step, _round(progress.loss), _round(progress.held_out_loss)])
        store()
        report(progress)

    try:
        return build(training.run(report_evaluation, report))
    except (MemoryError, OutOfMemoryError):  # The checkpoint of the last evaluation stays.
        raise TilewrightError("not enough memory for the training; use a smaller batch or crop") from None
    except BaseException:  # Ctrl-C, for example: nothing that was learned is lost.
        store()
        raise


def _find_key(training_set: TrainingSet, settings: TrainingSettings) -> NDArray[np.uint8]:
    """Return the digest of everything that a checkpoint depends on. The device may change."""
    own = {name: value for name, value in asdict(settings).items() if name != "device"}
    text = json.dumps([VERSION, training_set.digests, training_set.labels, own, asdict(settings.architecture)])
    return np.frombuffer(blake2b(text.encode(), digest_size=16).digest(), dtype=np.uint8)


def _restore(training: Trainer, checkpoint: Checkpoint, key: NDArray[np.uint8]) -> LossCurve:
    """Continue a training if its checkpoint is of the same maps and settings; return its losses so far."""
    state = checkpoint.load()
    if state is None or not np.array_equal(state.get(KEY, ()), key):
        return []
    training.restore(state)
    return [
        [int(step), loss, None if np.isnan(held_out) else held_out] for step, loss, held_out in state[CURVE].tolist()
    ]


def _make_manifest(
    training_set: TrainingSet,
    settings: TrainingSettings,
    progress: TrainingProgress,
    curve: LossCurve,
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

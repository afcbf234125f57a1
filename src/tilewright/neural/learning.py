"""Learning of a network from maps: training in PyTorch, then quantization.

A checkpoint holds the state of an unfinished training. It is continued if the maps and settings are the same.

Quantization converts the trained weights to integers. Each output channel of a layer has its own scale, so that its
largest weight becomes 127. The values of a layer have one scale, so that nearly all values seen in training are at most
`MAX_VALUE`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, TilewrightError
from ..core.model import Checkpoint
from ..core.network import MAX_BIAS, TAPS, VERSION, Network
from ..kernels.diffusion import MAX_VALUE, SHIFT, UNITS
from ._torch import choose_device, refuse_without_torch
from .settings import TrainingSettings
from .training_set import TrainingSet

if TYPE_CHECKING:
    from .training import TrainedWeights, Trainer, TrainingProgress

MAX_WEIGHT = 127
ONE = 1 << SHIFT
HALF = 1 << SHIFT - 1
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
        "unique_tiles": training_set.unique_tiles,
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


# -- quantization -----------------------------------------------------------------------------------------------------


def quantize(weights: Mapping[str, NDArray[np.float32]], ranges: Sequence[float]) -> dict[str, NDArray[Any]]:
    """Return the integer arrays of a network.

    Parameters
    ----------
    weights
        Weights and biases of `TileNetwork` by name.
    ranges
        Largest value of each layer to represent, from the input layer on.

    Returns
    -------
    dict of ndarray
        Arrays as `core.network.Network` stores them.

    Raises
    ------
    InvalidRecipe
        If a weight is not finite, or a scale is out of range. Then the training has diverged.
    """
    units = [limit / MAX_VALUE for limit in ranges]
    first, first_scale = _round_weights(weights["input.weight"])
    inner, channels = len(ranges) - 1, len(first)
    layers = np.empty((inner, channels, TAPS, channels), dtype=np.int8)
    arrays: dict[str, NDArray[Any]] = {
        "input": np.ascontiguousarray(first.reshape(channels, -1, TAPS).transpose(2, 1, 0)),
        "input_scale": _fix_scale(first_scale / units[0]),
        "input_bias": _fix_bias(weights["input.bias"] / units[0]),
        "layers": layers,
        "layer_scale": np.empty((inner, channels), dtype=np.int32),
        "layer_bias": np.empty((inner, channels), dtype=np.int64),
        "residual_scale": np.empty(inner, dtype=np.int32),
    }
    for number, (before, after) in enumerate(pairwise(units)):
        found, scale = _round_weights(weights[f"layers.{number}.weight"])
        layers[number] = found.reshape(channels, channels, TAPS).transpose(0, 2, 1)
        arrays["layer_scale"][number] = _fix_scale(scale * before / after)
        arrays["layer_bias"][number] = _fix_bias(weights[f"layers.{number}.bias"] / after)
        arrays["residual_scale"][number] = _fix_scale(np.array([before / after]))[0]
    last, last_scale = _round_weights(weights["output.weight"])
    arrays["output"] = np.ascontiguousarray(last.reshape(len(last), channels))
    arrays["output_scale"] = _fix_scale(last_scale * units[-1] * UNITS)
    arrays["output_bias"] = _fix_bias(weights["output.bias"].astype(np.float64) * UNITS)
    return arrays


def _round_weights(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return weights as integers, and the scale of each output channel."""
    if not np.isfinite(values).all():
        raise InvalidRecipe("the training diverged: a weight is not finite")
    flat = values.reshape(len(values), -1).astype(np.float64)
    scale = np.maximum(np.abs(flat).max(axis=1), 1e-12) / MAX_WEIGHT
    return np.rint(flat / scale[:, None]).astype(np.int8).reshape(values.shape), scale


def _fix_scale(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return scales as integers with `SHIFT` fractional bits."""
    found = np.rint(values * ONE)
    if not (np.isfinite(found) & (found < 1 << 31)).all():
        raise InvalidRecipe("the training diverged: the values of a layer are too large")
    return found.astype(np.int32)


def _fix_bias(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return biases as integers with `SHIFT` fractional bits. A half is added, so that shifts round to the nearest."""
    found = np.rint(values.astype(np.float64) * ONE)
    if not (np.isfinite(found) & (np.abs(found) < MAX_BIAS / 2)).all():
        raise InvalidRecipe("the training diverged: a bias is too large")
    return found.astype(np.int64) + HALF

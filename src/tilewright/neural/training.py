"""Training of the network that predicts tiles, in PyTorch.

The network learns by masked prediction (absorbing-state discrete diffusion; Austin et al., "Structured denoising
diffusion models in discrete state-spaces", 2021). A random fraction of a map's cells is masked, and the loss is the
cross entropy of the masked cells, divided by that fraction. A few of the other cells are replaced by random tiles,
and the network also predicts what they were. So its prediction for a cell that is not masked shows how well the tile
fits, which refinement passes use.

The weights for generating are a moving average of the trained weights, which gives more regular maps than the last
weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from .settings import Architecture, TrainingSettings

MAX_RATE = 2e-3
"""Maximum learning rate."""
NOISE = 0.05
"""Maximum fraction of cells that are replaced by random tiles."""
MIN_FRACTION = 0.05
"""Minimum masked fraction in the weight of the loss, so that a few masked cells do not dominate it."""
INTACT_WEIGHT = 0.05
"""Weight of the loss of cells that are neither masked nor replaced."""
AVERAGING = 0.999
"""Fraction of the moving average that is kept at each step."""
WARMUP = 100
"""Number of steps during which the learning rate grows to its maximum."""
EVALUATIONS = 40
"""Number of evaluations on the held-out maps."""
STEPS_PER_REPORT = 20
"""Number of steps between two reports of the progress."""
HELD_OUT_WINDOWS = 64
CALIBRATION_WINDOWS = 64
PERCENTILE = 0.9999
"""Fraction of the values of a layer that the integers of its quantized form can represent."""

Maps = Sequence[NDArray[np.uint8]]
"""Maps of tile numbers, of any sizes, with a border of cells outside; see `training_set.PaddedMap`."""
FloatWeights = dict[str, NDArray[np.float32]]
"""Weights and biases by name: `input.weight`, `layers.0.bias`, `output.weight` and so on."""


class TileNetwork(nn.Module):
    """Network that predicts the tile of each cell from the tiles around it.

    Generating maps uses its quantized form; see `core/network` and `inference`.

    The input has the number of a tile for each cell, or `tiles` for a masked cell, or `tiles + 1` for a cell outside
    the map. Values of cells outside the map are zero in all layers, so that maps need no padding beyond one cell.

    Parameters
    ----------
    tiles
        Number of kinds of tiles.
    architecture
        Number of channels, and the dilation of each layer.
    """

    def __init__(self, tiles: int, architecture: Architecture) -> None:
        super().__init__()
        self.tiles = tiles
        inner = architecture.channels
        self.input = nn.Conv2d(tiles + 2, inner, 3, padding=1)
        self.layers = nn.ModuleList(
            nn.Conv2d(inner, inner, 3, padding=dilation, dilation=dilation) for dilation in architecture.dilations
        )
        self.output = nn.Conv2d(inner, tiles, 1)
        for layer in self.layers:  # Each layer starts near the identity, which keeps deep stacks stable.
            with torch.no_grad():
                layer.weight.mul_(0.5)

    def forward(self, cells: Tensor) -> Tensor:
        """Return the logits (map, tile, row, column) for cells (map, row, column)."""
        logits: Tensor = self.output(self.activations(cells)[-1])
        return logits

    def activations(self, cells: Tensor) -> list[Tensor]:
        """Return the values of the input layer and of all residual layers."""
        kinds = functional.one_hot(cells, self.tiles + 2).permute(0, 3, 1, 2)
        values = kinds.to(self.input.weight.dtype).contiguous(memory_format=torch.channels_last)
        inside = (cells <= self.tiles).unsqueeze(1)
        found = [functional.relu(self.input(values)) * inside]
        for layer in self.layers:
            found.append(functional.relu(found[-1] + layer(found[-1])) * inside)
        return found

    def read_weights(self) -> FloatWeights:
        """Return copies of all weights and biases as NumPy arrays."""
        return {name: value.detach().float().cpu().numpy().copy() for name, value in self.named_parameters()}

    def load_weights(self, weights: FloatWeights) -> None:
        """Set all weights and biases."""
        state: dict[str, Any] = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
        self.load_state_dict(state)


@dataclass(frozen=True, kw_only=True)
class TrainingProgress:
    """State of a training at an evaluation."""

    step: int
    steps: int
    loss: float
    """Moving average of the training loss."""
    held_out_loss: float | None
    """Loss on the held-out maps; None if there are too few maps to hold some out."""


@dataclass(frozen=True, kw_only=True)
class TrainedWeights:
    """Result of a training."""

    weights: FloatWeights
    ranges: tuple[float, ...]
    """Largest value of each layer to represent, from the input layer on."""
    progress: TrainingProgress
    """State at the end. Its held-out loss is that of the returned weights."""


class Trainer:
    """A training that can be stopped and continued.

    Parameters
    ----------
    maps
        Maps to learn from.
    held_out
        Maps to evaluate the network on; may be empty.
    tiles
        Number of kinds of tiles.
    settings
        How to train.
    """

    def __init__(self, maps: Maps, held_out: Maps, tiles: int, settings: TrainingSettings) -> None:
        self.settings, self.tiles = settings, tiles
        self.device = torch.device(settings.device)
        torch.manual_seed(settings.seed)
        self.generator = torch.Generator(self.device).manual_seed(settings.seed)
        self.network = TileNetwork(tiles, settings.architecture).to(self.device, memory_format=torch.channels_last)
        self.average = TileNetwork(tiles, settings.architecture).to(self.device, memory_format=torch.channels_last)
        self.average.load_state_dict(self.network.state_dict())
        self.is_fused = self.device.type == "cuda"
        self.optimizer = torch.optim.AdamW(self.network.parameters(), MAX_RATE, weight_decay=1e-2, fused=self.is_fused)
        self.windows = WindowSampler(maps, tiles, settings.crop, self.device)
        self.frequencies = self._count_tiles(maps)
        self.step = 0
        self.loss = 0.0
        self.best: tuple[float, FloatWeights] | None = None
        """Lowest held-out loss, and the weights that have it."""
        self.evaluations_since_best = 0
        self.held_out_loss: float | None = None
        """Loss at the last evaluation."""
        self.held_out = self._corrupt_held_out(held_out) if held_out else None

    def run(
        self,
        on_evaluation: Callable[[TrainingProgress], None] | None = None,
        on_step: Callable[[TrainingProgress], None] | None = None,
    ) -> TrainedWeights:
        """Train until the last step, or until the held-out loss no longer decreases.

        Parameters
        ----------
        on_evaluation
            Function that is called at each evaluation. An exception that it raises stops the training.
        on_step
            Function that is called every few steps between evaluations.

        Returns
        -------
        TrainedWeights
            The weights with the lowest held-out loss; without held-out maps, the last weights.
        """
        every = max(1, self.settings.steps // EVALUATIONS)
        progress = self._make_progress()
        while self.step < self.settings.steps and self.evaluations_since_best < self.settings.patience:
            self._train_step()
            if self.step % every == 0 or self.step == self.settings.steps:
                progress = self._evaluate()
                if on_evaluation is not None:
                    on_evaluation(progress)
            elif on_step is not None and self.step % STEPS_PER_REPORT == 0:
                on_step(self._make_progress(self.held_out_loss))
        if self.best is not None:
            self.average.load_weights(self.best[1])
            progress = self._make_progress(self.best[0])
        weights = self.average.read_weights()
        return TrainedWeights(weights=weights, ranges=self._find_ranges(), progress=progress)

    def read_average(self) -> TrainedWeights:
        """Return the present moving average of the weights."""
        return TrainedWeights(
            weights=self.average.read_weights(), ranges=self._find_ranges(), progress=self._make_progress()
        )

    # -- checkpoints ------------------------------------------------------------------------------------------

    def read_state(self) -> dict[str, NDArray[Any]]:
        """Return the state as arrays, from which `restore` continues."""
        state: dict[str, NDArray[Any]] = {
            "step": np.array([self.step, self.evaluations_since_best], dtype=np.int64),
            "loss": np.array([self.loss, np.inf if self.best is None else self.best[0]]),
            "network": _join(self.network.read_weights()),
            "average": _join(self.average.read_weights()),
            "best": _join(self.network.read_weights() if self.best is None else self.best[1]),
            "random": self.generator.get_state().numpy(),
        }
        parameters = dict(self.network.named_parameters())
        for key in ("exp_avg", "exp_avg_sq"):
            moments = {
                name: self.optimizer.state[value][key].float().cpu().numpy()
                if value in self.optimizer.state
                else np.zeros(value.shape, dtype=np.float32)
                for name, value in parameters.items()
            }
            state[key] = _join(moments)
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a state that `read_state` returned.

        On the same kind of device, the random numbers continue as well. On another one, they restart with another seed.
        """
        shapes = {name: tuple(value.shape) for name, value in self.network.named_parameters()}
        self.network.load_weights(_split(state["network"], shapes))
        self.average.load_weights(_split(state["average"], shapes))
        self.step, self.evaluations_since_best = (int(value) for value in state["step"])
        self.loss, best = (float(value) for value in state["loss"])
        self.best = (best, _split(state["best"], shapes)) if np.isfinite(best) else None
        moments = {key: _split(state[key], shapes) for key in ("exp_avg", "exp_avg_sq")}
        for name, value in self.network.named_parameters():
            first, second = (torch.from_numpy(moments[key][name].copy()).to(value) for key in moments)
            self.optimizer.state[value] = {
                "step": torch.tensor(float(self.step), device=value.device if self.is_fused else "cpu"),
                "exp_avg": first,
                "exp_avg_sq": second,
            }
        if len(state["random"]) == len(self.generator.get_state()):
            self.generator.set_state(torch.from_numpy(state["random"].copy()))
        else:
            self.generator.manual_seed(self.settings.seed + self.step)

    # -- steps ------------------------------------------------------------------------------------------------

    def _train_step(self) -> None:
        settings, done = self.settings, self.step / self.settings.steps
        rate = MAX_RATE * min(1.0, (self.step + 1) / WARMUP) * (1 - done) + 1e-5
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        cells = self.windows.draw(settings.batch, self.generator)
        loss = self._find_loss(self.network, cells, *self._corrupt(cells, self.generator))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        with torch.no_grad():
            kept = min(AVERAGING, (1 + self.step) / (10 + self.step))
            averages, values = list(self.average.parameters()), list(self.network.parameters())
            torch._foreach_lerp_(averages, values, 1 - kept)
        self.step += 1
        if self.step % STEPS_PER_REPORT == 0 or self.step <= STEPS_PER_REPORT:  # Reading the loss waits for the device.
            value = float(loss.detach())
            self.loss = value if self.loss == 0 else 0.9 * self.loss + 0.1 * value

    def _corrupt(self, cells: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Mask and replace random cells; return the changed cells and the weight of the loss of each cell."""
        count, inside = len(cells), cells < self.tiles
        fraction = torch.rand((count, 1, 1), device=self.device, generator=generator)
        masked = (torch.rand(cells.shape, device=self.device, generator=generator) < fraction) & inside
        share = torch.rand((count, 1, 1), device=self.device, generator=generator) * NOISE
        replaced = (torch.rand(cells.shape, device=self.device, generator=generator) < share) & inside & ~masked
        others = torch.multinomial(self.frequencies, cells.numel(), replacement=True, generator=generator)
        changed = torch.where(replaced, others.view(cells.shape), cells)
        changed = torch.where(masked, self.tiles, changed)
        weight = masked / fraction.clamp(min=MIN_FRACTION) + replaced + INTACT_WEIGHT * (inside & ~masked & ~replaced)
        return changed, weight

    def _find_loss(self, network: TileNetwork, cells: Tensor, changed: Tensor, weight: Tensor) -> Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            logits = network(changed)
        losses = functional.cross_entropy(logits.float(), cells.clamp(max=self.tiles - 1), reduction="none")
        return (losses * weight).sum() / (cells < self.tiles).sum()

    def _count_tiles(self, maps: Maps) -> Tensor:
        """Return the frequency of each tile, with a minimum so that every tile is drawn."""
        counts = sum(np.bincount(map.reshape(-1), minlength=self.tiles + 2)[: self.tiles] for map in maps)
        found = np.asarray(counts, dtype=np.float64)
        frequencies: Tensor = torch.from_numpy(found / found.sum() + 0.02).to(self.device, torch.float32)
        return frequencies

    # -- evaluation -------------------------------------------------------------------------------------------

    def _corrupt_held_out(self, maps: Maps) -> tuple[Tensor, Tensor, Tensor]:
        """Return held-out windows, the same windows with masked cells, and the weights of the loss."""
        generator = torch.Generator(self.device).manual_seed(self.settings.seed)
        sampler = WindowSampler(maps, self.tiles, self.settings.crop, self.device)
        cells = sampler.draw(HELD_OUT_WINDOWS, generator)
        return (cells, *self._corrupt(cells, generator))

    def _evaluate(self) -> TrainingProgress:
        if self.held_out is None:
            return self._make_progress()
        with torch.no_grad():
            held_out_loss = self.held_out_loss = float(self._find_loss(self.average, *self.held_out))
        if self.best is None or held_out_loss < self.best[0]:
            self.best = held_out_loss, self.average.read_weights()
            self.evaluations_since_best = 0
        else:
            self.evaluations_since_best += 1
        return self._make_progress(held_out_loss)

    def _make_progress(self, held_out_loss: float | None = None) -> TrainingProgress:
        return TrainingProgress(step=self.step, steps=self.settings.steps, loss=self.loss, held_out_loss=held_out_loss)

    def _find_ranges(self) -> tuple[float, ...]:
        """Return the value of each layer below which nearly all of its values are."""
        generator = torch.Generator(self.device).manual_seed(self.settings.seed)
        cells = self.windows.draw(CALIBRATION_WINDOWS, generator)
        changed, _ = self._corrupt(cells, generator)
        with torch.no_grad():
            layers = self.average.activations(changed)
        found = []
        for values in layers:
            flat = values.float().flatten()
            rank = max(1, round(PERCENTILE * len(flat)))
            found.append(max(1e-6, float(flat.kthvalue(rank).values)))
        return tuple(found)


class WindowSampler:
    """Random windows of maps, with cells outside the maps."""

    def __init__(self, maps: Maps, tiles: int, crop: int, device: torch.device) -> None:
        heights, widths = (np.array([map.shape[axis] for map in maps]) for axis in (0, 1))
        self.shape = min(crop, int(heights.max())), min(crop, int(widths.max()))
        """Shape of the windows."""
        canvas = np.full((len(maps), heights.max(), widths.max()), tiles + 1, dtype=np.uint8)
        for target, map in zip(canvas, maps, strict=True):
            target[: map.shape[0], : map.shape[1]] = map
        self.canvas = torch.from_numpy(canvas).to(device)
        self.max_starts = [
            torch.from_numpy(np.maximum(0, sides - side)).to(device)
            for sides, side in zip((heights, widths), self.shape, strict=True)
        ]
        """Largest first row and first column of a window of each map."""
        areas = (heights * widths).astype(np.float32)
        self.areas = torch.from_numpy(areas / areas.sum()).to(device)
        self.offsets = [torch.arange(side, device=device) for side in self.shape]

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Return windows (window, row, column). Larger maps are drawn more often, in proportion to their area."""
        chosen = torch.multinomial(self.areas, count, replacement=True, generator=generator)
        starts = []
        for last in self.max_starts:
            fractions = torch.rand(count, device=self.canvas.device, generator=generator)
            starts.append((fractions * (last[chosen] + 1)).long())
        rows = (starts[0][:, None] + self.offsets[0])[:, :, None]
        columns = (starts[1][:, None] + self.offsets[1])[:, None, :]
        return self.canvas[chosen[:, None, None], rows, columns].long()


def _join(weights: FloatWeights) -> NDArray[np.float32]:
    return np.concatenate([value.reshape(-1) for value in weights.values()]).astype(np.float32)


def _split(values: NDArray[Any], shapes: Mapping[str, tuple[int, ...]]) -> FloatWeights:
    found, start = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        found[name] = values[start : start + size].reshape(shape).astype(np.float32)
        start += size
    return found

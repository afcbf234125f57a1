"""Parameters of diffusion and of its training, and bounds on the number of cells per tile.

Tiles have a minimum and a maximum number of cells, and some of them may not be at the edge. The masked cells can be
filled if and only if no slack is negative (a case of Hall's theorem), so a choice that keeps all of them at least 0
never leads to a dead end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import AxesOf, find_axis_problems, wraps
from ...core.errors import Problem, UnknownName, pluralize, problem
from ...core.model import Checkpoint, LearningProgress, OnLearning, TrainingParams
from ...core.network import Network
from ...core.params import Sized, param, size_param
from ...core.samples import Samples
from ...core.tile_counts import MAX_COUNT, TileCounts, parse_bounds
from ...kernels.diffusion import TileLimits
from ...neural.learning import learn_network
from ...neural.settings import TrainingSettings
from ...neural.training_set import TrainingSet

if TYPE_CHECKING:
    from ...neural.training import TrainingProgress


MAX_LEFT = 1 << 40
"""More cells than any map has, so that sums of numbers of cells fit in 64 bits."""


@dataclass(frozen=True)
class Slack:
    """Numbers of cells that are not decided by the bounds on tiles."""

    edge: int
    """Cells that tiles of the border may still have, less the masked cells of the edge."""
    inside: int
    """Masked cells inside the edge, less those that are required for tiles which are not tiles of the border."""
    total: int
    """Masked cells, less those that are required for any tile."""
    left: int
    """Cells that all tiles may still have, less the masked cells. Choices do not change it."""

    def to_array(self) -> NDArray[np.int64]:
        """Return the slacks that choices change, for kernels."""
        return np.array([self.edge, self.inside, self.total], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TileBounds:
    """Bounds on the number of cells of each tile, and the tiles that may be at the edge of the map."""

    minimum: NDArray[np.int64]
    maximum: NDArray[np.int64]
    is_border: NDArray[np.bool_]

    @classmethod
    def of(cls, labels: tuple[str, ...], bounds: dict[str, tuple[int, int]], border: tuple[str, ...]) -> TileBounds:
        """Return the bounds of all labels. An empty border allows all tiles."""
        pairs = [bounds.get(label, (0, MAX_COUNT)) for label in labels]
        return cls(
            np.array([low for low, _ in pairs], dtype=np.int64),
            np.array([min(high, MAX_LEFT) for _, high in pairs], dtype=np.int64),
            np.array([not border or label in border for label in labels], dtype=np.bool_),
        )

    def find_missing(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of cells that each tile still needs."""
        missing: NDArray[np.int64] = np.maximum(0, self.minimum - counts)
        return missing

    def find_limits(self, counts: NDArray[np.int64], slack: NDArray[np.int64]) -> TileLimits:
        """Return the limits for kernels of a map with some cells per tile."""
        return TileLimits(self.is_border.astype(np.uint8), self.maximum - counts, self.find_missing(counts), slack)

    def find_slack(self, counts: NDArray[np.int64], inside: int, edge: int) -> Slack:
        """Return the slack of a map with some cells per tile, and masked cells inside the edge and at the edge."""
        left, missing = self.maximum - counts, self.find_missing(counts)
        return Slack(
            edge=int(left[self.is_border].sum()) - edge,
            inside=inside - int(missing[~self.is_border].sum()),
            total=inside + edge - int(missing.sum()),
            left=int(left.sum()) - inside - edge,
        )


def count_inside_and_edge(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of cells of a mask inside the edge of the map, and at the edge."""
    inside = int(mask[1:-1, 1:-1].sum())
    return inside, int(mask.sum()) - inside


NO_TEMPERATURE = 0.001
"""Temperature below which the most likely tile is always taken."""


class DiffusionParams(Sized):
    model: Network = param("dungeon", control="network")
    """Trained network: the name of a built-in one, or a file made by `tilewright learn diffusion`."""
    width: int = size_param(40, typical=(8, 100))
    """Number of columns of the map."""
    height: int = size_param(30, typical=(8, 100))
    """Number of rows of the map."""
    steps: int = param(32, ge=1, le=100_000, typical=(8, 128))
    """Number of steps in which the map is filled; more steps give more regular maps, and take longer."""
    temperature: float = param(0.9, ge=0, le=100, typical=(0, 2))
    """Sampling temperature: 0 takes the most likely tile, 1 draws by the network's probabilities."""
    refine: int = param(3, ge=0, le=1000, typical=(0, 8))
    """Number of passes that mask the least likely cells with their surroundings, and fill them again."""
    wrap: AxesOf = param("none")
    """Axes along which the map wraps, such as xy."""
    border: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles allowed at the edge of the map; by default all."""
    counts: TileCounts = param((), max_length=1000)
    """Number of cells per tile, such as treasure: 3, 3..5, >=2 or <=4. By default, tiles with one cell in each training
    map of the network have one cell."""

    @property
    def sharpness(self) -> int:
        """65,536 divided by the temperature; 0 for the most likely tile."""
        return int(65536 / self.temperature + 0.5) if self.temperature >= NO_TEMPERATURE else 0

    @property
    def wrapped(self) -> tuple[bool, bool]:
        """Whether the map wraps around, for rows and columns."""
        rows, columns = wraps(self.wrap, 2)
        return rows, columns

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """Minimum and maximum number of cells by tile."""
        unique = dict.fromkeys(self.model.unique_tiles, (1, 1))
        return unique | {tile: parse_bounds(text) for tile, text in self.counts}

    @property
    def tile_bounds(self) -> TileBounds:
        """Bounds of all tiles of the model, and which of them may be at the edge."""
        return TileBounds.of(self.model.labels, self.bounds, self.border)

    def find_problems(self) -> Iterator[Problem]:
        yield from find_axis_problems("wrap", "the map", self.wrap, 2)
        labels = self.model.labels
        counted = [tile for tile, _ in self.counts]
        for name, tiles in (("border", self.border), ("counts", counted)):
            for tile in tiles:
                if tile not in labels:
                    yield from UnknownName("tile", tile, labels, "tiles of the model").within(name).problems
        if len(set(counted)) < len(counted):
            yield problem("must contain each tile only once", at="counts")
        if len(set(counted)) == len(counted) and set(counted) | set(self.border) <= set(labels):
            yield from self._find_count_problems()

    def _find_count_problems(self) -> Iterator[Problem]:
        """Yield a problem for each sum of counts that no map of this size has."""
        rows, columns = self.shape
        inside = max(0, rows - 2) * max(0, columns - 2)
        cells, edge = rows * columns, rows * columns - inside
        slack = self.tile_bounds.find_slack(np.zeros(len(self.model.labels), dtype=np.int64), inside, edge)
        if slack.total < 0:
            text = f"require at least {cells - slack.total:,} cells, but the map has {pluralize(cells, 'cell')}"
            yield problem(text, at="counts")
        elif slack.inside < 0:
            required = pluralize(inside - slack.inside, "cell")
            text = f"require at least {required} inside the edge, because of border, but there "
            yield problem(f"{text}{'is' if inside == 1 else 'are'} {inside:,}", at="counts")
        if slack.left < 0:
            yield problem(f"allow fewer tiles than the {pluralize(cells, 'cell')} of the map", at="counts")
        elif slack.edge < 0:
            text = f"allow fewer tiles of border than the {pluralize(edge, 'cell')} of the edge"
            yield problem(text, at="counts")


class DiffusionTrainingParams(TrainingParams):
    """Samples, and how a network is trained on them."""

    trains_network: ClassVar[bool] = True
    quick_trial: ClassVar[Mapping[str, Any]] = {
        "size": "small", "training_steps": 2, "batch": 2, "steps": 1, "refine": 0,
    }  # fmt: skip
    sample: Samples = param("dungeon")
    """Maps to learn from: files, folders, drawings, or names of built-in samples. Several hundred give good results."""
    size: Literal["small", "normal", "large"] = param("normal")
    """Size of the network: small trains on a CPU in minutes, normal and large on a GPU."""
    training_steps: int | None = param(None, ge=1, le=10_000_000, typical=(1000, 50_000))
    """Number of training steps; by default 4,000 for small networks and 15,000 for others."""
    crop: int | None = param(None, ge=8, le=256, typical=(16, 64))
    """Maximum edge length of the windows to train on; by default 24, 32 or 40, depending on the size."""
    batch: int | None = param(None, ge=1, le=4096, typical=(8, 256))
    """Number of windows per training step; by default 32 for small networks and 64 for others."""
    symmetry: Literal[1, 2, 8] = param(1)
    """Number of views of the samples: 1 as they are, 2 also mirrored left to right, 8 all rotations and reflections."""
    pieces: Literal["learned", "chosen"] = param("learned")
    """Pieces of rivers, roads and the like: learned one by one, or learned as one kind and chosen to fit afterwards."""
    training_seed: int = param(1, ge=0, le=(1 << 31) - 1)
    """Seed of the training."""
    device: Literal["auto", "cpu", "cuda"] = param("auto")
    """Device to train on: auto takes a CUDA device if there is one."""

    def fit(
        self, technique: str, *, on_progress: OnLearning | None = None, checkpoint: Checkpoint | None = None
    ) -> Network:
        def report(progress: TrainingProgress, build: Callable[[], Network]) -> None:
            assert on_progress is not None
            losses = f"loss {progress.loss:.3f}"
            if progress.held_out_loss is not None:
                losses += f", held out {progress.held_out_loss:.3f}"
            on_progress(LearningProgress(progress.step / progress.steps, losses, build))

        return learn_network(
            TrainingSet.of(self.sample, are_pieces_chosen=self.pieces == "chosen"),
            TrainingSettings.of_size(
                self.size,
                steps=self.training_steps,
                crop=self.crop,
                batch=self.batch,
                symmetry=self.symmetry,
                seed=self.training_seed,
                device=self.device,
            ),
            name=technique,
            on_progress=report if on_progress is not None else None,
            checkpoint=checkpoint,
        )

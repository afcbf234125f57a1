"""Parameters of the technique markov, and the contexts that it learns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, model_validator

from ...autotile.grammar import TileClasses, find_tile_classes
from ...core.errors import InvalidRecipe
from ...core.model import LearningParams, TrainingParams
from ...core.params import Sized, param, size_param
from ...core.samples import Counts, Samples, Training
from ...core.tileset import Tileset
from ...kernels.types import Int64_1D, Int64_2D
from . import contexts as counting
from . import directions as scans
from .contexts import SQUARE_MASKS, ContextCounts, Contexts, ContextSpec, check_context_limit, learn_contexts
from .directions import AROUND, MAX_STEPS, SEED_DIRECTIONS, Turn, read_step

UNKNOWN = "unknown"
"""Tile of cells without a known context, if these are kept."""
TURNS: dict[str, tuple[bool, bool]] = {
    "bottom left": (False, False),
    "bottom right": (True, False),
    "top left": (False, True),
    "top right": (True, True),
}
Corner = Literal["bottom left", "bottom right", "top left", "top right"]
Directions = Annotated[tuple[str, ...], BeforeValidator(scans.read_directions)]


class MarkovTrainingParams(TrainingParams):
    """Samples, and the contexts to count in them."""

    sample: Samples = param("awbw")
    """Maps to learn from: files, folders, drawings, or names of built-in samples."""
    directions: Directions | None = param(None)
    """Up to eight directions of neighbors: n, ne, e ..., or n2 for two cells away; by default e, w, sw, s, se."""
    pieces: Literal["learned", "chosen"] = param("learned")
    """Pieces of rivers, roads and the like: learned one by one, or learned as one kind and chosen to fit afterwards."""

    @property
    def learned_directions(self) -> tuple[str, ...]:
        """Directions of the counted neighbors."""
        return self.directions or SEED_DIRECTIONS

    @cached_property
    def learned_masks(self) -> tuple[int, ...]:
        """All sets of up to six directions; with more directions, the sets of the default backoff order."""
        if len(self.learned_directions) <= scans.ALL_SUBSETS:
            return tuple(range(1 << len(self.learned_directions)))
        steps = scans.default_backoff(self.learned_directions, (False, False, False))
        return tuple({0, *(mask for step in steps for mask in read_step(step, self.learned_directions))})

    @cached_property
    def learned_classes(self) -> TileClasses | None:
        """For every label of the samples, the label that replaces it in the counts; None if none is replaced."""
        if self.pieces == "learned":
            return None
        tileset = self.sample.tileset
        return find_tile_classes(tileset, [tileset.by_name[label] for label in self.sample.labels])

    @cached_property
    def contexts(self) -> Contexts:
        """Number of occurrences of each tile in each context of the learned sets of directions."""
        return learn_contexts(self.sample, self.learned_classes, self.learned_directions, self.learned_masks)

    def _list_parts(self) -> dict[str, tuple[tuple[str, ...], tuple[int, ...]]]:
        """Return the directions and sets of directions of each part of the counts."""
        return {
            counting.CONTEXTS: (self.learned_directions, self.learned_masks),
            counting.SQUARE_COUNTS: (AROUND, SQUARE_MASKS),
        }

    def count(self) -> Counts:
        counts: dict[str, Int64_1D] = {}
        for part, sets in self._list_parts().items():
            contexts = learn_contexts(self.sample, self.learned_classes, *sets)
            counts |= ContextSpec.of(self.sample, self.learned_classes, *sets).store(contexts, part)
        return counts

    def check_counts(self, counts: Counts) -> None:
        if set(counts) != {f"{part}.{name}" for part in self._list_parts() for name in counting.NAMES}:
            raise InvalidRecipe("must be counts of contexts and squares", at="counts", rule="type")
        for part, sets in self._list_parts().items():
            ContextSpec.of(self.sample, self.learned_classes, *sets).validate(counts, self.sample, part)

    @property
    def facts(self) -> Mapping[str, str]:
        return {"contexts": f"{len(self.contexts):,} of {', '.join(self.contexts.directions)}"}

    @model_validator(mode="after")
    def _check_samples(self) -> Self:
        if self.sample.axes != 2:
            raise InvalidRecipe("must be flat; markov does not support levels", at="sample", rule="flat_sample")
        first: dict[str, int] = {}
        for number, grid in enumerate(self.sample):
            first.setdefault(grid.tileset.name if grid.tileset else "none", number)
        if len(first) > 1:
            got = " and ".join(f"{name} ({self.sample.describe(number)})" for name, number in first.items())
            raise InvalidRecipe(f"must have one tileset, got {got}", at="sample")
        check_context_limit(len(self.sample.labels), self.learned_masks, self.learned_directions)
        return self


class MarkovParams(MarkovTrainingParams, LearningParams, Sized):
    renamed: ClassVar[Mapping[str, str]] = {"mends": "repair_passes", "sweeps": "gibbs_sweeps"}
    technique: ClassVar[str] = "markov"
    width: int = size_param(25, typical=(5, 200))
    """Number of columns of the map."""
    height: int = size_param(25, typical=(5, 200))
    """Number of rows of the map."""
    scan: Literal["rows", "columns", "spiral"] = param("rows")
    """Order of the cells: by rows, by columns, or in a spiral from the center."""
    corner: Corner = param("bottom left", hidden_unless=("scan", "rows", "columns"))
    """Corner where the rows or columns start."""
    serpentine: bool = param(False, hidden_unless=("scan", "rows", "columns"))
    """Whether every second row or column runs in the opposite direction, which avoids diagonal stripes."""
    backoff: tuple[str, ...] | None = param(None, min_length=1, max_length=MAX_STEPS)
    """Contexts to try in order: w+sw+s as one context, w*s as a product of two; by default from large to small."""
    smoothing: float = param(0.0, ge=0, le=1_000_000, typical=(0, 10))
    """Weight of smaller contexts relative to larger ones, in occurrences; 0 uses the first known context alone."""
    temperature: float = param(1.0, ge=0, le=1000, typical=(0, 2))
    """Sampling temperature: 0 takes the most common tile, 1 draws by frequency, more makes tiles equally likely."""
    repair_passes: int = param(1, ge=0, le=10_000, typical=(0, 16))
    """Number of passes that draw cells of 2x2 blocks not in any sample again, given all their neighbors."""
    gibbs_sweeps: int = param(0, ge=0, le=10_000, typical=(0, 32))
    """Number of passes that draw every cell again, given all its neighbors; removes artifacts of the scan."""
    min_coverage: float = param(0.0, ge=0, le=1)
    """Minimum fraction of the samples' tiles that must occur in the map, which is drawn again until they do."""
    unknown: Literal["never", "keep"] = param("never")
    """Tile of cells without a known context: never unknown but drawn by overall frequency, or kept as `unknown`."""

    @property
    def training(self) -> Training:
        """The samples."""
        return Training(samples=self.sample)

    @property
    def turn(self) -> Turn | None:
        """Transformation from the default scan, by rows from the bottom left, to this scan; None for a spiral."""
        if self.scan == "spiral":
            return None
        return (self.scan == "columns", *TURNS[self.corner])

    @cached_property
    def used_directions(self) -> tuple[str, ...]:
        """Directions of the neighbors that a cell uses."""
        return self.directions or scans.default_directions(self.turn)

    @cached_property
    def backoff_masks(self) -> tuple[tuple[int, ...], ...]:
        """Backoff order: for every step, its sets of directions as bits."""
        order = self.backoff or scans.default_backoff(self.used_directions, self.turn, serpentine=self.serpentine)
        steps = tuple(read_step(step, self.used_directions) for step in order)
        return steps if self.unknown == "keep" else (*steps, (0,))

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """Sets of directions in the backoff order, as bits."""
        return tuple(sorted({0, *(mask for step in self.backoff_masks for mask in step)}))

    @cached_property
    def counts_cache(self) -> dict[tuple[str, bytes], tuple[ContextCounts, Int64_2D]]:
        """Context counts and backoff order by tileset and tile ids of the labels."""
        return {}

    def get_context_counts(self, tileset: Tileset, ids: NDArray[np.int64]) -> tuple[ContextCounts, Int64_2D]:
        """Return the context counts and the backoff order if the samples' labels are these tiles."""
        key = tileset.digest, ids.tobytes()
        if key not in self.counts_cache:
            own = ids[: len(self.sample.labels)].tolist()
            tile_classes = find_tile_classes(tileset, own) if self.pieces == "chosen" else None
            context_counts = ContextCounts(self.sample, tile_classes, self.used_directions, self.masks)
            self.counts_cache[key] = context_counts, context_counts.number_steps(self.backoff_masks)
        return self.counts_cache[key]

    @property
    def labels(self) -> tuple[str, ...]:
        return (*self.sample.labels, UNKNOWN) if self.unknown == "keep" else self.sample.labels

    @property
    def tileset(self) -> Tileset:
        own = self.sample.tileset
        return own.with_tiles([{"name": UNKNOWN, "kind": UNKNOWN}]) if self.unknown == "keep" else own

    @model_validator(mode="after")
    def _check_context_limit(self) -> Self:
        check_context_limit(len(self.sample.labels), self.masks, self.used_directions)
        return self

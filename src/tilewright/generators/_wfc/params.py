"""Parameters of the technique wfc, and the patterns that it learns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from math import ceil, floor, prod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import AxesOf, Edge, Wrap, find_axis_problems, find_edge_problems, find_sample_problems, wraps
from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe, Problem, TooLarge, UnknownName, pluralize, problem
from ...core.model import LearningParams, TrainingParams
from ...core.params import MAX_SIDE, Params, Sized, param, size_param
from ...core.pieces import VIEWS
from ...core.samples import Counts, Samples, Training
from ...core.tile_counts import TileCounts, parse_bounds
from ...core.tilemap import format_size
from ...core.tileset import Tileset
from ...kernels.global_constraints import COUNTED, PATH, REGION
from .adjacency import AdjacencyRules
from .pattern_set import (
    STORED_ARRAYS,
    CountedPatterns,
    Images,
    PatternSet,
    count_patterns,
    find_edge_patterns,
    learn_adjacency,
    restore_patterns,
    store_patterns,
)
from .user_constraints import UserConstraint
from .wave import GlobalConstraint

DEFAULT_PATTERN_SIZE = 3
MATCHED = (0.4, 2.5)
"""Minimum and maximum multiple of the fraction in the sample, with `match_counts`. Narrower bounds take much longer."""
MAX_RESTARTS = 10_000


Place = tuple[int, int] | tuple[int, int, int]


class PathConstraint(Params):
    """A path between two cells."""

    start: Place = param((0, 0))
    """First cell of the path: x, y; with levels also z."""
    end: Place = param((0, 0))
    """Last cell of the path."""
    over: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles that the path may use; by default all passable tiles."""


class WfcTrainingParams(TrainingParams):
    """Samples, and how their patterns are extracted."""

    sample: Samples = param("dungeon")
    """One or more maps to take patterns from: files, drawings, or names of built-in samples."""
    pattern_size: int | None = param(None, ge=1, le=5)
    """Edge length of the patterns; 1 uses only pairs of neighbors. By default 3, less for small samples or maps."""
    symmetry: int = param(1, ge=1, le=8)
    """Number of views of the sample: 1 as it is, 2 also mirrored left to right, 8 all rotations and reflections."""
    wrap_sample: AxesOf = param("none")
    """Axes along which the sample wraps, such as xy."""

    @property
    def facts(self) -> Mapping[str, str]:
        return {
            "patterns": f"{len(get_pattern_set(self.sample, *self._count_settings)):,} of {self._count_settings[0]}"
        }

    @property
    def _count_settings(self) -> tuple[int, int, str]:
        """Size, symmetry and wrapped axes of the counted patterns."""
        return self.pattern_size or default_pattern_size(self.sample), self.symmetry, self.wrap_sample

    def count(self) -> Counts:
        if self._count_settings[0] == 1:
            return {}
        try:
            return store_patterns(
                _count_patterns(self.sample, *self._count_settings), _encode_settings(*self._count_settings)
            )
        except TooLarge:  # a map smaller than the default pattern size uses smaller patterns, which may fit
            return {}

    def check_counts(self, counts: Counts) -> None:
        size, symmetry, wrap = self._count_settings
        if set(counts) != set(STORED_ARRAYS) or counts["settings"].tolist() != _encode_settings(*self._count_settings):
            raise InvalidRecipe("must be pattern counts of the model's pattern_size and symmetry", at="counts")
        axes, round_axes = self.sample.axes, wraps(wrap, self.sample.axes)
        windows = sum(
            prod(side if round_ else side - size + 1 for side, round_ in zip(grid.shape, round_axes, strict=True))
            for grid in self.sample
        )
        found = restore_patterns(counts, size**axes)
        if found is None or not found.is_sound(axes, size, len(self.sample.labels), symmetry * windows):
            raise InvalidRecipe("do not match the samples; learn the model again", at="counts")

    def find_problems(self) -> Iterator[Problem]:
        sides = wraps(self.wrap_sample, self.sample.axes)
        yield from find_axis_problems("wrap_sample", "the sample", self.wrap_sample, self.sample.axes)
        yield from find_sample_problems("sample", self.sample, self.pattern_size or 1, sides, "pattern_size")


class WfcParams(WfcTrainingParams, LearningParams, Sized):
    renamed: ClassVar[Mapping[str, str]] = {
        "backtracks": "max_backtracks",
        "repairs": "max_repairs",
        "restarts": "max_restarts",
    }
    technique: ClassVar[str] = "wfc"
    width: int = size_param(48)
    """Number of columns of the map."""
    height: int = size_param(32)
    """Number of rows of the map."""
    depth: int | None = param(None, ge=1, le=MAX_SIDE, typical=(1, 32))
    """Number of levels of the map; by default that of the sample."""
    wrap: AxesOf = param("none")
    """Axes along which the map wraps, such as xy."""
    rules: AdjacencyRules | None = param(None, control="file")
    """Tileset with adjacency rules, used instead of a sample: its name, or a file in TOML or in the XML of public WFC
    tile sets, such as Knots.xml or, for one of its subsets, Knots.xml#Fabric."""
    sample_edges: tuple[Edge, ...] = param((), max_length=6)
    """Edges of the map that only have patterns of the same edge of the sample: left, right, top, bottom; with levels
    also below, above."""
    ground: bool = param(False)
    """Whether the sample's last row is the ground, which occurs in the map's last row and nowhere else. The sample then
    wraps along y."""
    heuristic: Literal["entropy", "constrained", "scanline"] = param("entropy")
    """Cell to collapse next: the one with the lowest entropy, the one with the fewest patterns, or row by row."""
    border: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles allowed at the edge of the map; by default all."""
    counts: TileCounts = param((), max_length=1000)
    """Number of cells per tile, such as treasure: 3, 3..5, >=2 or <=4."""
    match_counts: bool = param(False)
    """Whether each tile that `counts` does not name covers 0.4 to 2.5 times the fraction that it has in the sample."""
    connected: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles whose cells must together form one connected region."""
    paths: tuple[PathConstraint, ...] = param((), max_length=100)
    """Pairs of cells that must be connected by a path."""
    constraints: tuple[UserConstraint, ...] = param((), max_length=100)
    """User-defined constraints, each with its name and parameters."""
    min_coverage: float = param(0.0, ge=0, le=1)
    """Minimum fraction of the sample's patterns, or of the rules' tiles, that must occur in the map. The solver
    restarts until they do."""
    max_backtracks: int = param(20, ge=0, le=1_000_000, typical=(0, 1000))
    """Maximum number of backtracks in a row before the region around the contradiction is reopened."""
    max_repairs: int = param(100, ge=0, le=1_000_000, typical=(0, 1000))
    """Maximum number of reopened regions in a row before the solver restarts."""
    max_restarts: int = param(4, ge=0, le=MAX_RESTARTS, typical=(0, 20))
    """Maximum number of restarts before the solver gives up."""
    relax: bool = param(False)
    """Whether to use patterns that are not in the sample as a last resort; they are marked and counted."""

    # -- the map ------------------------------------------------------------------------------------------------

    @property
    def axes(self) -> int:
        return 2 if self.rules else self.sample.axes

    @property
    def shape(self) -> tuple[int, ...]:
        flat = (self.height, self.width)
        return flat if self.axes == 2 else (self.depth or self.sample.grids[0].shape[0], *flat)

    @property
    def wrapped(self) -> Wrap:
        """Whether the map wraps, by axis."""
        return wraps(self.wrap, self.axes)

    @cached_property
    def size(self) -> int:
        """Edge length of the patterns."""
        if self.rules:
            return 1
        return self.pattern_size or min(default_pattern_size(self.sample), *self.shape)

    @property
    def training(self) -> Training | None:
        """The sample with the smallest set of views that includes `symmetry` views; None if there are rules instead."""
        if self.rules:
            return None
        views = next(number for number in (1, 2, 8) if number >= self.symmetry)
        return Training(
            samples=self.sample,
            pattern_size=self.size,
            wrap_sample=self.sample_axes,
            wrap=self.wrap,
            symmetries=views,
        )

    @property
    def tileset(self) -> Tileset:
        return self.rules.tileset if self.rules else self.sample.tileset

    @property
    def labels(self) -> tuple[str, ...]:
        return self.rules.tileset.names if self.rules else self.sample.labels

    @property
    def pattern_set(self) -> PatternSet:
        if self.rules:
            return _get_rule_patterns(self.rules)
        return get_pattern_set(self.sample, self.size, self.symmetry, self.sample_axes)

    @property
    def sample_axes(self) -> str:
        """Axes along which the sample wraps. The ground needs the y axis."""
        if not self.ground or "y" in self.wrap_sample:
            return self.wrap_sample
        return {"none": "y", "x": "xy", "z": "yz", "xz": "xyz"}[self.wrap_sample]

    @property
    def edge_patterns(self) -> Mapping[str, NDArray[np.bool_]]:
        """For each of `sample_edges`, (pattern,) whether the pattern may be at that edge."""
        settings = self.size, self.symmetry, self.sample_axes
        return {
            edge: _find_edge_patterns(self.sample, self.sample.counts_digest, *settings, edge)
            for edge in self.sample_edges
        }

    # -- constraints --------------------------------------------------------------------------------------------

    def find_tiles(self, tiles: Iterable[str], name: str) -> tuple[int, ...]:
        """Return the positions of tiles in `labels`; errors name the parameter `name`."""
        found = []
        for tile in tiles:
            number = self.tileset.find(tile)
            own = None if number is None else self.tileset[number].name
            if own not in self.labels:
                unknown = UnknownName("tile", tile, self.labels).problems[0]
                raise InvalidRecipe(unknown.text, at=name, rule=unknown.rule)
            found.append(self.labels.index(own))
        return tuple(found)

    @cached_property
    def walkable(self) -> tuple[int, ...]:
        """Positions of the passable tiles in `labels`."""
        tiles = (self.tileset[self.tileset.by_name[label]] for label in self.labels)
        return tuple(number for number, tile in enumerate(tiles) if tile.passable)

    @cached_property
    def global_constraints(self) -> tuple[GlobalConstraint, ...]:
        """Constraints on the complete map: counts, connected regions and paths."""
        global_constraints = []
        for name, counts in (("counts", self.counts), ("match_counts", self._find_matching_counts())):
            for tile, text in counts:
                tiles, bounds = self.find_tiles([tile], "counts"), parse_bounds(text)
                global_constraints.append(GlobalConstraint(COUNTED, tiles, f"{name}: {tile} {text}", *bounds))
        if self.connected:
            tiles = self.find_tiles(self.connected, "connected")
            global_constraints.append(GlobalConstraint(REGION, tiles, f"connected: {', '.join(self.connected)}"))
        for number, path in enumerate(self.paths):
            tiles = self.find_tiles(path.over, "paths") if path.over else self.walkable
            ends = tuple(self._find_cell(place, number) for place in (path.start, path.end))
            global_constraints.append(
                GlobalConstraint(
                    PATH, tiles, f"paths: {_format_place(path.start)} to {_format_place(path.end)}", ends=ends
                )
            )
        return tuple(global_constraints)

    def _find_matching_counts(self) -> Iterator[tuple[str, str]]:
        """Yield bounds for the tiles that have none, around the fractions of the sample."""
        if not self.match_counts or self.rules:
            return
        given = {tile for tile, _ in self.counts}
        fractions = self.sample.tile_counts / self.sample.tile_counts.sum()
        for label, fraction in zip(self.labels, fractions.tolist(), strict=True):
            if label not in given:
                expected = fraction * prod(self.shape)
                yield label, f"{floor(expected * MATCHED[0])}..{ceil(expected * MATCHED[1])}"

    def _find_cell(self, place: Place, number: int) -> int:
        at = tuple(reversed(place))
        if len(at) == 2 and self.axes == 3:
            at = (0, *at)
        inside = len(at) == self.axes and all(0 <= part < side for part, side in zip(at, self.shape, strict=True))
        if not inside:
            text = f"{_format_place(place)} is not on a map of {format_size(self.shape)}"
            raise InvalidRecipe(text, at=("paths", number), rule="outside")
        return int(np.ravel_multi_index(at, self.shape))

    def find_problems(self) -> Iterator[Problem]:
        yield from (
            list(super().find_problems())
            or [*self._find_source_problems(), *self._find_size_problems()]
            or self._find_constraint_problems()
        )

    def _find_source_problems(self) -> Iterator[Problem]:
        if self.rules and self.sample != type(self).model_fields["sample"].default and self.sample != _default_sample():
            text = "cannot be used together with a sample; leave one of the two out"
            yield problem(text, at="rules", remove=["sample", "rules"])
        if self.rules and self.pattern_size not in (None, 1):
            text = f"must be 1 with rules, got {self.pattern_size}"
            yield problem(text, at="pattern_size", remove=["pattern_size"])
        if self.ground and self.rules:
            yield problem("needs a sample; rules have no last row", at="ground", rule="missing", remove=["ground"])
        if self.match_counts and self.rules:
            text = "needs a sample; rules have no counts of tiles"
            yield problem(text, at="match_counts", rule="missing", remove=["match_counts"])
        if self.sample_edges and self.rules:
            text = "needs a sample; rules have no edges"
            yield problem(text, at="sample_edges", rule="missing", remove=["sample_edges"])
        else:
            implied = {"ground": "y"} if self.ground else {}
            wrapped = {"wrap": self.wrap, "wrap_sample": self.wrap_sample, **implied}
            yield from find_edge_problems("sample_edges", self.sample_edges, self.axes, wrapped)
        if self.axes == 2 and self.depth is not None:
            text = "needs a sample with levels, but this one is flat; leave depth out"
            yield problem(text, at="depth", rule="conflict", remove=["depth"])
        yield from find_axis_problems("wrap", "the map", self.wrap, self.axes)

    def _find_size_problems(self) -> Iterator[Problem]:
        for name, side, round_ in zip(
            ("width", "height", "depth"), reversed(self.shape), reversed(self.wrapped), strict=False
        ):
            if side < self.size and not round_:
                text = f"must be at least the pattern size {self.size}, got {side}; see pattern_size"
                yield problem(text, at=name, instead=self.size)

    def _find_constraint_problems(self) -> Iterator[Problem]:
        self.find_tiles(self.border, "border")
        cells = prod(self.shape)
        too_many, total = False, 0
        for constraint, (tile, text) in zip(self.global_constraints, self.counts, strict=False):
            if constraint.minimum > cells:
                too_many = True
                yield problem(f"{tile} {text}: the map has {pluralize(cells, 'cell')}", at="counts")
            total += constraint.minimum
        names = [constraint.tiles for constraint in self.global_constraints if constraint.kind == COUNTED]
        if len(set(names)) < len(names):
            yield problem("must contain each tile only once", at="counts")
        elif total > cells and not too_many:
            yield problem(f"require at least {total:,} cells, but the map has {pluralize(cells, 'cell')}", at="counts")
        if (
            len(names) == len(self.labels)
            and sum(constraint.maximum for constraint in self.global_constraints if constraint.kind == COUNTED) < cells
        ):
            yield problem(f"allow fewer tiles than the {pluralize(cells, 'cell')} of the map", at="counts")


def _format_place(place: Iterable[int]) -> str:
    return " ".join(f"{axis}={part}" for axis, part in zip("xyz", place, strict=False))


def default_pattern_size(sample: Samples) -> int:
    return max(1, min(DEFAULT_PATTERN_SIZE, *(side for grid in sample for side in grid.shape)))


@lru_cache(maxsize=1)
def _default_sample() -> Samples:
    return Samples.of("dungeon")


def get_pattern_set(sample: Samples, size: int, symmetry: int, wrap: str) -> PatternSet:
    """Return the patterns of samples. They are counted unless a learned model holds the counts."""
    return find_pattern_set(sample, sample.counts_digest, size, symmetry, wrap)


@cached_by_size
def find_pattern_set(sample: Samples, counts_digest: str, size: int, symmetry: int, wrap: str) -> PatternSet:
    """Return the patterns of samples; cached, because many maps are made from one sample."""
    tiles = len(sample.labels)
    if "settings" in sample.counts and sample.counts["settings"].tolist() == _encode_settings(size, symmetry, wrap):
        found = restore_patterns(sample.counts, size**sample.axes)
        assert found is not None
        return found.to_pattern_set(sample.axes, size, tiles)
    try:
        if size == 1:
            axes, images = wraps(wrap, sample.axes), _find_images(sample, symmetry)
            return learn_adjacency(sample.maps, tiles, wrap=axes, symmetry=symmetry, images=images)
        return _count_patterns(sample, size, symmetry, wrap).to_pattern_set(sample.axes, size, tiles)
    except TooLarge as error:
        raise InvalidRecipe(*error.problems) from None


@cached_by_size
def _find_edge_patterns(
    sample: Samples, counts_digest: str, size: int, symmetry: int, wrap: str, edge: str
) -> NDArray[np.bool_]:
    """Return (pattern,) whether each pattern occurs at an edge of a sample; cached as the pattern set is."""
    pattern_set = find_pattern_set(sample, counts_digest, size, symmetry, wrap)
    axes, images = wraps(wrap, sample.axes), _find_images(sample, symmetry)
    return find_edge_patterns(pattern_set, sample.maps, edge, wrap=axes, symmetry=symmetry, images=images)


def _count_patterns(sample: Samples, size: int, symmetry: int, wrap: str) -> CountedPatterns:
    axes, images = wraps(wrap, sample.axes), _find_images(sample, symmetry)
    return count_patterns(sample.maps, len(sample.labels), size, wrap=axes, symmetry=symmetry, images=images)


def _encode_settings(size: int, symmetry: int, wrap: str) -> list[int]:
    """Return size, symmetry and wrapped axes (as bits) as integers."""
    return [size, symmetry, sum(1 << "xyz".index(axis) for axis in wrap if axis in "xyz" and wrap != "none")]


@cached_by_size
def _get_rule_patterns(rules: AdjacencyRules) -> PatternSet:
    return rules.to_pattern_set()


def _find_images(sample: Samples, symmetry: int) -> Images | None:
    """Return, for each rotation and reflection, the label that each label turns into.

    Return None if no tile has joints. A label stays the same if the tile it turns into does not occur in the samples.
    """
    tileset = sample.tileset
    if symmetry == 1 or not any(tile.joins for tile in tileset):
        return None
    rank = {tileset.by_name[label]: number for number, label in enumerate(sample.labels)}
    ids = np.array(list(rank))
    return [
        np.array([rank.get(image, number) for number, image in enumerate(tileset.reorient_tiles(move)[ids].tolist())])
        for move in VIEWS[:symmetry]
    ]

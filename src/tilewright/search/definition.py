"""The definition of a search: everything that determines its archive. It is stored as the manifest of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from .. import __version__
from ..core.command_line import write_job_command
from ..core.errors import InvalidRecipe, TilewrightError, TooLarge
from ..core.notation import UnwritableValue
from ..core.params import Params, SeedValue, param
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.recipe_knobs import read_knobs
from ..core.seeds import Rng, Seed, number_seed, read_seed
from ..formats._resolver import to_editable_data
from ..jobs.definition import StoredJob, find_revisions, format_definition, read_measures, refuse_other_revisions
from .axes import Axes, MeasureAxis, Objective, ObjectiveValue
from .emitters import EMITTERS, RESTART_ROUNDS, RIBS_EMITTERS, Emitters
from .genome import Genome, SeedGene, Vary, read_vary, write_variation

KIND = "tilewright archive"
LAYOUT = 1
"""Version of the file layout, which is increased when the layout changes."""
MAX_EVALUATIONS = 10**8
MAX_BATCH = 1 << 16
MAX_STORED_CELLS = 1 << 31
DEFAULT_BATCH, DEFAULT_EMITTERS = 512, ("random", "line", "cross")


class SearchParams(Params):
    """Parameters of a search for elites."""

    vary: Vary = param(metavar="NAME[=RANGE]", repeated=True)
    """Parameters to vary, such as walls=0.3..0.6, outside=wall,floor or steps; parameters of shapers such as
    shaping.0.thickness; knobs of the recipe; and seed.

    A mapping: a tuple (low, high) is a range, a list is a set of choices. None, or a list of names instead of a
    mapping, uses the typical range of each parameter."""
    measures: Axes = param(metavar="NAME[:LOW..HIGH][:BINS][:log],...")
    """Axes of the archive, such as floor_share:20,regions:1..300:20:log. The first batch determines a missing range.

    Or a mapping: for each measure (low, high, bins), (low, high, bins, "log"), the number of bins, or None."""
    objective: ObjectiveValue = param(metavar="MEASURE")
    """Measure to maximize, -NAME to minimize, or a sum such as path_length-2*dead_ends.

    Or weights by measure."""
    evaluations: int = param(10_000, ge=1, le=MAX_EVALUATIONS, metavar="N")
    """Number of solutions to evaluate, rounded up to complete batches."""
    seed: SeedValue = param(None, metavar="SEED")
    """Seed of the search. By default, the seed of the recipe, or a random one."""
    repeats: int | None = param(None, ge=3, le=10_000, metavar="N")
    """Number of maps per solution. If given, an elite is a style: a setting of the parameters, whose measures are means
    over `repeats` seeds. By default, an elite is one map."""
    batch: int = param(DEFAULT_BATCH, ge=1, le=MAX_BATCH, metavar="N")
    """Number of solutions per round. It affects the result; the number of workers does not."""
    emitters: Emitters = param(DEFAULT_EMITTERS, metavar="NAME,...")
    """Names of the emitters among which a bandit divides each batch: random, line and cross; with the extra `search`
    also those of ribs."""


class StoredDefinition(StoredJob):
    """A definition as the manifest of a folder has it. `Definition.of` validates the values."""

    own_kind = KIND
    own_layout = LAYOUT
    vary: dict[str, Any]
    measures: dict[str, list[Any]]
    objective: dict[str, Any]
    evaluations: int
    seed: str
    repeats: int | None
    batch: int
    emitters: list[str]


@dataclass(frozen=True)
class Definition:
    """A validated search. The solutions of a round depend only on the definition and the elites of earlier rounds."""

    recipe: Recipe
    vary: Mapping[str, Any]
    axes: tuple[MeasureAxis, ...]
    objective: Objective
    evaluations: int
    """Number of solutions to evaluate, a multiple of the batch size and of the period."""
    seed: Seed
    repeats: int | None
    """Number of seeds over which the measures of a style are averaged; None if each elite is a map."""
    batch: int
    emitters: tuple[str, ...]
    version: str = __version__

    @classmethod
    def of(cls, recipe: Recipe, **values: Any) -> Definition:
        """Return the search with parameters that are not validated yet."""
        return cls.from_params(recipe, SearchParams.validate(values))

    @classmethod
    def from_params(cls, recipe: Recipe, params: SearchParams) -> Definition:
        """Return the search over a recipe. Raise InvalidRecipe if the recipe lacks what the parameters need."""
        make_plan(recipe)
        genome = Genome(recipe, params.vary)
        if params.repeats is not None and genome.has_seed:
            text = "a style has the same measures with any seed; remove seed, or repeats"
            raise InvalidRecipe(text, at=("vary", "seed"), rule="conflict")
        period = _count_rounds(params.emitters)
        batch = min(params.batch, -(-params.evaluations // period))
        found = cls(
            replace(recipe, attempt=None),
            genome.to_data(),
            params.measures,
            params.objective,
            -(-params.evaluations // (batch * period)) * batch * period,
            read_seed(params.seed if params.seed is not None else recipe.seed),
            params.repeats,
            batch,
            params.emitters,
        )
        read_measures(recipe, found.measures)
        object.__setattr__(found, "genome", genome)
        return found

    def check_size(self) -> None:
        """Raise TooLarge if the maps of all elites of a folder do not fit in memory."""
        size = prod(axis.bins for axis in self.axes) * prod(self.recipe.shape)
        if size > MAX_STORED_CELLS:
            text = f"the maps of all elites may have {size:,} cells; at most {MAX_STORED_CELLS:,} can be stored"
            raise TooLarge(f"{text}; use fewer bins or smaller maps", at="measures")

    @cached_property
    def genome(self) -> Genome:
        return Genome(self.recipe, self.vary)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Measures to compute: those of the axes, then those of the objective."""
        return tuple(dict.fromkeys([*(axis.measure for axis in self.axes), *self.objective.measures]))

    @property
    def rounds(self) -> int:
        return self.evaluations // self.batch

    @property
    def period(self) -> int:
        """Number of rounds between two states in which a search can be stored; 1 unless an emitter has a state."""
        return _count_rounds(self.emitters)

    @property
    def is_portable(self) -> bool:
        """Whether every machine makes the same archive. The emitters of ribs use LAPACK, which differs by processor."""
        return all(name in EMITTERS for name in self.emitters)

    @cached_property
    def root(self) -> Rng:
        return Rng.of(self.seed).child("search")

    @cached_property
    def map_seeds(self) -> tuple[Seed, ...]:
        """Seeds of the maps of a solution, unless the seed is a gene: one, or one per repetition of a style."""
        if self.repeats is None:
            return (self.recipe.seed if self.recipe.seed is not None else self.seed,)
        return tuple(number_seed(self.seed, number) for number in range(self.repeats))

    def seed_of(self, values: tuple[Any, ...]) -> Seed:
        """Return the seed of a solution's map; for a style, its first seed."""
        at = next((at for at, gene in enumerate(self.genome.genes) if isinstance(gene, SeedGene)), None)
        return self.map_seeds[0] if at is None else str(values[at])

    def recipes_of(self, values: tuple[Any, ...]) -> list[Recipe]:
        """Return the recipes of the maps of a solution, with their seeds."""
        recipe = self.genome.apply(values)
        return [recipe] if self.genome.has_seed else [recipe.with_seed(seed) for seed in self.map_seeds]

    # -- as a file ------------------------------------------------------------------------------------------------

    @property
    def revisions(self) -> dict[str, int]:
        return find_revisions(self.recipe, self.measures)

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": KIND,
            "layout": LAYOUT,
            "recipe": {
                **self.recipe.to_data(),
                **({"knobs": {knob.name: knob.to_data() for knob in self.recipe.knobs}} if self.recipe.knobs else {}),
            },
            "vary": dict(self.vary),
            "measures": {axis.measure: axis.to_data() for axis in self.axes},
            "objective": dict(self.objective.weights),
            "evaluations": self.evaluations,
            "seed": self.seed,
            "repeats": self.repeats,
            "batch": self.batch,
            "emitters": list(self.emitters),
            "reproducible": "on every machine" if self.is_portable else "on one machine",
            "tilewright": self.version,
            "revisions": self.revisions,
        }

    def write_command(self, folder: str) -> str:
        """Return the command that makes the archive in a folder; empty if it cannot be written in one line."""
        try:
            vary = [write_variation(path, spec) for path, spec in self.vary.items()]
            if Genome(self.recipe, read_vary(vary)).to_data() != self.genome.to_data():
                return ""
        except (TilewrightError, UnwritableValue):
            return ""
        options = {
            "--measures": ",".join(axis.write() for axis in self.axes),
            "--objective": str(self.objective),
            "--evaluations": str(self.evaluations),
            "--seed": self.seed,
            "--repeats": "" if self.repeats is None else str(self.repeats),
            "--batch": "" if self.batch == DEFAULT_BATCH else str(self.batch),
            "--emitters": "" if self.emitters == DEFAULT_EMITTERS else ",".join(self.emitters),
            "-o": folder,
        }
        words = [word for item in vary for word in ("--vary", item)]
        words += [word for flag, value in options.items() if value for word in (flag, value)]
        return write_job_command("search make", self.recipe, words)

    @cached_property
    def text(self) -> str:
        return format_definition(self.to_data())

    @classmethod
    def from_text(cls, text: str | bytes) -> Definition:
        """Parse a manifest.

        Raise a TilewrightError if it is damaged, and BadFile if it was written by a version that makes other archives.
        """
        stored = StoredDefinition.from_json(text)
        params = {name: getattr(stored, name) for name in SearchParams.model_fields}
        found = cls.of(_read_recipe(stored.recipe), **params)
        refuse_other_revisions("archive", stored.tilewright, stored.revisions, found.revisions)
        return replace(found, version=stored.tilewright)


def _read_recipe(data: Mapping[str, Any]) -> Recipe:
    """Return a stored recipe. Its knobs are read last, because they may drive parts of the compact form of models."""
    recipe = Recipe.of({**data, "knobs": None})
    return replace(recipe, knobs=read_knobs(data.get("knobs"), to_editable_data(recipe)))


def _count_rounds(emitters: tuple[str, ...]) -> int:
    return RESTART_ROUNDS if any(name in RIBS_EMITTERS for name in emitters) else 1

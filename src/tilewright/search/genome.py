"""The genome of a search: all its genes, and how their values change a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, errors_within, pluralize
from ..core.fields import UNSET
from ..core.recipe import Recipe
from ..core.recipe_knobs import apply_knobs
from ..core.recipe_paths import find_field, get_part, list_stages, split_stage, with_part_at
from ..formats._resolver import to_editable_data
from .genes import Gene, SeedGene, Units, read_gene

MAX_SLOTS = 4096
"""Maximum number of slots of a genome."""
KNOBS = "knobs."


def read_vary(given: Any) -> dict[str, Any] | None:
    """Return ranges or choices by parameter, from a mapping, or names and strings such as `walls=0.3..0.6`."""
    if given is None or isinstance(given, Mapping):
        return given if given is None else dict(given)
    if not isinstance(given, str | Sequence):
        raise InvalidRecipe("must be ranges by parameter, or names", at="vary", got=given, rule="type")
    ranges: dict[str, Any] = {}
    for item in [given] if isinstance(given, str) else given:
        name, equals, values = (part.strip() for part in str(item).partition("="))
        if name in ranges:
            raise InvalidRecipe(f"{name!r} occurs twice", at="vary", rule="duplicate")
        if not name:
            raise InvalidRecipe("must be a parameter such as walls=0.3..0.6", at="vary", got=item, rule="format")
        ranges[name] = values if equals else None
    return ranges


Vary = Annotated[dict[str, Any] | None, PlainValidator(read_vary), WithJsonSchema({"type": "object"})]
"""What a search varies; see `genes.read_gene`."""


class Genome:
    """The genes of a search, and how their values change a recipe.

    Parameters
    ----------
    recipe : Recipe
        The recipe to vary.
    vary : mapping or sequence
        Range or choices by parameter, or names of parameters with their typical ranges: see `genes.read_gene`.
    """

    def __init__(self, recipe: Recipe, vary: Mapping[str, Any] | Sequence[str] | None) -> None:
        given = read_vary(vary)
        if not given:
            raise InvalidRecipe("must name at least one parameter, such as walls, or seed", at="vary", rule="missing")
        self.recipe = recipe
        self.data = to_editable_data(recipe)
        self.genes = tuple(_find_gene(self.data, str(name), spec) for name, spec in given.items())
        names = [gene.name for gene in self.genes]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidRecipe(f"{twice!r} occurs twice", at="vary", rule="duplicate")
        self.slots = sum(gene.slots for gene in self.genes)
        if self.slots > MAX_SLOTS:
            text = f"must have at most {MAX_SLOTS:,} numbers in all, got {self.slots:,}"
            raise InvalidRecipe(text, at="vary", rule="maximum")
        self.redrawn = np.concatenate([np.full(gene.slots, gene.is_redrawn) for gene in self.genes])
        """Array (slot,) of whether a slot has no order."""
        self.owners = np.concatenate([np.full(gene.slots, number) for number, gene in enumerate(self.genes)])
        """Array (slot,) of the gene of each slot."""
        for gene in self.genes:
            for value in gene.ends():
                self._check_value(gene, value)

    @property
    def has_seed(self) -> bool:
        return any(isinstance(gene, SeedGene) for gene in self.genes)

    @property
    def names(self) -> list[str]:
        return [gene.name for gene in self.genes]

    def to_data(self) -> dict[str, Any]:
        return {gene.path: gene.to_data() for gene in self.genes}

    def decode(self, units: Units) -> list[tuple[Any, ...]]:
        """Return the values of all genes for each solution."""
        first, columns = 0, []
        for gene in self.genes:
            columns.append(gene.decode(units[:, first : first + gene.slots]))
            first += gene.slots
        return list(zip(*columns, strict=True))

    def apply(self, values: Sequence[Any]) -> Recipe:
        """Return the recipe with these values. Its seed is that of the recipe, unless the seed is a gene."""
        params = dict(self.data["params"])
        data: dict[str, Any] = {**self.data, "params": params}
        seed, knobs, nested = None, {}, []
        for gene, value in zip(self.genes, values, strict=True):
            if isinstance(gene, SeedGene):
                seed = value
            elif gene.path.startswith(KNOBS):
                knobs[gene.path.removeprefix(KNOBS)] = value
            elif gene.path.startswith("params.") and gene.path.count(".") == 1:
                params[gene.path.removeprefix("params.")] = value
            else:
                nested.append((gene.path, value))
        if nested or knobs:
            if knobs:
                data = dict(apply_knobs(data, knobs))
            for path, value in nested:
                data = with_part_at(data, path, value)
            recipe = Recipe.of({**data, "knobs": None})
        else:
            recipe = self.recipe.with_params(params)
        return recipe if seed is None else recipe.with_seed(seed)

    def _check_value(self, gene: Gene, value: Any) -> None:
        """Raise InvalidRecipe if the recipe refuses a bound or a choice."""
        if isinstance(gene, SeedGene):
            return
        middle = self.decode(np.full((1, self.slots), 0.5))[0]
        try:
            self.apply([value if other is gene else one for other, one in zip(self.genes, middle, strict=True)])
        except InvalidRecipe:
            # The middle value of another gene may be the reason.
            with errors_within("vary", place=f"vary {gene.name}"):
                if gene.path.startswith(KNOBS):
                    data = apply_knobs(self.data, {gene.path.removeprefix(KNOBS): value})
                else:
                    data = with_part_at(self.data, gene.path, value)
                Recipe.of({**data, "knobs": None})


def _find_gene(data: Mapping[str, Any], name: str, spec: Any) -> Gene:
    """Return the gene of a parameter, a knob or the seed by its name, as in sweeps."""
    if name == "seed":
        if spec not in (None, "free", {}):
            raise InvalidRecipe("must be free; each map draws its own seed", at=("vary", "seed"), got=spec)
        return SeedGene("seed")
    knobs = {knob.name: knob for knob in data["knobs"]}
    knob = knobs.get(name.removeprefix(KNOBS).replace("-", "_"))
    with errors_within("vary", place=f"vary {name}"):
        if knob is not None and (name.startswith(KNOBS) or name in knobs):
            return read_gene(f"{KNOBS}{knob.name}", knob.field, knob.value, spec)
        path = _full_path(data, name)
        field = find_field(data, path)
        if field is None:
            raise InvalidRecipe("must be a parameter of the technique or of a shaper", got=name, rule="unknown_name")
        current = get_part(data, path)
        return read_gene(path, field, None if current is UNSET else current, spec)


def _full_path(data: Mapping[str, Any], name: str) -> str:
    """Return the complete path of a parameter, given its name, `params.NAME` or, as in sweeps, `shaping.0.NAME`."""
    steps = name.split(".")
    if steps[0] == "params":
        return name
    if steps[0] != "shaping":
        return f"params.{name}"
    stages = list_stages(data)
    if len(steps) != 3 or not steps[1].isdecimal():
        return name
    if int(steps[1]) >= len(stages):
        text = f"there is no shaper {steps[1]}; the recipe has {pluralize(len(stages), 'shaper')}, counted from 0"
        raise InvalidRecipe(text, rule="unknown_name")
    return ".".join(["shaping", steps[1], split_stage(stages[int(steps[1])])[0], steps[2]])

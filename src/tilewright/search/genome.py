"""The genome of a search: the parameters that it varies, and how their values change a recipe.

A genome is an array of unit numbers. Each gene decodes its own part of the genome to a value of a parameter, so that
emitters need to know nothing of parameters. Genes that have no order, such as choices and the seed, are redrawn and
never interpolated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from math import floor, isfinite, log10
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, errors_within, pluralize
from ..core.fields import UNSET, Field
from ..core.notation import UnwritableValue, read_number, read_value
from ..core.recipe import Recipe
from ..core.recipe_knobs import apply_knobs, refuse_driven_twice
from ..core.recipe_paths import find_field, get_part, list_stages, split_stage, with_part_at
from ..formats._resolver import to_editable_data

Units = NDArray[np.float64]
"""Array (solution, slot) of numbers between 0 and 1."""
SEEDS = 10**9
"""Number of different seeds of a free seed gene."""
MAX_CHOICES = 100_000
MAX_NUMBER = 10**9
"""Maximum absolute value of a bound."""
DIGITS = 6
"""Significant digits that a float gene can have within its range; the values of recipes stay readable."""
SCORE_DIGITS = 3


@dataclass(frozen=True)
class Gene(ABC):
    """A varied parameter."""

    path: str
    """Path of the parameter in a recipe's data, `seed`, or `knobs.NAME` for a knob of the recipe."""

    _: KW_ONLY
    slots: int = 1
    """Number of unit numbers that determine the value."""
    is_redrawn: ClassVar[bool] = False
    """Whether values have no order: emitters copy or redraw such genes, and never interpolate them."""

    @property
    def name(self) -> str:
        """Short name, which is also the name of the column in tables."""
        return self.path.removeprefix("params.").removeprefix("knobs.").replace(".", "_")

    @abstractmethod
    def decode(self, units: Units) -> list[Any]:
        """Return the value of each solution, given the gene's slots of all genomes."""

    def ends(self) -> list[Any]:
        """Return the values that are validated before a search starts: the bounds, or all choices."""
        return self.decode(np.stack([np.zeros(self.slots), np.full(self.slots, np.nextafter(1.0, 0.0))]))

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return the range or the choices as plain data, which `read_gene` reads."""


@dataclass(frozen=True)
class NumberGene(Gene):
    """A number, a pair of a minimum and a maximum, or a list of numbers, all with one range.

    Each integer of a range has an equal part of the unit interval.
    """

    low: float
    high: float
    is_integer: bool = False
    form: Literal["number", "pair", "list"] = "number"
    is_sorted: bool = False
    """Whether the numbers of a solution ascend."""

    def to_data(self) -> dict[str, Any]:
        return {"from": self.low, "to": self.high} | ({"size": self.slots} if self.form == "list" else {})

    def decode(self, units: Units) -> list[Any]:
        units = np.sort(units, axis=1) if self.is_sorted else units
        numbers = _to_integers(units, int(self.low), int(self.high)) if self.is_integer else self._scale(units)
        found: list[Any] = (numbers[:, 0] if self.form == "number" else numbers).tolist()
        return found

    def _scale(self, units: Units) -> Units:
        """Return numbers of the range, rounded so that they stay readable."""
        span = self.high - self.low
        digits = max(0, DIGITS - 1 - floor(log10(span))) if span > 0 else DIGITS
        return np.round(self.low + span * units, min(digits, 15))


@dataclass(frozen=True)
class MatrixGene(Gene):
    """A score matrix. Only the order and the ratios of score differences matter, so it is normalized to 0..1."""

    def to_data(self) -> dict[str, Any]:
        return {"size": self.slots}

    def decode(self, units: Units) -> list[Any]:
        low, high = units.min(axis=1, keepdims=True), units.max(axis=1, keepdims=True)
        span = np.where(high > low, high - low, 1.0)
        found: list[Any] = np.round((units - low) / span, SCORE_DIGITS).tolist()
        return found


@dataclass(frozen=True)
class ChoiceGene(Gene):
    """One of several values."""

    values: tuple[Any, ...]
    is_redrawn: ClassVar[bool] = True

    def decode(self, units: Units) -> list[Any]:
        return [self.values[number] for number in _to_integers(units[:, 0], 0, len(self.values) - 1).tolist()]

    def ends(self) -> list[Any]:
        return list(self.values)

    def to_data(self) -> dict[str, Any]:
        return {"values": list(self.values)}


@dataclass(frozen=True)
class SeedGene(Gene):
    """The seed of a map, an integer below 10^9."""

    is_redrawn: ClassVar[bool] = True

    def decode(self, units: Units) -> list[Any]:
        found: list[Any] = _to_integers(units[:, 0], 0, SEEDS - 1).tolist()
        return found

    def to_data(self) -> dict[str, Any]:
        return {}


def _to_integers(units: Units, low: int, high: int) -> NDArray[np.int64]:
    """Return unit numbers as integers of a range, each of which has an equal part of the unit interval."""
    return low + np.minimum(np.floor(units * (high - low + 1)), high - low).astype(np.int64)


# -- reading ----------------------------------------------------------------------------------------------------

RANGE_KEYS = {"from", "to", "size"}


def read_gene(path: str, field: Field, current: Any, spec: Any) -> Gene:
    """Return the gene of a parameter.

    Parameters
    ----------
    path : str
        Path of the parameter.
    field : Field
        Description of the parameter.
    current : Any
        Value of the parameter in the recipe; it determines the length of vectors and matrices.
    spec : None, str, tuple, list or mapping
        A tuple (low, high) or a mapping with `from` and `to` is a range, a list or a mapping with `values` is a set of
        choices, and a string such as `0.3..0.6` or `wall,floor` is either. By default, the typical range, the bounds
        or all choices of the parameter.

    Returns
    -------
    Gene

    Raises
    ------
    InvalidRecipe
        If the parameter has no such range, or its kind cannot be varied.
    """
    if isinstance(spec, str):
        spec = _read_text(spec, field)
    if isinstance(spec, list):
        spec = {"values": spec}
    if isinstance(spec, tuple):
        if len(spec) != 2:
            raise InvalidRecipe("must be a pair (low, high), or a list of choices", got=spec, rule="type")
        spec = {"from": spec[0], "to": spec[1]}
    if not isinstance(spec, Mapping | None):
        raise InvalidRecipe("must be a pair (low, high), or a list of choices", got=spec, rule="type")
    spec = dict(spec or {})
    if "values" in spec or (not spec and field.kind in ("choice", "switch")):
        return ChoiceGene(path, _read_choices(spec.get("values"), field))
    if unknown := sorted(set(spec) - RANGE_KEYS):
        raise InvalidRecipe(f"must have from and to, or values, not {unknown[0]}", got=spec, rule="unknown_name")
    numbers = next((one for one in field.alternatives if one.type in ("integer", "number")), None)
    if numbers is not None:
        return NumberGene(path, *_read_range(spec, numbers), is_integer=numbers.is_integer)
    return _read_list_gene(path, field, current, spec)


def _read_list_gene(path: str, field: Field, current: Any, spec: Mapping[str, Any]) -> Gene:
    """Return the gene of a matrix, a pair or a vector."""
    size = len(current) if isinstance(current, (list, tuple)) else 0
    if field.kind == "scores":
        if not size:
            raise InvalidRecipe("needs a matrix to start from in the recipe; set it to numbers", rule="missing")
        return MatrixGene(path, slots=size)
    slots = field.slots or ((field.item,) * size if field.kind in ("numbers", "strip") else ())
    if not slots or any(slot.type not in ("integer", "number") for slot in slots):
        text = "cannot be varied over a range; give a list of choices"
        raise InvalidRecipe(text, value=path, rule="type")
    is_integer = all(slot.is_integer for slot in slots)
    low, high = _read_range(spec, slots[0], typical=field.typical)
    if len(slots) == 2 and is_integer and field.kind == "tuple":
        return NumberGene(path, low, high, True, "pair", is_sorted=True, slots=2)
    is_sorted = field.kind == "strip" and not is_integer
    return NumberGene(path, low, high, is_integer, "list", is_sorted, slots=len(slots))


def _read_text(text: str, field: Field) -> Any:
    """Return a range or choices from the form of the command line."""
    low, dots, high = text.partition("..")
    if dots:
        return read_number(low.strip()), read_number(high.strip())
    if not text.strip():
        raise InvalidRecipe("must be a range such as 0.3..0.6, or choices such as wall,floor", got=text, rule="format")
    if text.lstrip().startswith("["):
        return {"values": read_value(text, Field("", {}, {}))}
    return [read_value(part.strip(), field) for part in text.split(",")]


def _read_choices(given: Any, field: Field) -> tuple[Any, ...]:
    values = (field.choices or [False, True]) if given is None else given
    if not isinstance(values, (list, tuple)) or not 1 <= len(values) <= MAX_CHOICES:
        raise InvalidRecipe(f"must be 1 to {MAX_CHOICES:,} choices", got=values, rule="type")
    return tuple(values)


def _read_range(
    spec: Mapping[str, Any], field: Field, *, typical: tuple[float, float] | None = None
) -> tuple[Any, Any]:
    """Return the given range, or else the typical range or the bounds of a number."""
    low: Any
    high: Any
    if "from" in spec or "to" in spec:
        low, high = spec.get("from"), spec.get("to")
    else:
        low, high = typical or field.typical or (field.minimum, field.maximum)
        if low is None or high is None or max(abs(low), abs(high)) > MAX_NUMBER:
            raise InvalidRecipe("has no bounds; give a range such as 1..10", rule="missing")
    for bound in (low, high):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not isfinite(bound):
            raise InvalidRecipe("must be a range of numbers such as 1..10", got=[low, high], rule="type")
        if abs(bound) > MAX_NUMBER:
            raise InvalidRecipe(f"must be between -{MAX_NUMBER:,} and {MAX_NUMBER:,}", got=bound, rule="range")
        if field.is_integer and bound != int(bound):
            raise InvalidRecipe("must be a range of integers", got=bound, rule="type")
    if low > high:
        raise InvalidRecipe("must go from low to high", got=[low, high], rule="range")
    return (int(low), int(high)) if field.is_integer else (float(low), float(high))


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


def write_variation(path: str, spec: Any) -> str:
    """Return a range or choices as `read_vary` reads them. Raise UnwritableValue for other forms.

    >>> write_variation("params.walls", {"from": 0.3, "to": 0.6}), write_variation("seed", {})
    ('params.walls=0.3..0.6', 'seed')
    """
    match spec:
        case {"from": low, "to": high}:
            return f"{path}={low}..{high}"
        case {"values": [*values]} if all(isinstance(value, str | bool | int | float) for value in values):
            return f"{path}={','.join(str(one).lower() if isinstance(one, bool) else str(one) for one in values)}"
        case None | {}:
            return path
    raise UnwritableValue(path)


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
        refuse_driven_twice([gene.path for gene in self.genes], recipe.knobs, "vary")
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
        if knob is not None and (name.startswith(KNOBS) or name.replace("-", "_") in knobs):
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

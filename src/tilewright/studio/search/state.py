"""State of the view Search: what varies, the measures, the objective, and the picks of each generation.

It is an immutable part of `State`. A search and the maps to pick from follow from it and the recipe, so a link restores
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from ...core.errors import InvalidRecipe, Problem, problem
from ...core.params import param
from ...core.registry import MAX_MEASURE_NAME
from ..link_params import Items, LinkParams

MAX_BINS = 64
"""Maximum number of bins of an axis on the page."""
DEFAULT_BINS = 20
MAX_EVALUATIONS = 100_000
DEFAULT_EVALUATIONS = 4096
MAX_SEED = 10**9
MAX_NUMBER = 1e9
MAX_VARIED = 64
"""Maximum number of varied parameters."""
MAX_CHOICES = 100
MAX_TEXT = 200
MAX_GENERATIONS = 200
MAPS = 12
"""Number of maps of a generation that are shown."""
MAX_CANDIDATES = 48
"""Maximum number of solutions of a generation; those whose maps fail or repeat are not shown."""

Number: TypeAlias = Annotated[int | float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
Text: TypeAlias = Annotated[str, Field(max_length=MAX_TEXT)]
Pick: TypeAlias = Annotated[int, Field(ge=0, lt=MAX_CANDIDATES)]
Picks: TypeAlias = Annotated[Items[Pick], Field(max_length=MAPS)]


SPECS = TypeAdapter(
    dict[
        Literal["from", "to", "values"],
        Number | Annotated[list[bool | Number | Text | None], Field(min_length=1, max_length=MAX_CHOICES)],
    ],
    config=ConfigDict(strict=True, allow_inf_nan=False),
)
SPEC_FORMS: tuple[dict[str, bool], ...] = ({}, {"from": False, "to": False}, {"values": True})
"""Whether the value of each key is a list."""


def _check_spec(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        found = SPECS.validate_python(spec)
    except ValidationError:
        found = None
    if found is None or {key: isinstance(value, list) for key, value in found.items()} not in SPEC_FORMS:
        raise InvalidRecipe("must be a range or choices", got=spec, rule="type")
    return spec


Spec: TypeAlias = Annotated[Mapping[str, Any], AfterValidator(_check_spec)]
"""Range (`from` and `to`) or choices (`values`) of a varied parameter; empty for the default."""


class AxisState(LinkParams):
    """A measure of the heatmap, with its bins."""

    measure: str = param("", max_length=MAX_MEASURE_NAME)
    """Name of the measure; empty if the studio suggests one."""
    bins: int = param(DEFAULT_BINS, ge=1, le=MAX_BINS)
    is_log: bool = False
    low: Number | None = None
    """Lower end of the range; None if the first maps determine it."""
    high: Number | None = None

    def to_spec(self) -> list[Any]:
        """Return the axis in the form that `search.axes.read_axes` reads."""
        return [self.low, self.high, self.bins, *(["log"] if self.is_log else [])]


class SearchViewState(LinkParams):
    """Settings of the view Search. They do not affect the current map."""

    owner: Text = ""
    """Technique and recipe that the settings belong to. For others, the defaults apply."""
    mode: Literal["explore", "eye"] = "explore"
    vary: Mapping[Text, Spec] | None = param(None, max_length=MAX_VARIED)
    """Range or choices by path of the parameter; None for the suggested parameters."""
    x: AxisState = AxisState()
    y: AxisState = AxisState()
    objective: Text = ""
    """Measure to maximize or minimize; empty if the studio suggests one."""
    is_least: bool = False
    second: Text = ""
    """Second measure of the objective; empty for none."""
    weight: Number = 1.0
    """Factor of the second measure."""
    evaluations: int = param(0, ge=0, le=MAX_EVALUATIONS)
    """Number of maps to make; 0 if the studio suggests one."""
    seed: int = param(0, ge=0, lt=MAX_SEED)
    """Seed of the search, and of the generations."""
    picks: Items[Picks] = param(((),), min_length=1, max_length=MAX_GENERATIONS)
    """Numbers of the picked candidates of each generation."""
    generation: int = param(0, ge=0)
    """Generation that is shown."""
    keeps_picked: bool = True
    """Whether the picked maps are part of the next generation."""

    @property
    def picked(self) -> tuple[int, ...]:
        """Numbers of the picked candidates of the generation that is shown."""
        return self.picks[self.generation]

    def toggle_pick(self, number: int) -> SearchViewState:
        """Pick a candidate of the shown generation, or remove the pick. Later generations are removed."""
        others = tuple(one for one in self.picked if one != number)
        picked = others if number in self.picked else tuple(sorted((*others, number)))
        return self.replace(picks=(*self.picks[: self.generation], picked))

    def breed_next(self) -> SearchViewState:
        """Show the next generation; a new one if the shown one is the last."""
        if self.generation + 1 < len(self.picks):
            return self.replace(generation=self.generation + 1)
        if len(self.picks) >= MAX_GENERATIONS:
            return self
        return self.replace(picks=(*self.picks, ()), generation=len(self.picks))

    def start_over(self, seed: int) -> SearchViewState:
        """Show a random generation of another seed."""
        return self.replace(seed=seed, picks=((),), generation=0)

    def find_problems(self) -> Iterable[Problem]:
        if self.generation >= len(self.picks):
            yield problem("must be a generation with picks", at="generation", got=self.generation)

"""State of the view Search: what varies, the measures, the objective, and the picks of each generation.

It is an immutable part of `State`. A search and the maps to pick from follow from it and the recipe, so a link restores
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from typing import Any

from ..core.errors import InvalidRecipe
from ..core.registry import MAX_MEASURE_NAME

MODES = ("explore", "eye")
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

Spec = Mapping[str, Any]
"""Range (`from` and `to`) or choices (`values`) of a varied parameter; empty for the default."""


@dataclass(frozen=True)
class AxisState:
    """A measure of the heatmap, with its bins."""

    measure: str = ""
    """Name of the measure; empty if the studio suggests one."""
    bins: int = DEFAULT_BINS
    is_log: bool = False
    low: float | None = None
    """Lower end of the range; None if the first maps determine it."""
    high: float | None = None

    def to_spec(self) -> list[Any]:
        """Return the axis in the form that `search.axes.read_axes` reads."""
        return [self.low, self.high, self.bins, *(["log"] if self.is_log else [])]


@dataclass(frozen=True)
class SearchViewState:
    """Settings of the view Search. They do not affect the current map."""

    owner: str = ""
    """Technique and recipe that the settings belong to. For others, the defaults apply."""
    mode: str = "explore"
    vary: Mapping[str, Spec] | None = None
    """Range or choices by path of the parameter; None for the suggested parameters."""
    x: AxisState = field(default_factory=AxisState)
    y: AxisState = field(default_factory=AxisState)
    objective: str = ""
    """Measure to maximize or minimize; empty if the studio suggests one."""
    is_least: bool = False
    second: str = ""
    """Second measure of the objective; empty for none."""
    weight: float = 1.0
    """Factor of the second measure."""
    evaluations: int = 0
    """Number of maps to make; 0 if the studio suggests one."""
    seed: int = 0
    """Seed of the search, and of the generations."""
    picks: tuple[tuple[int, ...], ...] = ((),)
    """Numbers of the picked candidates of each generation."""
    generation: int = 0
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
        return replace(self, picks=(*self.picks[: self.generation], picked))

    def breed_next(self) -> SearchViewState:
        """Show the next generation; a new one if the shown one is the last."""
        if self.generation + 1 < len(self.picks):
            return replace(self, generation=self.generation + 1)
        if len(self.picks) >= MAX_GENERATIONS:
            return self
        return replace(self, picks=(*self.picks, ()), generation=len(self.picks))

    def start_over(self, seed: int) -> SearchViewState:
        """Show a random generation of another seed."""
        return replace(self, seed=seed, picks=((),), generation=0)

    # -- links --------------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Return plain data for `from_data`. Defaults are left out."""
        default = SearchViewState()
        data = {name: value for name, value in vars(self).items() if value != getattr(default, name)}
        return data | {name: _axis_to_data(data[name]) for name in ("x", "y") if name in data}

    @classmethod
    def from_data(cls, data: Any) -> SearchViewState:
        """Read the settings from plain data of an untrusted source. Unknown names are ignored."""
        if not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", at="search", got=data, rule="type")
        known = {one.name for one in fields(cls)}
        try:
            found = cls(**{name: _read_field(name, value) for name, value in data.items() if name in known})
        except InvalidRecipe as error:
            raise error.within("search") from None
        if found.generation >= len(found.picks):
            raise InvalidRecipe("must be a generation with picks", at=("search", "generation"), got=found.generation)
        return found


def _axis_to_data(axis: AxisState) -> dict[str, Any]:
    default = vars(AxisState())
    return {name: value for name, value in vars(axis).items() if value != default[name]}


def _read_field(name: str, value: Any) -> Any:
    """Return the validated value of a field."""
    match name:
        case "x" | "y":
            return _read_axis(name, value)
        case "vary":
            return _read_vary(value)
        case "picks":
            return _read_picks(value)
        case "mode":
            is_valid, rule = value in MODES and isinstance(value, str), f"one of {', '.join(MODES)}"
        case "is_least" | "keeps_picked":
            is_valid, rule = isinstance(value, bool), "true or false"
        case "weight":
            is_valid, rule = _is_number(value), f"a number from -{MAX_NUMBER:g} to {MAX_NUMBER:g}"
        case "evaluations":
            is_valid, rule = _is_integer(value, 0, MAX_EVALUATIONS), f"an integer from 0 to {MAX_EVALUATIONS:,}"
        case "seed":
            is_valid, rule = _is_integer(value, 0, MAX_SEED - 1), f"an integer from 0 to {MAX_SEED - 1:,}"
        case "generation":
            is_valid, rule = _is_integer(value, 0, MAX_GENERATIONS - 1), "the number of a generation"
        case _:
            is_valid, rule = _is_text(value, MAX_TEXT), f"a string of at most {MAX_TEXT} characters"
    if not is_valid:
        raise InvalidRecipe(f"must be {rule}", at=name, got=value)
    return value


def _read_axis(name: str, value: Any) -> AxisState:
    known = vars(AxisState())
    if not isinstance(value, Mapping):
        raise InvalidRecipe("must be a measure with its bins", at=name, got=value, rule="type")
    given = {key: one for key, one in value.items() if key in known}
    for key, one in given.items():
        match key:
            case "measure":
                is_valid = _is_text(one, MAX_MEASURE_NAME)
            case "bins":
                is_valid = _is_integer(one, 1, MAX_BINS)
            case "is_log":
                is_valid = isinstance(one, bool)
            case _:
                is_valid = one is None or _is_number(one)
        if not is_valid:
            raise InvalidRecipe("is not valid for an axis", at=(name, key), got=one)
    return AxisState(**given)


def _read_vary(value: Any) -> dict[str, Spec] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or len(value) > MAX_VARIED:
        raise InvalidRecipe(f"must be at most {MAX_VARIED} parameters with ranges", at="vary", got=value, rule="type")
    return {str(path)[:MAX_TEXT]: read_spec(str(path), spec) for path, spec in value.items()}


def read_spec(path: str, spec: Any) -> Spec:
    """Read the range or the choices of a parameter. Raise InvalidRecipe if they have another form."""
    match spec:
        case {"from": low, "to": high, **others} if not others and _is_number(low) and _is_number(high):
            return {"from": low, "to": high}
        case {"values": [*values], **others} if not others and 1 <= len(values) <= MAX_CHOICES:
            if all(one is None or _is_number(one) or _is_text(one, MAX_TEXT) or type(one) is bool for one in values):
                return {"values": list(values)}
        case {**others} if not others:
            return {}
    raise InvalidRecipe("must be a range or choices", at=("vary", path), got=spec, rule="type")


def _read_picks(value: Any) -> tuple[tuple[int, ...], ...]:
    is_list = isinstance(value, (list, tuple)) and 1 <= len(value) <= MAX_GENERATIONS
    if not is_list or not all(isinstance(one, (list, tuple)) and len(one) <= MAPS for one in value):
        raise InvalidRecipe("must be lists of picked maps", at="picks", got=value, rule="type")
    if not all(_is_integer(pick, 0, MAX_CANDIDATES - 1) for one in value for pick in one):
        raise InvalidRecipe(f"must be numbers from 0 to {MAX_CANDIDATES - 1}", at="picks", got=value)
    return tuple(tuple(sorted(set(one))) for one in value)


def _is_integer(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MAX_NUMBER and isfinite(value)


def _is_text(value: Any, max_length: int) -> bool:
    return isinstance(value, str) and len(value) <= max_length

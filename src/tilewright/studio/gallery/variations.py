"""Variations of a state: other seeds or a sweep of one parameter. Independent of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any

from ...analysis.survey import list_argument_measures
from ...core.errors import TilewrightError
from ...core.fields import Field
from ...core.registry import measures, techniques
from ...core.seeds import Rng
from ...core.tilemap import TileMap
from ...formats._picture import PictureParams, draw, layout_of
from .. import operations
from ..jobs import CancelToken
from ..map.payloads import encode_picture
from ..search.options import KNOBS, apply_values, choose_span, drives_only_size, find_owner, list_parameters
from ..state import State
from .state import MAX_NAME_LENGTH, Gallery

COUNT = 24
MAX_SEED = 10**9
"""Upper bound (exclusive) of random seeds."""
SWEPT_MEASURE = "the knob"
"""Name of the swept parameter's value among the measures."""
PICTURE_PIXELS = 640
"""Length of a picture's longer edge, enough for the sprites of most maps and for high-resolution screens."""
MAX_SCALE = 64
"""Maximum width of a cell in pixels."""


@dataclass(frozen=True)
class Knob:
    """A parameter of the technique or of a shaper that can be swept, or a knob of the recipe, which drives several."""

    key: str
    """Unique key within the recipe."""
    path: str
    """Path as in a search."""
    label: str
    field: Field
    value: Any
    """Current value."""

    @property
    def is_recipe_knob(self) -> bool:
        return self.path.startswith(KNOBS)

    @property
    def is_number(self) -> bool:
        return self.field.kind == "number"

    @property
    def span(self) -> tuple[float, float]:
        """Default range of the sweep: the field's usual range, or a range around the current value."""
        return choose_span(self.field, self.value)

    def choose_range(self, gallery: Gallery) -> tuple[float, float]:
        """Return the range of the sweep: the range chosen for this parameter, or else the default range.

        The range of a recipe's knob cannot be exceeded.
        """
        least, most = self.span
        if gallery.knob != self.key:
            return least, most
        low, high = least if gallery.low is None else gallery.low, most if gallery.high is None else gallery.high
        return (min(max(low, least), most), min(max(high, least), most)) if self.is_recipe_knob else (low, high)

    def list_values(self, low: float, high: float) -> list[Any]:
        """Return the values of the sweep: evenly spaced numbers, or all choices."""
        if self.field.kind == "switch":
            return [False, True]
        if self.field.kind == "choice":
            return [*self.field.choices, *([None] if self.field.nullable else [])][:COUNT]
        step = (high - low) / (COUNT - 1)
        numbers = [low + number * step for number in range(COUNT)]
        if self.field.is_integer:
            return list(dict.fromkeys(round(number) for number in numbers))
        digits = 2 - floor(log10(abs(step))) if step else 6
        return list(dict.fromkeys(round(number, digits) for number in numbers))

    def apply(self, state: State, value: Any) -> State:
        """Return the state with this parameter set to a value."""
        return apply_values(state, {self.path: value})


@dataclass(frozen=True)
class Variation:
    """A variation: its state and its caption."""

    state: State
    caption: str
    """What varies, with its value, such as `walls 0.45`."""
    swept_value: float | None = None
    """Value of the swept parameter, if it is a number."""

    @property
    def key(self) -> str:
        """Key of the variation among the favorites."""
        seed = f"seed {self.state.seed}"
        return (self.caption if self.caption.endswith(seed) else f"{self.caption} {seed}")[-MAX_NAME_LENGTH:]


@dataclass(frozen=True)
class VariationResult:
    """Picture of a variation as a data URL and its measures, or the error."""

    picture: str = ""
    numbers: Mapping[str, float] | None = None
    error: TilewrightError | None = None


def list_knobs(state: State) -> list[Knob]:
    """Return the knobs and parameters of a state that can be swept: numbers, choices and switches."""
    found: list[Knob] = []
    for one in state.knobs:
        field = replace(one.field, group="size") if drives_only_size(state, one) else one.field
        found.append(Knob(f"knob.{one.name}", f"{KNOBS}{one.name}", field.label, field, one.value))
    found += [Knob(*parameter) for parameter in list_parameters(state)]
    return [knob for knob in found if knob.field.kind in ("number", "choice", "switch") and not knob.field.transient]


def find_swept_knob(state: State) -> Knob | None:
    """Return the knob or parameter to sweep.

    It is the chosen one, or else the recipe's first knob, the technique's main parameter or any other, but no map size.
    """
    main = techniques.get(state.technique).main_param if state.technique in techniques else ""
    knobs = list_knobs(state)
    others = [knob for knob in knobs if knob.field.group != "size"]
    others.sort(key=lambda knob: (not knob.is_recipe_knob, knob.key != main))
    return next((knob for knob in knobs if knob.key == state.gallery.knob), next(iter(others), None))


def list_variations(state: State) -> list[Variation]:
    """Return the variations of a state, following its gallery settings."""
    gallery, knob, rolled = state.gallery, find_swept_knob(state), draw_seeds(state.gallery.roll)
    if gallery.what == "found" and (found := list_found(state)):
        return found
    if gallery.what != "knob" or knob is None:
        return vary_seeds(state, list(dict.fromkeys((*gallery.pinned, *rolled))))
    span = knob.choose_range(gallery) if knob.is_number else (0, 0)
    return sweep_knob(state, knob, span, rolled, same_seed=gallery.same_seed)


def list_found(state: State) -> list[Variation]:
    """Return the maps that a search has found for the recipe of a state. Those that no longer fit it are left out."""
    found: list[Variation] = []
    for values in state.gallery.found if state.gallery.found_owner == find_owner(state) else ():
        named = {path.rpartition(".")[2]: value for path, value in values.items() if not isinstance(value, list)}
        caption = " · ".join(f"{name.replace('_', ' ')} {format_param(value)}" for name, value in named.items())
        with suppress(TilewrightError):
            found.append(Variation(apply_values(state, values), caption))
    return found


def draw_seeds(roll: int, count: int = COUNT) -> list[int]:
    """Return seeds derived from one number, which a link stores."""
    rng = Rng.of(roll).child("gallery")
    return [rng.below(MAX_SEED) for _ in range(count)]


def vary_seeds(state: State, seeds: Sequence[int]) -> list[Variation]:
    """Return the state with other seeds."""
    return [Variation(state.with_recipe(seed=seed), f"seed {seed}") for seed in seeds]


def sweep_knob(
    state: State, knob: Knob, span: tuple[float, float], seeds: Sequence[int], *, same_seed: bool
) -> list[Variation]:
    """Return a sweep of a parameter, with one seed for all values or with a different seed for each map."""
    values = knob.list_values(*span)
    if same_seed:
        chosen = [(value, state.seed if state.seed is not None else seeds[0]) for value in values]
    else:
        chosen = [(values[number * len(values) // COUNT], seed) for number, seed in enumerate(seeds)]
    return [
        Variation(
            knob.apply(state, value).with_recipe(seed=seed),
            f"{knob.label} {format_param(value)}" + ("" if same_seed else f" · seed {seed}"),
            value if knob.is_number else None,
        )
        for value, seed in chosen
    ]


def make_variation(variation: Variation, token: CancelToken) -> VariationResult:
    """Make, measure and draw a variation. The function runs as a job."""
    recipe = operations.check_recipe(variation.state.effective, token.settings)
    made = operations.make_map(recipe, token)
    map = variation.state.edit(made)
    counts = operations.measure_map(map, token, list_argument_measures(map))
    numbers = {**operations.measure_map(map, token), **counts, **made.numbers}
    if variation.swept_value is not None:
        numbers[SWEPT_MEASURE] = variation.swept_value
    return VariationResult(draw_thumbnail(map, sprites=variation.state.view_settings.sprites), numbers)


def draw_state(state: State, token: CancelToken) -> tuple[TileMap, str]:
    """Make the map of a state, without edits by hand, and draw it. The function runs as a job."""
    map = operations.make_map(operations.check_recipe(state.effective, token.settings), token)
    return map, draw_thumbnail(map, sprites=state.view_settings.sprites)


def fill_counts(numbers: Sequence[Mapping[str, float]]) -> list[Mapping[str, float]]:
    """Return the numbers of maps, with 0 for tiles and markers that only other maps have."""
    counts = dict.fromkeys(
        (name for one in numbers for name in one if name in measures and measures.get(name).argument), 0.0
    )
    return [{**counts, **one} if one else one for one in numbers]


def draw_thumbnail(map: TileMap, *, sprites: bool) -> str:
    """Return a small picture of a map as a data URL."""
    longer = max(layout_of(map).canvas)
    scale = min(MAX_SCALE, max(1, PICTURE_PIXELS // longer))
    options = PictureParams(scale=scale, sprites=None if sprites else False)
    picture = draw(map, options, exact=False)
    if longer > PICTURE_PIXELS:
        picture = picture.convert("RGB")
        picture.thumbnail((PICTURE_PIXELS, PICTURE_PIXELS))
    return encode_picture(picture)


def format_param(value: Any) -> str:
    """Return the value of a parameter as text."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)

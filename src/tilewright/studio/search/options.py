"""What a search can vary: knobs, parameters and the seed of a state's recipe. Independent of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple

from ...core.errors import InvalidRecipe
from ...core.fields import Field, fields_of
from ...core.knobs import RecipeKnob
from ...core.params import Params
from ...core.recipe_knobs import apply_knobs, renumber_stages
from ...core.recipe_paths import with_part_at
from ...core.registry import shapers, techniques
from ...search.genome import read_gene
from ..state import State
from .state import MAX_NUMBER, MAX_TEXT, SearchViewState, Spec

SEED = "seed"
KNOBS = "knobs."
MAX_DEFAULTS = 4
"""Maximum number of knobs or parameters that vary by default, without the seed."""

OptionKind = Literal["range", "choices", "plain"]


@dataclass(frozen=True)
class VaryOption:
    """A knob, a parameter or the seed, with the range or the choices that the page suggests."""

    path: str
    """Path in the recipe's data, `knobs.NAME` or `seed`."""
    label: str
    kind: OptionKind
    """`plain` for the seed and for matrices, which have no range."""
    spec: Spec
    """Suggested range or choices."""
    description: str = ""
    is_integer: bool = False
    choices: tuple[Any, ...] = ()
    field: Field | None = None

    def label_of(self, choice: Any) -> str:
        """Return the text of a choice."""
        if isinstance(choice, bool):
            return "on" if choice else "off"
        return "none" if choice is None else self.field.label_of(choice) if self.field is not None else str(choice)


def find_owner(state: State) -> str:
    """Return the technique and the recipe that settings of a search belong to."""
    return f"{state.technique}/{state.opened.name}"[:MAX_TEXT]


def find_search(state: State) -> SearchViewState:
    """Return the settings of the search for a state's recipe: the given ones, or the defaults after another recipe."""
    given = state.search
    return given if given.owner == find_owner(state) else SearchViewState(mode=given.mode)


def list_options(state: State) -> list[VaryOption]:
    """Return everything that a search can vary: the seed, knobs, parameters of the technique and of the shapers."""
    seed = VaryOption(SEED, "seed", "plain", {}, "Seed of the map. Each map draws its own.")
    found = [seed, *_list_knobs(state)]
    for parameter in list_parameters(state):
        found += _read_option(parameter.path, parameter.label, parameter.field, parameter.value)
    return found


class Parameter(NamedTuple):
    """A parameter of the technique or of an enabled shaper."""

    key: str
    """Name of the parameter, after the index of its shaper in the recipe's list."""
    path: str
    """Path in the recipe without disabled shapers."""
    label: str
    field: Field
    value: Any


def list_parameters(state: State) -> Iterator[Parameter]:
    """Yield the parameters of the technique and of the enabled shapers."""
    owners: list[tuple[str, str, str, type[Params], Mapping[str, Any]]] = []
    if state.technique in techniques:
        owners.append(("", "params.", "", techniques.get(state.technique).params, state.params))
    for number, (name, given) in enumerate(state.stages):
        if number not in state.off and name in shapers:
            place, title = f"shaping.{state.stages_on.index(number)}.{name}.", f"{name.replace('_', ' ')}: "
            owners.append((f"{number}.", place, title, shapers.get(name).params, given))
    for key, place, title, model, given in owners:
        for field in fields_of(model):
            if not field.transient:
                value = given.get(field.name, field.default)
                yield Parameter(key + field.name, place + field.name, title + field.label, field, value)


def choose_span(field: Field, value: Any) -> tuple[float, float]:
    """Return the range of a number that varies: the field's usual range, or a range around the current value."""
    if field.span is not None:
        return field.span
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else field.initial_value
    low, high = min(number, field.minimum or 0), 2 * max(1, number)
    return low, high if field.maximum is None else min(high, field.maximum)


def choose_vary(state: State, options: list[VaryOption] | None = None) -> dict[str, Spec]:
    """Return what the search of a state varies: what was chosen, or else some knobs or parameters and the seed."""
    options = list_options(state) if options is None else options
    known = {option.path: option for option in options}
    given = find_search(state).vary
    # The order of the genes affects a search, so it does not depend on the order in which they were chosen.
    order = [*(path for path in known if path != SEED), SEED]
    if given is not None:
        return {path: given[path] or known[path].spec for path in order if path in given}
    suggested: dict[str, Spec] = {}
    knobs = [f"{KNOBS}{knob.name}" for knob in state.knobs if not drives_only_size(state, knob)]
    chosen = [path for path in knobs if path in known][:MAX_DEFAULTS]
    if not chosen and state.technique in techniques:
        technique = techniques.get(state.technique)
        main: Mapping[str, Spec] = {technique.main_param: {}} if technique.main_param else {}
        params = main if technique.vary is None else technique.vary
        suggested = {f"params.{name}": spec for name, spec in params.items()}
        chosen = [path for path in suggested if path in known]
    return {path: suggested.get(path) or known[path].spec for path in order if path in chosen or path == SEED}


def apply_values(state: State, values: Mapping[str, Any]) -> State:
    """Return a state with other values of varied parameters, by path."""
    recipe = dict(state.recipe)
    knobs = {path.removeprefix(KNOBS): value for path, value in values.items() if path.startswith(KNOBS)}
    if knobs:
        declared = {knob.name: knob for knob in state.knobs}
        recipe = {**apply_knobs({**recipe, "knobs": declared}, knobs), "knobs": recipe["knobs"]}
    for path, value in values.items():
        if path == SEED:
            recipe[SEED] = value
        elif not path.startswith(KNOBS):
            recipe = with_part_at(recipe, _find_written_path(state, path), value)
    words = {word: part for word, part in recipe.items() if word != "locks"}
    return state.with_recipe(**words)


def build_recipe_data(state: State) -> dict[str, Any]:
    """Return the recipe to search: what is made and exported, with the knobs that can be varied."""
    data = state.with_recipe(attempt=None).effective
    positions = {number: position for position, number in enumerate(state.stages_on)}
    knobs = renumber_stages({knob.name: knob.to_data() for knob in state.knobs}, positions)
    return {**data, "knobs": knobs} if knobs else data


def _find_written_path(state: State, path: str) -> str:
    """Return the path in the recipe with disabled shapers of a path in the recipe without them."""
    match path.split("."):
        case ["shaping", position, *rest] if position.isdecimal() and int(position) < len(state.stages_on):
            return ".".join(["shaping", str(state.stages_on[int(position)]), *rest])
    return path


def _list_knobs(state: State) -> Iterator[VaryOption]:
    """Yield the knobs of a recipe, except those that drive a disabled shaper."""
    off = {f"shaping.{number}." for number in state.off}
    for knob in state.knobs:
        if not any(drive.path.startswith(prefix) for drive in knob.drives for prefix in off):
            yield from _read_option(f"{KNOBS}{knob.name}", knob.field.label, knob.field, knob.value)


def _read_option(path: str, label: str, field: Field, value: Any) -> list[VaryOption]:
    """Return the option of a parameter; nothing if it cannot be varied."""
    spec = dict(zip(("from", "to"), choose_span(field, value), strict=True)) if field.kind == "number" else None
    try:
        data = read_gene(path, field, value, spec).to_data()
    except InvalidRecipe:
        return []
    if "values" in data:
        values = [*data["values"], *([None] if field.nullable else [])]
        return [VaryOption(path, label, "choices", {"values": values}, field.description, False, tuple(values), field)]
    if "from" in data:
        ends = {"from": data["from"], "to": data["to"]}
        if not all(isfinite(end) and abs(end) <= MAX_NUMBER for end in ends.values()) or ends["from"] >= ends["to"]:
            return []
        is_integer = all(isinstance(end, int) for end in ends.values())
        return [VaryOption(path, label, "range", ends, field.description, is_integer, (), field)]
    return [VaryOption(path, label, "plain", {}, field.description)]


def drives_only_size(state: State, knob: RecipeKnob) -> bool:
    """Return whether a knob of a state's recipe drives nothing but the size of the map."""
    fields = fields_of(techniques.get(state.technique).params)
    sizes = {f"params.{field.name}" for field in fields if field.group == "size"}
    return all(drive.path in sizes for drive in knob.drives)

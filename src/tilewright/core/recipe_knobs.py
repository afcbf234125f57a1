"""Knobs in a recipe's data: reading them, and setting the parameters that they drive.

>>> size = {"range": [20, 60], "drives": {"params.width": None, "params.height": [10, 30]}}
>>> apply_knobs({"technique": "caves", "knobs": {"size": size}}, {"size": 40})["params"]
{'width': 40, 'height': 20}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .errors import Fix, InvalidRecipe, ProblemList, UnknownName, errors_within, explain_each, short_repr, unknown_key
from .fields import Field
from .knobs import Number, RecipeKnob, Scalar
from .notation import read_value
from .params import Params, limit_problems
from .recipe_paths import find_field, get_part, with_part_at

MAX_KNOBS = 32


def read_knobs(given: Any, data: Mapping[str, Any], params: Params | None = None) -> tuple[RecipeKnob, ...]:
    """Read the knobs of a recipe, each with the value that the recipe's parameters correspond to.

    Parameters
    ----------
    given
        Knobs by name, as in a recipe, or knobs that were read before.
    data
        Data of the recipe.
    params
        Parameters of the technique, for those that `data` leaves out.

    Returns
    -------
    tuple of RecipeKnob
        The knobs.

    Raises
    ------
    InvalidRecipe
        If a knob breaks a rule. `.problems` lists all mistakes.
    """
    if given is None:
        return ()
    named: list[tuple[Any, Any]] = []
    if isinstance(given, Mapping):
        named = list(given.items())
    elif isinstance(given, tuple) and all(isinstance(one, RecipeKnob) for one in given):
        named = [(one.name, one) for one in given]
    else:
        raise InvalidRecipe("must be a set of knobs by name", got=given, rule="type")
    if len(named) > MAX_KNOBS:
        raise InvalidRecipe(f"must be at most {MAX_KNOBS} knobs, got {len(named):,}", rule="maximum_length")
    written = data.get("params")
    if not isinstance(written, Mapping | None):
        raise InvalidRecipe("needs params that are a set of named values", got=written, rule="type")
    own = {} if params is None else {name: getattr(params, name) for name in type(params).model_fields}
    full = {**data, "params": {**own, **(written or {})}}
    knobs: list[RecipeKnob] = []
    problems = ProblemList()
    for name, declared in named:
        place = name if isinstance(name, str) else short_repr(name)
        known = len(problems)
        with problems.collect(place):
            knob = RecipeKnob.of(name, declared)
            _refuse_shared_paths(knob, knobs)
            knobs.append(knob.model_copy(update={"value": knob.find_value(_read_parts(knob, full))}))
        problems[known:] = [replace(one, fixes=(*one.fixes, Fix("remove", (place,)))) for one in problems[known:]]
    if problems:
        raise InvalidRecipe(*limit_problems(problems))
    return tuple(knobs)


def read_fitting_knobs(given: Any, data: Mapping[str, Any], params: Params | None = None) -> tuple[RecipeKnob, ...]:
    """Read the knobs of a recipe that fit its parameters, and leave out all others.

    A knob no longer fits after its parameters were removed or replaced by others.
    """
    found: list[RecipeKnob] = []
    for name, declared in [*given.items()][:MAX_KNOBS] if isinstance(given, Mapping) else ():
        try:
            (knob,) = read_knobs({name: declared}, data, params)
        except InvalidRecipe:
            continue
        if knob.fits({drive.path: get_part(data, drive.path) for drive in knob.drives}):
            found.append(knob)
    return tuple(found)


def renumber_stages(given: Any, positions: Mapping[int, int]) -> Any:
    """Return the knobs of a recipe whose shapers were moved or removed.

    Parameters
    ----------
    given
        Knobs by name, as in a recipe.
    positions
        New positions of the shapers by their old positions. Shapers that are missing were removed.

    Returns
    -------
    dict or None
        The knobs. Those that drive a removed shaper are left out; None if none is left.

    Examples
    --------
    >>> knobs = {"border": {"range": [1, 3], "drives": "shaping.2.border.thickness"}}
    >>> renumber_stages(knobs, {2: 1})["border"]["drives"]
    {'shaping.1.border.thickness': None}
    """
    if not isinstance(given, Mapping):
        return given
    kept = {}
    for name, declared in given.items():
        try:
            knob = RecipeKnob.of(name, declared)
        except InvalidRecipe:
            kept[name] = declared
            continue
        data = knob.to_data()
        moved = {_renumber(path, positions): how for path, how in data["drives"].items()}
        if None not in moved:
            kept[name] = declared if [*moved] == [*data["drives"]] else {**data, "drives": moved}
    return kept or None


def _renumber(path: str, positions: Mapping[int, int]) -> str | None:
    """Return the path of a parameter of a shaper that has another position; None if the shaper was removed."""
    head, *rest = path.split(".")
    if head != "shaping" or not rest or not rest[0].isdecimal():
        return path
    position = positions.get(int(rest[0]))
    return None if position is None else ".".join([head, str(position), *rest[1:]])


def apply_knobs(data: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a recipe's data in which the parameters that knobs drive are set."""
    if isinstance(values, Mapping) and not values:
        return data
    knobs = {knob.name: knob for knob in read_knobs_of(data)}
    with errors_within("knobs", place="knob"):
        for name, value in check_values(knobs, values).items():
            for path, part in knobs[name].expand(value).items():
                data = with_part_at(data, path, part)
    return data


def read_knobs_of(data: Mapping[str, Any]) -> tuple[RecipeKnob, ...]:
    """Return the knobs that a recipe's data declares."""
    with errors_within("knobs"):
        return read_knobs(data.get("knobs"), data)


def check_values(knobs: Mapping[str, RecipeKnob], values: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return values by knob. Raise InvalidRecipe if a knob is unknown or a value is invalid."""
    if not isinstance(values, Mapping):
        raise InvalidRecipe("must be values by the name of the knob", got=values, rule="type")
    if values and not knobs:
        raise InvalidRecipe("the recipe has no knobs", value=dict(values), rule="missing")
    names = {str(name).replace("-", "_"): value for name, value in values.items()}
    unknown = (name for name in names if name not in knobs)
    problems = ProblemList(explain_each(unknown, lambda name: unknown_key("knob", name, knobs)))
    found: dict[str, Scalar] = {}
    for name, value in names.items():
        with problems.collect(kind=InvalidRecipe):
            found |= {name: knobs[name].check_value(value)} if name in knobs else {}
    problems.raise_all()
    return found


def read_knob_setting(text: str, knobs: Mapping[str, RecipeKnob]) -> tuple[str, Any]:
    """Read `name=value`, as on the command line."""
    name, equals, value = (part.strip() for part in text.partition("="))
    name = name.replace("-", "_")
    if not equals:
        raise InvalidRecipe(f"{short_repr(text)}: a knob is written as name=value, such as size=40")
    if not knobs:
        raise InvalidRecipe("the recipe has no knobs", value=text, rule="missing")
    if name not in knobs:
        raise UnknownName("knob", name, knobs)
    return name, read_value(value, knobs[name].field)


def _read_parts(knob: RecipeKnob, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the present values of the parameters that a knob drives. Check the values that the knob gives them."""
    parts = {}
    expanded = [knob.expand(end) for end in knob.ends]
    for drive in knob.drives:
        with errors_within("drives", drive.path, kind=(InvalidRecipe, UnknownName)):
            field = find_field(data, drive.path)
            for values in expanded:
                _check_part(field, values[drive.path])
            parts[drive.path] = get_part(data, drive.path)
    return parts


def _check_part(field: Field | None, value: Scalar) -> None:
    """Raise InvalidRecipe if a value of a knob is not a value of the parameter that it drives."""
    kind = None if field is None else field.kind
    if field is None or kind not in ("number", "choice", "switch"):
        return
    if kind == "switch" and not isinstance(value, bool):
        raise InvalidRecipe("must be true or false", got=value, rule="type")
    if kind == "choice" and value not in field.choices:
        raise InvalidRecipe(f"must be {' or '.join(map(str, field.choices))}", got=value, rule="choice")
    if kind == "number":
        if isinstance(value, bool) or not isinstance(value, int if field.is_integer else Number):
            raise InvalidRecipe(f"must be {'an integer' if field.is_integer else 'a number'}", got=value, rule="type")
        if wrong := field.describe_violation(value):
            raise InvalidRecipe(wrong, got=value, rule="range")


def refuse_driven_twice(paths: Sequence[str], knobs: Iterable[RecipeKnob], at: str) -> None:
    """Raise InvalidRecipe if a path, such as `knobs.size`, is that of a knob which drives another path of the list."""
    others = {path if path.startswith(("params.", "shaping.")) else f"params.{path}" for path in paths}
    for knob in knobs:
        driven = sorted({drive.path for drive in knob.drives} & others) if f"knobs.{knob.name}" in paths else []
        if driven:
            raise InvalidRecipe(f"the knob {knob.name} drives {driven[0]}; vary one of them", at=at, rule="conflict")


def _refuse_shared_paths(knob: RecipeKnob, others: Iterable[RecipeKnob]) -> None:
    """Raise InvalidRecipe if a parameter has several drives. A part of a parameter counts as the parameter itself."""
    taken = [(other.name, drive.path) for other in others for drive in other.drives]
    for drive in knob.drives:
        for name, path in taken:
            if f"{drive.path}.".startswith(f"{path}.") or f"{path}.".startswith(f"{drive.path}."):
                what = "this knob" if name == knob.name else f"the knob {short_repr(name)}"
                text = f"must not be driven twice; {what} drives {path}, too"
                raise InvalidRecipe(text, at=("drives", drive.path), rule="conflict")
        taken.append((knob.name, drive.path))

"""Knobs of recipes: named controls, each of which sets one or several parameters of the recipe.

>>> openness = RecipeKnob.of("openness", {"range": [0, 10], "drives": {"params.walls": [0.6, 0.35]}})
>>> openness.expand(5), openness.find_value({"params.walls": 0.475})
({'params.walls': 0.475}, 5)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import floor, isclose
from typing import Any

from .errors import InvalidRecipe, Problem, errors_within, explain_each, problem, short_repr, unknown_key
from .fields import Field, field_from_schema
from .notation import RESERVED_FLAGS, read_number
from .params import Params, param

Number = int | float
Scalar = bool | int | float | str
"""Value of a knob, or of a parameter that a knob drives."""
MAX_DRIVES = 32
"""Maximum number of parameters that a knob drives."""
MAX_CHOICES = 100
MAX_SCANNED = 256
"""Maximum number of integers of a range that are all compared with the parameters, to find the knob's value."""
MAX_NUMBER = 10**9
"""Maximum absolute value of the ends of a range."""
DIGITS = 9
"""Number of decimals to which interpolated values are rounded."""
NAME = re.compile(r"[a-z][a-z0-9_]*")
PLACEHOLDER = "{}"
"""Place of the value in a template."""
KEYS = ("description", "range", "choices", "drives")
RESERVED_NAMES = RESERVED_FLAGS | {
    "animate", "device", "duration", "edited", "engine", "frames", "keep_edits", "knob", "layer", "measures", "overlay",
    "part", "sampled", "scale", "sweep", "with",
}  # fmt: skip
"""Options of the commands that take a recipe, and keys of HTTP queries. A knob with such a name could not be one."""


class Drive(Params):
    """A parameter that a knob sets, and how its value follows from the knob's."""

    noun = "key"

    path: str = param(max_length=200)
    """Path of the parameter, such as params.walls or shaping.0.place.count."""
    range: tuple[Number, Number] | None = param(None)
    """Values of the parameter at the two ends of the knob's range. Without it, the parameter gets the knob's value."""
    text: str | None = param(None, max_length=500)
    """Template in which {} is replaced by the value, for parameters that are strings."""
    values: tuple[Any, ...] = param((), max_length=MAX_CHOICES)
    """Values of the parameter, one for each choice or each integer of the knob's range."""

    def find_problems(self) -> Iterable[Problem]:
        if self.text is not None and self.text.count(PLACEHOLDER) != 1:
            yield problem("must contain {} once, for the value", at="text", got=self.text, rule="format")
        for value in self.values:
            if not isinstance(value, Scalar):
                yield problem("must be a number, a string, true or false", at="values", got=value, rule="type")


class RecipeKnob(Params):
    """A named control of a recipe with a range or choices, and the parameters that it drives."""

    noun = "key"

    name: str = param(max_length=40)
    """Name, of lower-case letters, digits and underscores."""
    description: str = param("", max_length=200)
    """What the knob changes, in one sentence."""
    range: tuple[Number, Number] | None = param(None)
    """Minimum and maximum. If both are integers, so are all values."""
    choices: tuple[Any, ...] = param((), max_length=MAX_CHOICES)
    """Values to choose from, instead of a range."""
    drives: tuple[Drive, ...] = param((), max_length=MAX_DRIVES)
    """Parameters to set."""
    value: Any = param(None)
    """Value that the parameters of the recipe correspond to, or None if there is none. Recipes do not contain it."""

    @classmethod
    def of(cls, name: Any, given: Any) -> RecipeKnob:
        """Read a knob from its name and plain data, as in a recipe. A knob that was read before is returned."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise InvalidRecipe("must be a set of named values, such as range and drives", got=given, rule="type")
        if unknown := [key for key in given if key not in KEYS]:
            raise InvalidRecipe(*explain_each(unknown, lambda key: unknown_key("key", key, KEYS)))
        drives = _read_drives(given.get("drives"), has_choices=given.get("choices") is not None)
        return cls.validate({**given, "name": name, "drives": drives})

    def find_problems(self) -> Iterable[Problem]:
        if not NAME.fullmatch(self.name):
            yield problem("must consist of lower-case letters, digits and underscores", value=self.name, rule="format")
        elif self.name in RESERVED_NAMES:
            text = f"{short_repr(self.name)} is an option of the command line; choose another name"
            yield problem(text, value=self.name, rule="conflict")
        if (self.range is None) == (not self.choices):
            yield problem("must have either a range or choices", rule="missing" if self.range is None else "conflict")
        elif self.range is not None:
            yield from _find_range_problems("range", self.range, is_increasing=True)
        else:
            yield from _find_choice_problems(self.choices)
        if not self.drives:
            yield problem("must name at least one parameter", at="drives", rule="missing")
        for drive in self.drives:
            yield from (one.within("drives", drive.path) for one in self._find_drive_problems(drive))

    def _find_drive_problems(self, drive: Drive) -> Iterable[Problem]:
        if drive.range is not None:
            yield from _find_range_problems("range", drive.range)
            if self.range is None:
                yield problem("a knob with choices needs one value for each choice", rule="conflict")
        if drive.values and self.positions is None:
            yield problem("must be two numbers, because the knob's range is not of integers", rule="type")
        elif drive.values and len(drive.values) != len(self.positions or ()):
            wanted = "one value for each choice" if self.choices else "two numbers, or one value for each integer"
            yield problem(
                f"must have {wanted} ({len(self.positions or ())})", got=len(drive.values), rule="minimum_length"
            )

    def to_data(self) -> dict[str, Any]:
        """Return plain data that `of` reads."""
        data: dict[str, Any] = {"description": self.description} if self.description else {}
        data |= {"range": list(self.range)} if self.range is not None else {"choices": list(self.choices)}
        return {**data, "drives": {drive.path: _write_drive(drive) for drive in self.drives}}

    def describe(self) -> dict[str, Any]:
        """Return what a user needs to turn the knob: name, description, range or choices, and default."""
        about = {key: value for key, value in self.to_data().items() if key != "drives"}
        return {"name": self.name, **about, "default": self.value}

    # -- values ---------------------------------------------------------------------------------------------

    @property
    def is_integer(self) -> bool:
        """Whether the knob has a range of integers."""
        return self.range is not None and all(isinstance(end, int) for end in self.range)

    @property
    def positions(self) -> Sequence[Scalar] | None:
        """All values of the knob in order, or None for a range of numbers."""
        if self.range is None:
            return self.choices
        low, high = self.range
        return range(int(low), int(high) + 1) if self.is_integer else None

    @property
    def ends(self) -> tuple[Scalar, ...]:
        """Values to check: the two ends of the range, or all choices."""
        return self.choices if self.range is None else self.range

    @property
    def field(self) -> Field:
        """Description of the knob for controls, options and documentation. Its default is the recipe's value."""
        schema: dict[str, Any] = {"description": self.description}
        if self.range is not None:
            low, high = self.range
            kind = "integer" if self.is_integer else "number"
            schema |= {"type": kind, "minimum": low, "maximum": high, "typical": [low, high]}
        elif set(self.choices) == {True, False} and all(isinstance(one, bool) for one in self.choices):
            schema |= {"type": "boolean"}
        else:
            schema |= {"type": "string", "enum": list(self.choices)}
        return field_from_schema(self.name, schema if self.value is None else {**schema, "default": self.value})

    def check_value(self, value: Any) -> Scalar:
        """Return a value of the knob. Raise InvalidRecipe if it is outside the range or not one of the choices."""
        if self.range is None:
            for choice in self.choices:
                if _is_same(choice, value):
                    return _as_scalar(choice)
            shown = ", ".join(map(_write_scalar, self.choices))
            raise InvalidRecipe(f"must be one of {shown}", at=self.name, got=value, rule="choice")
        if isinstance(value, bool) or not isinstance(value, Number) or value != value:
            raise InvalidRecipe("must be a number", at=self.name, got=value, rule="type")
        if wrong := self.field.describe_violation(value):
            nearest = min(max(value, self.range[0]), self.range[1])
            raise InvalidRecipe(wrong, at=self.name, got=value, rule="range", instead=nearest)
        if self.is_integer and value != int(value):
            raise InvalidRecipe("must be an integer", at=self.name, got=value, rule="type", instead=round(value))
        return int(value) if self.is_integer else value

    def expand(self, value: Scalar) -> dict[str, Scalar]:
        """Return the values of the driven parameters by path."""
        return {drive.path: self._convert(drive, value) for drive in self.drives}

    def find_value(self, parts: Mapping[str, Any]) -> Scalar | None:
        """Return the knob's value to which the driven parameters correspond, or None if they correspond to none."""
        for candidate in self._list_candidates(parts):
            if all(_is_same(_read_like(value, parts[path]), value) for path, value in self.expand(candidate).items()):
                return candidate
        return None

    def fits(self, parts: Mapping[str, Any]) -> bool:
        """Return whether the driven strings match their templates, with any value."""
        return all(drive.text is None or _read_template(drive.text, parts[drive.path]) for drive in self.drives)

    def _convert(self, drive: Drive, value: Scalar) -> Scalar:
        if drive.values and self.positions is not None:
            return _as_scalar(drive.values[self.positions.index(value)])
        number = value
        if drive.range is not None and self.range is not None and isinstance(value, Number):
            number = _interpolate(value, self.range, drive.range)
        return number if drive.text is None else drive.text.replace(PLACEHOLDER, _write_scalar(number))

    def _list_candidates(self, parts: Mapping[str, Any]) -> Sequence[Scalar]:
        """Return the values of the knob to compare with the driven parameters."""
        if self.positions is not None and len(self.positions) <= MAX_SCANNED:
            return self._sort_by_distance(parts, self.positions)
        return [near for near in (self._invert(drive, parts[drive.path]) for drive in self.drives) if near is not None]

    def _sort_by_distance(self, parts: Mapping[str, Any], positions: Sequence[Scalar]) -> Sequence[Scalar]:
        """Return positions sorted by their distance to the value that the first parameter corresponds to.

        Several integers may give the same parameters, because these are rounded.
        """
        near = next((self._invert(drive, parts[drive.path]) for drive in self.drives if not drive.values), None)
        if not self.is_integer or not isinstance(near, Number):
            return positions
        target = near
        return sorted(positions, key=lambda one: abs(one - target) if isinstance(one, Number) else 0)

    def _invert(self, drive: Drive, part: Any) -> Number | None:
        """Return the number to which a parameter corresponds, inside the knob's range."""
        part = _read_like(0, part if drive.text is None else _read_template(drive.text, part))
        if self.range is None or isinstance(part, bool) or not isinstance(part, Number) or abs(part) > MAX_NUMBER:
            return None
        if drive.range is not None:
            part = _interpolate(part, drive.range, tuple(map(float, self.range)))
        if self.is_integer:
            part = _round(part)
        return part if self.range[0] <= part <= self.range[1] else None


# -- forms --------------------------------------------------------------------------------------------------


def _read_drives(given: Any, *, has_choices: bool) -> tuple[Drive, ...]:
    """Read the drives of a knob: a path, several paths, or paths with ranges, values or templates."""
    if given is None:
        return ()
    if isinstance(given, str):
        given = {given: None}
    if isinstance(given, (list, tuple)):
        given = dict.fromkeys(given) if all(isinstance(path, str) for path in given) else None
    if not isinstance(given, Mapping):
        raise InvalidRecipe(
            "must be the path of a parameter, or paths with ranges", at="drives", got=given, rule="type"
        )
    drives: list[Drive] = []
    for path, how in given.items():
        with errors_within("drives", str(path)):
            drives.append(Drive.validate(_read_drive(path, how, has_choices=has_choices)))
    return tuple(drives)


def _read_drive(path: Any, how: Any, *, has_choices: bool) -> Any:
    if isinstance(how, str):
        return {"path": path, "text": how}
    if isinstance(how, (list, tuple)):
        is_range = not has_choices and len(how) == 2 and all(isinstance(end, Number) for end in how)
        return {"path": path, "range" if is_range else "values": how}
    if isinstance(how, Mapping):
        if unknown := [key for key in how if key not in ("range", "text")]:
            raise InvalidRecipe(unknown_key("key", unknown[0], ("range", "text")))
        return {"path": path, **how}
    if how is not None:
        raise InvalidRecipe("must be a range, values or a template", got=how, rule="type")
    return {"path": path}


def _write_drive(drive: Drive) -> Any:
    """Return plain data from which `_read_drive` reads a drive."""
    if drive.values:
        return list(drive.values)
    if drive.range is not None and drive.text is not None:
        return {"range": list(drive.range), "text": drive.text}
    return drive.text if drive.range is None else list(drive.range)


def _read_template(text: str, given: Any) -> str:
    """Return what a string has in place of {}; empty if the string does not match the template."""
    before, after = text.split(PLACEHOLDER)
    is_match = isinstance(given, str) and given.startswith(before) and given.endswith(after)
    return given[len(before) : len(given) - len(after)] if is_match else ""


def _find_range_problems(at: str, ends: tuple[Number, Number], *, is_increasing: bool = False) -> Iterable[Problem]:
    if any(abs(end) > MAX_NUMBER for end in ends):
        yield problem(f"must be between -{MAX_NUMBER:,} and {MAX_NUMBER:,}", at=at, got=list(ends), rule="range")
    elif is_increasing and not ends[0] < ends[1]:
        yield problem("must go from low to high", at=at, got=list(ends), rule="range")


def _find_choice_problems(choices: Sequence[Any]) -> Iterable[Problem]:
    wrong = [one for one in choices if not isinstance(one, Scalar)]
    if wrong:
        yield problem("must be numbers, strings, true or false", at="choices", got=wrong[0], rule="type")
    elif len({_write_scalar(one) for one in choices}) < len(choices):
        yield problem("must differ", at="choices", got=list(choices), rule="duplicate")


def _interpolate(value: Number, source: Sequence[Number], target: Sequence[Number]) -> Number:
    """Map a number linearly from one range to another. The result is an integer if the ends of the target are."""
    if source[0] == source[1]:
        return target[0]
    found = target[0] + (target[1] - target[0]) * (value - source[0]) / (source[1] - source[0])
    return _round(found) if all(isinstance(end, int) for end in target) else round(found, DIGITS)


def _round(number: Number) -> int:
    """Return the nearest integer; halves are rounded up."""
    return floor(number + 0.5)


def _as_scalar(value: Any) -> Scalar:
    assert isinstance(value, Scalar)
    return value


def _read_like(value: Scalar, part: Any) -> Any:
    """Return a parameter as a number if a value is a number. Rulebooks may contain numbers as strings."""
    return read_number(part) if isinstance(value, Number) and isinstance(part, str) else part


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal. Numbers may differ by rounding errors; true differs from 1."""
    numbers = [value for value in (one, other) if isinstance(value, Number) and not isinstance(value, bool)]
    if len(numbers) == 2:
        return isclose(*numbers, rel_tol=1e-9, abs_tol=10.0**-DIGITS)
    return type(one) is type(other) and one == other


def _write_scalar(value: Scalar) -> str:
    """Return a value as in YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)

"""Rulebooks as plain data, their text form, and the editor that connects them to the session.

A draft may use names that are not defined. Functions return new rulebooks and do not change their arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ...core.errors import InvalidRecipe, Path, Problem, errors_within
from ...core.locks import Locks
from ...core.tileset import Tile
from ...generators._rules.language import ALL, PLUS, NamedTile, Neighbourhood, RoomData, WeightedTile
from ...generators._rules.rulebook import RulesParams
from ...generators.rules import make_tileset
from ..session import Session
from ..state import State

Rulebook: TypeAlias = dict[str, Any]
BUILT_IN_NEIGHBORHOODS = {one.name: [list(row) for row in one.matrix] for one in (PLUS, ALL)}
"""Built-in neighborhoods and their matrices."""
SHORT_FIXES = {"none:plus:1": "none"}
LINE_WIDTH = 52
"""Maximum characters of a line of JSON, which fit into the panel."""
ASSIGNMENT = re.compile(r"\A\s*(?:(?:var|let|const)\s+)?[A-Za-z_$][\w$]*\s*=(?=\s*\{)")
"""JavaScript assignment before a ProcEngine object."""


class Draft(RulesParams):
    """A rulebook whose parts are valid; whether they fit together is not checked."""

    def find_problems(self) -> Iterator[Problem]:
        return iter(())

    @classmethod
    def default_of(cls, section: str) -> Any:
        """Return the default of a section."""
        return cls().model_dump(mode="json")[section]


def read(params: Mapping[str, Any]) -> Rulebook:
    """Return the rulebook of params, with all sections and the built-in neighborhoods."""
    return complete(_as_integers(Draft.validate(params).model_dump(mode="json", exclude={"data"})))


def complete(rulebook: Rulebook) -> Rulebook:
    """Return the rulebook with the built-in neighborhoods, which come first."""
    drawn = {one["name"]: one["matrix"] for one in rulebook["neighbourhoods"]}
    new = [{"name": name, "matrix": matrix} for name, matrix in {**BUILT_IN_NEIGHBORHOODS, **drawn}.items()]
    has_all = len(drawn) == len(rulebook["neighbourhoods"]) and BUILT_IN_NEIGHBORHOODS.keys() <= drawn.keys()
    return rulebook if has_all else {**rulebook, "neighbourhoods": new}


def to_params(rulebook: Rulebook) -> dict[str, Any]:
    """Return the rulebook as params: compact strings without defaults, or the plain fields if a part is invalid."""
    try:
        draft = Draft.validate(rulebook)
    except InvalidRecipe:
        return rulebook
    params: dict[str, Any] = {"width": draft.width, "height": draft.height}
    names = [name.compact.removesuffix(":-1") for name in draft.names]
    if names != ["solid", "empty"]:
        params["names"] = names
    drawn = {one.name: one.rows for one in draft.neighbourhoods if one not in (PLUS, ALL)}
    if drawn:
        params["neighbourhoods"] = drawn
    if draft.mapData.compact != ["solid:empty"]:
        params["mapData"] = draft.mapData.compact
    if draft.roomData != RoomData(start=(WeightedTile(tile=draft.mapData.dig),)):
        params["roomData"] = draft.roomData.compact
    params["generationRules"] = [_shorten_layer(layer.compact) for layer in draft.generationRules]
    return params


def _shorten_layer(layer: dict[str, list[str]]) -> dict[str, list[str]]:
    *parts, fix = layer["genData"]
    short = {"genData": [*parts, SHORT_FIXES.get(fix, fix)]}
    return {**short, "rules": layer["rules"]} if layer["rules"] else short


def _as_integers(value: Any) -> Any:
    """Return the data with integral floats converted to integers."""
    if isinstance(value, dict):
        return {key: _as_integers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_integers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


# -- JSON ---------------------------------------------------------------------------------------------------------


def write_text(rulebook: Rulebook) -> str:
    """Return the rulebook as JSON of a ProcEngine object, with every section."""
    try:
        draft = Draft.validate(rulebook)
    except InvalidRecipe:
        return json.dumps(rulebook, indent=2, ensure_ascii=False)
    data = {**draft.compact, "neighbourhoods": {one.name: one.rows for one in draft.neighbourhoods_by_name.values()}}
    return _write_json(data, 0)


def _write_json(value: Any, indent: int, used: int = 0) -> str:
    """Return JSON in which short values are on one line.

    `used` is the number of occupied characters of the first line.
    """
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (indent and len(line) + indent + used <= LINE_WIDTH):
        return line
    inner = indent + 2
    if isinstance(value, list):
        lines, ends = _fill_lines([_write_json(part, inner) for part in value], LINE_WIDTH - inner), "[]"
    else:
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        lines = [key + _write_json(part, inner, len(key)) for key, part in zip(keys, value.values(), strict=True)]
        ends = "{}"
    inside = ",\n".join(" " * inner + line for line in lines)
    return f"{ends[0]}\n{inside}\n{' ' * indent}{ends[1]}"


def _fill_lines(parts: Sequence[str], max_width: int) -> list[str]:
    """Join short parts into lines of at most `max_width` characters."""
    lines: list[str] = []
    for part in parts:
        if lines and "\n" not in part and "\n" not in lines[-1] and len(lines[-1]) + len(part) + 2 <= max_width:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines


def read_text(text: str) -> Rulebook:
    """Return the rulebook in the JSON of a ProcEngine object, also after a JavaScript assignment.

    Raise InvalidRecipe if the text is not JSON or not a valid rulebook.
    """
    if found := ASSIGNMENT.match(text):
        # Spaces keep the line numbers.
        text = re.sub(r"[^\n]", " ", found.group()) + text[found.end() :].rstrip().removesuffix(";")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidRecipe(f"not JSON: {error.msg}", at=("line", error.lineno)) from None
    except (ValueError, RecursionError):
        raise InvalidRecipe("not JSON: nested too deeply, or a number too long", rule="format") from None
    if not isinstance(data, dict):
        raise InvalidRecipe('must be an object such as {"mapData": ["15x7", "solid:empty"]}')
    params = {"data": data} if "technique" in data or "params" in data else {"generationRules": [], **data}
    RulesParams.validate(params)
    return read(params)


def find_line(text: str, path: Path) -> int | None:
    """Return the line (from 1) of a JSON text where the value at a path starts, or its closest existing parent."""
    if path[:1] == ("line",):
        return int(path[1])
    found = start = 0
    try:
        start = text.index("{")
        for step in path:
            start = _find_start(text, start, step)
            found = text.count("\n", 0, start) + 1
    except (ValueError, LookupError):
        pass
    return found or None


def _find_start(text: str, start: int, step: str | int) -> int:
    """Return the position of a value inside the object or list at `start`."""
    decoder, is_object = json.JSONDecoder(), text[start] == "{"
    place, number = start + 1, 0
    while True:
        place = _skip(text, place)
        key: str | int = number
        if is_object:
            key, place = decoder.raw_decode(text, place)
            place = _skip(text, place)
        if key == step:
            return place
        place = decoder.raw_decode(text, place)[1]
        number += 1


def _skip(text: str, place: int) -> int:
    """Return the position after whitespace and separators."""
    while text[place] in " \t\r\n,:":
        place += 1
    return place


# -- changes ------------------------------------------------------------------------------------------------------

TILE_KEYS = frozenset(("tile", "initial", "dig"))


def list_names(rulebook: Rulebook) -> list[str]:
    return [name["name"] for name in rulebook["names"]]


def replace_section(rulebook: Rulebook, section: str, value: Any) -> Rulebook:
    """Return the rulebook with another section. A changed name is renamed everywhere.

    Raise InvalidRecipe if the new name is invalid or not unique.
    """
    new = complete({**rulebook, section: value})
    if section not in NAMED_SECTIONS or len(value) != len(rulebook[section]):
        return new
    pairs = [(old["name"], one["name"]) for old, one in zip(rulebook[section], value, strict=True)]
    changed = [(place, *pair) for place, pair in enumerate(pairs) if pair[0] != pair[1]]
    if len(changed) != 1:
        return new
    place, old, name = changed[0]
    if [one["name"] for one in value].count(name) > 1:
        raise InvalidRecipe("must be unique", at=(section, place, "name"), got=name, rule="unique")
    model, keys = NAMED_SECTIONS[section]
    with errors_within(section, place):
        name = model.validate(value[place]).name
    value = [{**one, "name": name} if number == place else one for number, one in enumerate(value)]
    return complete({**_rename({**rulebook, section: []}, keys, old, name), section: value})


def _rename(value: Any, keys: frozenset[str], old: str, new: str) -> Any:
    if isinstance(value, list):
        return [_rename(part, keys, old, new) for part in value]
    if not isinstance(value, dict):
        return value
    return {key: new if key in keys and part == old else _rename(part, keys, old, new) for key, part in value.items()}


def find_difference(one: Any, other: Any) -> Path:
    """Return the path of the only value in which two rulebooks differ, as far as it is unique."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        keys: list[str | int] = [key for key in one if one[key] != other[key]]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        keys = [key for key in range(len(one)) if one[key] != other[key]]
    else:
        return ()
    return (keys[0], *find_difference(one[keys[0]], other[keys[0]])) if len(keys) == 1 else ()


NAMED_SECTIONS: dict[str, tuple[type[NamedTile] | type[Neighbourhood], frozenset[str]]] = {
    "names": (NamedTile, TILE_KEYS),
    "neighbourhoods": (Neighbourhood, frozenset(("neighbourhood",))),
}
"""Sections whose items have names, and the keys that refer to them."""


class Editor:
    """The rulebook that is edited."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rulebook: Rulebook = {}
        self._known_params: Any = None
        """Params from which the rulebook was read, or to which it was written."""

    def read(self, state: State) -> None:
        """Read the rulebook of a state, unless it was written by this editor."""
        if state.params != self._known_params or not self.rulebook:
            self.rulebook = read(state.params)
            self._known_params = state.params

    def set_section(self, section: str, value: Any) -> None:
        """Replace a section. The locks and the recipe's tiles of a renamed tile are renamed too."""
        before = list_names(self.rulebook)
        book = replace_section(self.rulebook, section, value)
        state = self.session.state
        pairs = {} if section != "names" else dict(zip(before, list_names(book), strict=False))
        if len(before) == len(book["names"]) and any(old != new for old, new in pairs.items()):
            if state.locks is not None:
                locks = state.locks
                words = [pairs.get(str(word), word) for word in locks.labels]
                state = replace(state, locks=Locks(locks.places, locks.label_indices, words, locks.map_shape))
            if tiles := state.recipe.get("tiles"):
                renamed = {pairs.get(word, word): tile for word, tile in tiles.items()}
                state = replace(state, recipe={**state.recipe, "tiles": renamed})
        self.replace_rulebook(book, state)

    def replace_rulebook(self, rulebook: Rulebook, state: State | None = None) -> None:
        """Replace the rulebook. Consecutive changes of one value are one undo step."""
        if rulebook == self.rulebook:
            return
        path = find_difference(self.rulebook, rulebook)
        changed: Any = rulebook
        for key in path:
            changed = changed[key]
        # Items that are moved, added or removed are steps of their own.
        group = f"rules {'.'.join(map(str, path))}" if path and not isinstance(changed, (list, dict)) else ""
        self.rulebook, self._known_params = rulebook, to_params(rulebook)
        state = state or self.session.state
        self.session.change(state.with_recipe(params=self._known_params), undo_group=group)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the rulebook."""
        try:
            RulesParams.validate(self._known_params)
        except InvalidRecipe as error:
            return error.problems
        return ()

    @property
    def tiles(self) -> list[Tile]:
        """Tiles of the rulebook, with the colors of the map's tileset if the recipe has one."""
        recipe, map = self.session.state.recipe, self.session.map
        names = tuple(dict.fromkeys(list_names(self.rulebook)))
        try:
            own = make_tileset(names, self.rulebook["mapData"]["initial"])
        except InvalidRecipe:
            return []
        map_tiles = map.tileset.by_name if map is not None and recipe.get("tileset") is not None else {}
        renamed = recipe.get("tiles") or {}
        found = [(tile, map_tiles.get(renamed.get(tile.name, tile.name))) for tile in own]
        return [
            tile if number is None or map is None else tile.model_copy(update={"color": map.tileset[number].color})
            for tile, number in found
        ]

"""Recipes as editable YAML, in which disabled shapers are comments at their position in the list.

    shaping:
    - connect
    # off: - border: {thickness: 2}
    - doors

The command line and other YAML readers ignore these comments; the studio reads them as disabled shapers. Removing
`# off: ` enables a shaper.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import yaml

from ...core.errors import BadFile, short_repr
from ...core.yaml import read_data, write_data, write_line

OFF = re.compile(r"^[ \t]*# off: *- *(.+)$")


def write_text(recipe: Mapping[str, Any], off: Collection[int]) -> str:
    """Return the YAML of a recipe. `off` holds the indices of the disabled shapers."""
    stages = recipe.get("shaping") or ()
    if not any(place < len(stages) for place in off):
        return write_data(recipe)
    parts = []
    for word, value in recipe.items():
        if word != "shaping":
            parts.append(write_data({word: value}))
            continue
        parts.append("shaping:\n")
        parts += [_comment_out(stage) if place in off else write_data([stage]) for place, stage in enumerate(stages)]
    return "".join(parts)


def read_text(text: str, name: str) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Return the data of a YAML recipe with all shapers, and the indices of the disabled shapers."""
    data = dict(read_data(text, name))
    lines = {number: found[1] for number, line in enumerate(text.split("\n")) if (found := OFF.match(line))}
    shaping = data.get("shaping")
    stages = list(shaping) if isinstance(shaping, list) else [] if shaping is None else [shaping]
    if not lines:
        return data, ()
    starts = _find_starts(text)
    places = [(starts[place] if place < len(starts) else -1, True, stage) for place, stage in enumerate(stages)]
    places += [(number, False, _read_stage(line, number, name)) for number, line in lines.items()]
    places.sort(key=lambda one: one[0])
    data["shaping"] = [stage for _, _, stage in places]
    return data, tuple(place for place, (_, is_on, _) in enumerate(places) if not is_on)


def _comment_out(stage: Any) -> str:
    """Return a shaper as a comment of one line, which is easy to move, delete or enable by hand."""
    line = write_line(stage)
    return f"# off: - {line[1:-1] if isinstance(stage, Mapping) and len(stage) == 1 else line}\n"


def _read_stage(line: str, number: int, name: str) -> Any:
    """Parse the shaper in a comment."""
    try:
        stage, *more = read_data(f"shaping: [{line}]", name)["shaping"]
    except (BadFile, ValueError):
        raise BadFile(f"not a disabled shaper: {short_repr(line)}", at=(name, "line", number + 1)) from None
    if more:
        raise BadFile("must be one shaper per line", at=(name, "line", number + 1), got=line)
    return stage


def _find_starts(text: str) -> list[int]:
    """Return the first line of each enabled shaper, if the shapers are a list."""
    root = yaml.compose(text, yaml.SafeLoader)
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "shaping" and isinstance(value, yaml.SequenceNode):
            return [one.start_mark.line for one in value.value]
    return []

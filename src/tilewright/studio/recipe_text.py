"""A recipe as text that a person edits: shapers that are switched off are comments in their places.

    shaping:
    - connect
    # off: - border: {thickness: 2}
    - doors

For everybody else they are comments; here they come back, switched off. Without `# off: ` a shaper is on again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import yaml

from ..core.errors import BadFile, short_repr
from ..core.yaml import read_data, write_data, write_line

OFF = re.compile(r"^[ \t]*# off: *- *(.+)$")


def write_text(recipe: Mapping[str, Any], off: Collection[int]) -> str:
    """The text of a recipe's plain data, some of whose shapers, by their place, are switched off."""
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
    """The plain data in a text, all shapers included, and which of them are switched off."""
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
    """On one line, however long it is: so it can be taken out, moved or switched on by hand."""
    line = write_line(stage)
    return f"# off: - {line[1:-1] if isinstance(stage, Mapping) and len(stage) == 1 else line}\n"


def _read_stage(line: str, number: int, name: str) -> Any:
    """The shaper in a comment."""
    try:
        stage, *more = read_data(f"shaping: [{line}]", name)["shaping"]
    except (BadFile, ValueError):
        raise BadFile(f"not a shaper that is switched off: {short_repr(line)}", at=(name, "line", number + 1)) from None
    if more:
        raise BadFile("one shaper a line", at=(name, "line", number + 1), got=line)
    return stage


def _find_starts(text: str) -> list[int]:
    """The line on which each shaper that is on begins, where they are a list."""
    whole = yaml.compose(text, yaml.SafeLoader)
    for key, value in whole.value if isinstance(whole, yaml.MappingNode) else ():
        if key.value == "shaping" and isinstance(value, yaml.SequenceNode):
            return [one.start_mark.line for one in value.value]
    return []

"""Controls of rules and layers, and their summaries as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, TypeAlias

from pydantic import ValidationError

from ...core.errors import pluralize
from ...core.fields import Field
from ...generators._rules.language import Condition, Equal, Layer, Rooms, Rule, Tree, WholeMap
from ..controls.control import ControlContext, swatch
from ..controls.form import ModelControl
from ..controls.numbers import format_percentage

ORDER = ("tile", "replacements", "neighbourhood", "combine", "conditions")


class RuleControl(ModelControl, name="rule"):
    """A rule."""

    @property
    def parts(self) -> Sequence[Field]:
        return sorted(self.field.parts, key=lambda part: ORDER.index(part.name))

    @classmethod
    def summary(cls, value: Any, context: ControlContext) -> str:
        try:
            return as_html(rule_spans(Rule.model_validate(value)), context.find_color)
        except ValidationError:
            return super().summary(value, context)


class LayerControl(ModelControl, name="layer"):
    """A layer of rules."""

    @classmethod
    def summary(cls, value: Any, context: ControlContext) -> str:
        try:
            return layer_summary(Layer.model_validate(value))
        except ValidationError:
            return super().summary(value, context)


Spans: TypeAlias = list[tuple[str, str]]
"""Parts of a summary as (kind, text); the kind is `tile`, `word` for other names of the rulebook, or empty."""
COMPARISONS = {
    ">": "more than {}",
    "<": "fewer than {}",
    ">=": "at least {}",
    "<=": "at most {}",
    "==": "exactly {}",
    "!=": "other than {}",
}


def rule_spans(rule: Rule) -> Spans:
    """Return the summary of a rule: `floor becomes wall if all has more than 4 wall and no water`."""
    spans: Spans = [("tile", rule.tile), ("", " becomes ")]
    total = sum(one.weight for one in rule.replacements)
    for number, one in enumerate(rule.replacements):
        spans += [("", " or ")] if number else []
        spans.append(("tile", one.tile))
        if len(rule.replacements) > 1 and total:
            spans.append(("", f" ({format_percentage(one.weight, total)})"))
    held = [_always_holds(condition) for condition in rule.conditions]
    if all(held) or (rule.combine == "or" and any(held)):
        return [*spans, ("", ", always")]
    spans += [("", " if "), ("word", rule.neighbourhood), ("", " has ")]
    for number, condition in enumerate(rule.conditions):
        spans += [("", f" {rule.combine} ")] if number else []
        spans += _condition_spans(condition)
    return spans


def _condition_spans(condition: Condition) -> Spans:
    operator, count = condition.operator, condition.count
    if (operator, count) in (("==", 0), ("<", 1), ("<=", 0)):
        amount = "no"
    elif (operator, count) in ((">", 0), (">=", 1), ("!=", 0)):
        amount = "some"
    else:
        amount = COMPARISONS[operator].format(count)
    return [("", f"{amount} "), ("tile", condition.tile)]


def _always_holds(condition: Condition) -> bool:
    """Return whether a condition is true for every number of neighbors."""
    operator, count = condition.operator, condition.count
    return (operator == ">=" and count <= 0) or (operator in (">", "!=") and count < 0)


def as_html(spans: Spans, color: Callable[[str], str | None]) -> str:
    """Return a summary as HTML with a color swatch before every tile; unknown tiles are marked."""
    return "".join(_render_span(kind, escape(text), color(text)) for kind, text in spans)


def _render_span(kind: str, text: str, color: str | None) -> str:
    if kind == "tile":
        return f"<b>{swatch(color)}{text}</b>" if color else f'<b class="rules-unknown">{text}</b>'
    return f"<b>{text}</b>" if kind else text


def layer_summary(layer: Layer) -> str:
    """Return the summary of a layer: `4 times in every room, then connect`."""
    times = {0: "", 1: "once "}.get(layer.simulations, f"{layer.simulations} times ")
    fix = {"connect": "connect", "delete": "keep the largest"}.get(layer.fix.kind, "")
    return f"{times}{place_summary(layer.where)}" + (f", {'then ' if times else ''}{fix}" if fix else "")


def place_summary(where: Rooms | WholeMap) -> str:
    if isinstance(where, Rooms):
        if where.ids is None:
            return "in every room"
        return f"in room{'s' if len(where.ids) > 1 else ''} {', '.join(map(str, where.ids))}"
    if where.rectangle is None:
        return "on the whole map"
    x, y, width, height = where.rectangle
    return f"in {width}×{height} cells at {x}, {y}"


def division_summary(division: Equal | Tree) -> str:
    """Return the summary of a division into rooms: `5 of 3×2 equal rooms`."""
    if isinstance(division, Tree):
        return f"{pluralize(division.rooms, 'room')} of {division.width}×{division.height} at least"
    max_rooms = division.columns * division.rows
    if max_rooms == 1:
        return "one room"
    kept = "" if division.rooms == max_rooms else f"{division.rooms} of "
    return f"{kept}{division.columns}×{division.rows} equal rooms"

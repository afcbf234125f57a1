"""Controls of rules and layers: a summary, and the fields in the order of the summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from ...core.fields import Field
from ...generators._rules.language import Layer, Rule
from ..controls.control import ControlContext
from ..controls.models import ModelControl
from .sentences import as_html, layer_summary, rule_spans

ORDER = ("tile", "replacements", "neighbourhood", "combine", "conditions")


class RuleControl(ModelControl):
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


class LayerControl(ModelControl):
    """A layer of rules."""

    @classmethod
    def summary(cls, value: Any, context: ControlContext) -> str:
        try:
            return layer_summary(Layer.model_validate(value))
        except ValidationError:
            return super().summary(value, context)

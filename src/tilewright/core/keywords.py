"""Functions whose keywords are the fields of a class of params."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from textwrap import indent
from typing import Any, TypeVar

from .params import Params

F = TypeVar("F", bound=Callable[..., Any])


def with_keywords(model: type[Params]) -> Callable[[F], F]:
    """Show the fields of a class in the signature and docstring of a function, which passes `**params` to the class.

    If the last parameter of the function has another name, it takes further keywords, and is shown last.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        *own, last = signature.parameters.values()
        fields = {name: field for name, field in model.model_fields.items() if name not in signature.parameters}
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.is_required() else field.default,
                annotation=field.annotation,
            )
            for name, field in fields.items()
        ]
        rest = [] if last.name == "params" else [last]
        end = f"**{last.name}\n" if rest else "\nReturns\n---"
        before, section, after = inspect.cleandoc(function.__doc__ or "").partition(end)
        described = (f"{name}\n{indent(field.description or '', '    ')}\n" for name, field in fields.items())
        function.__doc__ = "".join([before, *described, section, after])
        vars(function)["params_class"] = model
        vars(function)["__signature__"] = signature.replace(parameters=[*own, *added, *rest])
        return function

    return decorate


def take_fields(model: type[Params], keywords: dict[str, Any]) -> dict[str, Any]:
    """Remove the fields of a class from the keywords of a function, and return them."""
    return {name: keywords.pop(name) for name in model.model_fields if name in keywords}

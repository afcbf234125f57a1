"""Docstrings as Markdown: examples become blocks of code, and keywords that a class declares are listed."""

from __future__ import annotations

import inspect
import re
from functools import reduce
from importlib import import_module
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*(?:\n\s*\n>>> .*(?:\n(?!\s*$).+)*)*", re.MULTILINE)
SECTION = re.compile(r"^Examples?\n-{3,}$", re.MULTILINE)


class FencedExamples(griffe.Extension):
    """Put a fence around examples that are in no `Examples` section; those in one are found by griffe itself."""

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        if obj.docstring is not None and not SECTION.search(obj.docstring.value):
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)


class DeclaredKeywords(griffe.Extension):
    """List the keywords of functions with `with_keywords`, whose source has only `**params`."""

    def on_function(self, *, func: griffe.Function, **others: Any) -> None:
        if func.docstring is None or not any("with_keywords" in str(one.value) for one in func.decorators):
            return
        module = func.module.path
        names = func.path.removeprefix(f"{module}.").split(".")  # of its class, if it is a method
        function: Any = reduce(getattr, names, import_module(module))
        func.docstring.value = inspect.getdoc(function) or ""
        *_, rest = func.parameters
        del func.parameters[rest.name]
        for name, parameter in inspect.signature(function).parameters.items():
            if name == rest.name:
                func.parameters.add(rest)
            elif name not in func.parameters:
                default = None if parameter.default is parameter.empty else repr(parameter.default)
                func.parameters.add(griffe.Parameter(name, kind=griffe.ParameterKind.keyword_only, default=default))

"""The API reference: where public names are defined, and which names the pages leave out.

Pages name objects as users do, `::: tilewright.make`. Public names are imported lazily, so mkdocstrings, which only
reads source files, finds them under the module that defines them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType

import tilewright

DIRECTIVE = re.compile(r"^::: (tilewright[\w.]*)$", re.MULTILINE)
COMPLETE = ("tilewright", "tilewright.analysis", "tilewright.corpus")
"""Modules whose `__all__` must be in the reference."""


def expand(markdown: str) -> str:
    """Return a page whose directives name the defining modules, under headings and anchors with the public names."""

    def rewrite(match: re.Match[str]) -> str:
        name = match[1]
        if not _exists(name):
            return ""
        short = name.rpartition(".")[2]
        options = f"    options:\n      heading: {short}\n      toc_label: {short}\n"
        return f'<a id="{name}"></a>\n\n::: {find_definition(name)}\n{options}'

    return DIRECTIVE.sub(rewrite, markdown)


def find_definition(name: str) -> str:
    """Return the path under which the source files define a public name."""
    found = _import(name)
    if isinstance(found, ModuleType):
        return found.__name__
    short = name.rpartition(".")[2]
    if getattr(found, "__module__", "").startswith("tilewright"):
        own = getattr(found, "__qualname__", short)
        return f"{found.__module__}.{short if '<locals>' in own else own}"
    home = next(module for module, names in vars(tilewright)["HOMES"].items() if short in names)
    return f"tilewright.{home}.{short}"


def _import(name: str) -> object:
    """Return the object, or the module, with this dotted name."""
    module, _, attribute = name.rpartition(".")
    if not module:
        return import_module(name)
    parent = _import(module)
    return getattr(parent, attribute) if hasattr(parent, attribute) else import_module(name)


def unknown_names(pages: Iterable[str]) -> list[str]:
    """Return the names in the pages' directives that the package does not have."""
    return sorted({name for page in pages for name in DIRECTIVE.findall(page) if not _exists(name)})


def _exists(name: str) -> bool:
    try:
        _import(name)
    except ImportError:
        return False
    return True


def missing_names(pages: Iterable[str]) -> list[str]:
    """Return the public names that no page has a directive for, under this or another public name."""
    there = {find_definition(name) for page in pages for name in DIRECTIVE.findall(page) if _exists(name)}
    wanted = {f"{module}.{name}" for module in COMPLETE for name in import_module(module).__all__}
    modules = {name for name in wanted if isinstance(_import(name), ModuleType)}
    names = wanted - modules - {"tilewright.__version__"}
    return sorted(name for name in names if find_definition(name) not in there)

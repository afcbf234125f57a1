"""Names of earlier versions. The old names still work; each causes one warning per process."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
warned: set[tuple[str, str]] = set()
"""Pairs of old and new names that have caused a warning in this process."""


def warn_renamed(old: str, new: str) -> None:
    """Warn, once per process, that a name has been replaced. The warning shows the line that uses the package."""
    if (old, new) in warned:
        return
    warned.add((old, new))
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tilewright":
        frame, level = frame.f_back, level + 1
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=level)


class _Alias:
    """An attribute of a class that reads and writes another attribute."""

    def __init__(self, owner: str, old: str, new: str) -> None:
        self.old, self.new, self.owner = old, new, owner

    def __get__(self, instance: object, owner: type) -> Any:
        warn_renamed(f"{self.owner}.{self.old}", f"{self.owner}.{self.new}")
        return getattr(owner if instance is None else instance, self.new)

    def __set__(self, instance: object, value: object) -> None:
        warn_renamed(f"{self.owner}.{self.old}", f"{self.owner}.{self.new}")
        setattr(instance, self.new, value)


def renamed_members(**names: str) -> Callable[[type[T]], type[T]]:
    """Give a class aliases for attributes and methods that were renamed: `old="new"`."""

    def decorate(cls: type[T]) -> type[T]:
        for old, new in names.items():
            setattr(cls, old, _Alias(cls.__name__, old, new))
        return cls

    return decorate


def rename_keywords(function: str, given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return keyword arguments under their present names. Warn about each old name."""
    for old in names.keys() & given.keys():
        warn_renamed(f"{function}({old}=...)", f"{function}({names[old]}=...)")
    return {names.get(name, name): value for name, value in given.items()}


def renamed_keywords(**names: str) -> Callable[[F], F]:
    """Let a function accept keyword arguments that were renamed: `old="new"`."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            return function(*args, **rename_keywords(function.__name__, given, names))

        return call

    return decorate


def renamed_names(module: str, **names: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module, with aliases for functions and classes that were renamed: `old="new"`."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_renamed(f"{module}.{name}", f"{module}.{names[name]}")
        return getattr(sys.modules[module], names[name])

    return find

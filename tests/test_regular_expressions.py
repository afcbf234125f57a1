"""Every regular expression of the package takes linear work: twice the string, about twice the steps.

Expressions hold the interpreter while they match, so that a quadratic one in a parser freezes the studio.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache, reduce
from importlib import import_module
from itertools import product
from operator import or_
from pathlib import Path
from random import Random

import pytest

import tilewright
from tests.cases import read_table
from tests.regex_steps import MAXREPEAT, Matcher, SubPattern, TooManySteps

PACKAGE = Path(tilewright.__file__).parent
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
EXAMPLES = 6
REPEATS = 40
MAX_GROWTH = 2.5
"""Maximum ratio of the steps of a string of twice the length. Quadratic work has a ratio of 4."""
MIN_STEPS = 1000
"""Number of steps below which a ratio means nothing."""


def iter_uses() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Yield the place, pattern and method of every use of a regular expression in the package."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
    methods: dict[str, set[str]] = {}
    for tree in trees.values():
        for owner, method, _ in iter_calls(tree):
            methods.setdefault(owner, set()).update({method} & set(METHODS))
    for path, tree in trees.items():
        place = path.relative_to(PACKAGE).as_posix()
        for name, pattern in find_compiled(tree, path):
            for method in sorted(methods.get(name, ())) or ["search"]:
                yield f"{place}: {name}.{method}", pattern, method
        for owner, method, call in iter_calls(tree):
            if owner == "re" and method in METHODS:
                flags = read_flags([*call.args[2:], *(keyword.value for keyword in call.keywords)])
                yield f"{place}:{call.lineno} {method}", re.compile(read_text(call.args[0], path), flags), method


@cache
def list_uses() -> list[tuple[str, re.Pattern[str], str]]:
    return list(iter_uses())


def iter_calls(tree: ast.AST) -> Iterator[tuple[str, str, ast.Call]]:
    """Yield the calls of methods of a name: the name, the method and the call."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)):
                yield owner, method, node


def find_compiled(tree: ast.AST, path: Path) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the names and values of the patterns that a module compiles."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(value=ast.Name(id="re")))):
                if isinstance(pattern := getattr(import_module(module_name(path)), name, None), re.Pattern):
                    yield name, pattern


def read_flags(arguments: list[ast.expr]) -> re.RegexFlag:
    """Return the flags among the arguments of a call, such as `re.ASCII | re.DOTALL`."""
    parts = [one for argument in arguments for one in ast.walk(argument) if isinstance(one, ast.Attribute)]
    flags = [getattr(re, one.attr) for one in parts if isinstance(one.value, ast.Name) and one.value.id == "re"]
    return reduce(or_, (one for one in flags if isinstance(one, re.RegexFlag)), re.NOFLAG)


def read_text(node: ast.AST, path: Path) -> str:
    """Return the value of a literal string. Names in it are those of the module."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(read_text(one, path) for one in values)
        case ast.FormattedValue(value=ast.Name(id=name)):
            return str(getattr(import_module(module_name(path)), name))
    raise AssertionError(f"{path}: write the pattern as a literal string or a constant of the module")


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[: -1 if parts[-1] == "__init__" else None])


def has_unlimited_repeat(tree: object) -> bool:
    """Return whether a part of a parsed pattern repeats without a maximum. Others take constant work per character."""
    if isinstance(tree, list | tuple | SubPattern):
        return any(has_unlimited_repeat(part) for part in tree)
    return tree is MAXREPEAT


def make_strings(matcher: Matcher) -> Iterator[tuple[str, str, str]]:
    """Yield a start, a piece to repeat, and an end of strings that are hard for a pattern."""
    random = Random(repr(matcher.tree))
    for _ in range(EXAMPLES):
        example = matcher.make_example(random)
        pieces = {(start, start + length) for start in range(len(example)) for length in (1, 2, 3, 5)}
        for start, stop in sorted(pieces)[:40]:
            for end in ("", "\x01", example[stop:]):
                yield example[:start], example[start:stop], end
                yield "", example[start:stop], end
    alphabet = sorted({*matcher.make_example(random), *matcher.make_example(random), "a", "0", " "})[:10]
    for first, second, end in product(alphabet, [*alphabet, ""], ("", "\x01")):
        yield "", first + second, end


def find_superlinear(pattern: re.Pattern[str], method: str) -> str | None:
    """Return a repeated piece for which the steps grow faster than the string."""
    matcher = Matcher(pattern)
    if not has_unlimited_repeat(matcher.tree):
        return None
    for start, piece, end in dict.fromkeys(make_strings(matcher)):
        try:
            short = matcher.count(start + piece * REPEATS + end, method)
            long = matcher.count(start + piece * REPEATS * 2 + end, method)
        except TooManySteps:
            return f"{start!r} + {piece!r} * n + {end!r}"
        if long > MIN_STEPS and long > MAX_GROWTH * short:
            return f"{start!r} + {piece!r} * n + {end!r}"
    return None


def test_the_counting_matcher_agrees_with_re() -> None:
    for _, pattern, _ in list_uses():
        random, matcher = Random(ascii(pattern.pattern)), Matcher(pattern)
        for _ in range(20):
            text = matcher.make_example(random)
            found = pattern.match(text)
            assert matcher.find_end(text) == (found and found.end()), (pattern.pattern, text)


@pytest.mark.parametrize(("text", "method"), read_table(__file__, "superlinear expressions are found"))
def test_superlinear_expressions_are_found(text: str, method: str) -> None:
    assert find_superlinear(re.compile(text), method)


def test_every_regular_expression_takes_linear_work() -> None:
    findings = [(place, find_superlinear(pattern, method)) for place, pattern, method in list_uses()]
    assert not [f"{place}: {found}" for place, found in findings if found is not None]

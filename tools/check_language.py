"""Check the prose and the names of the project against its language rules (see CONTRIBUTING.md).

`python tools/check_language.py [PATH...]` prints one line per finding, `file:line: finding`, and exits with 1 if there
is any. Without a path it checks the whole project.

Prose is checked in comments, docstrings and string constants of Python, in comments and strings of JavaScript, in
comments of CSS, and in the complete text of Markdown, HTML, TOML and YAML files. Not checked are Markdown block quotes
(quotations), code in backticks, and strings without a space, which are keys and other data. `tests/test_language.py`
runs the same check.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "tests", "bench", "tools", "examples", "docs", ".github")
EXCLUDED = re.compile(
    r"(^|/)(\.venv|node_modules|__pycache__|\.git|site|out|dist)/"
    r"|^tests/(stored|goldens|data)/.*(?<!\.py)$"  # data, some of it written by earlier versions
    r"|^docs/.*\.(css|svg)$"
    r"|^bench/results\.json$"
    r"|^(tools/check_language|tests/test_language)\.py$"  # contain the phrases themselves
)

PHRASES: Mapping[str, str] = {
    r"told|tells|telling": "shows, reports, returns, distinguishes",
    r"by chance|to chance": "at random",
    r"whole[ -]numbers?": "integer",
    r"a text(?! (file|editor|field|box|area|format|document|input|node|block|cursor|prompt|label|encoding|mode|column|"
    r"report|table|version|map|form|view|stream|sample|grid))": "a string",
    r"so many": "that many, n",
    r"whoever|nobody|somebody": "the user, the caller, no client",
    r"go(es|ing)? on|went on": "continues",
    r"anew": "again, restart",
    r"again and again": "repeatedly",
    r"born|sew|sews|sewn|sewing|evenings?|asunder": "plain words",
    r"hither|thither|whence|whither|henceforth|heretofore|forthwith|thereof|therein|thereupon|whereof|wherein|whereupon|"
    r"hereby|hereof|naught|nought|aught|lest|amidst|betwixt|whilst|yonder|thrice|albeit|ere|nay|alas": "plain words",
}
"""Banned phrases, as regular expressions for complete words, and what to write instead."""

SPELLING: Mapping[str, str] = {
    r"colour[a-z]*": "color",
    r"neighbour[a-z]*": "neighbor",
    r"behaviour[a-z]*": "behavior",
    r"(?:favou|harbou|honou|labou|flavou|vapou|armou|rumou)r[a-z]*": "-or",
    r"centre[sd]?|centring": "center",
    r"metres?|kilometres?": "meter",
    r"grey[a-z]*": "gray",
    r"(?:optim|normal|random|initial|recogn|serial|summar|organ|general|minim|maxim|visual|character|parameter|token|"
    r"vector|quant|real|special|util|standard|synchron|custom|emphas|categor|analog|local|final|color|capital|memo|"
    r"penal|priorit|regular|equal|neutral|stabil|symbol|un?ital|binar|discret|raster|parallel|modern)is(?:e[srd]?|ing|"
    r"ation|ations|er|ers)": "-ize",
    r"analys(?:e|ed|er|ing)": "analyze",
    r"(?:label|model|travel|level|tunnel|signal|total|channel|fuel|dial|marvel|pencil)l(?:ed|ing|er|ers)": "one l",
    r"licences?|offences?|artefacts?|fulfil|fulfils|catalogues?|programmes?|ploughs?|sceptic[a-z]*|judgement|"
    r"acknowledgement|practise[sd]?|storeys?|kerbs?|moulds?": "the American form",
}
"""British spellings, as regular expressions for complete words, and the American form."""

PROPER_NAMES: Mapping[str, str] = {
    "grey sky": "a country of Advance Wars",
    "for analysing and evolving": "the title of a paper",
}
"""Names and quotations that are not checked, in lower case, and their sources."""
KEPT_NAMES = r"(?:neighbourhoods?|optimiser|centre|behaviours\.png)"
"""Parameters, values and files of version 0.1, which keep their spelling."""
KEPT_NAME = "|".join(
    [
        rf"[\"'*]{KEPT_NAMES}[\"'*]",  # quoted, or a heading
        rf"\b{KEPT_NAMES}(?=:(?:\s|$)|,\.\.\.)",  # a key, or the form of a parameter
        rf"(?<=unknown ){KEPT_NAMES}",
        rf"^\s*{KEPT_NAMES}\s*$",  # a parameter in a docstring
    ]
)

IRREGULAR = """
begun bent born borne bought bound broken brought built caught chosen clad crept dealt done drawn driven drunk dug
eaten fallen fed felt flown forgotten fought found frozen given gone got gotten grown heard held hewn hidden hung kept
knelt known laid lain led left lent lit lost made meant met mown overlaid paid ridden risen rebuilt redrawn said seen
sent sewn shaken shorn shot shown slain slept sold sought sown spent spoken sprung spun stolen stood strewn struck
strung stuck sunk swept swollen sworn swum swung taken taught thought thrown told torn trodden undone understood
unwound upheld withdrawn won worn wound woven written wrought rewritten unpaid unseen
"""
NOT_PARTICIPLES = """
seed feed need embed red reed bed speed shed bleed proceed exceed succeed breed weed reseed hundred
"""
PARTICLES = """
about across again all along apart around at away back by down for from here in into of off on once out over there
through to together under up with
"""
NAMES_ALLOWED: Mapping[str, str] = {
    "sorted": "the built-in's name",
    "reversed": "the built-in's name",
    "tiled": "the name of a program",
}
"""Functions named by a participle that are established forms, and why."""

EXTREMES = re.compile(r"^_?(MOST|LARGEST|LONGEST|GREATEST|HIGHEST|WIDEST|LEAST|FEWEST|SMALLEST|SHORTEST|LOWEST)_")
PROPERTIES = frozenset({"property", "cached_property", "setter", "deleter", "fixture"})


class Finding(NamedTuple):
    """One violation of the language rules."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class Passage(NamedTuple):
    """A piece of prose and the line where it starts."""

    line: int
    text: str


def _mask(pattern: str, text: str) -> str:
    """Replace what a pattern matches by spaces, keeping the line breaks."""
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.MULTILINE)


RULES = {f"rule{i}": rule for i, rule in enumerate({**PHRASES, **SPELLING}.items())}
ANY_RULE = re.compile(
    r"(?<![\w.,<>|-])\b(?:"
    + "|".join(f"(?P<{name}>{words.replace(' ', chr(92) + 's+')})" for name, (words, _) in RULES.items())
    + r")(?![\w-]|\(\)|=|[,:<>|]\w)",
)
EXEMPT = "|".join([r"``[^`]+``", r"`[^`\n]*`", KEPT_NAME, *map(re.escape, PROPER_NAMES)])


def check_prose(path: str, passages: Iterable[Passage]) -> Iterator[Finding]:
    """Yield the banned phrases and British spellings in passages of a file."""
    for passage in passages:
        text = _mask(EXEMPT, passage.text.lower())
        for found in ANY_RULE.finditer(text):
            line = passage.line + text.count("\n", 0, found.start())
            instead = next(RULES[name][1] for name, value in found.groupdict().items() if value)
            yield Finding(path, line, f"{' '.join(found[0].split())!r} (write: {instead})")


def _comments(source: str) -> Iterator[Passage]:
    """Yield the comments of Python code; comments on consecutive lines are one passage."""
    start, lines = 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row = token.start[0]
            if lines and row != start + len(lines):
                yield Passage(start, "\n".join(lines))
                lines = []
            start = start if lines else row
            lines.append(token.string.lstrip("#: "))
    if lines:
        yield Passage(start, "\n".join(lines))


@lru_cache(maxsize=1)
def _parse(source: str) -> tuple[ast.AST, ...]:
    """Return all nodes of Python code, the module first."""
    return tuple(ast.walk(ast.parse(source)))


def _strings(source: str) -> Iterator[Passage]:
    """Yield the string constants of Python code that are prose, docstrings among them."""
    nodes, lines = _parse(source), source.splitlines()
    inside = {id(value) for node in nodes if isinstance(node, ast.JoinedStr) for value in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = (str(value.value) if isinstance(value, ast.Constant) else "{}" for value in node.values)
            text = "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            text = node.value
        else:
            continue
        if " " not in text.strip():
            continue
        end = node.end_lineno or node.lineno
        if text.count("\n") == end - node.lineno:
            yield Passage(node.lineno, text)
        else:  # Joined from several literals: find the line of each match in the source.
            source = "\n".join(re.sub(r"""^\s*f?["']|["'][,)]*$""", "", line) for line in lines[node.lineno - 1 : end])
            yield Passage(node.lineno, source)


def read_python(source: str) -> Iterator[Passage]:
    """Yield comments, docstrings and other prose of Python code."""
    yield from _comments(source)
    yield from _strings(source)


def read_javascript(source: str) -> Iterator[Passage]:
    """Yield comments and strings of JavaScript."""
    token = r"//[^\n]*(?:\n\s*//[^\n]*)*|/\*.*?\*/|`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    for found in re.finditer(token, source, re.DOTALL):
        text = re.sub(r"^\s*(//|\*)|`", "", found[0], flags=re.MULTILINE)
        if found[0].startswith("/") or " " in text.strip():
            yield Passage(1 + source.count("\n", 0, found.start()), text)


def read_css(source: str) -> Iterator[Passage]:
    """Yield the comments of a style sheet."""
    for found in re.finditer(r"/\*.*?\*/", source, re.DOTALL):
        yield Passage(1 + source.count("\n", 0, found.start()), found[0])


def read_markdown(source: str) -> Iterator[Passage]:
    """Yield the text of a Markdown file without block quotes and addresses of links."""
    yield Passage(1, _mask(r"\]\([^)]*\)|<[^>]*>", _mask(r"^\s*>.*$", source)))


def read_notebook(source: str) -> Iterator[Passage]:
    """Yield the prose of a notebook's cells; lines are those of the cell."""
    for cell in json.loads(source)["cells"]:
        text = "".join(cell["source"])
        yield from read_markdown(text) if cell["cell_type"] == "markdown" else read_python(text)


def read_settings(source: str) -> Iterator[Passage]:
    """Yield the text of a TOML or YAML file without keys and values of one word, which are data."""
    yield Passage(1, _mask(r"^\s*#+|[\w-]+\s*=|^\s*(?:- )?[\w-]+:|(?<=[=:])\s*\"[^\s\"]*\"", source))


def read_html(source: str) -> Iterator[Passage]:
    """Yield the text of an HTML file without its tags."""
    yield Passage(1, _mask(r"</?[a-zA-Z][^>]*>", source))


READERS: Mapping[str, Callable[[str], Iterator[Passage]]] = {
    ".py": read_python,
    ".pyi": read_python,
    ".js": read_javascript,
    ".css": read_css,
    ".md": read_markdown,
    ".ipynb": read_notebook,
    ".html": read_html,
    ".toml": read_settings,
    ".yaml": read_settings,
    ".yml": read_settings,
    ".cff": read_settings,
}


def _is_participle(name: str) -> bool:
    first, *others = name.strip("_").split("_")
    if not set(others).issubset(PARTICLES.split()) or first in NOT_PARTICIPLES.split():
        return False
    return first in IRREGULAR.split() or (len(first) > 3 and first.endswith("ed"))


def _decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        yield target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def check_names(path: str, nodes: Iterable[ast.AST]) -> Iterator[Finding]:
    """Yield functions named by a bare participle and constants that should start with MAX_ or MIN_."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name
            if _is_participle(name) and name not in NAMES_ALLOWED and PROPERTIES.isdisjoint(_decorators(node)):
                yield Finding(path, node.lineno, f"function {name}() is named by a participle (write: a verb)")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and EXTREMES.match(node.id):
            yield Finding(path, node.lineno, f"constant {node.id} (write: MAX_ or MIN_)")


def check_classes(trees: Mapping[str, ast.AST]) -> Iterator[Finding]:
    """Yield classes that have the name of another class."""
    first: dict[str, str] = {}
    for path, tree in trees.items():
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.ClassDef):
                place = f"{path}:{node.lineno}"
                if node.name in first:
                    yield Finding(
                        path, node.lineno, f"class {node.name} has the name of the class in {first[node.name]}"
                    )
                first.setdefault(node.name, place)


def list_files(paths: Iterable[Path], root: Path = ROOT) -> list[Path]:
    """Return the files to check in folders, sorted."""
    found = set[Path]()
    for path in paths:
        found.update(path.rglob("*") if path.is_dir() else [path])
    checked = (file for file in found if file.suffix in READERS and file.is_file())
    return sorted(file for file in checked if not EXCLUDED.search(_relative(file, root)))


def _relative(path: Path, root: Path) -> str:
    path = path.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def check_files(paths: Iterable[Path] = (), root: Path = ROOT) -> list[Finding]:
    """Return the findings in files and folders; without any, in the whole project."""
    paths = list(paths) or [
        *(root / folder for folder in FOLDERS),
        *(path for path in root.glob("*.*") if path.is_file()),
    ]
    findings: list[Finding] = []
    trees: dict[str, ast.AST] = {}
    for file in list_files(paths, root):
        name = _relative(file, root)
        source = file.read_text(encoding="utf-8")
        findings += check_prose(name, READERS[file.suffix](source))
        if file.suffix == ".py":
            nodes = _parse(source)
            if name.startswith("src/"):
                trees[name] = nodes[0]
                findings += check_names(name, nodes)
            else:
                findings += (one for one in check_names(name, nodes) if one.text.startswith("constant"))
    return sorted({*findings, *check_classes(trees)})


def main() -> int:
    findings = check_files(map(Path, sys.argv[1:]))
    print(*findings, sep="\n", end="\n" if findings else "")
    return bool(findings)


if __name__ == "__main__":
    raise SystemExit(main())

"""Write src/tilewright/__init__.pyi, the types of `import tilewright as tw` for editors and type checkers.

`python tools/write_stub.py` writes the file, and `--check` fails if it is not current. The parameters come from the
schemas of the techniques, so that editors complete `tw.make("caves", ...)` and type checkers report unknown parameters.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import Parameter, signature
from pathlib import Path
from textwrap import fill
from typing import Any

import tilewright as tw
from tilewright.core.entries import Entry
from tilewright.core.fields import UNSET, Field, fields_by_name, fields_of
from tilewright.core.model import TrainingParams
from tilewright.core.registry import shapers, techniques

STUB = Path(__file__).parents[1] / "src" / "tilewright" / "__init__.pyi"
HEAD = '''"""Written by tools/write_stub.py from the schemas of all parameters; run `make stubs` after changing one."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Never, TypeAlias, overload

from .core.model import OnLearning
from .formats._resolver import RecipeLike
from .jobs.progress import OnProgress
from .seed_search import FoundSeeds
'''
NAMES = """
__version__: str

Stages: TypeAlias = str | Stage | Mapping[str, Any] | Sequence[str | Stage | Mapping[str, Any]]
"""
SEED = "seed: int | str | None = None"
MAP_SEED = 'seed: int | str = "0"'
WORKERS = "workers: int = 0"
LEARNING = ("on_progress: OnLearning | None = None", "checkpoint: str | PathLike[str] | None = None")
"""Parameters of `learn` that all techniques have."""
KNOBS = "knobs: Any = None"  # A mapping; Any, so that other keywords can be passed as **dict of any type.
RECIPE_PARAMETERS = (
    "tileset: str | PathLike[str] | Tileset | None = None",
    "tiles: Mapping[str, str] | None = None",
    "locks: Any = None",
    "shaping: Stages | None = None",
    "require: Mapping[str, Any] | None = None",
    "tries: int | None = None",
)
"""Parameters of `make` that all techniques have."""
FALLBACKS = {
    "make": f"def make(technique: str, /, *, {SEED}, {WORKERS}, {', '.join(RECIPE_PARAMETERS)}, "
    "width: int = ..., height: int = ..., **params: Never) -> TileMap",
    "recipe": "def recipe(given: Recipe | Mapping[str, Any] | str | PathLike[str], /, *, "
    f"{KNOBS}, **keywords: Any) -> Recipe",
    "watch": "def watch(given: Recipe | Mapping[str, Any] | str | PathLike[str], /, *, "
    f"{SEED}, {KNOBS}, every: int = 1, **keywords: Any) -> Iterator[Frame]",
    "learn": f"def learn(technique: str, /, sample: Any, *, {', '.join(LEARNING)}, **params: Never) -> Model",
    "shape": 'def shape(map: TileMap, shaper: str, /, *, seed: int | str = "0", **params: Never) -> TileMap',
}
"""Signatures for names of plugins, whose parameters are passed as a dict, `**params`. `Never` makes mistyped parameters
an error."""


def type_of(field: Field) -> str:
    """Return the Python type of a parameter's values; Any for several forms."""
    match field.kind:
        case "number":
            found = "int" if field.is_integer else "float"
        case "switch":
            found = "bool"
        case "choice":
            found = f"Literal[{', '.join(repr(choice) for choice in field.choices)}]"
        case "text" | "tile":
            found = "str"
        case _:
            return "Any"
    return f"{found} | None" if field.nullable else found


def format_overload(
    function: str,
    positional: Sequence[str],
    keywords: Iterable[str],
    fields: Iterable[Field],
    returned: str,
    doc: str = " ...",
) -> str:
    """Return an overload of a function for one technique or shaper, whose fields are keywords."""
    own = (f"{field.name}: {type_of(field)} = ..." for field in fields)
    parameters = "".join(f"    {one},\n" for one in (*positional, "*", *keywords, *own))
    return f"@overload\ndef {function}(\n{parameters}) -> {returned}:{doc}\n"


def format_keywords(function: Callable[..., Any]) -> str:
    """Return the signature of a function with `with_keywords`. Values of several forms have the type Any."""
    fields = fields_by_name(vars(function)["params_class"])
    shown = signature(function)
    parts: dict[Any, list[str]] = {}
    for name, parameter in shown.parameters.items():
        text = str(parameter).replace("'", "")
        if parameter.kind is Parameter.KEYWORD_ONLY and name in fields:
            field = fields[name]
            default = "" if field.default is UNSET else " = ..."
            text = f"{name}: {'Any' if field.kind == 'text' else type_of(field)}{default}"
        parts.setdefault(parameter.kind, []).append(text)
    only, plain, keywords, rest = (
        parts.get(kind, [])
        for kind in (
            Parameter.POSITIONAL_ONLY,
            Parameter.POSITIONAL_OR_KEYWORD,
            Parameter.KEYWORD_ONLY,
            Parameter.VAR_KEYWORD,
        )
    )
    parameters = ", ".join([*only, *(["/"] if only else []), *plain, "*", *keywords, *rest])
    return f"def {function.__name__}({parameters}) -> {shown.return_annotation}: ...\n"


def format_doc(entry: Entry) -> str:
    """Return a docstring with the summary and the parameters."""
    described = (f"{field.name}: {field.description}" for field in fields_of(entry.params))
    lines = [fill(entry.summary, 110), "", *(fill(line, 110, subsequent_indent="    ") for line in described)]
    text = "\n".join(lines).replace("\\", "\\\\").replace("\n", "\n    ").replace("\n    \n", "\n\n")
    return f'\n    """{text}\n    """'


def generate_stub() -> Iterator[str]:
    """Yield the sections of the file."""
    public = vars(tw)  # The stub has no types for these names.
    yield HEAD
    declared = {name: value for name in public["__all__"] if hasattr(value := getattr(tw, name), "params_class")}
    for module, names in sorted(public["HOMES"].items()):
        imported = sorted({*names} - {"improve", *FALLBACKS, *declared})
        yield from (f"from .{module} import {name} as {name}\n" for name in imported)
    yield from (f"from . import {package} as {package}\n" for package in public["PACKAGES"])
    yield NAMES
    made = [techniques.get(name) for name in sorted(techniques.built_in)]
    shaped = [shapers.get(name) for name in sorted(shapers.built_in)]
    for function, returned in (("make", "TileMap"), ("recipe", "Recipe"), ("watch", "Iterator[Frame]")):
        own = {"make": (WORKERS,), "watch": ("every: int = 1",)}.get(function, ())
        common = (SEED, *own, *RECIPE_PARAMETERS)
        for entry in made:
            doc = format_doc(entry) if function == "make" else " ..."
            first = [f"technique: Literal[{entry.name!r}]", "/"]
            yield format_overload(function, first, common, fields_of(entry.params), returned, doc)
        yield f"@overload\n{FALLBACKS[function]}: ...\n"
    for shaper in shaped:
        first = ["map: TileMap", f"shaper: Literal[{shaper.name!r}]", "/"]
        yield format_overload("shape", first, [MAP_SEED], fields_of(shaper.params), "TileMap", format_doc(shaper))
    yield f"@overload\n{FALLBACKS['shape']}: ...\n"
    for entry in made:
        if entry.learn is not None:
            model: type[TrainingParams] = entry.learn
            first = [f"technique: Literal[{entry.name!r}]", "/", "sample: Any"]
            fields = [field for field in fields_of(model) if field.name != "sample"]
            returned = "Network" if model.trains_network else "Model"
            yield format_overload("learn", first, LEARNING, fields, returned)
    yield f"@overload\n{FALLBACKS['learn']}: ...\n"
    fields = [field for field in fields_of(shapers.get("improve").params) if field.name != "targets"]
    improve = format_overload(
        "improve", ["map: TileMap", "targets: Mapping[str, Any]", "/"], [MAP_SEED], fields, "TileMap"
    )
    yield improve.removeprefix("@overload\n")
    yield from map(format_keywords, declared.values())


def format_code(text: str) -> str:
    """Return code formatted and with sorted imports."""
    for step in (["check", "--select=I", "--fix", "--quiet"], ["format", "--quiet"]):
        command = [sys.executable, "-m", "ruff", *step, "--stdin-filename", str(STUB), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        text = done.stdout
    return text


def main() -> int:
    text = format_code("".join(generate_stub()))
    if "--check" in sys.argv:
        if not STUB.exists() or STUB.read_text() != text:
            print(f"{STUB.name} is not current; run: make stubs", file=sys.stderr)
            return 1
        return 0
    STUB.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Write src/tilewright/__init__.pyi: what editors and type checkers know of `import tilewright as tw`.

`python tools/write_stub.py` writes it, `--check` says whether it is current. Parameters come from the techniques' own
schemas, so `tw.make("caves", ...)` completes, and a type checker refuses a parameter that the technique does not have.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import fill

import tilewright as tw
from tilewright.core.fields import Field, fields_of
from tilewright.core.registry import Entry, shapers, techniques

STUB = Path(__file__).parents[1] / "src" / "tilewright" / "__init__.pyi"
HEAD = '''"""Written by tools/write_stub.py from the schemas of all parameters; run `make stubs` after changing one."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Never, TypeAlias, overload
'''
NAMES = """
__version__: str

Stages: TypeAlias = str | Stage | Mapping[str, Any] | Sequence[str | Stage | Mapping[str, Any]]
"""
SEED = "seed: int | str | None = None"
RECIPE_PARAMETERS = (
    "tileset: str | PathLike[str] | Tileset | None = None",
    "tiles: Mapping[str, str] | None = None",
    "locks: Any = None",
    "shaping: Stages | None = None",
    "require: Mapping[str, Any] | None = None",
    "tries: int | None = None",
)
"""What every technique takes beside its own parameters."""
FALLBACKS = {
    "make": f"def make(technique: str, /, *, {SEED}, {', '.join(RECIPE_PARAMETERS)}, width: int = ..., "
    "height: int = ..., **params: Never) -> TileMap",
    "recipe": "def recipe(given: Recipe | Mapping[str, Any] | str | PathLike[str], /, **words: Any) -> Recipe",
    "watch": "def watch(given: Recipe | Mapping[str, Any] | str | PathLike[str], /, *, "
    f"{SEED}, every: int = 1, **words: Any) -> Iterator[Frame]",
    "shape": 'def shape(map: TileMap, shaper: str, /, *, seed: int | str = "0", **params: Never) -> TileMap',
}
"""For names that are not known here. With `Never`, a mistyped parameter is no match for the fallback either; the
parameters of plugins are passed as `**params`, a dict."""


def type_of(field: Field) -> str:
    """Return the type of a parameter's values as Python has it; Any for those that come in several forms."""
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
    function: str, first: str, entry: Entry, words: Iterable[str], returned: str, doc: str = " ..."
) -> str:
    """Return an overload of a function for one technique or shaper."""
    own = (f"{field.name}: {type_of(field)} = ..." for field in fields_of(entry.params))
    parameters = "".join(f"    {one},\n" for one in (first, "/", "*", *words, *own))
    return f"@overload\ndef {function}(\n{parameters}) -> {returned}:{doc}\n"


def format_doc(entry: Entry) -> str:
    """Return a docstring: what the technique does, and what its parameters are."""
    described = (f"{field.name}: {field.description}" for field in fields_of(entry.params))
    lines = [fill(entry.summary, 110), "", *(fill(line, 110, subsequent_indent="    ") for line in described)]
    text = "\n".join(lines).replace("\\", "\\\\").replace("\n", "\n    ").replace("\n    \n", "\n\n")
    return f'\n    """{text}\n    """'


def generate_stub() -> Iterator[str]:
    """Yield the parts of the file."""
    public = vars(tw)  # of the package itself: the stub leaves out how names are found
    yield HEAD
    for module, names in sorted(public["HOMES"].items()):
        yield from (f"from .{module} import {name} as {name}\n" for name in sorted(names) if name not in FALLBACKS)
    yield from (f"from . import {package} as {package}\n" for package in public["PACKAGES"])
    yield NAMES
    yield from (f"{old} = {new}\n" for old, new in public["RENAMED"].items())
    made = [techniques.get(name) for name in sorted(techniques.built_in)]
    shaped = [shapers.get(name) for name in sorted(shapers.built_in)]
    for function, returned in (("make", "TileMap"), ("recipe", "Recipe"), ("watch", "Iterator[Frame]")):
        words = (SEED, *RECIPE_PARAMETERS) if function != "watch" else (SEED, "every: int = 1", *RECIPE_PARAMETERS)
        for entry in made:
            doc = format_doc(entry) if function == "make" else " ..."
            yield format_overload(function, f"technique: Literal[{entry.name!r}]", entry, words, returned, doc)
        yield f"@overload\n{FALLBACKS[function]}: ...\n"
    for shaper in shaped:
        first = f"map: TileMap,\n    shaper: Literal[{shaper.name!r}]"
        yield format_overload("shape", first, shaper, ['seed: int | str = "0"'], "TileMap", format_doc(shaper))
    yield f"@overload\n{FALLBACKS['shape']}: ...\n"


def format_code(text: str) -> str:
    """Return the text as ruff formats and sorts it."""
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

"""Rules of the repository: imports between packages, names, and content of tracked files."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tilewright"
LEVELS = (
    ("core",),
    ("kernels",),
    ("autotile",),
    ("analysis",),
    ("overlays", "dungeon"),
    ("play",),
    ("shaping",),
    ("neural",),
    ("generators",),
    ("batch",),
    ("corpus",),
    ("search",),
    ("comparison",),
)
"""Each package imports itself and packages of the levels before its own."""
MAY_IMPORT = {
    package: {"data", package, *(other for level in LEVELS[:number] for other in level)}
    for number, level in enumerate(LEVELS)
    for package in level
}
MAY_IMPORT |= {
    "data": {"data"},
    "formats": {"core", "data", "kernels", "autotile", "formats"},
}
MAY_IMPORT["engines"] = {"core", "data", "formats", "engines"}
for package in ("corpus", "search", "comparison"):
    MAY_IMPORT[package].add("formats")
MAY_IMPORT_LAZILY = {"formats": {"overlays"}}
"""Packages that may be imported inside functions only."""
ENTRY_POINTS = {"cli", "compat", "studio"}
"""Packages that may import all of these, and of each other only the public names."""
IMPORTS_BY_NAME = {"__init__.py", "_built_in.py"}
"""Modules that compute names to import: the public names, and the built-in techniques, shapers and formats."""
IMPORTERS = {"import_module", "__import__", "resolve_name", "reload", "run_module", "run_path"}
COMPUTED = "a computed name"


@dataclass(frozen=True)
class ModuleImport:
    """A module of the package that a file imports, or `COMPUTED`."""

    module: str
    lazily: bool = False

    @property
    def folder(self) -> str:
        return self.module.split(".")[1] if "." in self.module else self.module


def find_imports(source: str, path: str) -> Iterator[ModuleImport]:
    """Yield the modules of the package that a file imports anywhere, by statement or by string."""
    tree = ast.parse(source)
    package = ("tilewright", *Path(path).parts[:-1])
    lazy = {inner for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for inner in ast.walk(node)}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    importers = IMPORTERS | {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in IMPORTERS and alias.asname
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = f"{base}.{node.module}".strip(".") if node.module else base
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "tilewright" else [module]
            if module == "tilewright.core.ports" and path != "core/registry.py":
                names += [COMPUTED for alias in node.names if alias.name == "built_in"]
        elif isinstance(node, ast.Call) and _function_name(node) in importers:
            names = [_imported_name(node, package)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            names = [node.value] if _is_module(node.value) else []
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "ports.built_in":
            names = [] if path in ("core/registry.py", "_wiring.py") else [COMPUTED]
        for name in names:
            if name in ("tilewright", COMPUTED) or name.startswith("tilewright."):
                yield ModuleImport(name, node in lazy)


def _function_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _imported_name(node: ast.Call, package: tuple[str, ...]) -> str:
    """Return the module that a call imports, as far as the code shows it."""
    own = ".".join(package)
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        name = first.value
    elif isinstance(first, ast.JoinedStr):
        name = ""
        for part in first.values:
            if isinstance(part, ast.Constant):
                name += str(part.value)
            elif isinstance(part, ast.FormattedValue) and ast.unparse(part.value) in ("__name__", "__package__"):
                name += own
            else:
                name += "*"
    else:
        return COMPUTED
    if name.startswith("."):
        dots = len(name) - len(name.lstrip("."))
        name = ".".join((*package[: len(package) - dots + 1], name.lstrip(".")))
    name = name.partition("*")[0].rstrip(".") if "*" in name and name.partition("*")[0].count(".") > 1 else name
    return COMPUTED if "*" in name else name


def _is_module(text: str) -> bool:
    """Return whether a string is the full name of a module of the package."""
    if not re.fullmatch(r"tilewright(\.\w+)+", text):
        return False
    path = SOURCE.parent.joinpath(*text.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def find_violations(source: str, path: str) -> list[str]:
    """Return the forbidden imports of a file; `path` is relative to the package."""
    folder = Path(path).parts[0]
    found = []
    for one in find_imports(source, path):
        if one.module == COMPUTED:
            if path not in IMPORTS_BY_NAME:
                found.append(f"{path}: imports {COMPUTED}")
        elif folder in MAY_IMPORT and one.module != "tilewright.__version__":
            lazily = MAY_IMPORT_LAZILY.get(folder, set()) if one.lazily else set()
            if one.folder not in MAY_IMPORT[folder] | lazily:
                found.append(f"{path}: {folder} may not import {one.module}")
        elif folder in ENTRY_POINTS and one.folder in ENTRY_POINTS - {folder} and one.module.count(".") > 1:
            found.append(f"{path}: imports {one.module}, which is internal to another entry point")
    return found


def find_modules(path: Path) -> set[str]:
    """Return the modules of the package that a file imports."""
    return {one.module for one in find_imports(path.read_text(), str(path.relative_to(SOURCE)))}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    assert not find_violations(path.read_text(), path.relative_to(SOURCE).as_posix())


def test_every_package_has_a_level() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert folders <= {*MAY_IMPORT, *ENTRY_POINTS}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/plan.py", "from ..formats import save"),
        ("core/plan.py", "def later():\n    from ..analysis import survey"),
        ("core/plan.py", "import tilewright\ntilewright.formats"),
        ("core/plan.py", "import tilewright.api"),
        ("core/plan.py", "from .. import api"),
        ("core/plan.py", "from importlib import import_module\nimport_module('tilewright.formats')"),
        ("core/plan.py", "from importlib import import_module as load\nload('..formats', __package__)"),
        ("core/plan.py", "import importlib\nimportlib.import_module(f'tilewright.{folder}.{name}')"),
        ("core/plan.py", "import importlib\nname = 'tilewright.formats'\nimportlib.import_module(name)"),
        ("core/plan.py", "import importlib\nimportlib.import_module('.'.join(parts))"),
        ("core/plan.py", "__import__('tilewright.analysis.survey')"),
        ("core/plan.py", "__import__(name)"),
        ("core/plan.py", "import sys\nsys.modules['tilewright.formats']"),
        ("core/plan.py", "from pkgutil import resolve_name\nresolve_name('tilewright.formats:save')"),
        ("core/plan.py", "from importlib.resources import files\nfiles('tilewright.formats')"),
        ("core/plan.py", "def provider(folder):\n    return import_module(f'tilewright.{folder}')"),
        ("core/plan.py", "find('tilewright.analysis.survey')"),
        ("core/plan.py", "from . import ports\nports.built_in.get().load('analysis', 'survey')"),
        ("core/plan.py", "from .ports import built_in\nbuilt_in.get().load('analysis', 'survey')"),
        ("kernels/flood.py", "from ..analysis import regions"),
        ("autotile/fitting.py", "from ..analysis.survey import Survey"),
        ("analysis/survey.py", "from ..overlays import kinds"),
        ("shaping/crop.py", "from ..generators import caves"),
        ("generators/caves.py", "from ..formats import load_all"),
        ("formats/png.py", "from ..analysis.paths import distances"),
        ("formats/png.py", "from ..overlays.kinds import Wanted"),
        ("corpus/rows.py", "from ..cli import main"),
        ("cli/make.py", "from ..studio.settings import Settings"),
        ("studio/api.py", "import importlib\nimportlib.import_module('tilewright.cli._console')"),
        ("compat/procengine.py", "from ..studio.session import Session"),
    ],
)
def test_violations_are_found(path: str, source: str) -> None:
    assert find_violations(source, path)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/plan.py", '"""As `tilewright.formats` does."""\nfrom . import ports\nports.files.get()'),
        ("core/plan.py", "from .. import __version__, data"),
        ("formats/png.py", "def late():\n    from ..overlays.kinds import Wanted"),
        ("corpus/__init__.py", "from importlib import import_module\nimport_module(f'.{name}', __name__)"),
        ("kernels/__init__.py", "from importlib import import_module\nimport_module(f'{__name__}.{name}')"),
        ("kernels/__init__.py", "from importlib import import_module\nimport_module('numba.np.arraymath')"),
        ("cli/studio.py", "from ..studio import Settings, serve"),
        ("generators/caves.py", "from ..dungeon.digging import Diggable"),
    ],
)
def test_allowed_imports_are_allowed(path: str, source: str) -> None:
    assert not find_violations(source, path)


ONE_THING = {
    "piece": {"core/pieces.py"},  # tiles that join their neighbors
    "part": {"corpus/parts.py", "class Part"},  # files of a corpus
    "book": set(),
    "rule": {"generators/rules.py", "kernels/rules.py", "studio/page/rules/rule.py", "class Rule"},  # the technique
    "ground": set(),
    "field": {"core/fields.py", "class Field"},  # of a schema
}
"""Words that have one meaning each, and the modules and classes that may have them as names."""


def test_a_word_names_one_thing() -> None:
    named: dict[str, list[str]] = {word: [] for word in ONE_THING}
    for path in SOURCE.rglob("*.py"):
        names = [(path.stem, path.relative_to(SOURCE).as_posix())]
        classes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))
        names += [(node.name.lower(), f"class {node.name}") for node in classes]
        for name, place in names:
            word = name.removesuffix("s")
            if word in named:
                named[word].append(place)
    for word, places in named.items():
        assert sorted(places) == sorted(ONE_THING[word]), word


def test_generators_never_import_generators() -> None:
    """A technique may have a private package of its name, and must not import that of another technique."""
    folder = SOURCE / "generators"
    for path in folder.rglob("*.py"):
        own = f"tilewright.generators._{path.relative_to(folder).parts[0].removesuffix('.py').removeprefix('_')}"
        for module in find_modules(path):
            assert not module.startswith("tilewright.generators") or f"{module}.".startswith(f"{own}."), path


def list_tracked_files(*patterns: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_tracked_file_names_a_registry_or_a_machine() -> None:
    forbidden = re.compile(r"https?://[^\s)\"']*(pypi\.|npmjs|/simple/|deb\.debian)|(?<![\w.])/(root|work|home)/\w")
    this = Path(__file__).resolve()
    for path in list_tracked_files():
        if path == this or path.suffix in {".png", ".gif"}:
            continue
        found = forbidden.search(path.read_text("utf-8", "replace"))
        assert not found, f"{path.relative_to(ROOT)}: {found.group(0) if found else ''}"


COMPILES_KERNELS = "unfused.py"
"""File that compiles the package's own kernels again, with changes."""


def test_nothing_runs_code_from_data() -> None:
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and path.name != COMPILES_KERNELS:
                assert node.func.id not in {"eval", "exec", "compile"}, path
            if isinstance(node, ast.Attribute) and path.name != "testing.py":
                name = f"{getattr(node.value, 'id', '')}.{node.attr}"
                assert name not in {"pickle.load", "pickle.loads"}, path


READS = {
    "partition",
    "rpartition",
    "startswith",
    "endswith",
    "find",
    "index",
    "replace",
    "removeprefix",
    "removesuffix",
}
"""Methods that search in a string."""
FOREIGN = {"corpus/cluster.py"}
"""Files that parse errors of other projects, which carry no data."""


def is_line_of_error(node: ast.AST, errors: set[str]) -> bool:
    """Return whether an expression is the rendered line of an error."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in errors
    return isinstance(node, ast.Name) and node.id in ("message", "problem_text")


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_code_reads_the_line_of_an_error(path: Path) -> None:
    if str(path.relative_to(SOURCE)) in FOREIGN:
        return
    tree = ast.parse(path.read_text())
    errors = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    errors |= {"error", "problem"}
    for node in ast.walk(tree):
        read: list[ast.AST] = []
        if isinstance(node, ast.Attribute) and node.attr in READS:
            read = [node.value]
        elif isinstance(node, ast.Compare) and any(isinstance(one, ast.In | ast.NotIn) for one in node.ops):
            read = [*node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            read = [*node.args] if isinstance(owner, ast.Name) and owner.id == "re" else []
        for one in read:
            assert not is_line_of_error(one, errors), (
                f"line {getattr(node, 'lineno', 0)}: use Problem.path, rule or fixes instead"
            )


NAMED_FILE = re.compile(r"(?<![\w/.])[\w.]+/(?:[\w./]+\.(?:py|json|js|toml|yml)\b|[\w/]+/(?=[` ])|(?=`))")


def test_the_architecture_page_names_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {package for package in packages if f"`{package}`" not in page} == set()


@pytest.mark.parametrize("name", ["architecture", "glossary", "maintaining"])
def test_a_page_names_files_that_exist(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text()
    named = {path for path in NAMED_FILE.findall(page) if "NAME" not in path and "COMMAND" not in path}
    places = (SOURCE, SOURCE.parent, SOURCE / "studio", SOURCE / "studio" / "page", ROOT)
    assert named
    assert not {path for path in named if not any((place / path).exists() for place in places)}


PUBLIC = {
    "_asdict",  # of NamedTuple
    "_replace",
    "_exit",  # of os
}
"""Names with an underscore that are not private members."""


def find_private_members(source: str) -> list[str]:
    """Return the private members that a test uses. Private modules may be imported."""
    tree = ast.parse(source)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            own.add(node.attr)
    found = []
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Attribute) and not (ast.unparse(node.value) == "self" and node.attr in own):
            names = [node.attr]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tilewright":
            names = [alias.name for alias in node.names if not _is_module(f"{node.module}.{alias.name}")]
        elif isinstance(node, ast.Call) and _function_name(node) in ("setattr", "getattr", "delattr"):
            texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            names = [text.rpartition(".")[2] for text in texts[:1] if not _is_module(text)]
        found += [name for name in names if re.match("_[^_]", name) and name not in PUBLIC]
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.stem)
def test_tests_use_public_names(path: Path) -> None:
    assert not find_private_members(path.read_text())


@pytest.mark.parametrize(
    "source",
    [
        "corpus._rows.places([1])",
        "from tilewright.formats._animation import _thinned",
        "from tilewright.formats import _files\n_files._open()",
        "class Watched(Session):\n    def settled(self):\n        return self._job",
        "monkeypatch.setattr(fashion, '_keys', None)",
        "monkeypatch.setattr('tilewright.kernels.fashion._keys', None)",
    ],
)
def test_private_members_are_found(source: str) -> None:
    assert find_private_members(source)


@pytest.mark.parametrize(
    "source",
    [
        "from tilewright.formats import _files\n_files.open_file()",
        "case._replace(thickness=1)",
        "class Watched(Session):\n    def __init__(self):\n        self._seen = []\n        self._seen.append(1)",
        "monkeypatch.setattr('tilewright.formats._tiled.MOST_BYTES', 1)",
    ],
)
def test_public_names_are_allowed(source: str) -> None:
    assert not find_private_members(source)

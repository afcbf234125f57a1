"""Rules of the repository: imports between packages, names, and content of tracked files."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import tilewright
from tests.cases import fits, read_cases
from tools.check_language import Finding

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tilewright"
ALLOWED = {
    ("__init__.py", "an import by a computed name"): "the public names",
    ("_wiring.py", "an import by a computed name"): "the built-in techniques, shapers and formats",
    ("core/registry.py", "ports.built_in"): "the registry of built-in entries",
    ("_wiring.py", "ports.built_in"): "connects the port",
    ("core/pieces.py", "module pieces"): "tiles that join their neighbors",
    ("corpus/parts.py", "module parts"): "files of a corpus",
    ("corpus/parts.py", "class Part"): "files of a corpus",
    ("generators/rules.py", "module rules"): "the technique",
    ("kernels/rules.py", "module rules"): "kernels of the technique",
    ("generators/_rules/language.py", "class Rule"): "of the technique",
    ("core/fields.py", "module fields"): "of a schema",
    ("core/fields.py", "class Field"): "of a schema",
    ("kernels/gpu/device_code.py", "compile()"): "compiles the package's own kernels again, with changes",
    ("testing.py", "pickle.loads"): "own bytes",
}
"""Exceptions from the rules by path and violation, and their reasons."""
Violations = Iterator[tuple[ast.AST, str, str]]
"""Nodes of a module that a rule forbids, what they are, and what to write instead."""
LEVELS = (
    ("core",),
    ("kernels", "pictures"),
    ("autotile",),
    ("analysis",),
    ("overlays", "dungeon"),
    ("play",),
    ("shaping",),
    ("neural",),
    ("generators",),
    ("batch",),
    ("jobs",),
    ("corpus",),
    ("search",),
    ("seed_search",),
    ("comparison",),
)
"""Each package imports itself and packages of the levels before its own."""
MAY_IMPORT = {
    package: {"data", package, *(other for level in LEVELS[:number] for other in level)}
    for number, level in enumerate(LEVELS)
    for package in level
}
MAY_IMPORT |= {"data": {"data"}, "formats": {"core", "data", "kernels", "autotile", "formats"}}
MAY_IMPORT["engines"] = {"core", "data", "formats", "engines"}
MAY_IMPORT["awbw"] = {"awbw", *MAY_IMPORT["shaping"], *MAY_IMPORT["formats"]}
for package in ("jobs", "corpus", "search", "seed_search", "comparison"):
    MAY_IMPORT[package].add("formats")
MAY_IMPORT_LAZILY = {"formats": {"overlays"}}
"""Packages that may be imported inside functions only."""
ENTRY_POINTS = {"cli", "compat", "studio"}
"""Packages that may import all of these, and of each other only the public names."""
PLUGINS = {"awbw"}
"""Packages that only entry points import."""
IMPORTERS = {"import_module", "__import__", "resolve_name", "reload", "run_module", "run_path"}
COMPUTED = "an import by a computed name"
BUILT_IN = "ports.built_in"
OUTSIDE_PACKAGES = {
    COMPUTED: "write an import statement, or the start of the name: import_module(f'{__name__}.{name}')",
    BUILT_IN: "read the registry",
}
HOMES = {name: module for module, names in vars(tilewright)["HOMES"].items() for name in names}
"""Modules that define the public names."""


def find_imports(path: str, nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """Yield the modules of the package that a file imports anywhere, by statement or by string."""
    package = ("tilewright", *Path(path).parts[:-1])
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    aliases = [alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    importers = IMPORTERS | {alias.asname for alias in aliases if alias.name in IMPORTERS and alias.asname}
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = f"{base}.{node.module}".strip(".") if node.module else base
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "tilewright" else [module]
            if module == "tilewright.core.ports":
                names += [BUILT_IN for alias in node.names if alias.name == "built_in"]
        elif isinstance(node, ast.Call) and _function_name(node) in importers:
            names = [_imported_name(node, package)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            names = [node.value] if _is_module(node.value) else []
        elif isinstance(node, ast.Attribute) and node.attr == "built_in" and ast.unparse(node) == BUILT_IN:
            names = [BUILT_IN]
        for name in names:
            if name == "tilewright" or name in OUTSIDE_PACKAGES or name.startswith("tilewright."):
                yield node, name


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


def find_forbidden_imports(path: str, nodes: list[ast.AST]) -> Violations:
    package = Path(path).parts[0]
    technique = "".join(Path(path).parts[1:2]).removesuffix(".py").removeprefix("_")
    own = f"tilewright.generators.{technique}.", f"tilewright.generators._{technique}."
    lazily = MAY_IMPORT_LAZILY.get(package, set())
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)] if lazily else []
    lazy = {inner for function in functions for inner in ast.walk(function)}
    for node, module in find_imports(path, nodes):
        imported = "".join(module.split(".")[1:2])
        name = f"{package} may not import {module}"
        if module in OUTSIDE_PACKAGES:
            yield node, module, OUTSIDE_PACKAGES[module]
        elif imported in PLUGINS - {package}:
            yield node, name, "read the registry, to which an entry point adds its entries"
        elif package in MAY_IMPORT and module != "tilewright.__version__":
            if imported in lazily and node not in lazy:
                yield node, name, "import it inside the function that uses it"
            elif imported not in MAY_IMPORT[package] | lazily:
                yield node, name, advise_import(path, module)
            elif package == imported == "generators" and not f"{module}.".startswith(own):
                yield node, name, "move what two techniques use to another package, such as dungeon or kernels"
        elif package in ENTRY_POINTS and imported in ENTRY_POINTS - {package} and module.count(".") > 1:
            yield node, name, f"write from ..{imported} import a name that the package exports"


def advise_import(path: str, module: str) -> str:
    """Return what to write instead of an import that the levels forbid."""
    package, *folders = Path(path).parts[:-1]
    name = module.removeprefix("tilewright.")
    home, *inner = HOMES.get(name, "").split(".")
    if home == package and not folders:
        return f"write from .{'.'.join(inner)} import {name}"
    if home in MAY_IMPORT[package]:
        return f"write from {'.' * (len(folders) + 2)}{'.'.join((home, *inner))} import {name}"
    if module == "tilewright":
        return "import each name from the module that defines it, as tilewright/__init__.py lists them"
    return f"it may import only {', '.join(sorted(MAY_IMPORT[package]))}"


def test_every_package_has_a_level() -> None:
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} <= {*MAY_IMPORT, *ENTRY_POINTS}


ONE_THING = ("piece", "part", "book", "rule", "ground", "field")
"""Words that name at most one thing each in the package, which `ALLOWED` describes."""


def find_names_of_other_things(path: str, nodes: list[ast.AST]) -> Violations:
    names = [(nodes[0], "module", Path(path).stem)]
    names += [(node, "class", node.name) for node in nodes if isinstance(node, ast.ClassDef)]
    for node, kind, name in names:
        if name.lower().removesuffix("s") in ONE_THING:
            yield node, f"{kind} {name}", "this word has one meaning here: choose another"


def find_code_from_data(path: str, nodes: list[ast.AST]) -> Violations:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="eval" | "exec" | "compile" as name)):
                yield node, f"{name}()", "the package runs no code from data"
            case ast.Attribute(value=ast.Name(id="pickle"), attr="load" | "loads" as name):
                yield node, f"pickle.{name}", "the package runs no code from data: read JSON or arrays"


READS = {"partition", "rpartition", "startswith", "endswith", "find", "index", "replace"}
READS |= {"removeprefix", "removesuffix"}
"""Methods that search in a string."""


def find_read_lines_of_errors(path: str, nodes: list[ast.AST]) -> Violations:
    errors = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name} | {"error", "problem"}
    for node in nodes:
        read: list[ast.expr] = []
        match node:
            case ast.Attribute(value=value) if node.attr in READS:
                read = [value]
            case ast.Compare(comparators=compared) if any(isinstance(one, ast.In | ast.NotIn) for one in node.ops):
                read = compared
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=arguments):
                read = arguments
        for one in read:
            match one:
                case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name), *_]) if name in errors:
                    yield node, f"{ast.unparse(one)} is parsed", "use Problem.path, rule or fixes"
                case ast.Name(id="message" | "problem_text" as name):
                    yield node, f"{name} is parsed", "use Problem.path, rule or fixes"


PUBLIC = {"_asdict", "_replace", "_exit"}
"""Names with an underscore that are not private members: of NamedTuple and os."""


def find_private_members(path: str, nodes: list[ast.AST]) -> Violations:
    """Yield the private members that a test uses. Private modules may be imported."""
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    of_self = {node for node in nodes if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"}
    own |= {node.attr for node in of_self if isinstance(node.ctx, ast.Store)}
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Attribute) and not (node in of_self and node.attr in own):
            names = [node.attr]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tilewright":
            names = [alias.name for alias in node.names if not _is_module(f"{node.module}.{alias.name}")]
        elif isinstance(node, ast.Call) and _function_name(node) in ("setattr", "getattr", "delattr"):
            texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            names = [text.rpartition(".")[2] for text in texts[:1] if not _is_module(text)]
        for name in names:
            if re.match("_[^_]", name) and name not in PUBLIC:
                yield node, f"the private member {name}", "use public names"


PUBLIC_NAMES = {
    name
    for page in (ROOT / "docs" / "reference").glob("*.md")
    for name in re.findall(r"(?m)^::: (tilewright\.[\w.]+)$", page.read_text())
}
"""Names and modules that the reference describes."""


def find_undocumented_names(path: str, nodes: list[ast.AST]) -> Violations:
    """Yield the names of the package that a plugin uses although the reference does not describe them."""
    aliases = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "tilewright"
    }
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "tilewright":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("tilewright.")]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            names = [f"tilewright.{node.attr}"]
        for name in names:
            if not {name, name.rpartition(".")[0]} & PUBLIC_NAMES:
                yield node, name, "use names that docs/reference describes"


PACKAGE_RULES = (find_forbidden_imports, find_names_of_other_things, find_code_from_data, find_read_lines_of_errors)
RULES = {"tests": (find_private_members,), "plugins": (find_private_members, find_undocumented_names)}
"""Rules of the files in a folder of the repository."""


def find_violations(path: str, source: str) -> Iterator[tuple[tuple[str, str], Finding]]:
    """Yield the key in `ALLOWED` and the finding of each violation.

    Paths begin in the package, or with a folder of `RULES`.
    """
    nodes = list(ast.walk(ast.parse(source)))
    rules = RULES.get(path.partition("/")[0], PACKAGE_RULES)
    for rule in rules:
        for node, name, instead in rule(path, nodes):
            shown = f"src/tilewright/{path}" if rules is PACKAGE_RULES else path
            yield (path, name), Finding(shown, getattr(node, "lineno", 1), f"{name}: {instead}")


def refuse(findings: list[Finding]) -> None:
    assert not findings, f"{len(findings)} findings:\n" + "\n".join(map(str, findings))


def test_modules_follow_the_rules() -> None:
    files = {file.relative_to(SOURCE).as_posix(): file for file in sorted(SOURCE.rglob("*.py"))}
    folders = [ROOT / folder for folder in RULES]
    files |= {file.relative_to(ROOT).as_posix(): file for folder in folders for file in sorted(folder.rglob("*.py"))}
    found = [one for path, file in files.items() for one in find_violations(path, file.read_text())]
    refuse([finding for key, finding in found if key not in ALLOWED])
    assert {key for key, _ in found} >= ALLOWED.keys(), "remove the exceptions that nothing needs"


@pytest.mark.parametrize(("given", "expected"), read_cases(Path(__file__).with_name("house_cases.txt")))
def test_violations_are_found_and_messages_say_what_to_write_instead(given: list[str], expected: str) -> None:
    path, *source = given
    found = [finding for _, finding in find_violations(path, "\n".join(source))]
    shown = path if path.partition("/")[0] in RULES else f"src/tilewright/{path}"
    assert {finding.path for finding in found} <= {shown}
    assert any(fits(f"{one.line}: {one.text}", expected) for one in found) if expected != "allowed" else not found


def test_no_tracked_file_names_a_registry_or_a_machine() -> None:
    forbidden = re.compile(r"https?://[^\s)\"']*(pypi\.|npmjs|/simple/|deb\.debian)|(?<![\w.])/(root|work|home)/\w")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    findings = []
    for name in listing.stdout.strip("\0").split("\0"):
        path = ROOT / name
        if path == Path(__file__).resolve() or path.suffix in {".png", ".gif"} or not path.is_file():
            continue
        content = path.read_text("utf-8", "replace")
        for found in forbidden.finditer(content):
            line = content.count("\n", 0, found.start()) + 1
            findings.append(Finding(name, line, f"{found[0]}: name no registry and no folder of a machine"))
    refuse(findings)


NAMED_FILE = re.compile(r"(?<![\w/.-])[\w.]+/(?:[\w./-]+\.(?:py|json|js|toml|yml)\b|[\w/-]+/(?=[` ])|(?=`))")


def test_the_architecture_page_names_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {package for package in packages if f"`{package}`" not in page} == set()


@pytest.mark.parametrize("name", ["architecture", "glossary", "maintaining"])
def test_a_page_names_files_that_exist(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text()
    named = {path for path in NAMED_FILE.findall(page) if "NAME" not in path and "COMMAND" not in path}
    places = (SOURCE, SOURCE.parent, ROOT)
    assert named
    assert not {path for path in named if not any((place / path).exists() for place in places)}

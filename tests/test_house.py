"""The house itself: which folder may import which, and what no tracked file may hold."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tilewright"
MAY_IMPORT = {
    "core": {"core", "data"},
    "data": {"data"},
    "kernels": {"kernels"},
    "autotile": {"core", "kernels", "autotile"},
    "analysis": {"core", "kernels", "autotile", "analysis"},
    "overlays": {"core", "kernels", "autotile", "analysis", "overlays"},
    "dungeon": {"core", "kernels", "autotile", "analysis", "dungeon"},
    "shaping": {"core", "kernels", "autotile", "analysis", "dungeon", "shaping"},
    "generators": {"core", "kernels", "autotile", "analysis", "dungeon", "shaping", "generators"},
    "formats": {"core", "data", "kernels", "autotile", "overlays", "formats"},
}
"""Folders that are not named are doors: they may import all of these, but no other door."""
DOORS = {"cli", "compat", "corpus", "studio"}


def imports_of(path: Path) -> set[str]:
    """The folders of the house that a file imports."""
    return {module.split(".")[1] for module in modules_of(path)}


def modules_of(path: Path) -> set[str]:
    """The modules of the house that a file imports, at its head or anywhere inside."""
    package = path.relative_to(SOURCE.parent).with_suffix("").parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = f"{base}.{node.module}".strip(".") if node.module else base
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "tilewright" else [module]
        found |= {name for name in names if name.startswith("tilewright.")}
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    folder = path.relative_to(SOURCE).parts[0]
    imported = imports_of(path) - {"__version__"}
    if folder in MAY_IMPORT:
        assert imported <= MAY_IMPORT[folder], f"{folder} may not import {imported - MAY_IMPORT[folder]}"
    elif folder in DOORS:
        assert not imported & (DOORS - {folder}), "a door imports another door"


def test_generators_never_import_generators() -> None:
    """A technique may have a folder of parts, called like it; nobody else's."""
    folder = SOURCE / "generators"
    for path in folder.rglob("*.py"):
        own = f"tilewright.generators._{path.relative_to(folder).parts[0].removesuffix('.py').removeprefix('_')}"
        for module in modules_of(path):
            assert not module.startswith("tilewright.generators") or f"{module}.".startswith(f"{own}."), path


def tracked(*patterns: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_tracked_file_names_a_registry_or_a_machine() -> None:
    forbidden = re.compile(r"https?://[^\s)\"']*(pypi\.|npmjs|/simple/|deb\.debian)|(?<![\w.])/(root|work|home)/\w")
    this = Path(__file__).resolve()
    for path in tracked():
        if path == this or path.suffix in {".png", ".gif"}:
            continue
        found = forbidden.search(path.read_text("utf-8", "replace"))
        assert not found, f"{path.relative_to(ROOT)}: {found.group(0) if found else ''}"


def test_nothing_runs_code_from_data() -> None:
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile"}, path
            if isinstance(node, ast.Attribute) and path.name != "testing.py":
                name = f"{getattr(node.value, 'id', '')}.{node.attr}"
                assert name not in {"pickle.load", "pickle.loads"}, path

"""The wheel: built, and installed without extras into a clean environment.

With the oldest allowed versions, `make test` makes a map with each technique that numba compiles in seconds.
`make oldest`, which CI runs too, makes all goldens and takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

import tilewright as tw
from tilewright.core.registry import techniques

ROOT = Path(__file__).parents[1]
SLOW_TO_COMPILE = {"diffusion", "markov", "patterns", "rules", "wfc"}
CHECKED = [f"{name} 0 7" for name in techniques.names() if name not in SLOW_TO_COMPILE]
"""Names of the goldens to make with the oldest versions."""


def run(*command: str | Path, cwd: Path) -> str:
    """Return the output of a command that runs outside this checkout and its environment."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


def pip(programs: Path, *arguments: str | Path) -> str:
    """Run our own pip in another environment, which needs none and so is made quickly."""
    python = programs / "python"
    return run(sys.executable, "-m", "pip", "--python", python, "--quiet", *arguments, cwd=programs.parent)


def clean_environment(folder: Path, *packages: str | Path) -> Path:
    """Return the folder of programs of a new environment with only these packages."""
    venv.create(folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    # Python compiles the modules that it imports, which are few.
    pip(programs, "install", "--disable-pip-version-check", "--no-compile", *packages)
    return programs


def test_the_wheel_has_types(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        assert {"tilewright/py.typed", "tilewright/__init__.pyi"} <= {*archive.namelist()}


def test_the_wheel_makes_a_map_without_extras(wheel: Path, tmp_path: Path) -> None:
    programs = clean_environment(tmp_path / "clean", wheel, "--constraint", ROOT / "constraints.txt")
    command = ("make", "caves", "--seed", "7", "--width", "40", "--height", "12")
    printed = run(programs / "tilewright", *command, cwd=tmp_path)
    assert printed == f"{tw.make('caves', seed=7, width=40, height=12)}\n"
    run(programs / "tilewright", "make", "fashion", "-o", "map.tmx", "-o", "map.gif", cwd=tmp_path)
    assert {path.name for path in tmp_path.glob("map.*")} >= {"map.tmx", "map.gif"}
    installed = pip(programs, "list", "--format=freeze").lower()
    assert not any(name in installed for name in ("pytest", "dask", "nicegui", "hypothesis", "scipy"))


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the oldest versions have no wheels for this Python")
def test_the_oldest_allowed_versions_make_the_same_maps(wheel: Path, tmp_path: Path) -> None:
    programs = clean_environment(tmp_path / "oldest", wheel, "--requirement", ROOT / "constraints-oldest.txt")
    names = [] if os.environ.get("TILEWRIGHT_OLDEST") == "1" else CHECKED
    run(programs / "python", ROOT / "tests" / "goldens" / "write.py", "--check", *names, cwd=tmp_path)

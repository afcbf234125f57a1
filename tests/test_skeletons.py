"""Skeletons of `python -m tools.new`: they conform, and their tests pass in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_house import find_violations
from tools.new import SKELETONS, fill, main

ROOT = Path(__file__).parents[1]


def test_skeletons_pass_the_rules_of_the_package_and_their_own_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One test of all kinds, because each process that imports the package takes seconds."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    paths = []
    for kind, templates in SKELETONS.items():
        main([kind, f"new_{kind}", "--root", str(tmp_path)])
        paths += [fill(path, f"new_{kind}") for path in templates]
    printed = capsys.readouterr().out
    for path in paths:
        assert f"wrote {path}" in printed
        content = (tmp_path / path).read_text()
        if path.startswith("src/"):
            assert not list(find_violations(path.removeprefix("src/tilewright/"), content))
        if path.endswith(".py"):
            for options in (["check"], ["format", "--check"]):
                command = [sys.executable, "-m", "ruff", *options, "--stdin-filename", path, "-"]
                done = subprocess.run(command, cwd=ROOT, input=content, capture_output=True, text=True)
                assert done.returncode == 0, done.stdout + done.stderr
    tests = [path for path in paths if path.startswith("tests/")]
    assert len(tests) == len(SKELETONS)
    check = "from tilewright.testing import check_technique; check_technique('new_technique', seeds=3)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    for command in (["-m", "pytest", "-q", "--rootdir", str(tmp_path), *tests], ["-c", check]):
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_files_that_exist_are_kept(tmp_path: Path) -> None:
    main(["format", "rows", "--root", str(tmp_path)])
    path = tmp_path / "src" / "tilewright" / "formats" / "rows.py"
    path.write_text("mine")
    with pytest.raises(SystemExit, match="exists"):
        main(["format", "rows", "--root", str(tmp_path)])
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["Blobs", "two words", "../up", "1st", "class", ""])
def test_a_name_is_an_identifier(name: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="lower-case"):
        main(["technique", name, "--root", str(tmp_path)])
    assert not list(tmp_path.iterdir())

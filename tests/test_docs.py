"""The docs: examples run, and generated tables and pictures are current."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright as tw
from tilewright.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[tuple[str, str, str]]:
    """Return (language, rest of the fence, content) of the code blocks in some languages."""
    return [block for block in BLOCK.findall(page.read_text()) if block[0] in languages]


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Run the Python of a page in one session, and its commands in the same folder, in this process for speed."""
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {"__name__": "__main__"}
    for language, fence, content in blocks(page, "python", "console", "toml", "yaml"):
        if "file=" in fence:
            continue  # a file to save elsewhere
        if language == "python":
            exec(compile(content, str(page), "exec"), session)
        elif language == "console":
            for line in content.splitlines():
                command = shlex.split(line.removeprefix("$ "), comments=True)
                assert command[0] == "tilewright", line
                assert main(command[1:]) == 0, f"{line}\n{capfd.readouterr().err}"
        else:
            name = {"toml": "meadow.toml", "yaml": "recipe.yaml"}[language]
            if not Path(name).exists():
                Path(name).write_text(content)


def test_generated_tables_and_pictures_are_current() -> None:
    done = subprocess.run([sys.executable, "docs/build.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_targets(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} has a link to {target}"


def test_a_technique_is_one_new_file(tmp_path: Path) -> None:
    """The example of the page, saved in a copy of the package, is listed, explained, run and conforms."""
    shutil.copytree(ROOT / "src" / "tilewright", tmp_path / "tilewright")
    ((_, fence, content),) = [b for b in blocks(ROOT / "docs" / "add-a-technique.md", "python") if "file=" in b[1]]
    (tmp_path / "tilewright" / "generators" / fence.strip().removeprefix("file=")).write_text(content)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*command: str) -> str:
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "drop round lakes" in run("-m", "tilewright", "list", "techniques")
    assert "--lakes" in run("-m", "tilewright", "make", "blobs", "--help")
    assert "Number of lakes" in run("-m", "tilewright", "explain", "blobs")
    assert "~" in run("-m", "tilewright", "make", "blobs", "--lakes", "12", "--seed", "7")
    run("-m", "tilewright", "make", "blobs", "-o", "blobs.gif")
    run("-c", "from tilewright.testing import check_technique; check_technique('blobs')")


def test_the_overview_of_engines_names_every_engine_and_page() -> None:
    overview = (ROOT / "docs" / "engines" / "index.md").read_text()
    for entry in tw.list_formats():
        for engine in entry.engines:
            assert engine.partition(" (")[0] in overview, f"{engine} opens {entry.name}"
            assert f"formats.md#{entry.name})" in overview
    for page in (ROOT / "docs" / "engines").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in overview, page.name

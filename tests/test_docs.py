"""The docs: examples run, and generated tables and pictures are current."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

import tilewright as tw
from tests.test_house import find_violations
from tilewright import data
from tilewright.cli import main
from tilewright.core.registry import benchmarks, constraints, measures, shapers, techniques
from tilewright.engines import engine_registry
from tilewright.formats import format_registry
from tilewright.play import game_registry
from tilewright.search.distances import distance_registry

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[tuple[str, str, str]]:
    """Return (language, rest of the fence, content) of the code blocks in some languages."""
    return [block for block in BLOCK.findall(page.read_text()) if block[0] in languages]


@pytest.fixture
def docs_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")


@pytest.mark.usefixtures("own_registry", "docs_on_path")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_run_and_their_pictures_are_current(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Run the Python of a page in one session, and its commands in the same folder, in this process for speed."""
    examples, pixels = (import_module(f"generate.{module}") for module in ("examples", "pixels"))
    folder = tmp_path / "session"
    folder.mkdir()
    monkeypatch.chdir(folder)
    session: dict[str, Any] = {"__name__": "__main__"}
    for language, fence, content in blocks(page, "python", "console", "toml", "yaml"):
        picture = fence.strip().removeprefix("picture=")
        if "file=" in fence or "plugin=" in fence:
            continue  # to save elsewhere
        if language == "python":
            exec(compile(content, str(page), "exec"), session)
            if picture:
                drawing = tmp_path / picture
                examples.draw_result(session["m"]).save(drawing)
        elif language == "console":
            for line in content.splitlines():
                command = shlex.split(line.removeprefix("$ "), comments=True)
                assert command[0] == "tilewright", line
                assert main(command[1:]) == 0, f"{line}\n{capfd.readouterr().err}"
            if picture:
                drawing = Path(command[command.index("-o") + 1])
        else:
            name = {"toml": "meadow.toml", "yaml": "recipe.yaml"}[language]
            if not Path(name).exists():
                Path(name).write_text(content)
        if picture:
            assert pixels.same_pixels(PICTURES / picture, drawing), f"{picture} is stale; run make refresh"


def run_build(*options: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "docs/build.py", *options], cwd=root, capture_output=True, text=True)


@pytest.mark.usefixtures("docs_on_path")
def test_generated_tables_are_current() -> None:
    """`make docs` also repeats the experiments and draws all pictures."""
    tables = import_module("generate.tables")
    texts = {page: page.read_text() for page in PAGES}
    stale = [str(page) for page, text in texts.items() if tables.fill_tables(text, with_experiments=False) != text]
    assert not stale, f"stale: {', '.join(stale)}; run make refresh"


def test_a_page_that_does_not_exist_is_refused() -> None:
    done = run_build("--check", "--page", "techniques/cavess")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("no page techniques/cavess; give the path of a page below docs/")


@pytest.mark.usefixtures("docs_on_path")
def test_one_page_has_the_pictures_that_it_shows() -> None:
    """All other pictures, such as thumbnails, are drawn with all pages only."""
    build = run_path(str(ROOT / "docs" / "build.py"))
    pages = {build["name_page"](page): page for page in build["list_pages"]()}
    for name in ("techniques/snake", "README", "gallery"):
        (shown,) = build["group_pictures"]([pages[name]], others=False)
        names = {path.name for path in shown}
        assert (
            names
            >= {
                "techniques/snake": {"snake.png", "snake.gif"},
                "README": {"gallery.png", "goal-dungeon.png"},
                "gallery": {"snake.png", "recipe-skirmish.png"},
            }[name]
        )
        assert "recipe-skirmish.png" not in names or name == "gallery"
    groups = build["group_pictures"](list(pages.values()), others=True)
    drawn = [path for group in groups for path in group]
    assert sorted(drawn) == sorted(build["collect_pictures"]())


@pytest.mark.usefixtures("docs_on_path")
def test_a_picture_is_stale_if_a_pixel_of_a_frame_differs(tmp_path: Path) -> None:
    """The text in a file, such as its provenance, does not count."""
    pixels = import_module("generate.pixels")
    frames = [Image.new("P", (4, 3), number) for number in range(3)]
    animation: dict[str, Any] = {
        "save_all": True,
        "append_images": frames[1:],
        "duration": [40, 50, 60],
        "optimize": False,
    }
    for frame in frames:
        frame.putpalette(range(30))

    def refresh(path: Path, *, write: bool = False, **options: Any) -> bool:
        stale: bool = pixels.refresh_picture(path, lambda path: frames[0].save(path, **options), write=write)
        return stale

    still, moving = tmp_path / "new" / "still.png", tmp_path / "new" / "moving.gif"
    assert refresh(still)
    assert not still.exists()
    assert refresh(still, write=True)
    assert not refresh(still)
    described = PngInfo()
    described.add_text("version", "0.1")
    frames[0].save(still, pnginfo=described)
    before = still.read_bytes()
    assert not refresh(still, write=True)
    assert still.read_bytes() == before
    assert refresh(moving, write=True, **animation)
    assert not refresh(moving, **animation)
    assert refresh(moving, **{**animation, "duration": [40, 50, 70]})
    frames[2].putpixel((3, 2), 9)
    assert refresh(moving, write=True, **animation)
    assert not refresh(moving, **animation)
    frames[0].putpixel((0, 0), 9)
    assert refresh(still)


@pytest.mark.usefixtures("docs_on_path")
@pytest.mark.parametrize("name", ["caves", "maze", "roguelike-dungeon", "warehouse"])
def test_the_gallery_shows_what_its_commands_make(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cards, pixels = (import_module(f"generate.{module}") for module in ("cards", "pixels"))
    gallery = cards.fill_galleries((ROOT / "docs" / "gallery.md").read_text())
    ((picture, command),) = re.findall(rf"^### {name}\n\n.*?\((pictures/.*?)\).*\n\n`(.*)`$", gallery, re.MULTILINE)
    assert main(shlex.split(command)[1:]) == 0, capfd.readouterr().err
    (made,) = tmp_path.iterdir()
    assert pixels.same_pixels(made, ROOT / "docs" / picture), f"{picture} is stale; run make refresh"


def list_matches(pages: list[Path], pattern: str | re.Pattern[str]) -> list[tuple[Path, re.Match[str], str]]:
    """Return the page, match and place of each match of a pattern in some pages."""
    matches = [(page, match) for page in pages for match in re.finditer(pattern, page.read_text())]
    return [(page, one, f"{page}:{one.string.count(chr(10), 0, one.start()) + 1}: {one[0]}") for page, one in matches]


def find_broken_links(pages: list[Path]) -> str:
    links = list_matches(pages, r"\]\(([^)#:]+)\)")
    return "\n".join(place for page, link, place in links if not (page.parent / link[1]).exists())


def test_links_have_targets(tmp_path: Path) -> None:
    assert not find_broken_links(PAGES)
    (tmp_path / "a.md").write_text("\n[a](a.md) and [b](b.md)")
    assert find_broken_links([tmp_path / "a.md"]) == f"{tmp_path / 'a.md'}:2: ](b.md)"


# fmt: off
NUMBERS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]
# fmt: on
COUNT = re.compile(
    rf"\b(\d+|(?:twenty-)?(?:{'|'.join(NUMBERS)}))\s+(?:of\s+these\s+|built-in\s+)?\[?"
    r"(techniques|recipes|shapers|measures|formats|games|tilesets|samples|engines|models|(?:included|training)\s+maps)\b",
    re.IGNORECASE,
)
SMALL = 4
"""Largest number of measures or samples that may be those of one example."""


def read_number(word: str) -> int:
    tens, _, ones = word.lower().rpartition("-")
    return int(word) if word.isdigit() else (20 if tens else 0) + NUMBERS.index(ones) + 1


def known_counts() -> dict[str, set[int]]:
    """Return the counts that a page may state of each kind: of all, and of some that have a property in common."""
    of_rules = [name for name in data.list_names("recipes") if tw.recipe(name).technique == "rules"]
    learners = [entry for entry in tw.list_techniques() if "sample" in entry.params.model_fields]
    measures = tw.list_measures()
    training_maps = {len(data.list_members("awbw"))}
    return {
        "techniques": {len(tw.list_techniques()), len(learners)},
        "recipes": {len(data.list_names("recipes")), len(of_rules)},
        "shapers": {len(tw.list_shapers())},
        "measures": {len(measures), sum(one.compares for one in measures), *range(SMALL + 1)},
        "formats": {len(tw.list_formats())},
        "games": {len(tw.list_games())},
        "tilesets": {len(tw.list_tilesets())},
        "samples": {len(data.list_names("samples")), *range(SMALL + 1)},
        "engines": {len(tw.list_engines())},
        "models": {len(data.list_names("models"))},
        "included maps": training_maps,
        "training maps": training_maps,
    }


def find_wrong_counts(pages: list[Path]) -> str:
    counts = known_counts()
    found = [(one[1], " ".join(one[2].lower().split()), place) for _, one, place in list_matches(pages, COUNT)]
    wrong = [(place, counts[kind]) for word, kind, place in found if read_number(word) not in counts[kind]]
    return "\n".join(f"{place}, but there are {max(right)}" for place, right in wrong)


def test_counts_are_those_of_the_registry(tmp_path: Path) -> None:
    others = ("pyproject.toml", "mkdocs.yml", "CITATION.cff", "examples/README.md")
    assert not find_wrong_counts([*PAGES, *(ROOT / name for name in others)])
    (tmp_path / "a.md").write_text(f"{len(tw.list_techniques())} techniques\n999 techniques")
    wrong = f"{tmp_path / 'a.md'}:2: 999 techniques, but there are {len(tw.list_techniques())}"
    assert find_wrong_counts([tmp_path / "a.md"]) == wrong


def test_counts_are_read() -> None:
    assert COUNT.findall("Fifteen techniques, 24 built-in recipes; nine of these\n[recipes], twenty-five shapers") == [
        ("Fifteen", "techniques"),
        ("24", "recipes"),
        ("nine", "recipes"),
        ("twenty-five", "shapers"),
    ]
    assert [read_number(word) for word in ("Fifteen", "24", "nine", "twenty-five", "twenty")] == [15, 24, 9, 25, 20]


GUIDE = ROOT / "docs" / "add-a-technique.md"
RELATIVE_IMPORT = re.compile(r"(?:^from \.+\S* import .*\n)+", re.MULTILINE)


def list_guide_files(attribute: str) -> dict[str, str]:
    """Return the Python of the guide by its path in the package."""
    found = blocks(GUIDE, "python")
    return {fence.strip().removeprefix(attribute): text for _, fence, text in found if attribute in fence}


def write_into_package(folder: Path) -> None:
    """Save the guide's files in a copy of the package; a measure is added to a file that exists."""
    shutil.copytree(ROOT / "src" / "tilewright", folder / "tilewright", ignore=shutil.ignore_patterns("__pycache__"))
    for name, content in list_guide_files("file=").items():
        path = folder / "tilewright" / name
        path.write_text(f"{path.read_text()}\n\n{content}" if name == "analysis/measures.py" else content)


def write_plugin(folder: Path) -> None:
    """Save the guide's files in another package, with its imports and entry points."""
    (folder / "my_package").mkdir()
    imports = list_guide_files("plugin=")
    for name, content in list_guide_files("file=").items():
        changed, count = RELATIVE_IMPORT.subn(imports[name], content)
        (folder / "my_package" / Path(name).name).write_text(changed if count else f"{imports[name]}\n\n{content}")
    ((_, _, content),) = blocks(GUIDE, "toml")
    groups = tomllib.loads(content)["project"]["entry-points"]
    lines = [line for group in groups for line in (f"[{group}]", *(f"{n} = {v}" for n, v in groups[group].items()))]
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(lines))


def list_guide_commands() -> list[list[str]]:
    lines = [line for _, _, text in blocks(GUIDE, "text") for line in text.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("tilewright ")]


@pytest.mark.parametrize("write", [write_into_package, write_plugin])
def test_the_files_of_the_guide_work_inside_the_package_and_in_others(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    """They are listed, explained and run by the guide's commands, and the technique conforms."""
    write(tmp_path)
    commands = [["list", "techniques"], ["make", "blobs", "--help"], *list_guide_commands()]
    program = (
        "import json, sys; from tilewright.cli import main; from tilewright.testing import check_technique\n"
        "for command in json.loads(sys.argv[1]): assert main(command) == 0, command\n"
        "check_technique('blobs', seeds=3)"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program, json.dumps(commands)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    options = ("drop round lakes", "--lakes", "Number of lakes", "Number of sides")
    for text in (*options, "~", "outline_length", "grid of pillars", "(.pgm)"):
        assert text in done.stdout
    assert (tmp_path / "blobs.gif").exists()
    assert (tmp_path / "cave.pgm").read_text().startswith("P2\n80 50\n")


@pytest.mark.parametrize("name", list_guide_files("file="))
def test_the_files_of_the_guide_pass_the_rules_of_the_package(name: str) -> None:
    """They import as files of the package do, and are formatted."""
    content = list_guide_files("file=")[name]
    assert not list(find_violations(name, content))
    options = ["--stdin-filename", f"src/tilewright/{name}", "-"]
    for command in (["check", "--ignore=F821"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *options], cwd=ROOT, input=content, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_guide_names_every_group_of_entry_points() -> None:
    text = GUIDE.read_text()
    own = (techniques, shapers, measures, constraints, benchmarks)
    others = (distance_registry, format_registry, game_registry, engine_registry)
    for group in (*(registry.folder for registry in (*own, *others)), "tilesets", "kernels"):
        assert f"tilewright.{group}" in text


def test_the_overview_of_engines_names_every_engine_and_page() -> None:
    overview = (ROOT / "docs" / "engines" / "index.md").read_text()
    for entry in tw.list_formats():
        for engine in entry.engines:
            assert engine.partition(" (")[0] in overview, f"{engine} opens {entry.name}"
            assert f"formats.md#{entry.name})" in overview
    for page in (ROOT / "docs" / "engines").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in overview, page.name

"""The functions of libFBCAGen: its example programs and published results, without its bugs."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageSequence

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.compat import libfbcagen as libFBCAGen  # noqa: N812 - as its programs call it
from tilewright.compat.libfbcagen import FBCAConsts
from tilewright.core.errors import BadFile, InvalidRecipe, TilewrightError, TooLarge

PUBLISHED = [0, 0.5, 0.2, 0.6]
HEADER = """
from tilewright.compat import libfbcagen as libFBCAGen
from tilewright.compat.libfbcagen import FBCAConsts
"""
Run = Callable[[str], list[str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a program in an empty working directory and returns the lines it printed."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def run(program: str) -> list[str]:
        script = tmp_path / "example.py"
        script.write_text(HEADER + program)
        runpy.run_path(str(script), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    return run


def list_files() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


def to_rows(level_map: list[list[FBCAConsts.CACell]]) -> list[list[int]]:
    """Return the states of a map as rows."""
    return [[column[y].state for column in level_map] for y in range(len(level_map[0]))]


def to_scores(level_map: list[list[FBCAConsts.CACell]]) -> list[list[float]]:
    return [[column[y].score for column in level_map] for y in range(len(level_map[0]))]


def make_automaton(rows: ArrayLike, **fields: object) -> FBCAConsts.Fbca:
    """Return an Fbca with a map."""
    cells = np.array(rows)
    fbca = FBCAConsts.Fbca(torusLength=cells.shape[1], torusWidth=cells.shape[0])
    fbca.levelMap = [[FBCAConsts.CACell(state) for state in column] for column in cells.T.tolist()]
    for name, value in fields.items():
        setattr(fbca, name, value)
    return fbca


def make_random(n: int = 2, size: tuple[int, int] = (9, 7), seed: int = 1, **fields: object) -> FBCAConsts.Fbca:
    random = np.random.default_rng(seed)
    matrix = random.integers(0, 10, n * n).tolist()
    return make_automaton(random.integers(0, n, size), **{"n": n, "scoreMatrix": matrix, **fields})


def plain_update(fbca: FBCAConsts.Fbca) -> tuple[list[list[int]], list[list[float]]]:
    """Return the next states and the current scores, computed by a plain loop."""
    old, length, width = to_rows(fbca.levelMap), fbca.torusLength, fbca.torusWidth
    total = [[0.0] * length for _ in range(width)]
    new = [row[:] for row in old]
    for y, x in np.ndindex(width, length):
        for dx, dy in fbca.neighbourhood:
            total[y][x] += float(fbca.scoreMatrix[old[y][x] * fbca.n + old[(y + dy) % width][(x + dx) % length]])
    for y, x in np.ndindex(width, length):
        best = total[y][x]
        for dx, dy in fbca.neighbourhood:
            there_y, there_x = (y + dy) % width, (x + dx) % length
            if total[there_y][there_x] > best:
                best, new[y][x] = total[there_y][there_x], old[there_y][there_x]
    return new, total


def pixels(path: str | Path) -> NDArray[np.uint8]:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


# -- the documented examples, with only the imports changed ----------------------------------------------------

PROGRAMS = read_table(__file__, "documented examples")


def test_example_init(run: Run) -> None:
    before, after = run(PROGRAMS["init"])
    assert before == "1 -> []"
    assert after.count("CACell") == 4


def test_example_copy(run: Run) -> None:
    printed = run(PROGRAMS["copy"])
    assert printed == ["[]", "[]", "[True, True, True, True]"]


def test_example_folder(run: Run) -> None:
    run('libFBCAGen.makeFolder(f"{libFBCAGen.os.getcwd()}/test/")')
    assert Path("test").is_dir()


def test_example_picture(run: Run) -> None:
    run(PROGRAMS["picture"])
    assert list_files() == ["genIm 0.png"]
    assert pixels("genIm 0.png").shape == (100, 100, 3)


def test_example_update_passes_a_map_to_init(run: Run) -> None:
    run(PROGRAMS["update"])
    assert list_files() == [f"test {n}.png" for n in range(5)]


def test_example_text(run: Run) -> None:
    run(PROGRAMS["text"])
    assert list_files() == ["genTextExample.txt"]
    digits, parameters = Path("genTextExample.txt").read_text().splitlines()
    assert len(digits) == 100 * 100
    assert set(digits) == {"0", "1"}
    assert parameters == "sMs[0, 0.5, 0.2, 0.6]g6n2w100l100neighbours[(0, 1), (0, -1), (-1, 0), (1, 0)]"


def test_example_generate(run: Run) -> None:
    run(PROGRAMS["generate"])
    name = "generateFBCAExample"
    pictures = [f"{name}/{name} {gen}.png" for gen in range(7)]
    assert list_files() == [*pictures, f"{name}/{name}.gif", f"{name}/{name}.txt"]
    (fbca,) = libFBCAGen.readFBCA(f"{name}/{name}.txt")
    assert (pixels(pictures[6]) == picture_of(fbca)).all()


def test_example_read(run: Run) -> None:
    printed = run(PROGRAMS["read"])
    assert printed == ["6", "2", "100", "100", "[0.0, 0.5, 0.2, 0.6]", "[(0, 1), (0, -1), (-1, 0), (1, 0)]"]
    for gen in range(7):
        assert (pixels(f"original/original {gen}.png") == pixels(f"new/new {gen}.png")).all()
    assert Path("original/original.gif").read_bytes() == Path("new/new.gif").read_bytes()


def picture_of(fbca: FBCAConsts.Fbca) -> list[list[tuple[int, int, int]]]:
    return [[libFBCAGen.colourConvert(state) for state in row] for row in to_rows(fbca.levelMap)]


# -- the published results -------------------------------------------------------------------------------------


def test_updates_of_the_first_published_picture_equal_the_others(reference: Path) -> None:
    published = [(pixels(reference / "fbca" / f"updateMap {n}.png")[:, :, 0] == 0).astype(int) for n in range(5)]
    fbca = make_automaton(published[0], scoreMatrix=PUBLISHED)
    for later in published[1:]:
        fbca.levelMap = libFBCAGen.updateMap(fbca)
        assert to_rows(fbca.levelMap) == later.tolist()


def test_the_published_text_is_read_with_its_map_and_written_alike(reference: Path, tmp_path: Path) -> None:
    path = reference / "fbca" / "genTextExample.txt"
    (fbca,) = libFBCAGen.readFBCA(path)
    assert (fbca.scoreMatrix, fbca.g, fbca.n) == (PUBLISHED, 6, 2)
    assert (fbca.torusLength, fbca.torusWidth, fbca.neighbourhood) == (100, 100, FBCAConsts.neighbours)
    assert "".join(str(cell.state) for column in fbca.levelMap for cell in column) == path.read_text().split("\n")[0]
    libFBCAGen.genText(fbca, tmp_path, "again.txt")
    assert (tmp_path / "again.txt").read_text() == path.read_text()


# -- updates ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 6, 30])
@pytest.mark.parametrize(
    "neighbourhood",
    [
        FBCAConsts.neighbours,
        [(1, 0)],
        [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)],
        [(3, -2), (0, 0), (-20, 5), (1, 1), (1, 1)],
    ],
)
def test_update_scores_every_offset_and_fills_in_the_scores(n: int, neighbourhood: list[tuple[int, int]]) -> None:
    fbca = make_random(n, neighbourhood=neighbourhood)
    expected, total = plain_update(fbca)
    before = to_rows(fbca.levelMap)
    after = libFBCAGen.updateMap(fbca)
    assert to_rows(after) == expected
    assert to_rows(fbca.levelMap) == before
    assert to_scores(fbca.levelMap) == total
    assert {cell.score for column in after for cell in column} == {0}


def test_generate_returns_the_final_map_and_leaves_it_in_the_automaton(tmp_path: Path) -> None:
    fbca, other = make_random(3, g=5), make_random(3)
    for _ in range(5):
        other.levelMap = libFBCAGen.updateMap(other)
    final = libFBCAGen.generateFBCA(fbca, tmp_path)
    assert fbca.levelMap is final
    assert to_rows(final) == to_rows(other.levelMap)
    assert not list(tmp_path.iterdir())


def test_no_updates_change_nothing(tmp_path: Path) -> None:
    fbca = make_random(g=0)
    before = to_rows(fbca.levelMap)
    assert to_rows(libFBCAGen.generateFBCA(fbca, tmp_path, saveImages=True)) == before
    assert len(list(tmp_path.rglob("*.png"))) == 1


def test_quoted_and_surplus_scores_are_read_as_numbers() -> None:
    fbca, quoted = make_random(), make_random()
    quoted.scoreMatrix = [*map(str, fbca.scoreMatrix), 7, 7]
    assert to_rows(libFBCAGen.updateMap(quoted)) == to_rows(libFBCAGen.updateMap(fbca))


def test_without_scores_the_constant_is_used() -> None:
    fbca, explicit = make_random(scoreMatrix=[]), make_random(scoreMatrix=FBCAConsts.scoreMatrix)
    assert to_rows(libFBCAGen.updateMap(fbca)) == to_rows(libFBCAGen.updateMap(explicit))


# -- initial maps ----------------------------------------------------------------------------------------------


def test_a_seed_makes_the_same_map_again_and_the_technique_starts_from_it() -> None:
    fbca = FBCAConsts.Fbca(n=3, torusLength=31, torusWidth=17)
    first = to_rows(libFBCAGen.initCA(fbca, seed=7))
    assert to_rows(libFBCAGen.initCA(fbca, "7")) == first
    assert to_rows(libFBCAGen.initCA(fbca, seed=8)) != first
    assert to_rows(libFBCAGen.initCA(fbca)) != to_rows(libFBCAGen.initCA(fbca))
    map = tw.make("fashion", width=31, height=17, states=3, generations=0, seed=7)
    assert map.cells.tolist() == first


def test_generate_starts_at_random_with_a_seed_or_without_a_map() -> None:
    a, b, c = (FBCAConsts.Fbca(n=3, scoreMatrix=list(range(9)), g=0) for _ in range(3))
    libFBCAGen.initCA(b)
    assert to_rows(libFBCAGen.generateFBCA(a, seed="x")) == to_rows(libFBCAGen.generateFBCA(b, seed="x"))
    assert len(libFBCAGen.generateFBCA(c)) == 100


def test_init_uses_the_size_and_states_of_the_automaton() -> None:
    fbca = FBCAConsts.Fbca()
    fbca.torusLength, fbca.torusWidth, fbca.n = 40, 30, 5
    level_map = libFBCAGen.initCA(fbca)
    assert fbca.levelMap is level_map
    assert (len(level_map), {len(column) for column in level_map}) == (40, {30})
    assert {cell.state for column in level_map for cell in column} == set(range(5))


def test_automata_share_nothing() -> None:
    one, two = FBCAConsts.Fbca(), FBCAConsts.Fbca()
    libFBCAGen.initCA(one)
    libFBCAGen.initCA(one)
    one.scoreMatrix.append(1)
    one.neighbourhood.append((5, 5))
    assert len(one.levelMap) == 100
    assert two.levelMap == []
    assert two.scoreMatrix == []
    assert two.neighbourhood == FBCAConsts.neighbours == [(0, 1), (0, -1), (-1, 0), (1, 0)]


def test_constants_are_as_documented_and_apply_to_automata_made_later(monkeypatch: pytest.MonkeyPatch) -> None:
    fbca = FBCAConsts.Fbca()
    assert (fbca.torusLength, fbca.torusWidth, fbca.g, fbca.n, fbca.behaviourNum) == (100, 100, 40, 2, 0)
    assert FBCAConsts.scoreMatrix == [1, 2, 3, 4]
    monkeypatch.setattr(FBCAConsts, "numOfStates", 4)
    assert (FBCAConsts.Fbca().n, fbca.n) == (4, 2)


def test_a_map_larger_than_the_torus_is_cropped() -> None:
    fbca = make_random(size=(9, 7))
    before = to_rows(fbca.levelMap)
    fbca.torusLength, fbca.torusWidth = 4, 3
    assert to_rows(libFBCAGen.copyOver(fbca)) == [row[:4] for row in before[:3]]


# -- files -----------------------------------------------------------------------------------------------------


def test_the_final_image_alone_still_gives_all_updates_as_a_gif(tmp_path: Path) -> None:
    for option in ("saveFinalImage", "saveFinalImages"):
        fbca, other = make_random(12, g=3), make_random(12)
        libFBCAGen.generateFBCA(fbca, tmp_path / option, "a", **{option: True})
        assert sorted(path.name for path in (tmp_path / option / "a").iterdir()) == ["a 3.png", "a.gif"]
        with Image.open(tmp_path / option / "a" / "a.gif") as gif:
            assert gif.info["loop"] == 0
            frames = [(frame.info["duration"], frame.convert("RGB")) for frame in ImageSequence.Iterator(gif)]
        assert [duration for duration, _ in frames] == [100] * 4
        for _, frame in frames:
            assert (np.asarray(frame) == picture_of(other)).all()
            other.levelMap = libFBCAGen.updateMap(other)


def test_text_of_every_update_is_appended(tmp_path: Path) -> None:
    fbca = make_random(g=3)
    start = [cell.state for column in fbca.levelMap for cell in column]
    for _ in range(2):
        libFBCAGen.generateFBCA(fbca, tmp_path, "log", saveText=True)
    lines = (tmp_path / "log.txt").read_text().splitlines()
    assert [line.startswith("sMs") for line in lines] == [False, False, False, False, True] * 2
    assert lines[0] == "".join(map(str, start))
    first, second = libFBCAGen.readFBCA(tmp_path / "log.txt")
    assert to_rows(second.levelMap) == to_rows(fbca.levelMap)
    assert first.g == 3


def test_paths_of_text_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fbca = make_random()
    libFBCAGen.genText(fbca)
    libFBCAGen.genText(fbca, "out", "output.txt")
    libFBCAGen.genText(fbca, "out/", "/slash.txt")
    libFBCAGen.genText(fbca, "out", "out/path.txt")
    libFBCAGen.genText(fbca, fileName=str(tmp_path / "absolute.txt"))
    assert list_files() == ["absolute.txt", "out/output.txt", "out/path.txt", "out/slash.txt", "test.txt"]


def test_contents_of_text_files(tmp_path: Path) -> None:
    fbca, path = make_random(), tmp_path / "a.txt"
    libFBCAGen.genText(fbca, tmp_path, "a.txt", justMap=True)
    libFBCAGen.genText(fbca, tmp_path, "a.txt", noMap=True, newFile=False)
    (found,) = libFBCAGen.readFBCA(path)
    assert to_rows(found.levelMap) == to_rows(fbca.levelMap)
    libFBCAGen.genText(fbca, tmp_path, "a.txt", noMap=True)
    (bare,) = libFBCAGen.readFBCA(path)
    assert (bare.levelMap, bare.torusLength, bare.torusWidth) == ([], 7, 9)


def test_a_map_without_parameters_needs_its_width(tmp_path: Path) -> None:
    fbca, path = make_random(), tmp_path / "a.txt"
    libFBCAGen.genText(fbca, tmp_path, "a.txt", justMap=True)
    with pytest.raises(BadFile, match=r"a\.txt: line 1: a map without a parameter line"):
        libFBCAGen.readFBCA(path)
    (found,) = libFBCAGen.readFBCA(path, width=7)
    assert to_rows(found.levelMap) == to_rows(fbca.levelMap)


@pytest.mark.parametrize("n", [2, 10, 11, 64, 255])
def test_text_and_picture_keep_any_number_of_states(n: int, tmp_path: Path) -> None:
    fbca = make_random(n, size=(16, 20), neighbourhood=[(2, 1), (-7, 0)], g=2)
    libFBCAGen.generateFBCA(fbca, tmp_path, "many", saveImages=True, saveFinalText=True)
    (found,) = libFBCAGen.readFBCA(tmp_path / "many" / "many.txt")
    assert to_rows(found.levelMap) == to_rows(fbca.levelMap)
    assert (found.n, found.neighbourhood, found.scoreMatrix) == (n, fbca.neighbourhood, fbca.scoreMatrix)
    assert (pixels(tmp_path / "many" / "many 2.png") == picture_of(fbca)).all()


def test_colours() -> None:
    first = [libFBCAGen.colourConvert(state) for state in range(11)]
    assert first[:5] == [(255, 255, 255), (0, 0, 0), (0, 255, 0), (0, 0, 255), (255, 0, 0)]
    assert first[5:] == [(51, 255, 255), (0, 255, 255), (255, 69, 0), (0, 102, 0), (153, 0, 153), (255, 255, 51)]
    assert len({libFBCAGen.colorConvert(state) for state in range(255)}) == 255


def test_folders_are_created_once(tmp_path: Path) -> None:
    assert libFBCAGen.makeFolder(tmp_path / "a" / "b") == 1
    assert libFBCAGen.makeFolder(tmp_path / "a" / "b") == 0
    (tmp_path / "file").touch()
    assert libFBCAGen.makeFolder(tmp_path / "file" / "c") == 0


# -- the rest --------------------------------------------------------------------------------------------------


def test_behaviour_numbers() -> None:
    def number(scores: Sequence[float], **fields: object) -> int:
        return libFBCAGen.behaviourNum(make_automaton([[0]], scoreMatrix=scores, **fields))

    assert number([1, 2, 3, 4]) == number([0, 10, 20, 30]) == number([])
    assert number([1, 2, 3, 4]) != number([4, 3, 2, 1])
    assert number([1, 2, 3, 4]) != number([1, 2, 3, 4], neighbourhood=[(1, 0)])


def test_documented_aliases() -> None:
    assert libFBCAGen.updateFBCA is libFBCAGen.updateMap
    assert libFBCAGen.colorConvert is libFBCAGen.colourConvert
    assert libFBCAGen.FBCAConsts is FBCAConsts


@pytest.mark.parametrize(("fields", "message"), read_table(__file__, "an invalid automaton is one clear error"))
def test_an_invalid_automaton_is_one_clear_error(fields: dict[str, object], message: str) -> None:
    fbca = make_automaton([[0, 1, 0], [1, 1, 0]], **{"scoreMatrix": PUBLISHED, **fields})
    with refused("", InvalidRecipe, start=message):
        libFBCAGen.updateMap(fbca)


def test_wrong_states_and_sizes(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecipe, match="g: must be an integer from 0 to"):
        libFBCAGen.generateFBCA(make_random(g=-1), tmp_path, saveImages=True)
    assert not list(tmp_path.iterdir())
    with pytest.raises(InvalidRecipe, match="levelMap, n = 2: must be an integer from 0 to 1, got 5"):
        libFBCAGen.updateMap(make_automaton([[0, 5]]))
    with pytest.raises(InvalidRecipe, match="levelMap, n = 2: must be an integer from 0 to 1, got -1"):
        libFBCAGen.copyOver(make_automaton([[0, -1]]))
    with pytest.raises(InvalidRecipe, match=r"levelMap, n = 3: .* got 0\.0"):
        libFBCAGen.copyOver(make_automaton([[0, 0.5]], n=3))
    with pytest.raises(InvalidRecipe, match=r"got 1\.0"):
        libFBCAGen.updateMap(make_automaton([[1.0, 0.0]]))
    for state in (-1, 255, 1.5, "1", True):
        with pytest.raises(InvalidRecipe, match="x: must be an integer from 0 to 254"):
            libFBCAGen.colourConvert(state)  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="must have at most 16,777,216 cells, got 10,000,000,000"):
        libFBCAGen.initCA(FBCAConsts.Fbca(torusLength=100_000, torusWidth=100_000))
    with pytest.raises(InvalidRecipe, match="fbca: must be an Fbca, got None"):
        libFBCAGen.initCA(None)  # type: ignore[arg-type]
    with pytest.raises(InvalidRecipe, match=r"fbca: must be an Fbca, got \[\]"):
        libFBCAGen.generateFBCA([])  # type: ignore[arg-type]


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    fbca = make_random()
    before = fbca.levelMap
    (tmp_path / "file").write_bytes(b"\xff\x00 no automaton")
    with pytest.raises(BadFile):
        libFBCAGen.generateFBCA(fbca, tmp_path / "file", saveImages=True)
    assert fbca.levelMap is before
    with pytest.raises(BadFile):
        libFBCAGen.genIm(fbca, tmp_path / "file")
    for name in ("file", "missing.txt"):
        with pytest.raises(TilewrightError, match=name):
            libFBCAGen.readFBCA(tmp_path / name)

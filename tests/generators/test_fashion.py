"""Fashion automata: published pictures, windows, morphing, random scores, given starts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tilewright import InvalidRecipe
from tilewright.kernels.fashion import Automaton
from tilewright.testing import block_size

PUBLISHED = [0, 0.5, 0.2, 0.6]
SIZE: dict[str, Any] = {"width": 24, "height": 18}


def picture(reference: Path, number: int) -> NDArray[np.uint8]:
    """Return a published picture as states: white is 0, black is 1."""
    with Image.open(reference / "fbca" / f"updateMap {number}.png") as image:
        black: NDArray[np.uint8] = (np.asarray(image.convert("L")) == 0).astype(np.uint8)
    return black


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_equals_the_published_pictures_cell_for_cell(reference: Path, number: int) -> None:
    made = tw.make("fashion", start=picture(reference, 0), scores=PUBLISHED, generations=number)
    assert np.array_equal(made.cells, picture(reference, number))


WHITE_AND_BLACK = """
[[tiles]]
name = "state0"
color = "#ffffff"
[[tiles]]
name = "state1"
color = "#000000"
"""


def test_a_published_picture_is_a_start(reference: Path, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(WHITE_AND_BLACK)
    path = reference / "fbca" / "updateMap 0.png"
    made = tw.make("fashion", start=path, scores=PUBLISHED, generations=4, tileset=str(tmp_path / "two.toml"))
    assert np.array_equal(made.cells, picture(reference, 4))


def test_colors_of_a_picture_are_states_by_the_tileset_or_in_order_of_appearance(tmp_path: Path) -> None:
    pixels = np.array([[0, 255, 255], [255, 0, 0]], dtype=np.uint8)
    Image.fromarray(np.dstack([pixels] * 3)).save(tmp_path / "start.png")
    (tmp_path / "two.toml").write_text(WHITE_AND_BLACK)
    still: dict[str, Any] = {"start": tmp_path / "start.png", "scores": PUBLISHED, "generations": 0, "seed": 1}
    by_tileset = tw.make("fashion", tileset=str(tmp_path / "two.toml"), **still)
    assert by_tileset.cells.tolist() == [[1, 0, 0], [0, 1, 1]]
    with pytest.warns(UserWarning, match="in order of appearance: #000000 is 0, #ffffff is 1"):
        by_order = tw.make("fashion", **still)
    assert by_order.cells.tolist() == [[0, 1, 1], [1, 0, 0]]
    assert by_order.recipe is not None
    with pytest.warns(UserWarning, match="in order of appearance"):
        assert tw.run(tw.Recipe.of(by_order.recipe.to_data())) == by_order
    cave = tw.make("caves", width=9, height=5, seed=1)
    cave.save(tmp_path / "start.png")
    with pytest.warns(UserWarning, match="in order of appearance: (floor|wall) is 0"):
        assert tw.make("fashion", **still).shape == (5, 9)
    Image.fromarray(np.arange(27, dtype=np.uint8).reshape(3, 3, 3)).save(tmp_path / "start.png")
    with pytest.raises(
        tw.InvalidRecipe, match="start: the map has 9 colors or tiles, but there are 2 states; set states"
    ):
        tw.make("fashion", **still)


def test_characters_and_numbers_of_a_start_never_change_their_meaning(tmp_path: Path) -> None:
    still: dict[str, Any] = {"scores": PUBLISHED, "generations": 0, "seed": 1}
    for name, text in {"a.txt": "10\n01\n", "a.csv": "1,0\n0,1\n"}.items():
        (tmp_path / name).write_text(text)
        for start in (tmp_path / name, tw.load(tmp_path / name)):
            assert tw.make("fashion", start=start, **still).cells.tolist() == [[1, 0], [0, 1]]
    for text in ("#.\n.#\n", "0.\n.0\n"):
        (tmp_path / "b.txt").write_text(text)
        for start in (tmp_path / "b.txt", tw.load(tmp_path / "b.txt")):
            with pytest.raises(
                tw.InvalidRecipe, match=r"start: '[.#]' is not a state; write states as numbers from 0 to 1"
            ):
                tw.make("fashion", start=start, **still)


def test_a_frame_per_generation() -> None:
    frames = list(tw.watch("fashion", seed=1, generations=7, scores=PUBLISHED, **SIZE))
    assert [frame.note for frame in frames] == ["start", *(f"generation {n}" for n in range(1, 8)), "done"]
    for before, after in pairwise(frames[:8]):
        offsets = [(0, 1), (0, -1), (-1, 0), (1, 0)]
        automaton = Automaton(before.cells, np.reshape(PUBLISHED, (2, 2)), offsets)
        automaton.advance()
        assert np.array_equal(automaton.cells, after.cells)


def test_scores_come_flat_or_nested_or_random() -> None:
    flat = tw.make("fashion", scores=[1, 2, 3, 4], seed=1, **SIZE)
    assert flat == tw.make("fashion", scores=[[1, 2], [3, 4]], seed=1, **SIZE)
    assert flat == tw.make("fashion", scores=np.array([[1.0, 2], [3, 4]]), seed=1, **SIZE)
    drawn = tw.make("fashion", scores="random", states=5, morph="random", seed=1, **SIZE)
    assert drawn.recipe is not None
    assert len(drawn.recipe.params.scores) == 25  # type: ignore[attr-defined]
    assert drawn.recipe.params.scores != drawn.recipe.params.morph  # type: ignore[attr-defined]
    assert tw.run(drawn.recipe) == drawn
    other = tw.make("fashion", scores="random", states=5, seed=2, **SIZE)
    assert other.recipe.params.scores != drawn.recipe.params.scores  # type: ignore[attr-defined, union-attr]


def test_sixty_four_states_and_far_neighbours() -> None:
    made = tw.make("fashion", states=64, neighbourhood=[(-3, 2), (40, 0), (1, 1)], generations=3, seed=1, **SIZE)
    assert len(np.unique(made.cells)) > 8
    knight = tw.make("fashion", neighbourhood="knight", seed=1, **SIZE)
    assert knight != tw.make("fashion", seed=1, **SIZE)


def test_a_start_sets_the_size_and_may_leave_cells_free() -> None:
    start = ["0011?", "1100?", "?????"]
    made = tw.make("fashion", start=start, scores=[1, 2, 3, 4], generations=0, seed=1)
    assert made.shape == (3, 5)
    assert made.cells[:2, :4].tolist() == [[0, 0, 1, 1], [1, 1, 0, 0]]
    words: dict[str, Any] = {"start": start, "scores": [1, 2, 3, 4], "generations": 0}
    assert len({str(tw.make("fashion", seed=seed, **words)) for seed in range(9)}) > 2


def test_morphing_passes_from_one_matrix_to_the_other() -> None:
    first, second = [0.6, 0.5, 0.2, 0.0], [0, 0.5, 0.2, 0.6]
    size: dict[str, Any] = {"width": 200, "height": 60, "seed": 5, "generations": 6}
    morphed = tw.make("fashion", scores=first, morph=second, **size)
    whole = tw.make("fashion", scores=first, **size)
    other = tw.make("fashion", scores=second, **size)
    left, right = np.s_[:, 13:30], np.s_[:, 170:187]
    assert (morphed.cells[left] == whole.cells[left]).mean() > (morphed.cells[left] == other.cells[left]).mean()
    assert (morphed.cells[right] == other.cells[right]).mean() > (morphed.cells[right] == whole.cells[right]).mean()
    kinds = [tw.make("fashion", scores=first, morph=second, blend=b, **size) for b in ("top to bottom", "radial")]
    assert kinds[0] != kinds[1] != morphed


@pytest.mark.parametrize(("dx", "dy"), [(0, 0), (100, -77), (-2_000_000, 3)])
def test_a_window_is_the_same_alone_or_in_a_larger_one(dx: int, dy: int) -> None:
    words: dict[str, Any] = {"states": 4, "generations": 5, "seed": 2}
    large = tw.make("fashion", offset=(dx, dy), width=50, height=40, **words)
    inner = tw.make("fashion", offset=(dx + 11, dy + 6), width=20, height=15, **words)
    assert np.array_equal(large.cells[6:21, 11:31], inner.cells)


def test_the_block_size_changes_nothing() -> None:
    whole = tw.make("fashion", seed=9)
    with block_size(64):
        frames = list(tw.watch("fashion", seed=9))
    assert frames[-1].map == whole
    assert len(frames) > 100


def test_another_tileset_takes_states_by_position() -> None:
    made = tw.make("fashion", tileset="terrain", seed=1, **SIZE)
    assert made.tileset.name == "terrain"
    with pytest.raises(InvalidRecipe, match="has no 'state8'"):
        tw.make("fashion", tileset="terrain", states=9, **SIZE)

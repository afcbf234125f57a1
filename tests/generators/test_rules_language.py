"""The rule language: what is read, from which sources, and defaults."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import tilewright as tw
from tests.generators.rulebooks import BOOKS, DOCUMENT, FULL, RULES, USUAL, cells_of, names_of, params_of, rectangle
from tilewright import data as built_in
from tilewright.core.yaml import read_data

# -- words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [pytest.param("full in mixed case", id="trimmed, any case"), pytest.param("full by fields", id="models")]
)
def test_a_rulebook_may_have_other_forms(form: str) -> None:
    assert params_of(BOOKS[form]) == tw.recipe("rules", **BOOKS[form]).params == params_of(FULL)
    assert tw.run(BOOKS[form], seed=1) == tw.run(FULL, seed=1)
    assert params_of(FULL).generationRules[0].rules[0].conditions[1].count == -2


def test_plus_and_all_are_always_defined_and_may_be_redefined() -> None:
    """The first counts only the cell above, the second only the cell to the right."""
    rules = ["empty,{},or,solid>0,moss:1"]
    found = {}
    for word, drawn in (("plus", {}), ("all", {}), ("plus", {"PLUS": "1,0"}), ("all", {"other": "1", "all": "001"})):
        data = {
            "mapData": ["8x6"],
            "names": ["solid", "empty", "moss"],
            "neighbourhoods": drawn,
            "generationRules": [{"genData": ["1", "room:-1", "none"], "rules": [rules[0].format(word)]}],
        }
        found[word, bool(drawn)] = cells_of(names_of(tw.make("rules", data=data)) == "moss")
    rim = rectangle(1, 1, 6, 4) - rectangle(2, 2, 4, 2)
    assert found["plus", False] == found["all", False] == rim
    assert found["plus", True] == rectangle(1, 1, 6, 1)
    assert found["all", True] == rectangle(6, 1, 1, 4)


@pytest.mark.parametrize(
    ("matrix", "offset"),
    [
        ("10", (0, -1)),
        ("01", (0, 0)),
        ("1,0", (-1, 0)),
        ("100", (0, -1)),
        ("1000", (0, -2)),
        ("00,01", (0, 0)),
        ("10,00", (-1, -1)),
        ("00001,00000", (-1, 2)),
    ],
)
def test_the_center_of_a_matrix_is_half_its_width_and_height(matrix: str, offset: tuple[int, int]) -> None:
    data = {
        "mapData": ["11x9"],
        "names": ["solid", "empty", "moss", "spark:1"],
        "neighbourhoods": {"odd": matrix},
        "roomData": ["equal:1x1:1", "empty:1"],
        "generationRules": [
            {"genData": ["1", "map:5,4,1,1", "none"], "rules": ["empty,all,or,empty>=0,spark:1"]},
            {
                "genData": ["1", "room:-1", "none"],
                "rules": ["empty,odd,or,spark>0,moss:1", "spark,odd,or,spark>0,moss:1"],
            },
        ],
    }
    sees = cells_of(names_of(tw.make("rules", data=data)) == "moss")
    assert sees == {(4 - offset[0], 5 - offset[1])}


# -- defaults -------------------------------------------------------------------------------------------------------

RULE = "empty,all,or,solid>1,solid:1"
NOTHING = ("0", "room:-1", "connect:plus:1")


@pytest.mark.parametrize("section", USUAL)
def test_every_missing_section_has_its_default(section: str) -> None:
    assert params_of({section: USUAL[section]}) == params_of(USUAL)
    assert params_of({name: value for name, value in USUAL.items() if name != section}) == params_of(USUAL)
    found = names_of(tw.run({section: USUAL[section]}, seed=1))
    assert found.shape == (7, 15)
    assert cells_of(found == "empty") == rectangle(1, 1, 13, 5)
    assert (found != "empty").sum() == (found == "solid").sum()


@pytest.mark.parametrize(
    ("data", "same"),
    [
        ({"mapData": []}, {}),
        ({"mapData": ["15x7"]}, {}),
        ({"mapData": ["20x9"]}, {"mapData": ["20x9", "solid:empty"]}),
        ({"roomData": []}, {}),
        ({"roomData": ["equal:3x2:4"]}, {"roomData": ["equal:3x2:4", "empty:1"]}),
        ({"names": ["empty", "solid:-1", "gem:4"]}, {"names": ["empty:-1", "solid", "GEM:4"]}),
        ({"generationRules": [{}]}, {"generationRules": [{"genData": [*NOTHING], "rules": []}]}),
        ({"generationRules": [{"genData": []}]}, {"generationRules": [{}]}),
        ({"generationRules": [{"genData": ["3"]}]}, {"generationRules": [{"genData": [3, *NOTHING[1:]]}]}),
        (
            {"generationRules": [{"genData": ["3", "map:-1"]}]},
            {"generationRules": [{"genData": ["3", "map:-1", NOTHING[2]]}]},
        ),
        ({"generationRules": [{"rules": [RULE]}]}, {"generationRules": [{"genData": [*NOTHING], "rules": [RULE]}]}),
    ],
)
def test_missing_parts_at_the_end_have_defaults(data: dict[str, Any], same: dict[str, Any]) -> None:
    assert params_of(data) == params_of({**USUAL, **same})


@pytest.mark.parametrize(
    ("former", "word"),
    [("startingRules", "roomData"), ("roomRules", "generationRules"), ("smoothRules", "generationRules")],
)
def test_former_sections_are_refused_and_their_replacement_is_named(former: str, word: str, tmp_path: Path) -> None:
    data: dict[str, Any] = {"names": ["solid", "empty"], former: ["solid:1|empty:1"]}
    path = tmp_path / "old.json"
    path.write_text(json.dumps(data))
    calls: tuple[Callable[[], object], ...] = (
        lambda: tw.run(data, seed=1),
        lambda: tw.run({former: []}, seed=1),
        lambda: tw.make("rules", **data),
        lambda: tw.make("rules", data=data),
        lambda: tw.make("rules", data=str(path)),
        lambda: tw.run(str(path), seed=1),
    )
    for refused in calls:
        with pytest.raises(tw.InvalidRecipe, match=rf"{former}: .*{word}") as caught:
            refused()
        assert "\n" not in str(caught.value)


# -- sources --------------------------------------------------------------------------------------------------------


def test_data_comes_from_a_file_an_object_or_as_sections(tmp_path: Path) -> None:
    made = tw.make("rules", data=FULL, seed=5)
    (tmp_path / "book.json").write_text(json.dumps(FULL))
    (tmp_path / "book.yaml").write_text(yaml.safe_dump(FULL))
    recipe = {"technique": "rules", "params": FULL, "seed": 99, "tileset": "cave"}
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    assert tw.make("rules", **FULL, seed=5) == made
    for name in ("book.json", "book.yaml", "recipe.yaml"):  # Only the params of a recipe are used.
        assert tw.make("rules", data=str(tmp_path / name), seed=5) == made
    # A file named in a recipe is relative to the recipe.
    (tmp_path / "outer.yaml").write_text("technique: rules\nparams: {data: book.json}\nseed: 5\n")
    assert tw.run(tmp_path / "outer.yaml") == made
    assert made.recipe is not None
    assert "book" not in json.dumps(made.recipe.to_data())
    with pytest.raises(tw.TilewrightError, match=r"missing\.json"):
        tw.make("rules", data=str(tmp_path / "missing.json"))


def test_data_may_be_a_path(tmp_path: Path) -> None:
    (tmp_path / "book.json").write_text(json.dumps(FULL))
    assert tw.make("rules", data=tmp_path / "book.json", seed=5) == tw.make("rules", data=FULL, seed=5)


def test_data_opens_no_files_where_files_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "book.json").write_text(json.dumps(FULL))
    with pytest.raises(tw.TilewrightError, match="files are not opened here"):
        RULES.validate({"data": str(tmp_path / "book.json")})
    assert RULES.validate({"data": FULL}) == params_of(FULL)


def test_data_comes_from_a_built_in_recipe() -> None:
    own = [name for name in built_in.list_names("recipes") if "technique: rules" in built_in.read_text("recipes", name)]
    assert own
    for name in own:
        wanted = read_data(built_in.read_text("recipes", name), name)
        if wanted.keys() & {"shaping", "tiles", "locks"}:
            with pytest.raises(tw.TilewrightError, match="data: must contain only sections, got shaping too"):
                params_of(name)
            continue
        assert params_of(name) == tw.recipe("rules", **wanted["params"]).params
        assert RULES.validate({"data": name, "width": 70, "height": 60}).shape == (60, 70)
    with pytest.raises(tw.TilewrightError, match="must be a rulebook"):
        params_of("flooded-cavern")  # A recipe of another technique.
    with pytest.raises(tw.TilewrightError, match="no-such-recipe"):
        params_of("no-such-recipe")


def test_width_and_height_override_map_data() -> None:
    for words in ({"data": FULL}, FULL):
        assert tw.make("rules", **words, width=40, seed=1).shape == (13, 40)
        assert tw.make("rules", **words, height=30, seed=1).shape == (30, 22)
        assert tw.make("rules", **words, width=33, height=31, seed=1).shape == (31, 33)
    assert tw.run({**FULL, "width": 40}, seed=1).shape == (13, 40)
    assert tw.make("rules", data={"names": ["solid", "empty"]}, width=9, seed=1).shape == (7, 9)
    sections = {**FULL, "mapData": ["50x40", "rock:floor"]}
    assert tw.make("rules", data=FULL, mapData=sections["mapData"], seed=1) == tw.make("rules", data=sections, seed=1)


def test_sections_given_beside_data_take_their_place() -> None:
    found = params_of(FULL)
    other = tw.recipe("rules", data=FULL, roomData=["equal:2x2:4", "gem:1|floor:9"]).params
    assert other == params_of({**FULL, "roomData": ["equal:2x2:4", "gem:1|floor:9"]})
    assert other != found
    assert isinstance(other, RULES)
    assert other.generationRules == found.generationRules


@pytest.mark.parametrize("data", [*DOCUMENT.values(), FULL])
def test_a_data_object_is_a_valid_recipe(data: dict[str, Any], tmp_path: Path) -> None:
    made = tw.make("rules", data=data, seed=7)
    assert tw.run(data, seed=7) == made
    assert tw.run({**data, "seed": 7}) == made
    assert tw.run({**data, "seed": 8}, seed=7) == made
    for name, text in (("level.json", json.dumps(data)), ("level.yaml", yaml.safe_dump(data))):
        (tmp_path / name).write_text(text)
        assert tw.run(tmp_path / name, seed=7) == made
        assert tw.run(str(tmp_path / name), seed=7) == made
    (tmp_path / "seeded.json").write_text(json.dumps({**data, "seed": "7"}))
    assert tw.run(tmp_path / "seeded.json") == made
    flipped = tw.run({**data, "seed": 7, "shaping": ["flip"], "tileset": "cave"})
    assert np.array_equal(names_of(flipped), names_of(tw.shape(made, "flip")))
    frames = list(tw.watch(data, seed=7))
    assert frames[-1].map == made


def test_handwritten_yaml() -> None:
    assert tw.run(Path(__file__).with_name("handwritten_rulebook.yaml")) == tw.run(FULL, seed=3)


def test_sections_are_accepted_beside_the_technique_and_beside_params() -> None:
    plain = tw.run(FULL, seed=3)
    assert tw.run({"technique": "rules", **FULL}, seed=3) == plain
    assert tw.run({"technique": "rules", "params": FULL}, seed=3) == plain
    wide = tw.run({**FULL, "params": {"width": 44}}, seed=3)
    assert wide.width == 44
    assert wide == tw.run({**FULL, "width": 44}, seed=3)
    with pytest.raises(tw.TilewrightError, match="did you mean 'seed'"):
        tw.run({**FULL, "seeed": 3})
    with pytest.raises(tw.TilewrightError, match="did you mean 'mapData'"):
        tw.run({"mapdata": ["15x7"]})
    with pytest.raises(tw.TilewrightError, match="params: must be a set of named values, got 3"):
        tw.run({**FULL, "params": 3})


def test_a_book_is_checked_once_and_varied() -> None:
    recipe = tw.recipe(FULL)
    assert tw.run(recipe, seed=3) == tw.run(FULL, seed=3)
    wide = tw.recipe(recipe, width=50, seed=4)
    assert isinstance(wide.params, RULES)
    assert (wide.params.shape[1], wide.seed) == (50, "4")
    first = tw.run(recipe, seed=1)
    kept = tw.recipe(FULL, locks=first.to_locks(np.s_[:5, :6]))
    assert np.array_equal(tw.run(kept, seed=2).cells[:5, :6], first.cells[:5, :6])


def test_a_drawing_in_lines_is_a_neighborhood() -> None:
    one, other = ({"neighbourhoods": {"odd": drawn}} for drawn in ("010\n101\n011\n", "010,101,011"))
    assert params_of(one) == params_of(other)


def test_the_size_of_the_map_may_be_left_out() -> None:
    assert params_of({"names": ["rock", "air"], "mapData": ["rock:air"]}).shape == (7, 15)

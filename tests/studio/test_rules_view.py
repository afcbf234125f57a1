"""The rule editor: reading, changing, writing and summarizing rulebooks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.generators.rulebooks import DOCUMENT, FULL, RULES
from tests.generators.test_rules_round_trip import books as some_books
from tests.refusals import refused
from tilewright.core.errors import InvalidRecipe, TilewrightError
from tilewright.studio.controls.grids import resize_cells
from tilewright.studio.jobs import JobQueue
from tilewright.studio.rules import rulebook_draft as books
from tilewright.studio.rules.controls import as_html, layer_summary, rule_spans
from tilewright.studio.rules.rulebook_draft import Editor
from tilewright.studio.rules.view import list_rulebooks
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

RULEBOOKS = {name: recipe["params"] for name, (_, recipe) in list_rulebooks("rulebooks").items()}
TREASURE = RULEBOOKS["rooms-with-treasure"]


# -- reading and writing ------------------------------------------------------------------------------------------


@given(some_books())
@settings(max_examples=60)
def test_every_rulebook_is_the_same_after_reading_and_writing(data: dict[str, Any]) -> None:
    params = RULES.validate(data)
    book = books.read(data)
    again = RULES.validate(books.to_params(book))
    assert books.read(books.to_params(book)) == book
    assert books.read_text(books.write_text(book)) == book
    # Built-in neighborhoods are left out; the map is the same.
    assert again.neighbourhoods_by_name == params.neighbourhoods_by_name
    assert again.model_copy(update={"neighbourhoods": ()}) == params.model_copy(update={"neighbourhoods": ()})


@pytest.mark.parametrize(
    "data", [*DOCUMENT.values(), FULL, {}, *(recipe["params"] for _, recipe in list_rulebooks("recipes").values())]
)
def test_written_params_make_the_same_map(data: dict[str, Any]) -> None:
    written = books.to_params(books.read(data))
    params = {"technique": "rules", "params": data}
    assert tw.run({"technique": "rules", "params": written}, seed=4) == tw.run(params, seed=4)
    assert len(json.dumps(written)) < 1.1 * len(json.dumps(RULES.validate(data).compact))


def test_defaults_are_not_written() -> None:
    assert books.to_params(books.read({"generationRules": []})) == {"width": 15, "height": 7, "generationRules": []}
    assert books.to_params(books.read(TREASURE)) == TREASURE


def test_the_size_is_written_as_width_and_height() -> None:
    written = books.to_params(books.read({"mapData": ["30x20", "solid:empty"], "width": 40}))
    assert (written["width"], written["height"]) == (40, 20)
    assert "mapData" not in written


def test_a_rulebook_with_undefined_names_is_read() -> None:
    book = books.read({**TREASURE, "names": ["rock", "floor"]})
    assert books.list_names(book) == ["rock", "floor"]
    assert books.read(books.to_params(book)) == book
    with pytest.raises(InvalidRecipe, match="unknown name 'corridor'"):
        RULES.validate(books.to_params(book))


def test_an_invalid_rulebook_is_written_as_fields() -> None:
    book = books.read(TREASURE)
    book["generationRules"][0]["simulations"] = 99_999
    assert books.to_params(book) == book
    with pytest.raises(InvalidRecipe, match=r"generationRules\.0\.simulations: must be at most 10000"):
        RULES.validate(books.to_params(book))


def test_the_text_is_an_object_that_procengine_reads() -> None:
    text = books.write_text(books.read(TREASURE))
    data = json.loads(text)
    assert data["mapData"] == ["56x34", "rock:corridor"]
    assert data["names"][0] == "rock:-1"
    assert list(data["neighbourhoods"]) == ["plus", "all", "near"]
    assert max(map(len, text.splitlines())) < 66


@pytest.mark.parametrize("before", ["", "var data = ", "const rules=\n", "  data = "])
def test_objects_are_pasted_from_javascript(before: str) -> None:
    text = before + json.dumps(FULL) + (";\n" if before else "")
    assert books.read_text(text) == books.read(FULL)


def test_a_recipe_is_pasted_for_its_rulebook() -> None:
    assert books.read_text(json.dumps({"technique": "rules", "params": FULL, "seed": 3})) == books.read(FULL)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('{"names": [\n"a",\n]}', "line 3: not JSON: Expecting value", 3),
        ("var data = {\n'names': 3}", "line 2: not JSON", 2),
        ("", "line 1: not JSON", 1),
        ("[]", "must be an object such as", None),
        ('{"names": ["solid", "empty"],\n "mapData": ["9x9", "solid:air"]}', "unknown name 'air'", 2),
        ('{\n"generationRules": [{"rules": [\n"empty,all,or,solid>4"]}]}', "a rule is written as", 3),
        ('{"names": ["solid", "empty"],\n "roomData": ["equal:9x9:3"]}', "has space for", 2),
        ('{"technique": "caves"}', "must be a rulebook", None),
        ("[" * 100_000, "not JSON", None),
    ],
)
def test_errors_in_the_text_are_one_line_with_its_number(text: str, message: str, line: int | None) -> None:
    with refused(message, InvalidRecipe) as caught:
        books.read_text(text)
    assert books.find_line(text, caught.value.problems[0].path) == line


def test_the_line_of_a_value_is_found_by_its_path() -> None:
    text = books.write_text(books.read(FULL))
    for number, layer in enumerate(json.loads(text)["generationRules"]):
        for place, rule in enumerate(layer["rules"]):
            line = books.find_line(text, ("generationRules", number, "rules", place, "tile"))
            assert line is not None
            assert rule in text.splitlines()[line - 1]


# -- changes ------------------------------------------------------------------------------------------------------


def rename(book: books.Rulebook, section: str, place: int, name: str) -> books.Rulebook:
    """Return the rulebook with a changed name."""
    items = [{**one, "name": name} if number == place else one for number, one in enumerate(book[section])]
    return books.replace_section(book, section, items)


def test_a_renamed_tile_is_renamed_everywhere() -> None:
    book = books.read(FULL)
    new = rename(book, "names", 0, "Basalt ")
    assert "rock" not in json.dumps(new)
    assert json.dumps(new).count("basalt") == json.dumps(book).count("rock")
    RULES.validate(books.to_params(new))
    assert rename(new, "names", 0, "rock") == book


def test_a_renamed_neighborhood_is_renamed_everywhere() -> None:
    book = books.read(FULL)
    old = book["generationRules"][0]["rules"][0]["neighbourhood"]
    place = [one["name"] for one in book["neighbourhoods"]].index(old)
    new = rename(book, "neighbourhoods", place, "line")
    assert new["generationRules"][0]["rules"][0]["neighbourhood"] == "line"
    RULES.validate(books.to_params(new))


@pytest.mark.parametrize(
    ("section", "name"), [("names", "a:b"), ("names", "?"), ("neighbourhoods", ""), ("names", "rock")]
)
def test_invalid_names_are_refused_with_their_path(section: str, name: str) -> None:
    with pytest.raises(InvalidRecipe) as caught:
        rename(books.read(FULL), section, 1, name)
    assert {problem.path for problem in caught.value.problems} == {(section, 1, "name")}


def test_built_in_neighborhoods_cannot_be_removed() -> None:
    book = books.read(TREASURE)
    assert [one["name"] for one in book["neighbourhoods"]] == ["plus", "all", "near"]
    assert books.replace_section(book, "neighbourhoods", book["neighbourhoods"][1:]) == {
        **book,
        "neighbourhoods": book["neighbourhoods"],
    }
    drawn = [{"name": "plus", "matrix": [[1, 0, 1]]}, *book["neighbourhoods"][1:]]
    assert books.to_params(books.replace_section(book, "neighbourhoods", drawn))["neighbourhoods"]["plus"] == "101"


def test_the_path_of_a_difference() -> None:
    book = books.read(TREASURE)
    other = json.loads(json.dumps(book))
    other["generationRules"][1]["simulations"] = 7
    assert books.find_difference(book, other) == ("generationRules", 1, "simulations")
    other["width"] = 9
    assert books.find_difference(book, other) == ()


@pytest.mark.parametrize(
    ("width", "height", "wanted"),
    [
        (3, 3, ["010", "101", "010"]),
        (5, 3, ["00100", "01010", "00100"]),
        (1, 1, ["0"]),
        (2, 3, ["01", "10", "01"]),
        (4, 5, ["0000", "0010", "0101", "0010", "0000"]),
    ],
)
def test_matrices_are_resized_around_their_center(width: int, height: int, wanted: list[str]) -> None:
    found = resize_cells(books.BUILT_IN_NEIGHBORHOODS["plus"], width, height)
    assert ["".join(map(str, row)) for row in found] == wanted


# -- summaries ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("empty,all,or,solid>4,solid:1", "empty becomes solid if all has more than 4 solid"),
        ("a,plus,and,b==0|c>=2,b:1|c:3", "a becomes b (25%) or c (75%) if plus has no b and at least 2 c"),
        ("a,all,or,b>0|c!=3,b:1", "a becomes b if all has some b or other than 3 c"),
        ("a,all,and,b>=0,b:1", "a becomes b, always"),
        ("a,all,and,b>=0|c<2,b:1", "a becomes b if all has at least 0 b and fewer than 2 c"),
    ],
)
def test_summaries_of_rules(rule: str, sentence: str) -> None:
    data = {"names": ["a", "b", "c", "solid", "empty"], "generationRules": [{"rules": [rule]}]}
    found = RULES.validate(data).generationRules[0].rules[0]
    assert "".join(text for _, text in rule_spans(found)) == sentence


def test_summaries_are_escaped_and_mark_unknown_tiles() -> None:
    written = as_html([("tile", "<i>"), ("", " & "), ("tile", "wall")], {"wall": "#123456"}.get)
    assert "<i>" not in written
    assert "rules-unknown" in written
    assert "#123456" in written


@pytest.mark.parametrize(
    ("parts", "summary"),
    [
        (["4", "room:-1", "connect:plus:1"], "4 times in every room, then connect"),
        (["0", "map:-1", "connect:plus:1"], "on the whole map, connect"),
        (["1", "room:0,2", "none"], "once in rooms 0, 2"),
        (["2", "map:2,1,9,5", "delete:plus:1"], "2 times in 9×5 cells at 2, 1, then keep the largest"),
    ],
)
def test_summaries_of_layers(parts: list[str], summary: str) -> None:
    layer = RULES.validate(
        {"mapData": "30x20,solid:empty", "roomData": "equal:3x1:3", "generationRules": [{"genData": parts}]}
    )
    assert layer_summary(layer.generationRules[0]) == summary


# -- choice of a rulebook -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULEBOOKS)
def test_rulebooks_make_maps_with_all_their_tiles(name: str) -> None:
    params = RULEBOOKS[name]
    book = books.read(params)
    assert books.to_params(book) == params
    found = set()
    for seed in range(5):
        map = tw.run({"technique": "rules", "params": params}, seed=seed)
        found |= {map.tileset[tile].name for tile in np.unique(map.cells).tolist()}
    assert found == set(books.list_names(book))


def test_listed_recipes_are_rulebooks() -> None:
    found = list_rulebooks("recipes")
    assert {"archipelago", "treasure-dungeon"} <= set(found)
    for summary, recipe in found.values():
        assert summary
        assert books.read(recipe["params"])


# -- editor -------------------------------------------------------------------------------------------------------


def edit(do: Callable[[Editor, Session], None], **words: Any) -> Session:
    """Edit a rulebook in a session, make its map, and return the session."""

    async def run() -> Session:
        queue = JobQueue(Settings())
        session = Session(
            queue, State.from_recipe({"technique": "rules", "params": dict(TREASURE), "seed": 7, **words})
        )
        editor = Editor(session)
        editor.read(session.state)
        session.listen("state", editor.read)
        do(editor, session)
        done = asyncio.Event()
        session.listen("map", lambda _: done.set())
        session.listen("failed", lambda line: done.set() if line else None)
        session.make()
        await asyncio.wait_for(done.wait(), 60)
        session.stop()
        queue.close()
        return session

    return asyncio.run(run())


def set_maximum(editor: Editor, place: int, maximum: int) -> None:
    names = editor.rulebook["names"]
    editor.set_section("names", [*names[:place], {**names[place], "maximum": maximum}, *names[place + 1 :]])


def test_edits_change_the_recipe() -> None:
    session = edit(lambda editor, _: set_maximum(editor, 4, 1))
    assert session.state.params == {**TREASURE, "names": [*TREASURE["names"][:4], "treasure:1", *TREASURE["names"][5:]]}
    assert session.map is not None
    assert (session.map.cells == 4).sum() <= 1


def test_changes_of_one_value_are_one_undo_step() -> None:
    def do(editor: Editor, session: Session) -> None:
        for value in (1, 12, 120):
            first, *rest = editor.rulebook["generationRules"]
            editor.set_section("generationRules", [{**first, "simulations": value}, *rest])
        set_maximum(editor, 4, 2)
        session.undo()
        assert editor.rulebook["generationRules"][0]["simulations"] == 120
        session.undo()
        assert editor.rulebook["generationRules"][0]["simulations"] == 0

    assert edit(do).state.params == TREASURE


def test_a_renamed_tile_stays_locked() -> None:
    def do(editor: Editor, session: Session) -> None:
        names = editor.rulebook["names"]
        editor.set_section("names", [names[0], {**names[1], "name": "gravel"}, *names[2:]])

    session = edit(do, locks=[[2, 2, "floor"], [3, 3, "rock"]], tiles={"floor": "floor"}, tileset="dungeon")
    assert session.state.locks is not None
    assert set(session.state.locks.labels) == {"gravel", "rock"}
    assert session.state.recipe["tiles"] == {"gravel": "floor"}
    assert session.map is not None
    assert session.map.tileset[int(session.map.cells[2, 2])].name == "floor"


def test_an_invalid_rulebook_keeps_its_map_and_marks_the_problems() -> None:
    errors: list[TilewrightError] = []
    paths: list[Any] = []

    def do(editor: Editor, session: Session) -> None:
        session.listen("failed", errors.append)
        editor.set_section("names", [*editor.rulebook["names"][:4], *editor.rulebook["names"][5:]])
        paths.extend(problem.path for problem in editor.problems)

    session = edit(do)
    assert {one.rule for one in errors[-1].problems} == {"unknown_name"}
    assert "treasure:4" not in session.state.params["names"]
    assert {path[:4] for path in paths} == {("generationRules", 3, "rules", 0), ("generationRules", 4, "rules", 0)}


def test_tiles_have_the_colors_of_the_map() -> None:
    session = edit(lambda editor, _: None, tileset="dungeon", tiles={"rock": "wall", "corridor": "floor"})
    editor = Editor(session)
    editor.read(session.state)
    dungeon = next(tileset for tileset in tw.list_tilesets() if tileset.name == "dungeon")
    assert [tile.name for tile in editor.tiles] == books.list_names(editor.rulebook)
    assert editor.tiles[0].color == next(tile.color for tile in dungeon if tile.name == "wall")

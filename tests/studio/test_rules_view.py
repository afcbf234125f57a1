"""The rule editor's data: books read, changed and written, and the words about them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.generators.rulebooks import DOCUMENT, FULL, RULES
from tests.generators.test_rules_round_trip import books as some_books
from tilewright.core.errors import InvalidRecipe
from tilewright.studio.desk import Desk
from tilewright.studio.page.rules import rulebook_draft as books
from tilewright.studio.page.rules import sentences
from tilewright.studio.page.rules.colors import colors_of
from tilewright.studio.page.rules.editor import Editor, Folds, check_word, field_of
from tilewright.studio.page.rules.start import BEGINNINGS, rule_books
from tilewright.studio.session import Session
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

TREASURE = BEGINNINGS[1].params


# -- reading and writing ------------------------------------------------------------------------------------------


@given(some_books())
@settings(max_examples=60)
def test_every_book_is_the_same_after_reading_and_writing(data: dict[str, Any]) -> None:
    params = RULES.checked(data)
    book = books.read(data)
    again = RULES.checked(books.params_of(book))
    assert books.read(books.params_of(book)) == book
    assert books.read_text(books.text_of(book)) == book
    # Drawings that are as they always were are left out; the map is the same.
    assert again.known == params.known
    assert again.model_copy(update={"neighbourhoods": ()}) == params.model_copy(update={"neighbourhoods": ()})


@pytest.mark.parametrize(
    "data", [*DOCUMENT.values(), FULL, {}, *(recipe["params"] for _, recipe in rule_books().values())]
)
def test_what_is_written_makes_the_same_map(data: dict[str, Any]) -> None:
    written = books.params_of(books.read(data))
    params = {"technique": "rules", "params": data}
    assert tw.run({"technique": "rules", "params": written}, seed=4) == tw.run(params, seed=4)
    assert len(json.dumps(written)) < 1.1 * len(json.dumps(RULES.checked(data).compact))


def test_what_is_as_usual_is_not_written() -> None:
    assert books.params_of(books.read({"generationRules": []})) == {"width": 15, "height": 7, "generationRules": []}
    assert books.params_of(books.read(TREASURE)) == TREASURE


def test_the_size_stands_where_the_knobs_look_for_it() -> None:
    written = books.params_of(books.read({"mapData": ["30x20", "solid:empty"], "width": 40}))
    assert (written["width"], written["height"]) == (40, 20)
    assert "mapData" not in written


def test_a_book_whose_words_do_not_fit_is_read_all_the_same() -> None:
    book = books.read({**TREASURE, "names": ["rock", "floor"]})
    assert books.names_in(book) == ["rock", "floor"]
    assert books.read(books.params_of(book)) == book
    with pytest.raises(InvalidRecipe, match="unknown name 'corridor'"):
        RULES.checked(books.params_of(book))


def test_a_book_with_a_wrong_piece_is_handed_on_as_it_is() -> None:
    book = books.with_at(books.read(TREASURE), ("generationRules", 0, "simulations"), 99_999)
    assert books.params_of(book) == book
    with pytest.raises(InvalidRecipe, match=r"generationRules\.0\.simulations: must be at most 10000"):
        RULES.checked(books.params_of(book))


def test_the_text_is_an_object_that_procengine_reads() -> None:
    text = books.text_of(books.read(TREASURE))
    data = json.loads(text)
    assert data["mapData"] == ["56x34", "rock:corridor"]
    assert data["names"][0] == "rock:-1"
    assert list(data["neighbourhoods"]) == ["plus", "all", "near"]
    assert max(map(len, text.splitlines())) < 66


@pytest.mark.parametrize("before", ["", "var data = ", "const rules=\n", "  data = "])
def test_objects_are_pasted_as_they_stand_in_programs(before: str) -> None:
    text = before + json.dumps(FULL) + (";\n" if before else "")
    assert books.read_text(text) == books.read(FULL)


def test_a_whole_recipe_is_pasted_for_its_book() -> None:
    assert books.read_text(json.dumps({"technique": "rules", "params": FULL, "seed": 3})) == books.read(FULL)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('{"names": [\n"a",\n]}', "line 3: not JSON: Expecting value", 3),
        ("var data = {\n'names': 3}", "line 2: not JSON", 2),
        ("", "line 1: not JSON", 1),
        ("[]", "a rule book is an object", None),
        ('{"names": ["solid", "empty"],\n "mapData": ["9x9", "solid:air"]}', "unknown name 'air'", 2),
        ('{\n"generationRules": [{"rules": [\n"empty,all,or,solid>4"]}]}', "a rule is written as", 3),
        ('{"names": ["solid", "empty"],\n "roomData": ["equal:9x9:3"]}', "has place for", 2),
        ('{"technique": "caves"}', "must be a rule book", None),
        ("[" * 100_000, "not JSON", None),
    ],
)
def test_mistakes_in_the_text_are_told_in_one_line_with_their_place(text: str, message: str, line: int | None) -> None:
    with pytest.raises(InvalidRecipe) as caught:
        books.read_text(text)
    told = str(caught.value)
    assert message in told
    assert "\n" not in told
    if line is not None:
        assert books.line_of(text, told) == line


# -- changes ------------------------------------------------------------------------------------------------------


def test_a_renamed_tile_is_renamed_wherever_it_is_used() -> None:
    book = books.read(FULL)
    new = books.renamed(book, 0, "basalt")
    assert "rock" not in json.dumps(new)
    assert json.dumps(new).count("basalt") == json.dumps(book).count("rock")
    RULES.checked(books.params_of(new))
    assert books.renamed(new, 0, "rock") == book


def test_a_renamed_neighbourhood_is_renamed_wherever_it_is_used() -> None:
    new = books.renamed_neighbourhood(books.read(FULL), 0, "line")
    assert new["generationRules"][0]["rules"][0]["neighbourhood"] == "line"
    RULES.checked(books.params_of(new))


def test_words_are_checked_as_the_technique_reads_them() -> None:
    assert check_word("NamedTile", "dead tree") == ""
    assert check_word("Neighbourhood", "wide") == ""
    assert "a name holds none of" in check_word("NamedTile", "a:b")
    assert "stands for a free cell" in check_word("NamedTile", "?")
    assert check_word("Neighbourhood", "")


def test_new_words_are_not_taken() -> None:
    assert books.new_word(["water"], ["water", "grass"], "tile") == "grass"
    assert books.new_word(["water", "tile 1"], ["water"], "tile") == "tile 2"


def test_lists_are_arranged() -> None:
    assert books.moved("abc", 0, 1) == ["b", "a", "c"]
    assert books.moved("abc", 0, -1) == ["a", "b", "c"]
    assert books.moved("abc", 2, 1) == ["a", "b", "c"]
    assert books.doubled("abc", 1) == ["a", "b", "b", "c"]
    assert books.without("abc", 1) == ["a", "c"]


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
def test_drawings_grow_around_their_middle(width: int, height: int, wanted: list[str]) -> None:
    found = books.resized(books.BUILT_IN["plus"], width, height)
    assert ["".join(map(str, row)) for row in found] == wanted


def test_folds_follow_the_book() -> None:
    folds = Folds(layers=[True], rules=[[True, False, True]])
    folds.fit(books.read(FULL))
    assert folds.layers == [True, False, False]
    assert folds.rules == [[True], [], [False]]


# -- words --------------------------------------------------------------------------------------------------------


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
def test_rules_are_told_in_words(rule: str, sentence: str) -> None:
    data = {"names": ["a", "b", "c", "solid", "empty"], "generationRules": [{"rules": [rule]}]}
    found = books.read(data)["generationRules"][0]["rules"][0]
    assert sentences.plain(sentences.rule_spans(found)) == sentence


def test_sentences_are_safe_and_mark_unknown_tiles() -> None:
    written = sentences.as_html([("tile", "<b>"), ("", " & "), ("tile", "wall")], ["wall"])
    assert "<b>" not in written
    assert "rules-unknown" in written
    assert "var(--rules-tile-0)" in written


@pytest.mark.parametrize(
    ("parts", "summary"),
    [
        (["4", "room:-1", "connect:plus:1"], "4 times in every room, then connect"),
        (["0", "map:-1", "connect:plus:1"], "on the whole map, connect"),
        (["1", "room:0,2", "none"], "once in rooms 0, 2"),
        (["2", "map:2,1,9,5", "delete:plus:1"], "2 times in 9×5 cells at 2, 1, then keep the largest"),
    ],
)
def test_layers_are_told_in_words(parts: list[str], summary: str) -> None:
    layer = books.read({"generationRules": [{"genData": parts}]})["generationRules"][0]
    assert sentences.layer_summary(layer) == summary


def test_every_field_has_its_help() -> None:
    for model, name in (("", "width"), ("NamedTile", "maximum"), ("Tree", "width"), ("Rooms", "ids"), ("Fix", "kind")):
        assert field_of(model, name)["description"]


def test_colours_are_those_of_the_map() -> None:
    book = books.read(TREASURE)
    tiles = {tile.name: tile.color for tile in tw.run({"technique": "rules", "params": TREASURE}, seed=1).tileset}
    assert colors_of(book, None, {}) == [tiles[name] for name in books.names_in(book)]
    dungeon = next(tileset for tileset in tw.tilesets() if tileset.name == "dungeon")
    found = colors_of(book, dungeon, {"rock": "wall"})
    assert found[0] == next(tile.color for tile in dungeon if tile.name == "wall")


# -- beginnings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beginning", BEGINNINGS, ids=lambda one: one.name)
def test_beginnings_make_maps_with_all_their_tiles(beginning: Any) -> None:
    book = books.read(beginning.params)
    assert books.params_of(book) == beginning.params
    found = set()
    for seed in range(5):
        map = tw.run({"technique": "rules", "params": beginning.params}, seed=seed)
        found |= {map.tileset[int(tile)].name for tile in set(map.cells.flat)}
    assert found == set(books.names_in(book))


def test_recipes_to_begin_with_are_rule_books() -> None:
    found = rule_books()
    assert {"archipelago", "treasure-dungeon"} <= set(found)
    for summary, recipe in found.values():
        assert summary
        assert books.read(recipe["params"])


# -- the editor ---------------------------------------------------------------------------------------------------


def edited(do: Callable[[Editor, Session], None], **words: Any) -> Session:
    """A session in which something was edited, its map made."""

    async def run() -> Session:
        desk = Desk(Settings())
        session = Session(desk, State.of({"technique": "rules", "params": dict(TREASURE), "seed": 7, **words}))
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
        desk.close()
        return session

    return asyncio.run(run())


def test_edits_go_into_the_recipe() -> None:
    session = edited(lambda editor, _: editor.set(("names", 4, "maximum"), 1))
    assert session.state.params == {**TREASURE, "names": [*TREASURE["names"][:4], "treasure:1", *TREASURE["names"][5:]]}
    assert session.map is not None
    assert (session.map.cells == 4).sum() <= 1


def test_typing_at_one_place_is_one_step_of_undo() -> None:
    def do(editor: Editor, session: Session) -> None:
        for value in (1, 12, 120):
            editor.set(("generationRules", 0, "simulations"), value)
        editor.set(("names", 4, "maximum"), 2)
        session.undo()
        assert editor.book["generationRules"][0]["simulations"] == 120
        session.undo()
        assert editor.book["generationRules"][0]["simulations"] == 0

    assert edited(do).state.params == TREASURE


def test_a_renamed_tile_stays_locked() -> None:
    def do(editor: Editor, session: Session) -> None:
        editor.rename(1, "gravel")

    session = edited(do, locks=[[2, 2, "floor"], [3, 3, "rock"]], tiles={"floor": "floor"}, tileset="dungeon")
    assert session.state.locks is not None
    assert set(session.state.locks.words) == {"gravel", "rock"}
    assert session.state.recipe["tiles"] == {"gravel": "floor"}
    assert session.map is not None
    assert session.map.tileset[int(session.map.cells[2, 2])].name == "floor"


def test_a_book_that_does_not_fit_keeps_its_map_and_is_told() -> None:
    lines: list[str] = []

    def do(editor: Editor, session: Session) -> None:
        session.listen("failed", lines.append)
        editor.put({**editor.book, "names": books.without(editor.book["names"], 4)})

    session = edited(do)
    assert "unknown name 'treasure'" in lines[-1]
    assert "treasure:4" not in session.state.params["names"]


def test_errors_mark_what_they_name() -> None:
    session = Session(Desk(Settings()), State.of({"technique": "rules"}))
    editor = Editor(session)
    editor.blame("rules: generationRules.3.rules.1: unknown name 'x'; roomData: no")
    assert editor.blamed == {
        ("generationRules",),
        ("generationRules", 3),
        ("generationRules", 3, "rules", 1),
        ("roomData",),
    }
    session.desk.close()

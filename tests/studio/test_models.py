"""Models of diffusion in the studio: uploads, recipes that name them, and another model with other tiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

import tilewright as tw
from tests.refusals import refused
from tests.studio.models import build_model
from tests.studio.nowhere import element, nowhere
from tests.studio.servers import application, asking, line_of
from tests.studio.test_session import RecordingSession, in_session
from tilewright import data
from tilewright.core.errors import BadFile, InvalidRecipe, TilewrightError, TooLarge
from tilewright.core.network import ARRAYS, MAX_CHANNELS, Network
from tilewright.core.registry import techniques
from tilewright.core.search import search
from tilewright.formats._archive import encode_archive
from tilewright.formats._models import encode_network
from tilewright.studio import own_files
from tilewright.studio.controls import Controls
from tilewright.studio.export.snippets import command_line, python_code
from tilewright.studio.make.unknown_tiles import remove_unknown_tiles
from tilewright.studio.operations import check_recipe
from tilewright.studio.own_files import make_model_store, name_model_files, store_model
from tilewright.studio.settings import Settings
from tilewright.studio.start.goals import list_searchable
from tilewright.studio.state import State

MODEL = build_model(["floor", "wall", "moss"])
FILE = encode_network(MODEL)
QUICK = {"width": 12, "height": 8, "steps": 4, "refine": 0}
UNKNOWN = {"model": "lost", "digest": "0" * 32}


def recipe_of(model: Any, **params: Any) -> dict[str, Any]:
    return {"technique": "diffusion", "params": {"model": model, **QUICK, **params}, "seed": 7}


# -- uploads ----------------------------------------------------------------------------------------------------


def test_an_uploaded_model_is_named_by_its_digest() -> None:
    reference = store_model(FILE, "C:\\maps\\my model.npz", Settings()).to_data()
    assert reference == {"model": "my model", "digest": MODEL.digest}
    recipe = check_recipe(recipe_of(reference), Settings())
    assert recipe == check_recipe(recipe_of(MODEL), Settings())
    assert State.from_link(State.from_recipe(recipe_of(reference)).to_link()).params["model"] == reference


def test_a_built_in_model_that_is_uploaded_has_its_name() -> None:
    assert store_model(data.read_bytes("models", "dungeon"), "dungeon.npz", Settings()).to_data() == "dungeon"


def large_model() -> bytes:
    """Return a small file that unpacks to 37 MB."""
    arrays = {name: np.zeros(8, dtype=kind) for name, (kind, _) in ARRAYS.items()}
    arrays["layers"] = np.zeros((64, MAX_CHANNELS, 9, MAX_CHANNELS), dtype=np.int8)
    return encode_archive({"manifest": np.frombuffer(b"{}", dtype=np.uint8), **arrays})


HOSTILE: dict[str, tuple[bytes, type[TilewrightError], str]] = {
    "text": (b"hello", BadFile, "x.npz: must be a model that `tilewright learn diffusion` made"),
    "cut off": (FILE[:-200], BadFile, "x.npz: must be a model that"),
    "damaged": (FILE.replace(b"PK\x03\x04", b"PK\x03\x05", 1), BadFile, "x.npz: "),
    "no arrays": (
        encode_archive({"manifest": np.frombuffer(b"{}", dtype=np.uint8)}),
        BadFile,
        "x.npz: not a network (manifest: must have version",
    ),
    "unpacks to much": (large_model(), TooLarge, "x.npz: must have at most 16,000,000 bytes when unpacked"),
    "large": (bytes(Settings().upload + 1), TooLarge, "x.npz: must have at most 4,194,304 bytes"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_uploads_are_refused(name: str) -> None:
    content, kind, line = HOSTILE[name]
    with refused("", kind, start=line):
        store_model(content, "x.npz", Settings())


def test_the_store_drops_the_least_recently_used_models(monkeypatch: pytest.MonkeyPatch) -> None:
    store, models = make_model_store(2), [build_model(["floor", f"tile {number}"]) for number in range(3)]
    store.put(models[0].digest, models[0])
    store.put(models[1].digest, models[1])
    assert store.get(models[0].digest) == models[0]
    store.put(models[2].digest, models[2])
    assert [store.get(model.digest) for model in models] == [models[0], None, models[2]]
    store.put(models[1].digest, models[1], own_files.MAX_STORED_BYTES)
    assert [store.get(model.digest) for model in models] == [None, models[1], models[2]]
    store.put(models[0].digest, models[0], 1)
    assert [store.get(model.digest) for model in models] == [models[0], None, models[2]]


# -- recipes ----------------------------------------------------------------------------------------------------


def test_a_model_that_was_not_uploaded_is_reported_in_one_line() -> None:
    with pytest.raises(InvalidRecipe) as caught:
        check_recipe(recipe_of(UNKNOWN), Settings())
    (problem,) = caught.value.problems
    assert str(problem) == "diffusion: model: the model 'lost' is not in this studio; upload its file"
    assert problem.path == ("params", "model")
    check_recipe(problem.fixes[0].apply(recipe_of(UNKNOWN)), Settings())


def test_snippets_name_the_file_of_an_uploaded_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = store_model(FILE, "my model.npz", Settings()).to_data()
    inner = {"overlay": {"recipe": recipe_of(reference), "on": "floor"}}
    named, files = name_model_files({**recipe_of(reference), "shaping": [inner]})
    assert files == ["my model.npz"]
    assert named["shaping"][0]["overlay"]["recipe"]["params"]["model"] == "my model.npz"
    named, _ = name_model_files(recipe_of(reference))
    assert "--model 'my model.npz'" in command_line(named)
    assert 'model="my model.npz"' in python_code(named)
    assert "--model dungeon" in command_line(name_model_files(recipe_of("dungeon"))[0])
    map = tw.run(check_recipe(recipe_of(reference), Settings()))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my model.npz").write_bytes(FILE)
    (tmp_path / "recipe.json").write_text(json.dumps(recipe_of(reference)))
    assert tw.run("recipe.json") == tw.run(named) == map
    (tmp_path / "my model.npz").write_bytes(encode_network(build_model(["floor", "lava"])))
    with pytest.raises(InvalidRecipe, match=r"needs the file 'my model\.npz' with the network"):
        tw.run("recipe.json")


def test_the_api_makes_maps_of_built_in_and_uploaded_models() -> None:
    def post(client: TestClient, model: Any) -> httpx.Response:
        answer: httpx.Response = client.post("/api/run", json={"recipe": recipe_of(model), "format": "txt"})
        return answer

    with asking(application()) as client:
        assert post(client, "dungeon").status_code == 200
        answer = client.post("/api/models", files={"file": ("mine.npz", FILE)})
        assert answer.json() == {"model": {"model": "mine", "digest": MODEL.digest}, "tiles": ["floor", "wall", "moss"]}
        assert post(client, answer.json()["model"]).status_code == 200
        assert post(client, UNKNOWN).status_code == 400
        assert "the model 'lost' is not in this studio" in line_of(post(client, UNKNOWN))
        refused = client.post("/api/models", files={"file": ("mine.npz", b"hello")})
        assert refused.status_code == 400
        assert "must be a model" in line_of(refused)


# -- page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["learned", "neural", "dungeon"])
def test_everyday_words_find_diffusion(word: str) -> None:
    assert "diffusion" in [entry.name for entry in search(word, list_searchable())]


def test_the_control_offers_built_in_models_and_those_that_were_uploaded() -> None:
    reference = store_model(FILE, "mine.npz", Settings()).to_data()
    with nowhere():
        controls = Controls(techniques.get("diffusion").params, {}, lambda name, value: None)
        chosen: Any = element("param-model")
        note: Any = element("param-model-note")
        names = list(data.list_names("models"))
        assert ([*chosen.options], chosen.value) == (names, "dungeon")
        controls.update({"model": reference})
        assert [*chosen.options.values()] == [*names, "mine (your file)"]
        assert note.text == "3 tiles: floor, wall, moss"
        controls.update({"model": "dungeon"})
        assert [*chosen.options.values()] == [*names, "mine (your file)"]
        controls.update({"model": UNKNOWN})
        assert chosen.value == UNKNOWN["digest"]
        assert not note.visible


def test_another_model_removes_tiles_that_it_does_not_have() -> None:
    reference = store_model(FILE, "mine.npz", Settings()).to_data()
    recipe = recipe_of(reference, border=["wall", "rock"], counts=[["door", "2"], ["treasure", ">=1"]])
    locks = [[0, 0, "wall"], [1, 0, "rock"], [2, 0, "rock"], [3, 0, "stairs"]]
    state, removed = remove_unknown_tiles(State.from_recipe({**recipe, "locks": locks}))
    assert removed == ["3 locked cells: rock, stairs", "border: rock", "counts: door, treasure"]
    assert state.recipe == {**recipe_of(reference, border=["wall"]), "locks": [[0, 0, "wall"]]}
    assert remove_unknown_tiles(state) == (state, [])
    check_recipe(state.effective, Settings())


def test_locks_that_the_model_has_in_its_tileset_but_not_in_its_maps_are_removed() -> None:
    known = [tile for tile in Network.of("dungeon").tileset.names if tile not in Network.of("dungeon").labels]
    state = State.from_recipe({**recipe_of("dungeon"), "locks": [[0, 0, known[0]], [1, 1, "wall"]]})
    after, removed = remove_unknown_tiles(state)
    assert removed == [f"1 locked cell: {known[0]}"]
    assert after.recipe["locks"] == [[1, 1, "wall"]]


@in_session(recipe_of("dungeon"))
async def test_locks_stay_when_the_map_is_rebuilt_around_them(session: RecordingSession) -> None:
    before = await session.wait()
    places = [row * 12 + column for row in range(2, 6) for column in range(3, 8)]
    session.lock(places)
    session.paint({0: before.tileset.id("door")}, lock=True)
    session.regenerate()
    rebuilt = await session.wait()
    assert session.errors[-1] is None, session.errors
    session.reroll()
    rerolled = await session.wait()
    for after in (rebuilt, rerolled):
        assert (after.cells.flat[places] == before.cells.flat[places]).all()
        assert after.cells[0, 0] == before.tileset.id("door")

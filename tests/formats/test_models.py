"""Model files: what they contain, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import encode_arrays
from tests.generators.landscapes import RIVER
from tilewright.core.grid import pack
from tilewright.core.samples import Samples

SMALL = tw.learn("patterns", ["##.\n#..\n...", "...\n.#.\n..."], pattern_sizes=(2,))
BUILT_IN = tw.learn("patterns", "dungeon")
WAR = tw.learn("patterns", "awbw")


LEARNED = {
    "markov": tw.learn("markov", ["awbw/round-lake", "awbw/deep-wood"]),
    "markov, chosen": tw.learn("markov", "awbw/round-lake", pieces="chosen", directions=["n", "e", "s2"]),
    "wfc": tw.learn("wfc", "village", symmetry=8),
    "wfc, wrapped": tw.learn("wfc", "dungeon", pattern_size=2, wrap_sample="xy"),
}
with_counts = pytest.mark.parametrize("model", LEARNED.values(), ids=list(LEARNED))


@pytest.mark.parametrize("ending", [".json", ".npz", ".JSON"])
@pytest.mark.parametrize("model", [SMALL, BUILT_IN, WAR, tw.learn("patterns", "keep"), *LEARNED.values()])
def test_models_round_trip(model: tw.Model, ending: str, tmp_path: Path) -> None:
    model.save(tmp_path / f"a{ending}")
    again = tw.load_model(tmp_path / f"a{ending}")
    assert again == model
    assert again.samples.tileset == model.samples.tileset
    assert again.digests == model.digests
    assert list(again.counts) == list(model.counts)
    assert all(np.array_equal(again.counts[name], model.counts[name]) for name in model.counts)
    first = (tmp_path / f"a{ending}").read_bytes()
    again.save(tmp_path / f"a{ending}")
    assert (tmp_path / f"a{ending}").read_bytes() == first


def test_a_built_in_tileset_is_written_by_name() -> None:
    assert WAR.to_data()["tileset"] == "awbw"
    assert WAR.to_data()["version"] == 2
    assert isinstance(SMALL.to_data()["tileset"], dict)
    assert isinstance(BUILT_IN.to_data()["tileset"], dict)  # of the sample, which has the name of a tileset


def test_large_samples_are_saved_as_npz(tmp_path: Path) -> None:
    large = tw.make("caves", width=300, height=300, seed=1)
    model = tw.learn("patterns", large)
    with pytest.raises(tw.InvalidRecipe, match=r"90,000 cells, JSON holds at most .* save the model as .npz"):
        model.save(tmp_path / "a.json")
    with pytest.raises(tw.InvalidRecipe, match=r"a.pkl: a model file must end in .json or .npz"):
        model.save(tmp_path / "a.pkl")
    assert not list(tmp_path.iterdir())
    model.save(tmp_path / "a.npz")
    assert tw.load_model(tmp_path / "a.npz") == model


@pytest.mark.parametrize(
    ("technique", "sample", "learning", "making"),
    [
        ("markov", "awbw", {"directions": ["w", "s", "sw"], "pieces": "chosen"}, {}),
        ("markov", RIVER, {"directions": ["w", "s", "sw"]}, {}),
        ("patterns", "dungeon", {}, {"iterations": 500}),
        ("wfc", ["dungeon", "ruins"], {"pattern_size": 2, "symmetry": 2}, {}),
    ],
)
def test_models_make_the_maps_of_their_samples(
    technique: str, sample: Any, learning: dict[str, Any], making: dict[str, Any], tmp_path: Path
) -> None:
    making = {"width": 12, "height": 8, "seed": 3, **making}
    model, expected = tw.learn(technique, sample, **learning), tw.make(technique, sample=sample, **learning, **making)
    models: list[Any] = [model]
    for ending in (".json", ".npz"):
        model.save(tmp_path / f"a{ending}")
        models += [tw.load_model(tmp_path / f"a{ending}"), str(tmp_path / f"a{ending}")]
    for one in models:
        map = tw.make(technique, model=one, **making)
        assert map == expected
        assert map.tileset == expected.tileset


# -- merging ------------------------------------------------------------------------------------------------------


def test_merging_equals_learning_from_all_samples() -> None:
    one, other = tw.learn("patterns", "dungeon"), tw.learn("patterns", "caverns")
    assert one.merge(other) == tw.learn("patterns", ["dungeon", "caverns"])
    assert one.merge() == one
    assert one.merge(other).samples.tileset == Samples.of(["dungeon", "caverns"]).tileset


def test_models_with_other_parameters_do_not_merge() -> None:
    with pytest.raises(tw.InvalidRecipe, match=r"pattern_sizes: is \(2,\) in one model and None in another"):
        SMALL.merge(BUILT_IN)
    with pytest.raises(tw.InvalidRecipe, match="all samples must have the same number of dimensions"):
        BUILT_IN.merge(tw.learn("patterns", "keep"))
    with pytest.raises(tw.InvalidRecipe, match="cannot merge models of patterns and other"):
        BUILT_IN.merge(tw.Model("other", BUILT_IN.params))


# -- bad files ----------------------------------------------------------------------------------------------------


def read_error(content: bytes, path: Path) -> str:
    path.write_bytes(content)
    with pytest.raises(tw.BadFile) as caught:
        tw.load_model(path)
    assert str(caught.value).startswith(str(path))
    assert path.read_bytes() == content
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize(("changes", "message"), read_table(__file__, "mistakes"))
def test_other_models_are_refused_in_one_line(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    document = {**SMALL.to_data(), **changes}
    document = {key: value for key, value in document.items() if value != "MISSING"}
    assert message in read_error(json.dumps(document).encode(), tmp_path / "a.json")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\0" * 100, b"[" * 100_000, b"\xff", b'{"version": NaN}'])
@pytest.mark.parametrize("ending", [".json", ".npz"])
def test_invalid_content_is_refused(content: bytes, ending: str, tmp_path: Path) -> None:
    assert len(read_error(content, tmp_path / f"a{ending}")) < 300


def test_a_map_is_not_a_model(tmp_path: Path) -> None:
    map = tw.make("caves", width=9, height=9, seed=1)
    for ending in (".json", ".npz"):
        map.save(tmp_path / f"a{ending}")
        with pytest.raises(tw.BadFile, match=r"not a model"):
            tw.load_model(tmp_path / f"a{ending}")


def archive(cells: Any, document: dict[str, Any]) -> bytes:
    return encode_arrays(cells=cells, rest=np.frombuffer(json.dumps(document).encode(), np.uint8))


def make_document(**changes: Any) -> dict[str, Any]:
    document = SMALL.to_data()
    del document["learned"]["sample"]
    return {**document, "samples": [{"shape": [2, 3], "words": ["#", "."]}], **changes}


@pytest.mark.parametrize(
    ("cells", "changes", "message"),
    [
        (np.zeros(5, np.uint8), {}, "do not match the given shapes and words"),
        (np.zeros(7, np.uint8), {}, "do not match the given shapes"),
        (np.full(6, 2, np.uint8), {}, "do not match the given shapes and words"),
        (np.zeros(6, np.float64), {}, "cells: cannot have the dtype float64"),
        (np.array([{}] * 6, dtype=object), {}, "cells: cannot have the dtype object"),
        (np.zeros(6, np.uint8), {"samples": []}, "not a model"),
        (np.zeros(6, np.uint8), {"samples": 3}, "must contain samples"),
        (np.zeros(6, np.uint8), {"samples": [3]}, "each must have a shape and words"),
        (
            np.zeros(6, np.uint8),
            {"samples": [{"shape": [1 << 27, 1 << 27], "words": ["#"]}]},
            "do not match the given shapes",
        ),
        (
            np.zeros(6, np.uint8),
            {"samples": [{"shape": [-2, -3], "words": ["#"]}]},
            "shape: must be two or three integers",
        ),
        (np.zeros(6, np.uint8), {"samples": [{"shape": [2, 3], "words": [[]]}]}, "a tile is given by name"),
        (np.zeros(6, np.uint8), {"learned": []}, "must contain samples"),
        (np.zeros(6, np.uint8), {"version": 7}, "written by a newer Tilewright"),
    ],
)
def test_inconsistent_archives_are_refused(cells: Any, changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in read_error(archive(cells, make_document(**changes)), tmp_path / "a.npz")


# -- counts -------------------------------------------------------------------------------------------------------


COUNTING = """
import sys
import tilewright as tw
from tilewright.core.provenance import digest
from tilewright.generators._markov import contexts
from tilewright.generators._wfc import params

def counting(*_, **__):
    raise AssertionError("counted again")

if sys.argv[1] == "model":
    contexts.count_contexts = params.count_patterns = counting
for path in sys.argv[2:]:
    model = tw.load_model(path)
    fields = type(model.params).model_fields
    chosen = {**{name: getattr(model.params, name) for name in fields}, "sample": list(model.samples)}
    if sys.argv[1] == "model":
        model.params.facts
        chosen = {"model": model}
    print(digest(tw.make(model.technique, width=20, height=15, seed=4, **chosen)))
"""


def test_generating_from_a_model_counts_nothing_and_gives_the_same_map(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.npz" for name in LEARNED]
    for path, model in zip(paths, LEARNED.values(), strict=True):
        model.save(path)
    by_model, by_samples = (
        subprocess.run([sys.executable, "-c", COUNTING, by, *paths], capture_output=True, text=True, check=True).stdout
        for by in ("model", "samples")
    )
    assert by_model == by_samples
    assert len(by_model.split()) == len(LEARNED)


@with_counts
def test_other_parameters_still_work_with_a_model(model: tw.Model) -> None:
    """Counts that the model does not contain are with_counts in the samples."""
    more: dict[str, Any] = {"scan": "spiral"} if model.technique == "markov" else {"wrap": "xy"}
    made = [
        tw.make(model.technique, width=12, height=12, seed=2, **chosen, **more)
        for chosen in ({"model": model}, {**model.params.model_dump(mode="json"), "sample": list(model.samples)})
    ]
    assert made[0] == made[1]


def test_models_of_version_1_have_no_counts_and_are_counted_when_saved(tmp_path: Path) -> None:
    model = LEARNED["markov"]
    old = {key: value for key, value in model.to_data().items() if key not in ("counts", "digests")}
    (tmp_path / "old.json").write_text(json.dumps({**old, "version": 1}))
    loaded = tw.load_model(tmp_path / "old.json")
    assert not loaded.counts
    assert loaded == model
    assert model.digests == [grid.digest for grid in model.samples]
    assert tw.make("markov", model=loaded, seed=1) == tw.make("markov", model=model, seed=1)
    loaded.save(tmp_path / "new.json")
    assert tw.load_model(tmp_path / "new.json").counts


@with_counts
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_wrong_counts_are_refused_or_harmless(
    model: tw.Model, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("model") / "a.json"
    document = model.to_data()
    name = data.draw(st.sampled_from(sorted(model.counts)))
    array = model.counts[name].copy()
    place = data.draw(st.integers(0, len(array) - 1))
    change = data.draw(st.sampled_from(["value", "less", "more", "none", "swap", "float"]))
    if change == "value":
        array[place] = data.draw(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-2, 80))
    elif change == "swap":
        array[[0, place]] = array[[place, 0]]
    else:
        array = {"less": array[:-1], "more": np.append(array, array[place]), "none": array[:0]}.get(change, array + 0.5)
    document["counts"][name] = pack(array.tobytes())
    path.write_text(json.dumps(document))
    try:
        loaded = tw.load_model(path)
    except tw.BadFile as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    words: dict[str, Any] = {"model": loaded, "width": 12, "height": 12, "seed": 1}
    with suppress(tw.TilewrightError):
        tw.make(model.technique, **words)


def test_counts_of_a_file_do_not_change_maps_made_without_it(tmp_path: Path) -> None:
    model = tw.learn("wfc", "village")
    before = tw.make("wfc", sample="village", width=12, height=12, seed=1)
    document, counts = model.to_data(), model.counts["counts"].copy()
    counts[[0, int(counts.argmax())]] += [int(counts.max()) - 1, 1 - int(counts.max())]
    document["counts"]["counts"] = pack(counts.tobytes())
    (tmp_path / "a.json").write_text(json.dumps(document))
    tw.make("wfc", model=tw.load_model(tmp_path / "a.json"), width=12, height=12, seed=1)
    assert tw.make("wfc", sample="village", width=12, height=12, seed=1) == before


def test_counts_of_other_samples_are_refused(tmp_path: Path) -> None:
    one, other = tw.learn("markov", "awbw/round-lake"), tw.learn("markov", "awbw/deep-wood")
    document = {**one.to_data(), "counts": other.to_data()["counts"]}
    assert "counts: " in read_error(json.dumps(document).encode(), tmp_path / "a.json")

"""Files of networks: equal bytes, recipes that refer to them, and what is refused in one line."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy
from numpy.typing import NDArray

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import encode_arrays, zip_entries
from tests.networks import LABELS, TILES, make_arrays, make_network
from tilewright.cli import main
from tilewright.core.network import ARRAYS, MAX_BIAS, MAX_CHANNELS, MAX_LAYERS, Network
from tilewright.formats._models import MAX_BYTES, decode_network, encode_network
from tilewright.formats._resolver import FileResolver

TINY = make_network()
CONTENT = encode_network(TINY)
SIZE: dict[str, Any] = {"width": 9, "height": 7, "steps": 4, "refine": 1, "seed": 3}


@pytest.fixture(autouse=True)
def use_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read_error(content: bytes) -> str:
    """Return the line with which a file is refused, without its name."""
    Path("a.npz").write_bytes(content)
    with pytest.raises(tw.BadFile) as caught:
        FileResolver().read_network("a.npz")
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("a.npz: ")
    return line.removeprefix("a.npz: ")


def build_file(document: Any = ..., **changes: Any) -> bytes:
    """Return the file of the tiny network with some arrays or the manifest replaced; None omits an array."""
    text = json.dumps(read_manifest() if document is ... else document).encode()
    arrays = {"manifest": np.frombuffer(text, dtype=np.uint8), **TINY.arrays, **changes}
    return encode_arrays(**{name: array for name, array in arrays.items() if array is not None})


def read_manifest() -> dict[str, Any]:
    with np.load(io.BytesIO(CONTENT)) as arrays:
        found: dict[str, Any] = json.loads(arrays["manifest"].tobytes())
    return found


# -- round trip ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.npz", "b.NPZ"])
def test_networks_round_trip_to_equal_bytes(name: str) -> None:
    TINY.save(name)
    again = FileResolver().read_network(name)
    assert again == TINY
    assert again.manifest == TINY.manifest
    assert again.name == Path(name).stem
    assert again.tileset == TILES
    assert Path(name).read_bytes() == CONTENT == encode_network(again)


def test_the_built_in_networks_are_written_with_the_same_bytes() -> None:
    from tilewright import data

    total = 0
    for name in data.list_names("models"):
        content = data.read_bytes("models", name)
        assert encode_network(decode_network(content, name)) == content
        assert len(content) <= 500_000
        total += len(content)
    assert total <= 1_500_000


def test_the_file_has_no_pickles_and_is_read_by_numpy() -> None:
    with np.load(io.BytesIO(CONTENT), allow_pickle=False) as arrays:
        assert set(arrays) == {"manifest", *ARRAYS}
    manifest = read_manifest()
    assert manifest["training"] == TINY.manifest
    assert manifest["version"] == 1


def test_other_extensions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(tw.InvalidRecipe, match=r"a.json: the file of a network must end in .npz"):
        TINY.save("a.json")
    assert not Path("a.json").exists()
    assert main(["learn", "diffusion", "dungeon", "-o", "a.json"]) == 2, "before the training, and without torch"
    assert capsys.readouterr().err == "tilewright: a.json: the file of a network must end in .npz\n"


def test_any_byte_order_and_layout_can_be_read() -> None:
    """Programs of others may write the same numbers in other ways."""
    swapped = {
        name: np.asfortranarray(array.astype(array.dtype.newbyteorder(">"))) for name, array in TINY.arrays.items()
    }
    assert decode_network(build_file(**swapped), "a") == TINY
    assert encode_network(decode_network(build_file(**swapped), "a")) == CONTENT


# -- recipes and maps ---------------------------------------------------------------------------------------------


def test_a_map_is_verified_with_its_network(capsys: pytest.CaptureFixture[str]) -> None:
    TINY.save("net.npz")
    make_network(2).save("other.npz")
    tw.make("diffusion", model="net.npz", **SIZE).save("map.png")
    missing = "map.png: cannot be regenerated: diffusion: model: the network 'net' is not in the recipe"
    for files, code, line in (
        ([], 2, f"{missing}; give its file with --with"),
        (["other.npz"], 2, f"{missing}; give its file with --with"),
        (["net.npz"], 0, "map.png: the same map (diffusion, seed 3)"),
        (["other.npz", "net.npz"], 0, "map.png: the same map (diffusion, seed 3)"),
        (["."], 0, "map.png: the same map (diffusion, seed 3)"),
        (["*.npz"], 0, "map.png: the same map (diffusion, seed 3)"),
    ):
        arguments = [part for file in files for part in ("--with", file)]
        assert main(["verify", "map.png", *arguments]) == code
        assert capsys.readouterr().out.strip() == line
    assert tw.verify("map.png", files=["net.npz"])
    Path("net.npz").rename("renamed.npz")
    assert main(["verify", "map.png", "--with", "renamed.npz"]) == 0


def test_networks_and_maps_can_be_given_together() -> None:
    TINY.save("net.npz")
    tw.make("caves", width=9, height=7, seed=1).save("locks.npz")
    tw.make("diffusion", model="net.npz", **SIZE).save("map.json")
    assert main(["verify", "map.json", "--with", "locks.npz", "--with", "net.npz"]) == 0
    assert main(["verify", "map.json", "--with", "."]) == 0


def test_a_map_file_is_regenerated_with_its_network(capsys: pytest.CaptureFixture[str]) -> None:
    TINY.save("net.npz")
    tw.make("diffusion", model="net.npz", **SIZE).save("map.png")
    assert main(["run", "map.png", "-o", "again.png"]) == 2
    line = "tilewright: diffusion: model: the network 'net' is not in the recipe; give its file with --with"
    assert capsys.readouterr().err.strip() == line
    assert main(["run", "map.png", "--with", "net.npz", "-o", "again.png"]) == 0
    assert Path("again.png").read_bytes() == Path("map.png").read_bytes()
    assert main(["run", "map.png", "--with", "net.npz", "--keep-edits", "--seed", "4", "-o", "other.png"]) == 0


def test_a_recipe_file_is_run_with_its_network() -> None:
    TINY.save("net.npz")
    m = tw.make("diffusion", model="net.npz", **SIZE)
    assert m.recipe is not None
    Path("recipes").mkdir()
    Path("recipes/level.json").write_text(json.dumps(m.recipe.to_data()))
    assert main(["run", "recipes/level.json", "-o", "missing.json"]) == 2
    assert main(["run", "recipes/level.json", "--with", "net.npz", "-o", "map.json"]) == 0
    assert tw.load("map.json") == m


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_compressions_are_refused(compression: int, capsys: pytest.CaptureFixture[str]) -> None:
    TINY.save("net.npz")
    with zipfile.ZipFile("net.npz") as source, zipfile.ZipFile("other.npz", "w", compression) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    assert main(["make", "diffusion", "--model", "other.npz"]) == 2
    assert "must be stored or deflated" in capsys.readouterr().err


def test_a_large_manifest_is_refused() -> None:
    large = make_network()
    large.manifest["notes"] = ["x" * 99] * 30_000
    large.save("large.npz")
    with pytest.raises(tw.TilewrightError, match="manifest: must have at most 2,097,152 bytes"):
        tw.make("diffusion", model="large.npz", **SIZE)


def test_a_map_of_a_built_in_network_needs_no_files() -> None:
    tw.make("diffusion", width=8, height=6, steps=2, refine=0, seed=1).save("map.png")
    assert main(["run", "map.png", "-o", "again.png"]) == 0
    assert Path("again.png").read_bytes() == Path("map.png").read_bytes()


def test_recipes_name_files_relative_to_themselves() -> None:
    Path("recipes").mkdir()
    TINY.save("recipes/net.npz")
    Path("recipes/level.yaml").write_text(
        "technique: diffusion\nparams: {model: net.npz, width: 9, height: 7}\nseed: 3"
    )
    m = tw.run("recipes/level.yaml")
    assert m == tw.make("diffusion", model=TINY, width=9, height=7, seed=3)
    assert m.recipe is not None
    assert m.recipe.to_data()["params"]["model"] == {"model": "net", "digest": TINY.digest}


def test_networks_and_maps_are_not_confused(capsys: pytest.CaptureFixture[str]) -> None:
    TINY.save("net.npz")
    tw.make("caves", width=9, height=9, seed=1).save("cave.npz")
    tw.learn("markov", "village").save("model.npz")
    no_map = "net.npz: a network of `tilewright learn diffusion`, not a map"
    no_network = "not a network, or a damaged one; `tilewright learn diffusion` makes networks"
    for arguments, line in (
        (["learn", "markov", "net.npz", "-o", "m.npz"], no_map),
        (["show", "net.npz"], no_map),
        (["make", "markov", "--sample", "net.npz"], f"markov: sample: {no_map}"),
        (["make", "diffusion", "--model", "cave.npz"], f"diffusion: model: cave.npz: {no_network}"),
        (["make", "diffusion", "--model", "model.npz"], f"diffusion: model: model.npz: {no_network}"),
        (["make", "diffusion", "--model", "cave.png"], f"diffusion: model: cave.png: {no_network}"),
        (["make", "diffusion", "--model", "none.npz"], "diffusion: model: none.npz: cannot be read (No such file"),
    ):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"tilewright: {line}")
        assert error.count("\n") == 1
    assert not Path("m.npz").exists()


@pytest.mark.parametrize(
    "training",
    [
        {},
        {"maps": [], "sizes": 3, "steps": None, "settings": 3, "loss": {}, "held_out_loss": "x", "digests": 3},
        {"maps": "\x1b[31mred\n\n", "sizes": [[1], "\x07"], "settings": {"\n": "\x1b"}, "pieces": 3},
        {"maps": 10**299, "loss": "x" * 100_000},
    ],
    ids=["nothing", "other types", "control characters", "long values"],
)
def test_any_facts_of_the_training_can_be_shown(training: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    Network(LABELS, TILES, TINY.dilations, TINY.arrays, training).save("net.npz")
    assert main(["explain", "net.npz"]) == 0
    shown = capsys.readouterr().out
    assert TINY.digest in shown
    assert not {"\x1b", "\x07"} & set(shown)
    assert len(shown) < 4000
    assert main(["explain", "net.npz", "--json"]) == 0
    assert FileResolver().read_network("net.npz").digests == []


# -- bad files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("changes", "line"), read_table(__file__, "mistakes"))
def test_other_manifests_are_refused(changes: dict[str, Any], line: str) -> None:
    document = {key: value for key, value in {**read_manifest(), **changes}.items() if value != "MISSING"}
    assert read_error(build_file(document)).startswith(f"not a network ({line}")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object, got list"),
        (b"\xff\xfe", "not UTF-8 text (byte 0)"),
        (b"[" * 100_000, "not JSON: nested too deeply"),
        (b'{"version": NaN}', "NaN is not a number in JSON"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "nested too deeply"),
    ],
)
def test_manifests_that_are_no_json_are_refused(text: bytes, line: str) -> None:
    assert line in read_error(build_file(manifest=np.frombuffer(text, dtype=np.uint8)))


@pytest.mark.parametrize(
    ("name", "array", "line"),
    [
        ("input", np.zeros((9, 6, 300), np.int8), "input: must have 1 to 256 channels, got 300"),
        ("input", np.zeros((9, 6, 6), np.int16), "input: must be int8 of shape [9, 6, 6], got int16"),
        ("layers", np.zeros((3, 6, 9, 5), np.int8), "layers: must be int8 of shape [3, 6, 9, 6], got int8 of shape"),
        ("output", np.zeros((4, 6), np.float64), "output: cannot have the dtype float64"),
        ("output", np.zeros((4, 6), np.uint8), "output: cannot have the dtype uint8"),
        ("output", np.array([[{}] * 6] * 4, dtype=object), "output: cannot have the dtype object"),
        ("manifest", np.zeros(9, np.int8), "manifest: cannot have the dtype int8"),
        ("input_scale", np.full(6, -1, np.int32), "input_scale: must not be negative"),
        ("output_bias", np.full(4, MAX_BIAS + 1, np.int64), "output_bias: must be within"),
        ("output_bias", np.full(4, -(1 << 63), np.int64), "output_bias: must be within"),
        ("output_bias", np.zeros(4, np.int32), "output_bias: must be int64 of shape [4], got int32"),
        ("output", None, "output is missing or unknown"),
        ("more", np.zeros(1, np.int8), "must contain only the arrays manifest, input, layers, output"),
    ],
)
def test_other_arrays_are_refused(name: str, array: Any, line: str) -> None:
    assert line in read_error(build_file(**{name: array}))


def test_nothing_is_unpickled() -> None:
    class Harm:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return exec, ("raise SystemExit('unpickled')",)

    payload = pickle.dumps(Harm())
    assert "not a network" in read_error(payload)
    assert "cannot have the dtype object" in read_error(build_file(input=np.array([Harm()], dtype=object)))


def zip_arrays(entries: dict[str, bytes]) -> bytes:
    return zip_entries((f"{name}.npy", content) for name, content in entries.items())


def encode_array(array: NDArray[Any], shape: tuple[int, ...] | None = None) -> bytes:
    """Return an array of the npy format that claims another shape."""
    buffer = io.BytesIO()
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": shape or array.shape}
    npy.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + array.tobytes()


def list_entries() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as archive:
        return {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("shape", [(9, 6, 1 << 40), (-9, -6, 6), (1 << 62, 1 << 62, 1 << 62), (9, 6, 5), ()])
def test_false_shapes_are_refused_before_memory_is_allocated(shape: tuple[int, ...]) -> None:
    buffer = encode_array(TINY.arrays["input"], shape or (1,))
    assert "which does not match its" in read_error(zip_arrays({**list_entries(), "input": buffer}))


def test_archives_that_expand_to_much_are_refused() -> None:
    large = np.zeros(1 << 26, dtype=np.int8)
    content = zip_arrays({**list_entries(), "input": encode_array(large)})
    assert len(content) < 1 << 17
    assert "must have at most 67,108,864 bytes when unpacked, got 67,1" in read_error(content)


def test_the_largest_network_can_be_read() -> None:
    layers = make_arrays(1, MAX_CHANNELS, 1, 4)["layers"].nbytes * MAX_LAYERS
    assert layers + (1 << 23) < MAX_BYTES


@pytest.mark.parametrize("length", [0, 1, 21, 22, 100, len(CONTENT) // 2, len(CONTENT) - 1])
def test_cut_files_are_refused(length: int) -> None:
    assert len(read_error(CONTENT[:length])) < 300


def test_a_folder_is_refused() -> None:
    Path("folder.npz").mkdir()
    with pytest.raises(tw.InvalidRecipe, match=r"diffusion: model: folder.npz: cannot be read"):
        tw.make("diffusion", model="folder.npz")

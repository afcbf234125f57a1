"""Training of networks for the technique diffusion, with tiny networks and few steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import tilewright as tw
from tests.refusals import refused
from tilewright.cli import main
from tilewright.core.model import LearningProgress
from tilewright.core.samples import Samples
from tilewright.neural.inference import MAX_WEIGHT, Predictor, exp_table
from tilewright.neural.learning import learn_network
from tilewright.neural.settings import SIZES, TrainingSettings
from tilewright.neural.training import TileNetwork, Trainer
from tilewright.neural.training_set import TrainingSet

STRIPES = "\n".join(["#.#.#.#.#.#."] * 12)
"""A map of which one cell determines all others."""


@pytest.fixture(scope="module")
def stripes() -> tw.Network:
    return tw.learn("diffusion", [STRIPES] * 12, size="small", training_steps=120, batch=16)


def test_a_network_learns_stripes(stripes: tw.Network) -> None:
    """Every column is of one tile, and neighbors differ, in nearly all cells of maps of another size."""
    wrong = total = 0
    for seed in range(5):
        cells = tw.make("diffusion", model=stripes, width=16, height=14, seed=seed, steps=64).cells
        wrong += int((cells[1:] != cells[:-1]).sum() + (cells[:, 1:] == cells[:, :-1]).sum())
        total += 2 * cells.size
    assert wrong < 0.02 * total


def test_the_manifest_shows_how_a_network_was_trained(stripes: tw.Network) -> None:
    facts = stripes.manifest
    assert (facts["maps"], facts["cells"], facts["steps"]) == (12, 12 * 144, 120)
    assert len(stripes.digests) == 12
    assert facts["settings"]["size"] == "small"
    losses = [held_out for _, _, held_out in facts["curve"]]
    assert losses[-1] < 0.3 * losses[0]
    assert facts["held_out_loss"] == min(losses)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Sums of several threads may differ from run to run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("one_thread")
def test_training_on_one_thread_is_reproducible() -> None:
    first, second = (tw.learn("diffusion", [STRIPES] * 3, size="small", training_steps=3, batch=2) for _ in range(2))
    assert first == second


def test_a_network_is_quantized_with_little_loss() -> None:
    """The probabilities of the integer network are those of the network in PyTorch, up to a few percent."""
    rng = np.random.default_rng(5)
    maps = [tw.make("caves", width=20, height=18, seed=seed) for seed in range(12)]
    training_set = TrainingSet.of(Samples.of(maps))
    kept, held_out = training_set.split()
    settings = TrainingSettings(size="small", steps=60, batch=16, crop=24, device="cpu")
    trainer = Trainer(kept, held_out, 2, settings)
    trained = trainer.run()
    network = learn_network(training_set, TrainingSettings.of_size("small", steps=60, batch=16))
    cells = np.pad(training_set.maps[0], 1, constant_values=3)
    inner = cells[1:-1, 1:-1]
    inner[rng.random(inner.shape) < 0.5] = 2
    reference = TileNetwork(2, SIZES["small"])
    reference.load_weights(trained.weights)
    with torch.no_grad():
        logits = reference(torch.from_numpy(cells.astype(np.int64))[None])[0, :, 1:-1, 1:-1].double()
    expected = logits.softmax(0).numpy()
    predictor = Predictor(network, cells, (False, False))
    places = np.arange(inner.size)
    for _ in predictor.compute(places):
        pass
    found = np.stack([_rate(predictor, places, tile, inner.shape) for tile in range(2)])
    divergence = (expected * np.log(np.maximum(expected, 1e-6) / np.maximum(found, 1e-6))).sum(0).mean()
    entropy = -(expected * np.log(np.maximum(expected, 1e-9))).sum(0).mean()
    assert divergence < 0.02 * entropy
    assert int(exp_table()[0]) == MAX_WEIGHT


def _rate(predictor: Predictor, places: NDArray[np.int64], tile: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    rates = predictor.rate(places, np.full(shape, tile, dtype=np.uint8))
    return (rates / 65536).reshape(shape)


class Interrupt(Exception):
    """Raised to stop a training."""


@pytest.mark.usefixtures("one_thread")
def test_a_stopped_training_continues(tmp_path: Path) -> None:
    checkpoint, steps = tmp_path / "state.npz", []

    def stop(progress: LearningProgress) -> None:
        if progress.fraction >= 0.5:
            raise Interrupt

    def note(progress: LearningProgress) -> None:
        steps.append(round(progress.fraction * 40))

    params: dict[str, Any] = {"size": "small", "training_steps": 40, "batch": 4}
    with pytest.raises(Interrupt):
        tw.learn("diffusion", [STRIPES] * 12, checkpoint=checkpoint, on_progress=stop, **params)
    assert checkpoint.is_file()
    network = tw.learn("diffusion", [STRIPES] * 12, checkpoint=checkpoint, on_progress=note, **params)
    assert steps[0] == 21
    assert network.manifest["steps"] == 40
    uninterrupted = tw.learn("diffusion", [STRIPES] * 12, **params)
    assert isinstance(uninterrupted, tw.Network)
    assert (network, network.manifest) == (uninterrupted, uninterrupted.manifest)
    steps.clear()
    tw.learn("diffusion", [STRIPES] * 11, checkpoint=checkpoint, on_progress=note, **params)
    assert steps[0] == 1, "a checkpoint of other maps is not continued"
    checkpoint.write_bytes(b"damaged")
    steps.clear()
    tw.learn("diffusion", [STRIPES] * 12, checkpoint=checkpoint, on_progress=note, **params)
    assert steps[0] == 1


def test_training_stops_early_if_held_out_maps_do_not_improve() -> None:
    noise = [np.random.default_rng(seed).integers(0, 2, (10, 10)) for seed in range(12)]
    training_set = TrainingSet.of(Samples.of(noise))
    kept, held_out = training_set.split()
    settings = TrainingSettings(size="small", steps=400, batch=4, crop=12, patience=2, device="cpu")
    assert Trainer(kept, held_out, 2, settings).run().progress.step < 400


def test_the_command_line_trains_with_a_preview(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "maps").mkdir()
    for number in range(3):
        tw.make("caves", width=16, height=14, seed=number).save(tmp_path / "maps" / f"{number}.json")
    output = tmp_path / "net.npz"
    arguments = ["learn", "diffusion", str(tmp_path / "maps"), "--size", "small", "-o", str(output)]
    assert main([*arguments, "--set", "training_steps=4", "--set", "batch=2"]) == 0
    assert "diffusion learned from 3 maps, 672 cells" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["maps", "net.npz", "net.preview.png"]
    assert tw.make("diffusion", model=output, width=9, height=7, seed=1).shape == (7, 9)
    assert output.stat().st_size < 500_000


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        ("#.#.\n" * 4, "sample: map 1 of 4x4 cells is smaller than 6x6; about 500 maps of the size to generate give"),
        ("#.#.#.#.\n" * 8, "sample: 1 map with 64 cells in total, but at least 400 are needed; about 500 maps"),
    ],
)
def test_too_few_cells_are_one_line(sample: str, line: str) -> None:
    with refused("", tw.InvalidRecipe, start=line):
        tw.learn("diffusion", sample, size="small", training_steps=1)


def test_views_turn_pieces() -> None:
    map = tw.make("markov", sample="awbw", width=12, height=10, seed=3)
    training_set = TrainingSet.of(Samples.of([map] * 5), are_pieces_chosen=False)
    views, _ = training_set.split(symmetry=8)
    assert len(views) == 40
    assert {view.shape for view in views} == {views[0].shape, views[0].shape[::-1]}
    merged = TrainingSet.of(Samples.of([map] * 5), are_pieces_chosen=True)
    assert len(merged.labels) < len(training_set.labels)

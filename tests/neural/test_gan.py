"""The GAN and the evolution in its latent space."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.samples import Samples
from tilewright.core.seeds import Rng
from tilewright.neural.gan import ElsganParams, Gan, GanParams, evolve_map, make_divergence_score, train_gan

QUICK = {"steps": 6, "features": 8, "latent_size": 8, "device": "cpu"}
DUNGEON = Samples.of("dungeon")


def train(samples: Samples = DUNGEON, seed: int = 1, **params: object) -> Gan:
    return train_gan(samples, GanParams.validate({**QUICK, **params}), rng=Rng.of(seed))


def test_equal_seeds_give_equal_maps() -> None:
    first, second, other = (train(seed=seed).generate(20, 30, Rng.of(5)) for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_maps_of_any_size() -> None:
    gan = train()
    assert gan.patch_size == 16
    for height, width in ((1, 1), (8, 16), (25, 32), (41, 7)):
        cells = gan.generate(height, width, Rng.of(1))
        assert cells.shape == (height, width)
        assert 0 <= cells.min() <= cells.max() < len(DUNGEON.labels)


def test_the_patch_size_fits_the_smallest_map() -> None:
    maps = [np.tile(np.eye(8, dtype=int), (times, times)) for times in (1, 2, 4, 8)]
    assert [train(Samples.of([map]), steps=1).patch_size for map in maps] == [8, 16, 32, 32]
    assert train(Samples.of(maps), steps=1).patch_size == 8


def test_too_small_samples_and_levels_are_refused() -> None:
    with pytest.raises(tw.InvalidRecipe, match="of 7x9 cells is too small; the GAN learns patches of 8x8"):
        train(Samples.of(np.zeros((9, 7), dtype=int)))
    with pytest.raises(tw.InvalidRecipe, match="flat maps only"):
        train(Samples.of("keep"))


def test_training_reports_its_progress() -> None:
    seen: list[float] = []
    train_gan(DUNGEON, GanParams.validate(QUICK), rng=Rng.of(1), on_progress=lambda done, what: seen.append(done))
    assert seen == sorted(seen)
    assert (len(seen), seen[-1]) == (6, 1.0)


def test_training_lowers_the_divergence() -> None:
    """Stripes are easy to learn: 60 steps suffice."""
    stripes = Samples.of(np.indices((16, 16))[0] // 2 % 2)
    score = make_divergence_score(stripes, 2)
    few, many = (train(stripes, steps=steps, features=16) for steps in (1, 60))
    values = [np.mean([score(gan.generate(16, 16, Rng.of(seed))) for seed in range(4)]) for gan in (few, many)]
    assert values[1] < values[0] / 2


def test_evolution_lowers_the_score_and_is_reproducible() -> None:
    gan, score = train(), make_divergence_score(DUNGEON, 2)
    scores = []
    for generations in (0, 4, 16):
        params = ElsganParams.validate({**QUICK, "generations": generations, "offspring": 4})
        first, second = (evolve_map(gan, score, params, 16, 16, Rng.of(3)) for _ in range(2))
        assert np.array_equal(first, second)
        scores.append(score(first))
    assert scores[0] >= scores[1] >= scores[2]
    assert scores[2] < scores[0]


def test_evolution_accepts_any_target() -> None:
    gan = train()
    wall = DUNGEON.labels.index("wall")
    params = ElsganParams.validate({**QUICK, "generations": 20, "offspring": 4})
    share = evolve_map(gan, lambda cells: -float((cells == wall).mean()), params, 16, 16, Rng.of(1)) == wall
    assert share.mean() > (gan.generate(16, 16, Rng.of(1)) == wall).mean()

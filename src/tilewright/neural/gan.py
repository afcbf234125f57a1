"""Generative adversarial networks on tile maps, and evolution in their latent space; for comparisons only.

The network is a DCGAN (Radford, Metz and Chintala, "Unsupervised representation learning with deep convolutional
generative adversarial networks", 2015): transposed convolutions instead of pooling, batch normalization and ReLU in the
generator, LeakyReLU in the discriminator. Tiles are one-hot channels, as in Volz et al., "Evolving Mario levels in the
latent space of a deep convolutional generative adversarial network", 2018. Four choices differ from the DCGAN:

- The latent input is a grid with one vector per 8x8 cells, not one vector (Jetchev, Bergmann and Vollgraf, "Texture
  synthesis with spatial generative adversarial networks", 2016). A generator trained on patches therefore makes maps of
  any size: the next multiple of 8, cropped.
- The loss is the Wasserstein distance with a gradient penalty (Gulrajani et al., "Improved training of Wasserstein
  GANs", 2017). Volz et al. also train with the Wasserstein distance. With the loss of the DCGAN, all maps became equal
  after some hundred steps.
- The discriminator has no batch normalization, which the gradient penalty does not allow (Gulrajani et al.).
- In training, the tile of each cell is drawn at random and the gradient is passed through (Jang, Gu and Poole,
  "Categorical reparameterization with Gumbel-softmax", 2017), so that the discriminator cannot recognize maps
  by channels that are not exactly 0 or 1. Finished maps have the most probable tile in each cell, as in Volz et al.

Networks and maps are reproducible on one machine with one version of torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.patterns import Coding, PatternCounts, divergence
from ..core.errors import InvalidRecipe
from ..core.params import Params, param
from ..core.samples import Samples
from ..core.seeds import Rng
from ..core.tilemap import format_size
from ._torch import choose_device, refuse_without_torch

Cells: TypeAlias = NDArray[np.int64]
"""(row, column) positions in the labels of the samples."""
Latents: TypeAlias = NDArray[np.float32]
"""(channel, row, column) latent grid of a map."""
OnProgress: TypeAlias = Callable[[float, str], None]
"""Function that takes the completed fraction and a word for the current step."""

LATENT_CELLS = 8
"""Number of cells per latent vector along each axis: three transposed convolutions, each of which doubles the size."""
PATCH_SIZES = (32, 16, 8)
"""Edge lengths of the patches to train with. Volz et al. use 32."""
PENALTY_WEIGHT = 10.0
"""Weight of the gradient penalty (Gulrajani et al.)."""
BETAS = (0.5, 0.999)
"""Decay rates of Adam (Radford et al.)."""
WEIGHT_DEVIATION = 0.02
"""Standard deviation of the first weights (Radford et al.)."""
SLOPE = 0.2
"""Slope of LeakyReLU for negative inputs (Radford et al.)."""


class GanParams(Params):
    """Settings of the network and of its training."""

    quick_trial: ClassVar[Mapping[str, Any]] = {"steps": 2, "features": 8}
    """Settings that show quickly whether the network can learn from a sample at all."""
    latent_size: int = param(32, ge=1, le=512)
    """Number of values of a latent vector. Volz et al. use 32."""
    features: int = param(32, ge=1, le=512)
    """Number of channels of the largest layers; the smaller layers have two and four times as many."""
    steps: int = param(1500, ge=1, le=1_000_000)
    """Number of steps of the generator."""
    critic_steps: int = param(3, ge=1, le=100)
    """Number of steps of the discriminator per step of the generator."""
    batch_size: int = param(32, ge=2, le=4096)
    """Number of patches per step. Volz et al. use 32."""
    learning_rate: float = param(1e-3, gt=0, le=1)
    """Learning rate of both networks."""
    device: Literal["auto", "cpu", "cuda"] = param("auto")
    """Where to train: on a GPU if there is one, on the CPU, or on a GPU."""


class ElsganParams(GanParams):
    """Settings of the network and of the evolution in its latent space."""

    quick_trial: ClassVar[Mapping[str, Any]] = {**GanParams.quick_trial, "generations": 1}
    generations: int = param(100, ge=0, le=1_000_000)
    """Number of generations for each map."""
    offspring: int = param(16, ge=1, le=4096)
    """Number of offspring per generation."""
    mutation: float = param(0.3, gt=0, le=1)
    """Fraction of the random part in a changed latent vector."""
    pattern_size: int = param(3, ge=1, le=8)
    """Edge length of the patterns whose divergence from the samples is minimized."""


@dataclass(frozen=True, eq=False)
class Gan:
    """A trained generator. `train_gan` makes it."""

    generator: Any
    """The network, a `torch.nn.Module`."""
    params: GanParams
    patch_size: int
    """Edge length of the patches that it was trained with."""
    device: str

    def draw_latents(self, height: int, width: int, rng: Rng) -> Latents:
        """Return a random latent grid for a map of this size."""
        return _draw_normal((self.params.latent_size, *_latent_shape(height, width)), rng)

    def decode(self, latents: Sequence[Latents], height: int, width: int) -> list[Cells]:
        """Return the maps of latent grids, cropped to a size."""
        import torch

        with torch.no_grad():
            logits = self.generator(torch.from_numpy(np.stack(latents)).to(self.device))
            tiles = logits.argmax(dim=1)[:, :height, :width]
        return [*tiles.cpu().numpy()]

    def generate(self, height: int, width: int, rng: Rng) -> Cells:
        """Return a random map."""
        return self.decode([self.draw_latents(height, width, rng)], height, width)[0]


def train_gan(samples: Samples, params: GanParams, *, rng: Rng, on_progress: OnProgress | None = None) -> Gan:
    """Train a generator of maps.

    Parameters
    ----------
    samples : Samples
        2D maps to learn from. The network is trained with patches of 32x32, 16x16 or 8x8 cells, the largest size that
        fits into all of them.
    params : GanParams
        Settings.
    rng : Rng
        Random stream.
    on_progress : callable, optional
        Function that is called with the completed fraction and the current step.

    Returns
    -------
    Gan
        The generator.

    Raises
    ------
    TilewrightError
        If torch is missing, or there is no such device.
    InvalidRecipe
        If the samples have levels, or one of them is too small.
    """
    refuse_without_torch("the GAN")
    import torch

    patch_size = _choose_patch_size(samples)
    device, tiles = choose_device(params.device), len(samples.labels)
    patches = _PatchSource(samples.maps, patch_size, rng.child("patches"))
    # cudnn would otherwise choose algorithms by their speed; some add numbers in any order.
    deterministic = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True)
    with deterministic, torch.random.fork_rng():
        torch.manual_seed(_torch_seed(rng.child("training")))
        generator = _build_generator(params, tiles).to(device)
        critic = _build_critic(params, tiles, patch_size).to(device)
        optimizers = [
            torch.optim.Adam(network.parameters(), params.learning_rate, BETAS) for network in (generator, critic)
        ]
        shape = (params.batch_size, params.latent_size, *_latent_shape(patch_size, patch_size))

        def generate_patches() -> Any:
            logits = generator(torch.randn(shape).to(device))
            return torch.nn.functional.gumbel_softmax(logits, hard=True, dim=1)

        for step in range(params.steps):
            for _ in range(params.critic_steps):
                numbers = torch.from_numpy(patches.draw(params.batch_size)).to(device)
                real = torch.nn.functional.one_hot(numbers, tiles).movedim(-1, 1).float()
                fake = generate_patches().detach()
                loss = critic(fake).mean() - critic(real).mean() + PENALTY_WEIGHT * _penalize(critic, real, fake)
                _take_step(optimizers[1], loss)
            _take_step(optimizers[0], -critic(generate_patches()).mean())
            if on_progress is not None:
                on_progress((step + 1) / params.steps, f"training, step {step + 1:,} of {params.steps:,}")
    return Gan(generator.eval(), params, patch_size, device)


def evolve_map(
    gan: Gan, score: Callable[[Cells], float], params: ElsganParams, height: int, width: int, rng: Rng
) -> Cells:
    """Return the map with the lowest score that evolution in the latent space of a GAN finds.

    Volz et al. evolve latent vectors with CMA-ES. This is a (1+lambda) evolution strategy, which needs no linear
    algebra and works with the hundreds of values of a latent grid. A mutation changes a random rectangle of latent
    vectors z to sqrt(1 - m²) z + m e with random e, which keeps the normal distribution that the generator was trained
    with.

    Parameters
    ----------
    gan : Gan
        The generator.
    score : callable
        Function of a map that returns the number to minimize.
    params : ElsganParams
        Settings of the evolution.
    height, width : int
        Size of the map.
    rng : Rng
        Random stream.

    Returns
    -------
    ndarray of int64
        The map.
    """
    parents = [gan.draw_latents(height, width, rng.child("parent", number)) for number in range(params.offspring)]
    best, latents, lowest = _choose_best(gan, score, parents, height, width)
    for generation in range(params.generations):
        own = rng.child("generation", generation)
        offspring = [_mutate(latents, params.mutation, own.child("child", n)) for n in range(params.offspring)]
        found, child, value = _choose_best(gan, score, offspring, height, width)
        if value <= lowest:  # An equal child replaces its parent, so that the search crosses plateaus.
            best, latents, lowest = found, child, value
    return best


def make_divergence_score(samples: Samples, pattern_size: int) -> Callable[[Cells], float]:
    """Return a function of a map that computes its divergence from samples, the target of the technique `patterns`."""
    coding = Coding(pattern_size, samples.axes, len(samples.labels))
    target = PatternCounts.of(coding, samples.maps)
    return lambda cells: divergence(PatternCounts.of(coding, [cells]), target)


# -- latent space -----------------------------------------------------------------------------------------------------


def _latent_shape(height: int, width: int) -> tuple[int, int]:
    return -(-height // LATENT_CELLS), -(-width // LATENT_CELLS)


def _choose_best(
    gan: Gan, score: Callable[[Cells], float], candidates: Sequence[Latents], height: int, width: int
) -> tuple[Cells, Latents, float]:
    """Return the map with the lowest score, its latent grid and its score."""
    maps = gan.decode(candidates, height, width)
    scores = [score(cells) for cells in maps]
    at = int(np.argmin(scores))
    return maps[at], candidates[at], scores[at]


def _mutate(latents: Latents, mutation: float, rng: Rng) -> Latents:
    """Return a latent grid in which a random rectangle is changed."""
    ends = [sorted((rng.below(length), rng.below(length))) for length in latents.shape[1:]]
    rows, columns = (slice(first, last + 1) for first, last in ends)
    changed = latents.copy()
    part = changed[:, rows, columns]
    part *= np.float32((1 - mutation**2) ** 0.5)
    part += np.float32(mutation) * _draw_normal(part.shape, rng)
    return changed


def _draw_normal(shape: tuple[int, ...], rng: Rng) -> Latents:
    """Return numbers from the standard normal distribution."""
    import torch

    stream = torch.Generator().manual_seed(_torch_seed(rng))
    drawn: Latents = torch.randn(shape, generator=stream).numpy()
    return drawn


def _torch_seed(rng: Rng) -> int:
    return int.from_bytes(rng.key[:8], "little") >> 1  # torch takes signed integers


# -- networks and training --------------------------------------------------------------------------------------------


def _choose_patch_size(samples: Samples) -> int:
    if samples.axes != 2:
        raise InvalidRecipe("the GAN learns flat maps only, but the sample has levels", at="sample", rule="dimensions")
    smallest = min(range(len(samples)), key=lambda number: min(samples.maps[number].shape))
    side = min(samples.maps[smallest].shape)
    if side < PATCH_SIZES[-1]:
        sample = f"{samples.describe(smallest)} of {format_size(samples.maps[smallest].shape)} cells"
        text = f"{sample} is too small; the GAN learns patches of 8x8 cells or more"
        raise InvalidRecipe(text, at="sample", rule="sample_size")
    return next(size for size in PATCH_SIZES if size <= side)


def _build_generator(params: GanParams, tiles: int) -> Any:
    """Return a network from latent grids to logits of tiles."""
    from torch import nn

    wide = params.features

    def widen(inputs: int, outputs: int) -> list[Any]:
        return [nn.ConvTranspose2d(inputs, outputs, 4, 2, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]

    first = [nn.Conv2d(params.latent_size, 4 * wide, 3, padding=1, bias=False), nn.BatchNorm2d(4 * wide), nn.ReLU()]
    last = nn.ConvTranspose2d(wide, tiles, 4, 2, 1)
    return nn.Sequential(*first, *widen(4 * wide, 2 * wide), *widen(2 * wide, wide), last).apply(_set_weights)


def _build_critic(params: GanParams, tiles: int, patch_size: int) -> Any:
    """Return a network from patches to one number, which is higher for patches of the samples."""
    from torch import nn

    sizes = (tiles, params.features, 2 * params.features, 4 * params.features)
    layers: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Conv2d(inputs, outputs, 4, 2, 1), nn.LeakyReLU(SLOPE)]
    return nn.Sequential(*layers, nn.Conv2d(sizes[-1], 1, patch_size // LATENT_CELLS)).apply(_set_weights)


def _set_weights(layer: Any) -> None:
    from torch import nn

    if isinstance(layer, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(layer.weight, 0.0, WEIGHT_DEVIATION)


def _penalize(critic: Any, real: Any, fake: Any) -> Any:
    """Return the mean squared difference of the gradient's norm from 1, between real and fake patches."""
    import torch

    share = torch.rand(len(real), 1, 1, 1, device=real.device)
    between = (share * real + (1 - share) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return ((gradient.flatten(1).norm(dim=1) - 1) ** 2).mean()


def _take_step(optimizer: Any, loss: Any) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class _PatchSource:
    """Random patches of maps, each position of each map equally likely."""

    def __init__(self, maps: Sequence[Cells], size: int, rng: Rng) -> None:
        self._windows = [np.lib.stride_tricks.sliding_window_view(cells, (size, size)) for cells in maps]
        counts = [windows.shape[0] * windows.shape[1] for windows in self._windows]
        self._starts = np.cumsum([0, *counts])
        self._rng = rng

    def draw(self, count: int) -> NDArray[np.int64]:
        """Return an array (patch, row, column)."""
        chosen = (self._rng.randoms(count) * self._starts[-1]).astype(np.int64)
        return np.stack([self._find_patch(int(position)) for position in chosen])

    def _find_patch(self, position: int) -> Cells:
        number = int(np.searchsorted(self._starts, position, side="right")) - 1
        windows = self._windows[number]
        row, column = divmod(position - int(self._starts[number]), windows.shape[1])
        patch: Cells = windows[row, column]
        return patch

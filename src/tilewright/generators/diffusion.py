"""Diffusion: a trained network fills a masked map in random order, a few cells at a time.

The network was trained on many maps to predict masked cells from all cells around them, up to several dozen cells away.
Generation starts with all cells masked, except those that are locked. At each step, the network predicts the tiles of
all masked cells, and a few of them, chosen at random, are drawn from these predictions. So rooms are closed, doors are
opposite each other and roads lead to towns, which techniques that only know small patterns cannot do.

Refinement passes mask cells again whose tiles the network finds unlikely, with their surroundings, and fill them again.

Locks need no special treatment: the network fills the map around them. Tiles that a bound or the border forbids are
left out of the choices. Tiles that must occur are set early, at cells where the network finds them likely, and the rest
of the map is drawn around them.

If the tileset has joined pieces, such as rivers and roads, fitting pieces are chosen in the end. A piece that cannot
fit is replaced by its fallback tile.

`tilewright learn diffusion` trains networks from a folder of maps, which needs PyTorch; generating does not. The
network computes with integers, so that maps are equal on all machines.

Limits: the network knows what is common in its maps. It does not prove anything: a map may have two regions, or no
exit. The shaper `connect` and the requirements of a recipe do that. Sizes far from those of the training maps, and
`wrap`, give maps that are less regular.

Source: Austin et al., "Structured denoising diffusion models in discrete state-spaces", 2021 (absorbing states); Chang
et al., "MaskGIT: Masked generative image transformer", 2022, for filling several cells at once.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ..autotile.fitting import fit_pieces
from ..core.entries import technique
from ..core.errors import InvalidRecipe, pluralize
from ..core.seeds import Rng
from ..core.site import Site, Steps
from ..core.tilemap import adopt_cells
from ..neural.inference import count_bytes
from ._diffusion.masked_map import REFILL_STEPS, MaskedMap, find_locked_tiles
from ._diffusion.params import DiffusionParams, DiffusionTrainingParams, count_inside_and_edge


def _validate(p: DiffusionParams, site: Site) -> None:
    """Raise InvalidRecipe if locks contradict the model, the bounds on tiles or the border."""
    if not site.has_locks:
        return
    labels, bounds, tiles = p.model.labels, p.tile_bounds, len(p.model.labels)
    cells = find_locked_tiles(p.model, site)
    at_edge = cells < tiles
    at_edge[1:-1, 1:-1] = False
    for tile in np.unique(cells[at_edge]).tolist():
        if not bounds.is_border[tile]:
            text = f"lock a cell of the edge to {labels[tile]!r}, which border does not allow"
            raise InvalidRecipe(text, at="locks")
    counts = np.bincount(cells.reshape(-1), minlength=tiles)[:tiles]
    for tile in np.flatnonzero(counts > bounds.maximum).tolist():
        text = f"lock {pluralize(counts[tile], 'cell')} to {labels[tile]!r}, but counts allows {bounds.maximum[tile]}"
        raise InvalidRecipe(text, at="locks")
    inside, edge = count_inside_and_edge(cells == tiles)
    slack = bounds.find_slack(counts, inside, edge)
    if slack.total < 0:
        free = pluralize(inside + edge, "cell")
        raise InvalidRecipe(f"leave {free} free, but counts requires {inside + edge - slack.total} more", at="locks")
    if slack.inside < 0:
        text = f"leave {pluralize(inside, 'cell')} inside the edge free, but counts requires {inside - slack.inside}"
        raise InvalidRecipe(f"{text} more there, because of border", at="locks")
    if slack.edge < 0:
        text = f"leave {pluralize(edge, 'cell')} of the edge free, but counts allows {edge + slack.edge}"
        raise InvalidRecipe(f"{text} more of the tiles of border", at="locks")


@technique(
    DiffusionParams,
    tileset=lambda p: p.model.tileset,
    tiles=lambda p: p.model.labels,
    bytes_per_cell=lambda p: count_bytes(p.model, p.shape) // prod(p.shape) + 64,
    cost=lambda p: prod(p.shape) * len(p.model.dilations) * (p.steps + p.refine * REFILL_STEPS),
    quick={"steps": 4, "refine": 0},
    learn=DiffusionTrainingParams,
    validate=_validate,
    search_words=("neural", "learned", "network", "dungeon", "room", "overworld", "war", "style", "example"),
    main_param="temperature",
)
def diffusion(p: DiffusionParams, site: Site, rng: Rng) -> Steps:
    masked_map = MaskedMap(p, site)
    yield from masked_map.fill(p.steps, "fill", rng.child("fill"))
    redrawn = 0
    for number in range(p.refine):
        yield from masked_map.mask_unlikely()
        masked = masked_map.count_masked()
        if not masked:
            break
        redrawn += masked
        yield from masked_map.fill(REFILL_STEPS, "refine", rng.child("refine", number))
    numbers = {"redrawn": float(redrawn)}
    if not site.tileset.joints:
        return site.map(masked_map.cells, numbers=numbers)
    locked = site.locked if site.has_locks else None
    ids = fit_pieces(site.to_tile_ids(masked_map.cells), site.tileset, locked, keep=not p.model.are_pieces_chosen)
    return adopt_cells(ids, site.tileset, numbers=numbers)

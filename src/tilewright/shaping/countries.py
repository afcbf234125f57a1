"""Countries: give what belongs to some countries to others, such as all bases and cities to Orange Star and Blue Moon.

The countries on the map are put in an order by chance and dealt out to those of `to`, one each, from the first again
after the last: of two countries each becomes one, which is which is drawn. Without `shuffle`, the first of `of` becomes
the first of `to`, and so on; the tileset's own order counts where `of` is not given. Countries go by their names or
initials (os for orange star), and `neutral` stands for nobody: headquarters become cities then, and neutral buildings
are given away only if `of` names them. A map whose tileset has no countries stays as it is. Decorative: it gives way at
locked cells.
"""

from __future__ import annotations

import numpy as np

from ..core.errors import InvalidRecipe
from ..core.params import Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap
from ._owners import Countries, change_owners, countries_of, find_countries


class CountriesParams(Params):
    to: Countries = param(("orange star", "blue moon"), min_length=1, max_length=1000)
    """The countries that everything belongs to afterwards, by name or initials."""
    of: Countries | None = param(None, min_length=1, max_length=1000)
    """The countries to replace; by default all on the map, not the neutral one."""
    shuffle: bool = param(True)
    """Draw which becomes which; else the first becomes the first, and so on."""


@shaper(CountriesParams, example="markov --shape countries,shuffle=false")
def countries(map: TileMap, p: CountriesParams, site: Site, rng: Rng) -> TileMap:
    tileset = map.tileset
    known = countries_of(tileset)
    if not known:
        if p.of is not None:
            raise InvalidRecipe(f"the tileset {tileset.name!r} has no countries; take one that has, as awbw", at="of")
        return map
    heirs = find_countries(p.to, tileset, "to")
    used = np.bincount(map.cells[~site.locked], minlength=len(tileset)) > 0
    if p.of is not None:
        given = find_countries(p.of, tileset, "of")
    else:
        there = {tile.country for tile, one in zip(tileset, used.tolist(), strict=True) if one}
        given = [country for country in known if country in there]
    if p.shuffle:
        given = rng.shuffled(given)
    owners = {country: heirs[number % len(heirs)] for number, country in enumerate(given)}
    table = change_owners(tileset, owners, used, "to").astype(tileset.dtype)
    return map.replace(cells=np.where(site.locked, map.cells, table[map.cells]))

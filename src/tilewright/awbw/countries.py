"""Countries: change the owners of buildings, for example all bases and cities to Orange Star and Blue Moon.

The countries on the map are shuffled and assigned to the countries in `to` in turn, starting over after the last.
Without `shuffle`, the first country in `of` becomes the first in `to`, and so on; without `of`, the order of the
tileset counts. Countries are given by name or initials (os for orange star). `neutral` means no owner: a headquarters
becomes a city, and neutral buildings change only if `of` includes neutral. A map whose tileset has no countries is not
changed. Locked cells keep their tiles.
"""

from __future__ import annotations

import numpy as np

from ..core.entries import shaper
from ..core.errors import InvalidRecipe
from ..core.owners import Countries, change_owners, countries_of, find_countries
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class CountriesParams(Params):
    to: Countries = param(("orange star", "blue moon"), min_length=1, max_length=1000)
    """Countries that own all buildings afterwards, by name or initials."""
    of: Countries | None = param(None, min_length=1, max_length=1000)
    """Countries to replace; by default all on the map except neutral."""
    shuffle: bool = param(True)
    """Whether to assign the countries in random order; otherwise in the given order."""


@shaper(CountriesParams, example="markov --shape countries,shuffle=false")
def countries(map: TileMap, p: CountriesParams, site: Site, rng: Rng) -> TileMap:
    tileset = map.tileset
    known = countries_of(tileset)
    if not known:
        if p.of is not None:
            raise InvalidRecipe(f"tileset {tileset.name!r} has no countries; use one that has, such as awbw", at="of")
        return map
    new_owners = find_countries(p.to, tileset, "to")
    used = np.bincount(map.cells[~site.locked], minlength=len(tileset)) > 0
    if p.of is not None:
        given = find_countries(p.of, tileset, "of")
    else:
        present = {tile.country for tile, one in zip(tileset, used.tolist(), strict=True) if one}
        given = [country for country in known if country in present]
    if p.shuffle:
        given = rng.shuffle(given)
    owners = {country: new_owners[number % len(new_owners)] for number, country in enumerate(given)}
    table = change_owners(tileset, owners, used, "to").astype(tileset.dtype)
    return map.replace(cells=np.where(site.locked, map.cells, table[map.cells]))

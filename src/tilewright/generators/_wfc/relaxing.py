"""Relaxing: maps with windows that no sample has, where nothing else helps, and which these are."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding, framed
from ...core.errors import GaveUp, counted
from ...core.site import Site
from ...core.tilemap import Marker, TileMap
from ...kernels import wave as kernel
from ...kernels.claims import COUNTED, PATH
from .pattern_set import unpacked
from .search import Search
from .wave import Claim, Wave
from .wishes import LOCKS, Wishes

Cells = NDArray[np.int64]
MOST_CULPRITS = 16
MOST_MARKERS = 1000


def without_culprits(wishes: Wishes) -> Wishes:
    """The same without the locked cells that cannot be had; they are put onto the map at the end.

    What still contradicts itself then does so without any lock.
    """
    for _ in range(MOST_CULPRITS):
        if not wishes.contradict:
            return wishes
        culprit = wishes.smallest_culprit()
        if LOCKS not in culprit.sources:
            break
        wishes = wishes.locking(np.setdiff1d(wishes.locked, culprit.locked))
    return wishes.locking(np.zeros(0, dtype=np.int64))


def relaxed(search: Search, site: Site, numbers: Mapping[str, float]) -> TileMap:
    """The map with every cell filled in, and a mark at every window that is not the sample's."""
    wave, extent = search.wave, search.wave.extent
    cells = _filled(wave, search.wishes).reshape(site.shape)
    if site.has_locks:
        words = np.full(len(site.tileset), -1, dtype=np.int64)
        words[site.ids[::-1]] = np.arange(len(site.ids))[::-1]  # the first word wins where two share a tile
        cells = np.where(site.locked, words[site.painted(cells)], cells)
    for claim in wave.claims:
        if not _holds(claim, cells.reshape(-1), extent.around):
            raise GaveUp(f"{claim.source}: could not be had, even with other windows", tries=search.restarts + 1)
    broken = np.flatnonzero(broken_windows(wave, cells))
    places = [extent.place(cell) for cell in broken.tolist()]
    if places:
        shown = ", ".join(f"x={place[-1]} y={place[-2]}" for place in places[:4])
        more = f" and {len(places) - 4:,} more" if len(places) > 4 else ""
        warnings.warn(f"relax: {counted(len(places), 'window')} that no sample has, at {shown}{more}", stacklevel=2)
    return site.map(
        np.maximum(0, cells),
        numbers={**numbers, "broken": float(len(places))},
        markers=[Marker("broken", *reversed(place)) for place in places[:MOST_MARKERS]],
    )


def broken_windows(wave: Wave, cells: Cells) -> NDArray[np.bool_]:
    """(cell of the wave,) whether the window that begins there is not in the book; -1 is a tile that it lacks.

    Of single tiles, whether one does not fit beside the next along an axis.
    """
    book, extent = wave.book, wave.extent
    if book.size > 1:
        coding = Coding(book.size, book.axes, book.tiles + 1)
        known = (book.patterns.astype(np.uint64) * coding.multipliers).sum(axis=1, dtype=np.uint64)
        strange = np.where(cells < 0, book.tiles, cells)
        keys = coding.keys(framed(strange, book.size, extent.wrap, [(False, False)] * book.axes, 0))
        return ~np.isin(keys.reshape(-1), known)
    flat = cells.reshape(-1)
    wrong = flat < 0
    for direction in range(book.axes, 2 * book.axes):
        fits = unpacked(book.allowed[direction], len(book)).astype(np.bool_)
        other = extent.neighbours[:, direction]
        wrong |= (other >= 0) & ~fits[flat, flat[other]]
    return wrong


def _filled(wave: Wave, wishes: Wishes) -> Cells:
    """(cell of the map,) tiles; where nothing is decided, that with which most windows around may still be right.

    Where windows contradict each other from the start, nothing is: only what cells are limited to is kept then.
    """
    book, extent = wave.book, wave.extent
    tiles = wave.tiles().reshape(-1)
    hopeless = wave.trouble >= 0
    known = (wave.numbers[extent.owners, kernel.COUNT] == 1) & (not hopeless)
    limited = {int(cell): limit.tiles for limit in wishes.limits for cell in limit.cells} if hopeless else {}
    for cell in np.flatnonzero(~known).tolist():
        fit = np.zeros(book.tiles)
        for may in _tiles_around(wave, cell, tiles, known):
            fit[may] += 1.0
        base = unpacked(book.full if hopeless else wave.base[kernel.DOMAINS][extent.owners[cell]], len(book)) == 1
        place = book.patterns[:, extent.offsets[cell]]
        common = np.bincount(place[base], weights=book.weights[base], minlength=book.tiles)
        if cell in limited:
            common *= np.isin(np.arange(book.tiles), limited[cell])
        tiles[cell] = int(np.where(common > 0, fit + common / (common.sum() + 1.0), -1.0).argmax())
        known[cell] = True
    return tiles


def _tiles_around(wave: Wave, cell: int, tiles: Cells, known: NDArray[np.bool_]) -> Iterator[Cells]:
    """For every window over a cell, the tiles that would make it right, by what is known of it."""
    book, extent = wave.book, wave.extent
    if book.size == 1:
        for direction, other in enumerate(extent.neighbours[cell].tolist()):
            if other >= 0 and known[other]:
                opposite = (direction + book.axes) % (2 * book.axes)
                yield np.flatnonzero(unpacked(book.allowed[opposite, tiles[other]], len(book)))
        return
    at = np.array(np.unravel_index(cell, extent.shape))
    steps = np.array(list(np.ndindex(*(book.size,) * book.axes)))
    for place, step in enumerate(steps):
        first = at - step
        wraps = np.array(extent.wrap)
        first = np.where(wraps, first % extent.shape, first)
        if (first < 0).any() or (first >= extent.waves).any():
            continue
        window = np.ravel_multi_index(tuple(((first + steps) % extent.shape).T), extent.shape)
        told = known[window]
        right = (book.patterns[:, told] == tiles[window[told]]).all(axis=1)
        yield np.unique(book.patterns[right, place])


def _holds(claim: Claim, tiles: Cells, around: NDArray[np.int32]) -> bool:
    """Whether a finished map is as claimed."""
    has = np.isin(tiles, claim.tiles)
    if claim.kind == COUNTED:
        return claim.least <= int(has.sum()) <= claim.most
    wanted = list(claim.ends) if claim.kind == PATH else np.flatnonzero(has).tolist()
    if not wanted:
        return True
    if not has[wanted].all():
        return False
    reached, front = {wanted[0]}, [wanted[0]]
    while front:
        beside = [other for other in around[front.pop()].tolist() if other >= 0 and has[other] and other not in reached]
        reached.update(beside)
        front += beside
    return reached.issuperset(wanted)

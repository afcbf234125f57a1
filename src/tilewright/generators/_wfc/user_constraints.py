"""User-defined constraints: their parameter, their view of a wave, and the bans that they return."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core.entries import Constraint
from ...core.errors import InvalidRecipe, TilewrightError, UnknownName, short_repr
from ...core.params import AtomicValue
from ...core.registry import Bound, constraints
from ...core.resolver import Resolver
from .pattern_set import pack_bits

if TYPE_CHECKING:
    from .wave import Wave

Mask = NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class UserConstraint(AtomicValue):
    """Registered constraint with its parameters; recipes refer to it by name."""

    json_schema: ClassVar = {"title": "Constraint", "type": ["object", "string"]}
    constraint: Constraint
    params: Any

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> UserConstraint:
        """Return a constraint from its name, from `{name: params}`, or from a bound constraint."""
        if isinstance(value, UserConstraint):
            return value
        if isinstance(value, Constraint):
            value = value()
        if isinstance(value, Bound):
            return cls(value.entry, value.params)
        if isinstance(value, str):
            value = {value: None}
        if not isinstance(value, Mapping) or len(value) != 1:
            text = "must be one constraint with its parameters, such as {apart: {distance: 5}}"
            raise InvalidRecipe(text, got=value, rule="type")
        ((name, params),) = value.items()
        entry = constraints.get(name)
        if params is not None and not isinstance(params, Mapping):
            raise InvalidRecipe("must be a set of named values", at=name, got=params, rule="type")
        try:
            return cls(entry, entry.params.validate(params, resolver=resolver))
        except InvalidRecipe as error:
            raise error.within(entry.name) from None

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        return {self.constraint.name: json.loads(self.params.model_dump_json())}

    def find_bans(self, view: WaveView) -> Iterator[tuple[int, Mask]]:
        """Yield the index of each banned tile and a mask of the cells that it is banned from."""
        found = self._call(view)
        if not isinstance(found, (list, tuple)):
            raise self._make_error(found)
        for ban in found:
            if not isinstance(ban, tuple) or len(ban) != 2 or not isinstance(ban[0], str):
                raise self._make_error(ban)
            tile, cells = ban
            if not isinstance(cells, np.ndarray) or cells.dtype != np.bool_ or cells.shape != view.shape:
                raise self._make_error(ban)
            try:
                number = view.index_of(tile)
            except UnknownName as error:
                raise error.within("constraints", self.constraint.name) from None
            yield number, cells

    def _call(self, view: WaveView) -> object:
        name = self.constraint.name
        try:
            found = self.constraint.body(self.params, view)
            return list(found) if isinstance(found, Iterable) and not isinstance(found, str) else found
        except TilewrightError as error:
            raise error.within("constraints", name) from None
        except Exception as error:  # a user's function can raise anything
            raise TilewrightError(f"constraint {name!r} failed: {type(error).__name__}: {error}") from error

    def _make_error(self, got: object) -> TilewrightError:
        text = "must return pairs of a tile and a boolean array of the map's shape"
        return TilewrightError(f"constraint {self.constraint.name!r}: {text}, got {short_repr(got)}")

    def __hash__(self) -> int:
        return hash((self.constraint.name, self.params.model_dump_json()))

    def __repr__(self) -> str:
        return f"UserConstraint({self.to_data()})"


class WaveView:
    """View of an unfinished map for a user constraint. Arrays have the map's shape."""

    def __init__(self, wave: Wave, labels: tuple[str, ...], changed: NDArray[np.integer]) -> None:
        self._wave, self.labels = wave, labels
        self.shape, self.wrap = wave.topology.shape, wave.topology.wrap
        self._changed = changed

    @cached_property
    def changed(self) -> NDArray[np.int64]:
        """(cell, axis) indices of the cells whose possible tiles changed since the last call."""
        firsts, owned = self._wave.topology.owned_cells
        cells = [owned[firsts[owner] : firsts[owner + 1]] for owner in self._changed.tolist()]
        flat = np.sort(np.concatenate(cells)) if cells else np.zeros(0, dtype=np.int64)
        return np.stack(np.unravel_index(flat, self.shape), axis=1)

    def index_of(self, tile: str) -> int:
        """Return the position of a tile in `labels`."""
        if tile not in self.labels:
            raise UnknownName("tile", tile, self.labels)
        return self.labels.index(tile)

    def holds(self, tile: str) -> Mask:
        """Return a mask of the cells that are certain to hold a tile."""
        return self._find_domains_with(tile) & ~self._find_domains_with(tile, others=True)

    def may_hold(self, tile: str) -> Mask:
        """Return a mask of the cells that can still hold a tile."""
        return self._find_domains_with(tile)

    def _find_domains_with(self, tile: str, *, others: bool = False) -> Mask:
        """Return a mask of the cells that can still hold this tile or, if `others`, any other tile."""
        wave, number = self._wave, self.index_of(tile)
        topology, found = wave.topology, np.zeros(wave.topology.map_cells, dtype=np.bool_)
        for place in np.unique(topology.offsets).tolist():
            here = topology.offsets == place
            wanted = wave.pattern_set.match_tiles([number], place) != others
            found[here] = (wave.domains[topology.owners[here]] & pack_bits(wanted)).any(axis=1)
        return found.reshape(self.shape)


class FinishedView(WaveView):
    """View of a finished map, whose patterns need not be in the pattern set."""

    def __init__(self, wave: Wave, tiles: NDArray[np.int64]) -> None:
        super().__init__(wave, wave.labels, np.arange(wave.topology.cells))
        self._tiles = tiles

    def holds(self, tile: str) -> Mask:
        return np.asarray(self._tiles == self.index_of(tile))

    may_hold = holds

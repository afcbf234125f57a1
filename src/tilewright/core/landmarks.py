"""Edits of landmarks: markers and rooms that were added, changed or removed by hand in a finished map.

The edits apply to any map. They are stored as changes of single markers and rooms, so that they survive another seed:
added and moved markers stay at their cells, or move to the nearest passable cell if they were placed on one and the new
map has a wall there. A removed marker removes one of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe, check_limit, short_repr
from .tilemap import Marker, Room, TileMap, check_properties

MAX_LANDMARK_EDITS = 1000
"""Maximum number of changes of markers, and of rooms."""
MAX_NAME = 100
"""Maximum number of characters in the name of a marker or room that was edited by hand."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """Change of one marker or room."""

    before: T | None
    """As the recipe makes it; None if it was added."""
    after: T | None
    """As edited; None if it was removed."""
    passable: bool | None = None
    """Whether the cell of a marker was passable when it was placed there; None if it is not known."""


@dataclass(frozen=True)
class LandmarkEdits:
    """Changes of the markers and rooms of a map, in the order in which they were made."""

    markers: tuple[Change[Marker], ...] = ()
    rooms: tuple[Change[Room], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.markers or self.rooms)

    # -- editing ------------------------------------------------------------------------------------------------

    def merge(self, changes: LandmarkEdits, map: TileMap) -> LandmarkEdits:
        """Return the edits with further changes of an edited map.

        Parameters
        ----------
        changes
            Further changes, whose `before` are markers and rooms of the map.
        map
            The map to which these edits were applied.

        Returns
        -------
        LandmarkEdits
            The edits. Several changes of the same marker or room are one.

        Raises
        ------
        InvalidRecipe
            If the map does not have a marker or room to change, or if a new one is outside the map.
        TooLarge
            If there are too many changes.
        """
        markers, rooms = self.markers, self.rooms
        for change in changes.markers:
            if change.before is not None and change.before not in map.markers:
                raise InvalidRecipe("the map has no such marker", at="markers", got=change.before.name)
            if change.after is not None and not _has_cell(map, change.after):
                raise InvalidRecipe(f"is outside the map, {change.after}", at="markers", rule="outside")
            if change.after is not None:
                change = replace(change, passable=_is_passable(map, change.after))
            markers = _with_change(markers, change, "markers", [_settle(one, map) for one in markers])
        for room in changes.rooms:
            if room.before is not None and room.before not in map.rooms:
                raise InvalidRecipe(f"the map has no such room, {room.before}", at="rooms")
            if room.after is not None and not _has_cells(map, room.after):
                raise InvalidRecipe(f"is outside the map, {room.after}", at="rooms", rule="outside")
            rooms = _with_change(rooms, room, "rooms", [one.after for one in rooms])
        return LandmarkEdits(markers, rooms)

    # -- maps ---------------------------------------------------------------------------------------------------

    def apply(self, map: TileMap) -> TileMap:
        """Return a map with the edits, and with the recipe of the map.

        Changed markers replace those of the map, preferably in the same cell, otherwise one of the same name. If the
        map has none, they are added. A marker that was placed on a passable cell moves to the nearest one if the map
        has a wall there, and the other way round. Rooms are changed only where the map has exactly the same room,
        because most rooms have no name. Markers and rooms outside the map are left out.
        """
        if not self:
            return map
        fields: dict[str, Any] = {}
        if self.markers:
            fields["markers"] = self._edit_markers(map)
        if self.rooms:
            fields |= self._edit_rooms(map)
        return map.replace(**fields, recipe=map.recipe)

    def _edit_markers(self, map: TileMap) -> list[Marker]:
        found = _match_markers(map.markers, [change.before for change in self.markers])
        markers: list[Marker | None] = [*map.markers]
        for change, number in zip(self.markers, found, strict=True):
            after = _settle(change, map)
            if number is not None:
                markers[number] = after
            else:
                markers.append(after)
        return [marker for marker in markers if marker is not None]

    def _edit_rooms(self, map: TileMap) -> dict[str, Any]:
        rooms: list[Room | None] = [*map.rooms]
        open_numbers = list(range(len(rooms)))
        for change in self.rooms:
            after = change.after if change.after is not None and _has_cells(map, change.after) else None
            if change.before is None:
                rooms.append(after)
                continue
            number = next((one for one in open_numbers if map.rooms[one] == change.before), None)
            if number is not None:
                open_numbers.remove(number)
                rooms[number] = after
        kept = [number for number, room in enumerate(rooms) if room is not None]
        ids = {number: position for position, number in enumerate(kept)}
        links = [(ids[a], ids[b]) for a, b in map.links if a in ids and b in ids]
        return {"rooms": [rooms[number] for number in kept], "links": links}

    # -- plain data ---------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Return the edits as plain data. Empty lists are omitted."""
        lists = {
            "markers": [_write_change(change, write_marker) for change in self.markers],
            "rooms": [_write_change(change, write_room) for change in self.rooms],
        }
        return {name: changes for name, changes in lists.items() if changes}

    @classmethod
    def from_data(cls, data: Any) -> LandmarkEdits:
        """Return edits from untrusted plain data.

        Raises
        ------
        InvalidRecipe
            If the data is not that of edits.
        TooLarge
            If there are too many changes.
        """
        if not isinstance(data, Mapping):
            raise InvalidRecipe("must be changes of markers and rooms", at="landmarks", got=data, rule="type")
        markers = _read_changes(data.get("markers", []), "markers", _read_marker)
        for change in markers:
            if change.after is not None:
                _check_marker(change.after)
        rooms = _read_changes(data.get("rooms", []), "rooms", _read_room)
        for room in rooms:
            if room.after is not None:
                _check_name(room.after.name, "rooms")
        return cls(markers, rooms)


def _with_change(
    changes: tuple[Change[T], ...], change: Change[T], place: str, shown: Sequence[T | None]
) -> tuple[Change[T], ...]:
    """Return changes with one more, which is merged with an earlier change of the same landmark.

    `shown` has the landmark of each earlier change as the map has it.
    """
    for number, earlier in enumerate(changes):
        if change.before is not None and shown[number] == change.before:
            merged = Change(earlier.before, change.after, change.passable)
            is_void = merged.before == merged.after
            return (*changes[:number], *(() if is_void else (merged,)), *changes[number + 1 :])
    if change.before == change.after:
        return changes
    return _check_count((*changes, change), place)


def _check_count(changes: tuple[Change[T], ...], place: str) -> tuple[Change[T], ...]:
    check_limit("changes by hand", len(changes), MAX_LANDMARK_EDITS, at=place)
    return changes


def _check_marker(marker: Marker) -> None:
    """Raise InvalidRecipe unless a marker has a name and properties that every format can store."""
    if not marker.name.strip():
        raise InvalidRecipe("must not be empty", at=("markers", "name"), rule="name")
    _check_name(marker.name, "markers")
    check_properties(marker.properties, ("markers", "properties"))


def _check_name(name: str, place: str) -> None:
    if len(name) > MAX_NAME or not name.isprintable():
        text = f"must have at most {MAX_NAME} printable characters, got {short_repr(name)}"
        raise InvalidRecipe(text, at=(place, "name"), rule="name")


def _match_markers(markers: Sequence[Marker], wanted: Sequence[Marker | None]) -> list[int | None]:
    """Return for each wanted marker the number of a different marker of the same name, in the same cell if possible."""
    found: list[int | None] = [None] * len(wanted)
    left = list(range(len(markers)))

    keys: tuple[Callable[[Marker], object], ...] = (
        lambda marker: marker,
        lambda marker: (marker.name, marker.x, marker.y, marker.level),
        lambda marker: marker.name,
    )
    for key in keys:
        for position, marker in enumerate(wanted):
            if marker is not None and found[position] is None:
                number = next((one for one in left if key(markers[one]) == key(marker)), None)
                if number is not None:
                    found[position] = number
                    left.remove(number)
    return found


def _has_cell(map: TileMap, marker: Marker) -> bool:
    """Return whether the cell of a marker is inside a map."""
    levels = map.shape[0] if map.cells.ndim == 3 else 1
    return 0 <= marker.x < map.width and 0 <= marker.y < map.height and 0 <= marker.level < levels


def _is_passable(map: TileMap, marker: Marker) -> bool:
    return bool(map.tileset.passable[_level_cells(map, marker)[marker.y, marker.x]])


def _level_cells(map: TileMap, marker: Marker) -> NDArray[Any]:
    """Return the cells (row, column) of a marker's level."""
    return map.cells[marker.level] if map.cells.ndim == 3 else map.cells


def _settle(change: Change[Marker], map: TileMap) -> Marker | None:
    """Return the marker of a change in a map; None if it was removed or is outside the map.

    If its cell is not as passable as that on which the user placed it, it moves to the nearest cell that is.
    """
    after = change.after
    if after is None or not _has_cell(map, after):
        return None
    if change.passable is None or _is_passable(map, after) == change.passable:
        return after
    rows, columns = np.nonzero(map.tileset.passable[_level_cells(map, after)] == change.passable)
    if not len(rows):
        return after
    nearest = int(((rows - after.y) ** 2 + (columns - after.x) ** 2).argmin())
    return replace(after, x=int(columns[nearest]), y=int(rows[nearest]))


def _has_cells(map: TileMap, room: Room) -> bool:
    """Return whether all cells of a room are inside a map."""
    return 0 <= room.x <= map.width - room.width and 0 <= room.y <= map.height - room.height


def _write_change(change: Change[T], write: Callable[[T], list[Any]]) -> list[Any]:
    pair = [None if one is None else write(one) for one in (change.before, change.after)]
    return pair if change.passable is None else [*pair, change.passable]


def write_marker(marker: Marker) -> list[Any]:
    """Return name, x and y of a marker, followed by its level and properties if it has any."""
    optional = [marker.level, dict(marker.properties)] if marker.properties else [marker.level] if marker.level else []
    return [marker.name, marker.x, marker.y, *optional]


def write_room(room: Room) -> list[Any]:
    """Return x, y, width and height of a room, followed by its name if it has one."""
    return [room.x, room.y, room.width, room.height, *([room.name] if room.name else [])]


def _read_changes(data: Any, place: str, read: Callable[[Any], T]) -> tuple[Change[T], ...]:
    if not isinstance(data, list) or not all(map(_is_change, data)):
        raise InvalidRecipe("must be pairs", at=("landmarks", place), got=data, rule="type")
    changes = [
        Change(None if before is None else read(before), None if after is None else read(after), *passable)
        for before, after, *passable in data
    ]
    return _check_count(tuple(change for change in changes if change.before != change.after), place)


def _is_change(data: Any) -> bool:
    """Return whether data has the form of a change: a pair, and maybe whether the cell was passable."""
    match data:
        case [_, _] | [_, _, bool()]:
            return isinstance(data, list)
    return False


def _read_marker(data: Any) -> Marker:
    match data:
        case [str(name), *cell] if 2 <= len(cell) <= 3 and _are_integers(cell):
            marker = Marker(name, *cell)
        case [str(name), x, y, level, dict(properties)] if _are_integers((x, y, level)):
            marker = Marker(name, x, y, level, properties)
        case _:
            raise InvalidRecipe("must be a name and a cell", at=("landmarks", "markers"), got=data, rule="type")
    return marker


def _read_room(data: Any) -> Room:
    match data:
        case [x, y, width, height, *name] if _are_integers((x, y, width, height)) and width > 0 and height > 0:
            match name:
                case [] | [str()]:
                    return Room(x, y, width, height, *name)
    raise InvalidRecipe("must be x, y, width, height and a name", at=("landmarks", "rooms"), got=data, rule="type")


def _are_integers(values: Sequence[Any]) -> bool:
    return all(type(value) is int for value in values)  # bool is a subclass of int.

"""Markers and rooms as entities of LDtk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.tilemap import Marker, MarkerValue, TileMap
from . import ENTITIES_LAYER, MARKER_TAG, ROOM_TAG, choose_identifier
from .definitions import Data, make_entity, make_field, make_field_value, make_iid, make_layer

ROOM_COLOR = "#8B9BB4"
MARKER_COLORS = ("#BE4A2F", "#3E8948", "#0099DB", "#FEAE34", "#B55088", "#68386C", "#C0CBDC", "#63C74D")


class EntityWriter:
    """Definitions of the entities of maps, and their entities.

    Each name of a marker is an entity of its own, which has a field for each property of these markers. The
    documentation of entities and fields holds the names as they were before they became identifiers.
    """

    def __init__(self, maps: Sequence[TileMap], size: int, uids: Iterator[int]) -> None:
        self.size = size
        self.layer = make_layer("Entities", ENTITIES_LAYER, next(uids), size)
        taken: set[str] = set()
        number = make_field(next(uids), "room", "Number of the room in links.", int, editorShowInWorld=False)
        room = choose_identifier("Room", taken)
        fields = [number]
        if any(one.name for map in maps for one in map.rooms):
            fields.append(make_field(next(uids), "name", "Name of the room.", str))
        self.room = make_entity(next(uids), room, "Room", ROOM_TAG, size, ROOM_COLOR, fields, is_area=True)
        self.markers: dict[str, Data] = {}
        self.fields: dict[tuple[str, str, type], Data] = {}
        """Definitions of fields by name of the marker, name of the property and type."""
        names = sorted({marker.name for map in maps for marker in map.markers})
        for position, name in enumerate(names):
            keys = sorted(
                {
                    (key, type(value).__name__, type(value))
                    for map in maps
                    for marker in map.markers
                    if marker.name == name
                    for key, value in marker.properties.items()
                }
            )
            used: set[str] = set()
            for key, _, kind in keys:
                self.fields[name, key, kind] = make_field(next(uids), choose_identifier(key, used), key, kind)
            fields = [self.fields[name, key, kind] for key, _, kind in keys]
            color = MARKER_COLORS[position % len(MARKER_COLORS)]
            identifier = choose_identifier(name, taken)
            self.markers[name] = make_entity(
                next(uids), identifier, name, MARKER_TAG, size, color, fields, is_area=False
            )

    @property
    def definitions(self) -> list[Data]:
        return [self.room, *self.markers.values()]

    def list_entities(self, map: TileMap, floor: int, path: tuple[str, ...], place: tuple[int, int]) -> list[Data]:
        """Return the markers of a floor; the first floor also has the rooms. `place` is the level's, in pixels."""
        found = []
        for number, room in enumerate(map.rooms if floor == 0 else ()):
            values = (number, room.name or None)
            fields = [make_field_value(*pair) for pair in zip(self.room["fieldDefs"], values, strict=False)]
            iid = make_iid(*path, "room", number)
            found.append(self._make(self.room, iid, (room.x, room.y), (room.width, room.height), place, fields))
        for number, marker in enumerate(map.markers):
            if marker.level == floor:
                definition = self.markers[marker.name]
                iid = make_iid(*path, "marker", number)
                fields = [*self._iter_fields(marker)]
                found.append(self._make(definition, iid, (marker.x, marker.y), (1, 1), place, fields))
        return found

    def _iter_fields(self, marker: Marker) -> Iterator[Data]:
        """Yield all fields of a marker; those without a value are null."""
        for (name, key, kind), field in self.fields.items():
            if name == marker.name:
                value: MarkerValue | None = marker.properties.get(key)
                yield make_field_value(field, value if type(value) is kind else None)

    def _make(
        self,
        definition: Data,
        iid: str,
        cell: tuple[int, int],
        extent: tuple[int, int],
        place: tuple[int, int],
        fields: Sequence[Data],
    ) -> Data:
        x, y = cell[0] * self.size, cell[1] * self.size
        return {
            "__identifier": definition["identifier"],
            "__grid": [*cell],
            "__pivot": [0, 0],
            "__tags": definition["tags"],
            "__tile": None,
            "__smartColor": definition["color"],
            "iid": iid,
            "width": extent[0] * self.size,
            "height": extent[1] * self.size,
            "defUid": definition["uid"],
            "px": [x, y],
            "fieldInstances": [*fields],
            "__worldX": place[0] + x,
            "__worldY": place[1] + y,
        }

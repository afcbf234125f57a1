"""The registry of tilesets, and tilesets as recipes store them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import data
from .errors import UnknownName
from .registry import Registry
from .tileset import Tileset


class TilesetRegistry(Registry[Tileset]):
    """The registry of tilesets. Built-in tilesets are files."""

    def _find_names(self) -> Iterable[str]:
        return data.list_names("tilesets")

    def write(self, tileset: Tileset) -> str | dict[str, Any]:
        """Return a tileset as recipes store it: the name of a registered tileset, or the data of any other."""
        known = self.complete(tileset)
        is_known = known.name in self and self.get(known.name).look_digest == known.look_digest
        return known.name if is_known else tileset.to_data()

    def complete(self, tileset: Tileset) -> Tileset:
        """Return a tileset from a file with the skins of the registered tileset that equals it.

        A tileset that says itself how tiles are shown is returned unchanged. Files of 0.1 do not.
        """
        if tileset.has_look or tileset.name not in self:
            return tileset
        known = self.get(tileset.name)
        return known if known == tileset else tileset

    def _load(self, name: str) -> Tileset:
        return Tileset.from_toml(data.read_text("tilesets", name), name)

    def _make_unknown(self, name: str) -> UnknownName:
        return UnknownName(self.kind, name, self.names(), "tileset files end in .toml")


tilesets = TilesetRegistry("tileset", "tilesets", Tileset)

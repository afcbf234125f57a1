"""MagicaVoxel models: a voxel per cell, in the colors of the tiles; also for Blender, Godot, three.js and others.

Level 0 is at the bottom, and the first row of the map at the far side. A map without levels is a floor of voxels; on
it, impassable tiles except water and the like are `wall_height` voxels high. Tiles in `empty` have no voxels: by
default those of the kind void, those named air, empty, nothing, sky or void, and those whose glyph is a space. A model
has at most 256 voxels per axis, so larger maps, up to 2,000, are several models in one scene.

The file stores its map as JSON in a chunk `TWRT`, which other programs skip. Reading returns the same map, or the
edited one if voxels were painted, added or removed. Programs that save the model again drop the chunk. Such files, like
those of other programs, are read as a map per model, with a tile per color and one for no voxel.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TooLarge, check_limit, pluralize, short_repr
from ..core.grid import MAX_CELLS
from ..core.params import Params, param
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import LoadedMap, Source, file_format
from ._data import MAX_LABEL, StoredMap, check_expansion, describe_map, encode_label, pack_array

VERSIONS = (150, 200)
"""Versions that are read; the older one, which all programs read, is written."""
LABEL = b"TWRT"
EMPTY_NAMES = frozenset({"air", "empty", "nothing", "sky", "void"})
LOW_KINDS = frozenset({"lily", "void", "water"})
"""Kinds of impassable tiles that are not drawn as walls."""
MAX_COLORS = 255
MAX_MODEL_SIDE = 256
MAX_SCENE_SIDE = 2000
"""Maximum width, depth and height of a scene; MagicaVoxel's world is about this large."""
MAX_VOXELS = 1 << 26
MAX_CHUNKS = 1 << 17
MAX_MODELS = 1 << 12

Size = tuple[int, int, int]
"""Size along x, y (away from the viewer) and z (up)."""
Voxels = NDArray[np.uint8]
"""(z, y, x) color indices; 0 is no voxel."""


class VoxParams(Params):
    """Options of voxel models."""

    empty: tuple[str, ...] | None = param(None, tiles=True)
    """Writing: tiles without voxels, by name or glyph; by default air, void and the like."""
    wall_height: int = param(3, ge=1, le=MAX_MODEL_SIDE, typical=(1, 8))
    """Writing: height of impassable tiles in voxels, in maps without levels."""
    label: bool = param(True)
    """Writing: whether to store the map and its provenance; false for programs that refuse unknown chunks."""


@dataclass(frozen=True, slots=True)
class VoxelModel:
    """A model in a file, not yet decoded."""

    size: Size
    table: bytes
    """x, y, z and color index of each voxel, one byte each."""


@dataclass(slots=True)
class Scene:
    """Contents of a file."""

    models: list[VoxelModel] = field(default_factory=list)
    colors: tuple[str, ...] = ()
    """Colors 1, 2 and so on; empty if the file leaves them to the program."""
    label: bytes = b""


# -- writing ----------------------------------------------------------------------------------------------------


def _find_empty_tiles(tileset: Tileset) -> set[int]:
    return {
        number
        for number, tile in enumerate(tileset)
        if tile.kind == "void" or tile.name.lower() in EMPTY_NAMES or tile.glyph.isspace()
    }


def _build_voxels(map: TileMap, palette: list[int], wall_height: int) -> Voxels:
    """Return the voxels of a map: its levels, or a floor with walls."""
    colors = _colors_of(map.tileset, palette)
    low = (tile.passable or tile.kind in LOW_KINDS for tile in map.tileset)
    is_wall = ~np.fromiter(low, np.bool_, len(map.tileset)) & (colors > 0)
    flat = map.cells.ndim == 2
    walled = flat and bool(is_wall[map.cells].any())
    height = (wall_height if walled else 1) if flat else len(map.cells)
    size = (map.width, map.height, height)
    if max(size) > MAX_SCENE_SIDE or map.width * map.height * height > MAX_VOXELS:
        shown = "x".join(str(side) for side in size)
        raise TooLarge(
            f"vox files must have at most {MAX_SCENE_SIDE:,} voxels per axis and {MAX_VOXELS:,} in total, got {shown}"
        )
    levels = map.cells if not flat else map.cells[None]
    voxels = colors[levels[:, ::-1]]
    if not walled:
        return voxels
    above = np.where(is_wall[map.cells[::-1]], voxels[0], np.uint8(0))
    return np.concatenate([voxels, np.broadcast_to(above, (height - 1, *above.shape))])


def _colors_of(tileset: Tileset, palette: list[int]) -> NDArray[np.uint8]:
    """Return (tile,) color indices; 0 for tiles without voxels."""
    colors = np.zeros(len(tileset), dtype=np.uint8)
    colors[palette] = np.arange(1, len(palette) + 1)
    return colors


def _size(voxels: Voxels) -> Size:
    height, depth, width = voxels.shape
    return width, depth, height


def _model_slices(size: Size) -> list[tuple[slice, slice, slice]]:
    """Return the slices (z, y, x) of the models that make up a scene of this size."""
    cuts = [
        [slice(start, min(start + MAX_MODEL_SIDE, side)) for start in range(0, side, MAX_MODEL_SIDE)]
        for side in reversed(size)
    ]
    return list(product(*cuts))


def _encode_model(voxels: Voxels) -> bytes:
    z, y, x = (axis.astype(np.uint8) for axis in np.nonzero(voxels))
    table = np.stack([x, y, z, voxels[voxels > 0]], axis=1)
    size = _encode_chunk(b"SIZE", struct.pack("<3i", *_size(voxels)))
    return size + _encode_chunk(b"XYZI", struct.pack("<i", len(table)) + table.tobytes())


def _encode_scene_graph(parts: list[tuple[slice, slice, slice]], voxels: Voxels) -> bytes:
    """Return the scene graph: a root, a group, and for each model a transform to its center and a shape."""
    width, depth, _ = _size(voxels)
    members = [2 + 2 * number for number in range(len(parts))]
    group = struct.pack(f"<3i{len(members)}i", 1, 0, len(members), *members)
    chunks = [_encode_chunk(b"nTRN", _encode_transform(0, 1, -1)), _encode_chunk(b"nGRP", group)]
    for number, (node, (z, y, x)) in enumerate(zip(members, parts, strict=True)):
        middle = [part.start + (part.stop - part.start) // 2 for part in (x, y, z)]
        place = f"{middle[0] - width // 2} {middle[1] - depth // 2} {middle[2]}"
        chunks.append(_encode_chunk(b"nTRN", _encode_transform(node, node + 1, 0, place)))
        chunks.append(_encode_chunk(b"nSHP", struct.pack("<5i", node + 1, 0, 1, number, 0)))
    return b"".join(chunks)


def _encode_transform(node: int, child: int, layer: int, place: str = "") -> bytes:
    words = [b"_t", place.encode()] if place else []
    frame = struct.pack("<i", len(words) // 2) + b"".join(struct.pack("<i", len(word)) + word for word in words)
    return struct.pack("<6i", node, 0, child, -1, layer, 1) + frame


def _encode_palette(tileset: Tileset, palette: list[int]) -> bytes:
    colors = np.zeros((256, 4), dtype=np.uint8)
    colors[: len(palette), :3] = tileset.colors[palette]
    colors[:, 3] = 255
    return _encode_chunk(b"RGBA", colors.tobytes())


def _encode_chunk(name: bytes, content: bytes = b"", children: bytes = b"") -> bytes:
    return name + struct.pack("<2i", len(content), len(children)) + content + children


# -- reading ----------------------------------------------------------------------------------------------------


def read(source: Source, options: VoxParams) -> list[LoadedMap]:
    scene = _read_scene(source.content)
    if not scene.models:
        raise BadFile("contains no model", at=source.name)
    if scene.label:
        return [_map_from_label(scene, source.content)]
    return [LoadedMap(_map_from_colors(_unpack_voxels(model), scene.colors, source.tileset)) for model in scene.models]


def _read_scene(content: bytes) -> Scene:
    """Read the relevant chunks of a file; sizes are checked before decoding."""
    if content[:4] != b"VOX " or content[8:12] != b"MAIN" or len(content) < 20:
        raise InvalidRecipe("not a MagicaVoxel file", rule="format")
    (version,) = struct.unpack_from("<i", content, 4)
    if version not in VERSIONS:
        raise InvalidRecipe(f"unknown version {version} of the format; known are {VERSIONS[0]} and {VERSIONS[1]}")
    own, children = struct.unpack_from("<2I", content, 12)
    if 20 + own + children != len(content):
        raise InvalidRecipe(
            f"must have {20 + own + children:,} bytes as its header says, got {len(content):,}; truncated or broken"
        )
    scene = Scene()
    size: Size | None = None
    cells = 0
    for name, part in _iter_chunks(content, 20 + own):
        if name == b"SIZE":
            size = _read_size(part)
            cells += size[0] * size[1] * size[2]
            check_limit("cells", cells, MAX_CELLS)
            check_expansion(cells, content)
        elif name == b"XYZI":
            scene.models.append(_read_model(size, part))
            size = None
            if len(scene.models) > MAX_MODELS:
                raise TooLarge(f"must have at most {MAX_MODELS:,} models")
        elif name == b"RGBA":
            if len(part) != 1024:
                raise InvalidRecipe(f"a palette must have 1,024 bytes, got {len(part):,}")
            scene.colors = tuple(f"#{part[at : at + 3].hex()}" for at in range(0, 4 * MAX_COLORS, 4))
        elif name == LABEL:
            if len(part) > MAX_LABEL or scene.label:
                raise InvalidRecipe("its label is too long, or there are two", rule="duplicate")
            scene.label = part
    return scene


def _iter_chunks(content: bytes, place: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield name and content of each chunk."""
    for _ in range(MAX_CHUNKS):
        if place == len(content):
            return
        if place + 12 > len(content):
            raise InvalidRecipe("ends inside a chunk")
        name = content[place : place + 4]
        own, children = struct.unpack_from("<2I", content, place + 4)
        start, place = place + 12, place + 12 + own + children
        if place > len(content):
            raise InvalidRecipe(f"chunk {short_repr(name.decode('ascii', 'replace'))} is longer than the file")
        yield name, content[start : start + own]
    raise TooLarge(f"must have at most {MAX_CHUNKS:,} chunks")


def _read_size(part: bytes) -> Size:
    if len(part) != 12:
        raise InvalidRecipe(f"the size of a model must have 12 bytes, got {len(part):,}")
    width, depth, height = struct.unpack("<3i", part)
    if not all(1 <= side <= MAX_MODEL_SIDE for side in (width, depth, height)):
        raise InvalidRecipe(f"a model must have 1 to {MAX_MODEL_SIDE} voxels per axis, got {width}x{depth}x{height}")
    return width, depth, height


def _read_model(size: Size | None, part: bytes) -> VoxelModel:
    if size is None:
        raise InvalidRecipe("voxels come before the size of their model")
    (count,) = struct.unpack_from("<I", part) if len(part) >= 4 else (0,)
    if len(part) != 4 + 4 * count:
        raise InvalidRecipe(f"a model has {count:,} voxels, which does not match its {len(part):,} bytes")
    return VoxelModel(size, part[4:])


def _unpack_voxels(model: VoxelModel) -> Voxels:
    width, depth, height = model.size
    table = np.frombuffer(model.table, dtype=np.uint8).reshape(-1, 4)
    if len(table) and (table[:, :3].max(axis=0) >= model.size).any():
        raise InvalidRecipe(f"a voxel is outside its model of {width}x{depth}x{height}", rule="outside")
    voxels = np.zeros((height, depth, width), dtype=np.uint8)
    voxels[table[:, 2], table[:, 1], table[:, 0]] = table[:, 3]
    return voxels


def _map_from_colors(voxels: Voxels, colors: tuple[str, ...], tileset: Tileset | None) -> TileMap:
    """Return the map of a model without a label: a tile per color, or the given tileset's tiles with these colors."""
    seen = np.zeros(256, dtype=np.bool_)
    seen[voxels] = True
    used = np.flatnonzero(seen[1:]) + 1
    names = {number: colors[number - 1] if colors else f"color {number}" for number in used.tolist()}
    hole = bool(seen[0])
    if tileset is None:
        entries = {name: {"color": name} if colors else {} for name in names.values()}
        holes = [{"name": "empty", "glyph": " ", "color": "#000000", "kind": "void"}] if hole else []
        tiles = [*holes, *({"name": name, **look} for name, look in entries.items())]
        tileset = Tileset.validate({"name": "model", "tiles": tiles})
        ids = {number: tileset.by_name[name] for number, name in names.items()}
    else:
        known = {tile.color: number for number, tile in reversed(list(enumerate(tileset)))}
        unknown = [name for name in names.values() if name not in known]
        if unknown:
            raise InvalidRecipe(f"the color {unknown[0]} is not that of a tile (tileset {tileset.name!r})")
        ids = {number: known[name] for number, name in names.items()}
    if hole:
        ids[0] = _choose_empty_tile(tileset, set(ids.values()))
    table = np.zeros(256, dtype=tileset.dtype)
    table[list(ids)] = list(ids.values())
    cells = table[voxels[:, ::-1]]
    return TileMap(cells[0] if len(cells) == 1 else cells, tileset)


def _choose_empty_tile(tileset: Tileset, solid: set[int]) -> int:
    """Return the tile of cells without a voxel: the first empty one."""
    free = sorted(_find_empty_tiles(tileset) - solid)
    if not free:
        raise InvalidRecipe(f"cells without voxels need an empty tile, such as 'air', in tileset {tileset.name!r}")
    return free[0]


def _map_from_label(scene: Scene, content: bytes) -> LoadedMap:
    """Return the map of the label; cells whose voxels were edited get the tile of the new color."""
    try:
        label = parse_json(scene.label.decode("ascii"))
    except UnicodeDecodeError:
        raise InvalidRecipe("its label is not ASCII text") from None
    palette = label.pop("palette", None)
    data = StoredMap.read(label, content)
    tiles = set(range(len(data.tileset)))
    if not isinstance(palette, list) or len(palette) > MAX_COLORS or any(type(one) is not int for one in palette):
        raise InvalidRecipe("must be a list of up to 255 tile ids", at="palette", rule="type")
    if not tiles.issuperset(palette) or len(set(palette)) < len(palette):
        raise InvalidRecipe("must contain tile ids, each once", at="palette")
    cells = data.read_cells()
    shown = _join_models(scene.models, data.shape)
    expected = _colors_of(data.tileset, palette)[cells]
    changed = shown != expected
    if changed.any():
        table = np.zeros(256, dtype=data.tileset.dtype)
        table[1 : len(palette) + 1] = palette
        new = shown[changed]
        unknown = int((new > len(palette)).sum())
        if unknown:
            have = "has" if unknown == 1 else "have"
            raise InvalidRecipe(f"{pluralize(unknown, 'voxel')} {have} a color that is not that of a tile")
        if not new.all():
            unseen = sorted(set(np.unique(cells[expected == 0]).tolist()))
            table[0] = unseen[0] if unseen else _choose_empty_tile(data.tileset, set(palette))
        cells = cells.copy()
        cells[changed] = table[new]
    return data.build_map(cells, data.read_layers())


def _join_models(models: list[VoxelModel], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the voxels of all cells in the models; in a map without levels, those of the floor."""
    height = shape[0] if len(shape) == 3 else models[0].size[2]
    size = (shape[-1], shape[-2], height)
    parts = _model_slices(size) if max(size) <= MAX_SCENE_SIDE else []
    lengths = [(x.stop - x.start, y.stop - y.start, z.stop - z.start) for z, y, x in parts]
    if lengths != [model.size for model in models]:
        raise InvalidRecipe(f"the models do not match the shape {list(shape)} of the label")
    voxels = np.zeros((height, *shape[-2:]), dtype=np.uint8)
    for part, model in zip(parts, models, strict=True):
        voxels[part] = _unpack_voxels(model)
    upright = voxels[:, ::-1]
    return upright if len(shape) == 3 else upright[0]


@file_format(VoxParams, read=read, use="voxel editors", engines=("MagicaVoxel",))
def vox(map: TileMap, options: VoxParams, path: Path) -> Mapping[str, bytes]:
    tileset = map.tileset
    empty = {tileset.id(word) for word in options.empty} if options.empty is not None else _find_empty_tiles(tileset)
    palette = [number for number in np.unique(map.cells).tolist() if number not in empty]
    check_limit("colors", len(palette), MAX_COLORS, of="vox files", advice="use npz or json")
    voxels = _build_voxels(map, palette, options.wall_height)
    parts = _model_slices(_size(voxels))
    # The scene is also written for a single model, because some programs show nothing without it.
    chunks = [
        *(_encode_model(voxels[part]) for part in parts),
        _encode_scene_graph(parts, voxels),
        _encode_palette(tileset, palette),
    ]
    if options.label:
        label = encode_label(map, {**describe_map(map), "palette": palette, "cells": pack_array(map.cells)}, "model")
        chunks.append(_encode_chunk(LABEL, label.encode("ascii")))
    return {path.name: b"VOX " + struct.pack("<i", VERSIONS[0]) + _encode_chunk(b"MAIN", children=b"".join(chunks))}

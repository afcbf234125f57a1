"""State of the page, as stored in links and in the undo history.

A state is immutable; every change returns a new state.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ..core.errors import ANOTHER_SEED, BadFile, Fix, InvalidRecipe, TilewrightError, TooLarge, short_repr
from ..core.fields import present_name
from ..core.grid import FREE, MAX_INLINE_CELLS, Grid, Label, read_shape
from ..core.knobs import RecipeKnob
from ..core.landmarks import LandmarkEdits
from ..core.locks import Locks
from ..core.params import Params
from ..core.recipe import MAX_STAGES
from ..core.registry import shapers, techniques
from ..core.seeds import read_seed
from ..core.stored import limit_objects, parse_stored_json
from ..core.tilemap import TileMap
from .example.state import SampleState
from .gallery.state import Gallery
from .jobs import MAX_OBJECTS
from .link_params import LinkParams
from .make.opened_recipe import OpenedRecipe, find_knobs, read_params
from .own_files import store_pictures
from .search.state import SearchViewState

VERSION = 1
MAX_LINK_LENGTH = 1 << 20
MAX_STATE_BYTES = 1 << 22
"""Maximum characters of a link, and maximum bytes of its unpacked content."""
NO_LINK = "it is incomplete or not a link of this studio"
MAX_PARTS = 64
"""Maximum number of pieces into which the painted cells of a large map are split, each small enough for a recipe."""

PARTS = {
    "landmarks": "landmarks",
    "look": "view_settings",
    "example": "example",
    "gallery": "gallery",
    "search": "search",
    "opened": "opened",
}
"""Fields of the state by key of links, for those that write their own data."""

Tab: TypeAlias = Literal["start", "make", "shape", "example", "rules", "gallery", "search", "export"]
TABS: tuple[Tab, ...] = get_args(Tab)

Stage = tuple[str, Mapping[str, Any]]
"""Name of a shaper and its params that are set."""


class ViewSettings(LinkParams):
    """Settings of how the page shows the map. They do not affect the map."""

    tab: Tab = "make"
    sprites: bool = True
    grid: bool = False
    overlay: str = ""
    """Overlay as on the command line, for example `hot-path,slack=8`; empty for none."""


@dataclass(frozen=True)
class State:
    """A recipe as plain data, the edits of its map by hand, and the view settings."""

    recipe: Mapping[str, Any] = field(default_factory=lambda: {"technique": "caves", "seed": 7})
    """Recipe of the map without painted cells, as a user would write it: defaults are left out."""
    locks: Locks | None = None
    """Current locks, in the technique's coordinates. The recipe holds the locks with which the map was made."""
    painted: Grid | None = None
    """Cells painted over the finished map since it was made, in the finished map's coordinates."""
    landmarks: LandmarkEdits = field(default_factory=LandmarkEdits)
    """Edits of the finished map's markers and rooms. They stay when the map is made again, also with another seed."""
    off: tuple[int, ...] = ()
    """Indices of the disabled shapers in the recipe's list."""
    view_settings: ViewSettings = field(default_factory=ViewSettings)
    example: SampleState = field(default_factory=SampleState)
    """Sample and settings of By example. They do not affect the map."""
    gallery: Gallery = field(default_factory=Gallery)
    """Settings of the gallery."""
    search: SearchViewState = field(default_factory=SearchViewState)
    """Settings of the view Search."""
    opened: OpenedRecipe = field(default_factory=OpenedRecipe)
    """Recipe that was opened. It does not affect the map."""

    # -- recipe -------------------------------------------------------------------------------------------------

    @property
    def technique(self) -> str:
        return str(self.recipe.get("technique", ""))

    @property
    def params(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.recipe.get("params") or {}
        return found

    @property
    def seed(self) -> int | str | None:
        return self.recipe.get("seed")

    @cached_property
    def valid_params(self) -> Params | None:
        """Parameters of the technique; None if they are invalid. They are validated once for all views."""
        return read_params(self.recipe)

    @cached_property
    def knobs(self) -> tuple[RecipeKnob, ...]:
        """Knobs of the recipe that fit its parameters, each with its present value."""
        return find_knobs(self.recipe, self.valid_params) if self.recipe.get("knobs") else ()

    @property
    def effective(self) -> dict[str, Any]:
        """The recipe without disabled shapers and knobs, which is made and exported."""
        data = {word: value for word, value in self.recipe.items() if word != "knobs"}
        stages = data.pop("shaping", None)
        shaping = [stages[number] for number in self.stages_on]
        return {**data, "shaping": shaping} if shaping else data

    def with_recipe(self, **words: Any) -> State:
        """Return the state with other values of recipe keys; None removes a key.

        The map is made again: the recipe gets the current locks, and painted cells that are not locked are dropped. The
        number of a successful try belongs to the unchanged recipe, so a change removes it.
        """
        locks = None if self.locks is None or not len(self.locks) else self.locks.to_data()
        data = {**self.recipe, "locks": locks, **({"attempt": None} if words else {}), **words}
        return replace(self, recipe={word: value for word, value in data.items() if value is not None}, painted=None)

    def apply_fix(self, fix: Fix) -> State:
        """Return the state with a suggested fix of `effective` applied."""
        if fix == ANOTHER_SEED:
            return self.with_recipe(seed=int(read_seed(None)))
        if fix.path[0] == "locks":
            return replace(self, locks=None).with_recipe()
        path, off = fix.path, self.off
        if path[0] == "shaping" and len(path) > 1:
            number = self.stages_on[int(path[1])]
            path = ("shaping", number, *path[2:])
            if fix.action == "remove" and len(path) <= 3:
                off = tuple(other - (other > number) for other in off)
        data = replace(fix, path=path).apply(self.recipe)
        words = {word: data.get(word) for word in {*self.recipe, *data} - {"locks"}}
        return replace(self.with_recipe(**words), off=off)

    @property
    def stages(self) -> list[Stage]:
        """Shapers of the recipe, each a name with its params."""
        found: list[Stage] = []
        for stage in self.recipe.get("shaping") or ():
            if isinstance(stage, str):
                found.append((stage, {}))
            elif isinstance(stage, Mapping) and len(stage) == 1:
                (name, params), *_ = stage.items()
                found.append((str(name), params if isinstance(params, Mapping) else {}))
        return found

    @property
    def stages_on(self) -> list[int]:
        """Indices of the enabled shapers in the recipe's list."""
        return [number for number in range(len(self.recipe.get("shaping") or ())) if number not in self.off]

    def with_off(self, *numbers: int) -> State:
        """Return the state with further shapers switched off, given their indices in the recipe's list."""
        return replace(self, off=tuple(sorted({*self.off, *numbers})))

    def with_params(self, **values: Any) -> State:
        """Return the state with other parameters. They are checked when the map is made."""
        return self.with_recipe(params={**self.params, **values})

    def edit(self, map: TileMap) -> TileMap:
        """Return the map of the recipe with the edits by hand: painted cells, and edited markers and rooms."""
        over = self.painted
        if over is not None and over.shape == map.shape:
            ids = over.to_tile_ids(map.tileset)
            map = map.replace(cells=np.where(ids == FREE, map.cells, ids).astype(map.cells.dtype))
        return self.landmarks.apply(map)

    @property
    def title(self) -> str:
        """Name of the recipe that was opened, or else of the technique."""
        return self.opened.name or self.technique

    @property
    def is_pending(self) -> bool:
        """Whether cells were painted, locked or unlocked since the map was made."""
        return self.painted is not None or self.with_recipe().recipe != self.recipe

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> State:
        """Return the state of a recipe, with default view settings."""
        locks, shaping = recipe.get("locks"), recipe.get("shaping")
        if isinstance(shaping, str | Mapping):  # A single shaper may be given without a list.
            recipe = {**recipe, "shaping": [shaping]}
        return cls(_with_present_names(store_pictures(recipe)), _read_locks(locks)).with_recipe()

    def open_recipe(self, recipe: Mapping[str, Any], name: str = "") -> State:
        """Return the state with another recipe. View settings, the gallery, the search and By example stay the same.

        A recipe without a seed gets the current seed, because a link without a seed could not restore the map. `name`
        is that of a built-in recipe or a file.
        """
        if recipe.get("seed") is None:
            recipe = {**recipe, "seed": int(read_seed(None)) if self.seed is None else self.seed}
        state = self.from_recipe(recipe)
        opened = OpenedRecipe.of(name, state.recipe)
        return replace(state, example=self.example, opened=opened).with_view_of(self)

    def with_view_settings(self, **changes: Any) -> State:
        return replace(self, view_settings=self.view_settings.replace(**changes))

    def with_gallery(self, **changes: Any) -> State:
        """Return the state with other settings of the gallery."""
        return replace(self, gallery=self.gallery.replace(**changes))

    def with_view_of(self, other: State) -> State:
        """Return this state with the view settings, the gallery and the search of another state."""
        return replace(self, view_settings=other.view_settings, gallery=other.gallery, search=other.search)

    # -- links --------------------------------------------------------------------------------------------------

    def to_link(self) -> str:
        """Return the state as a URL-safe string.

        Raise TooLarge if the string is too long to be opened again, and InvalidRecipe if the state contains half of a
        surrogate pair, as browsers send of a symbol that is cut in two, or a number that is not finite.
        """
        data: dict[str, Any] = {"v": VERSION, "recipe": self.recipe}
        if self.is_pending and (self.locks is not None or "locks" in self.recipe):
            data["locks"] = None if self.locks is None else self.locks.to_data()
        if self.painted is not None:
            data["painted"] = _encode_painted(self.painted)
        if self.off:
            data["off"] = list(self.off)
        data |= {key: part for key, name in PARTS.items() if (part := getattr(self, name).to_data())}
        try:
            plain = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        except ValueError:
            raise InvalidRecipe("a link can only contain valid Unicode and finite numbers") from None
        link = base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
        if len(link) > MAX_LINK_LENGTH or len(plain) > MAX_STATE_BYTES:
            raise TooLarge(
                f"a link must have at most {MAX_LINK_LENGTH:,} characters, got {len(link):,}; export the map as a file"
            )
        return link

    @classmethod
    def from_link(cls, text: str) -> State:
        """Read the state from a link. Raise BadFile if the link is invalid."""
        try:
            if len(text) > MAX_LINK_LENGTH:
                raise ValueError("too long")
            packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(packed, MAX_STATE_BYTES)
            if unpacker.unconsumed_tail or not unpacker.eof:
                raise ValueError("too large or cut off")
            with limit_objects(MAX_OBJECTS):
                data = parse_stored_json(plain, NO_LINK)
            return cls._from_data(data)
        except TilewrightError as error:
            raise BadFile.from_error(error, (), place="the link cannot be opened") from None
        except (ValueError, TypeError, KeyError, OverflowError, zlib.error, RecursionError):
            raise BadFile(f"the link cannot be opened: {NO_LINK}") from None

    @classmethod
    def _from_data(cls, data: Mapping[str, Any]) -> State:
        if not isinstance(data.get("recipe"), dict):
            raise ValueError("no state")
        if data.get("v") != VERSION:
            raise BadFile(f"it was made by another version of the studio ({short_repr(data.get('v'))})")
        _check_recipe(data["recipe"])
        painted = data.get("painted")
        return cls(
            _with_present_names(store_pictures(data["recipe"])),
            _read_locks(data.get("locks", data["recipe"].get("locks"))),
            None if painted is None else _read_painted(painted),
            LandmarkEdits.from_data(data.get("landmarks", {})),
            tuple(number for number in data.get("off", ()) if type(number) is int),
            ViewSettings.keep_valid(data.get("look")),
            SampleState.from_link(data, "example"),
            Gallery.from_link(data, "gallery"),
            SearchViewState.from_link(data, "search"),
            OpenedRecipe.keep_valid(data.get("opened")),
        )


def _check_recipe(recipe: Mapping[str, Any]) -> None:
    """Check the types of a recipe's params and shapers. Their values are checked when the map is made."""
    params, shaping = recipe.get("params"), recipe.get("shaping")
    if not isinstance(params, Mapping | None):
        raise InvalidRecipe("must be a set of named values", at="params", got=params, rule="type")
    if not isinstance(shaping, list | None):
        raise InvalidRecipe("must be a list of shapers", at="shaping", got=shaping, rule="type")
    if len(shaping or ()) > MAX_STAGES:
        raise TooLarge(f"must have at most {MAX_STAGES} shapers", at="shaping")
    for stage in shaping or ():
        params = next(iter(stage.values())) if isinstance(stage, Mapping) and len(stage) == 1 else stage
        if not isinstance(stage, str) and (params is stage or not isinstance(params, Mapping | None)):
            raise InvalidRecipe("must be one shaper with its parameters", at="shaping", got=stage)


def _with_present_names(recipe: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a recipe in which parameters that were renamed have their present names, so that controls show them."""

    def rename(model: type[Params], params: Any) -> Any:
        return {present_name(model, name): value for name, value in params.items()} if params else params

    renamed = dict(recipe)
    if isinstance(recipe.get("params"), Mapping) and recipe.get("technique") in techniques.names():
        renamed["params"] = rename(techniques.get(recipe["technique"]).params, recipe["params"])
    if isinstance(recipe.get("shaping"), list):
        renamed["shaping"] = [
            {name: rename(shapers.get(name).params, params) for name, params in stage.items()}
            if isinstance(stage, Mapping) and all(name in shapers.names() for name in stage)
            else stage
            for stage in recipe["shaping"]
        ]
    return renamed


def _encode_painted(painted: Grid) -> Any:
    """Return painted cells as plain data: a map, or several pieces if the map is too large for a recipe."""
    if painted.cells.size <= MAX_INLINE_CELLS:
        return painted.to_data()
    flat = painted.cells.reshape(1, -1)
    pieces = [flat[:, begin : begin + MAX_INLINE_CELLS] for begin in range(0, flat.size, MAX_INLINE_CELLS)]
    return {"shape": list(painted.shape), "parts": [Grid(painted.labels, piece).to_data() for piece in pieces]}


def _read_painted(data: Any) -> Grid:
    if not isinstance(data, dict) or "parts" not in data:
        return Grid.of(data)
    if not isinstance(data["parts"], list) or len(data["parts"]) > MAX_PARTS:
        raise ValueError("no pieces, or too many")
    words: list[Label] = []
    cells: list[NDArray[np.int32]] = []
    for piece in map(Grid.of, data["parts"]):
        cells.append(np.where(piece.cells == FREE, FREE, piece.cells + len(words)).ravel())
        words += piece.labels
    return Grid(words, np.concatenate(cells).reshape(read_shape(data.get("shape"))))


def _read_locks(data: Any) -> Locks | None:
    """Return locks from plain data. A map shape in the data is not trusted: only a small one is kept."""
    return None if data is None else Locks.of(data).compact()

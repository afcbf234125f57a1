"""Published sources of techniques, shapers, measures and distances, as BibTeX."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import __version__, data
from .errors import InvalidRecipe, UnknownName
from .recipe import Recipe
from .registry import Registry, measures, shapers, techniques

OWN = "tilewright"
"""Key of Tilewright itself."""
TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads(data.read_text("tables", "references"))
KINDS: Mapping[str, Registry[Any]] = {"techniques": techniques, "shapers": shapers, "measures": measures}
"""Registries of the entries that can be cited, besides distances, by their kind in the table."""


@dataclass(frozen=True)
class Reference:
    """A published source."""

    key: str
    """Key in BibTeX."""
    kind: str
    """Type in BibTeX, such as `article`."""
    fields: Mapping[str, str]
    """Author, title, year and other fields of BibTeX."""

    def to_bibtex(self) -> str:
        """Return the source as an entry of BibTeX."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    def to_text(self) -> str:
        """Return the source in one line: authors, title, where it was published, year."""
        people = [" ".join(reversed(one.split(", "))).strip("{}") for one in self.fields["author"].split(" and ")]
        title = self.fields["title"].strip("{}")
        place = next((self.fields[name] for name in PLACES if name in self.fields), "")
        return ", ".join(one for one in (", ".join(people), f'"{title}"', place, self.fields.get("year", "")) if one)


PLACES = ("journal", "booktitle", "publisher", "institution", "howpublished")
"""Fields that say where a source was published."""


def get_reference(key: str, version: str = __version__) -> Reference:
    """Return the reference with a key. `version` is that of Tilewright."""
    fields = {name: str(value) for name, value in TABLE["references"][key].items()}
    kind, title = fields.pop("type"), f"{{{fields['title']}}}"  # Braces keep the case of the title.
    return Reference(key, kind, {**fields, "title": title, **({"version": version} if key == OWN else {})})


def list_references() -> list[Reference]:
    """Return all references, Tilewright first, then by key."""
    return [get_reference(key) for key in sorted(TABLE["references"], key=lambda key: (key != OWN, key))]


def find_keys(name: str) -> list[str]:
    """Return the keys of the references of an entry; that of Tilewright if a built-in entry has no source.

    Raise UnknownName if no technique, shaper, measure or distance has that name.
    """
    found = [key for kind in (*KINDS, "distances") for key in TABLE[kind].get(name, ())]
    if found:
        return list(dict.fromkeys(found))
    registries = [registry for registry in KINDS.values() if name in registry]
    if not registries:
        known = [one for registry in KINDS.values() for one in registry.names()]
        raise UnknownName("technique, shaper or measure", name, [*known, *TABLE["distances"], OWN])
    if not any(name in registry.built_in for registry in registries):
        raise InvalidRecipe(f"{name} is of another package, and has no reference here", at="name", rule="missing")
    return [OWN]


def find_keys_of_recipe(recipe: Recipe, measures: Iterable[str] = ()) -> list[str]:
    """Return the keys of Tilewright and of what a recipe and measures consist of, without entries of other packages."""
    keys = [OWN, *TABLE["techniques"].get(recipe.technique, ())]
    keys += [key for stage in recipe.shaping for key in TABLE["shapers"].get(stage.shaper, ())]
    keys += [key for name in measures for key in TABLE["measures"].get(name, ())]
    keys += [key for inner in recipe.inner for key in find_keys_of_recipe(inner)]
    return list(dict.fromkeys(keys))


def cite(name: str | None = None, /) -> str:
    """Return the published sources of a technique, shaper, measure or distance as BibTeX.

    Parameters
    ----------
    name
        Name of the entry. By default, Tilewright itself.

    Returns
    -------
    str
        One or several entries of BibTeX. An entry without a published source is Tilewright's own.

    Raises
    ------
    UnknownName
        If there is no such entry.
    InvalidRecipe
        If the entry is of another package, or the name is not a string.

    Examples
    --------
    >>> print(cite("tile_entropy"))
    @article{shannon1948mathematical,
      author = {Shannon, Claude E.},
      title = {{A mathematical theory of communication}},
      journal = {Bell System Technical Journal},
      volume = {27},
      number = {3},
      pages = {379--423},
      year = {1948},
    }
    """
    if not isinstance(name, str | None):
        raise InvalidRecipe("must be the name of a technique, shaper or measure", at="name", got=name, rule="type")
    keys = [OWN] if name is None or name == OWN else find_keys(name)
    return "\n\n".join(get_reference(key).to_bibtex() for key in keys)

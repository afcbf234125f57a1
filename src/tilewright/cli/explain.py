"""`tilewright explain NAME`: description, parameters and an example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from pydantic import BaseModel
from rich.style import Style
from rich.text import Text

from ..core.entries import Entry, Measure, Shaper, Technique
from ..core.errors import InvalidRecipe, pluralize
from ..core.fields import fields_of, models_in
from ..core.knobs import RecipeKnob
from ..core.model import Model
from ..core.network import Network
from ..core.notation import flag_of, short_default
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.tilemap import TileMap, format_size
from ..core.tileset import Tileset
from ..engines import Engine
from ..formats import Format
from ..formats._resolver import FileResolver
from ..play.game import Game
from ..search.distances import Distance
from ._catalogue import KINDS, CatalogEntry, find, read_kind, read_recipe_lines, recipe_doc, summarize
from ._console import AS_JSON, info, make_printable, print_json, print_table, stdout_console
from ._drawing import draw
from ._recipe_command import list_knobs

KIND = click.Option(
    ["--kind"], metavar="|".join(KINDS), callback=read_kind, help="Kind of NAME, if several kinds have this name."
)


@click.command("explain", params=[KIND, AS_JSON])
@click.argument("name")
@click.option("as_yaml", "--yaml", is_flag=True, help="Print a recipe as YAML, after its knobs.")
@click.option("--compact", is_flag=True, help="Print a recipe of technique rules as a compact ProcEngine object.")
def command(name: str, kind: str | None, as_json: bool, as_yaml: bool, compact: bool) -> None:
    """Explain a technique, shaper, measure, distance, game, format, engine, tileset, recipe, model or sample.

    Its purpose, its parameters and an example are shown. NAME may also be the file of a tileset, a recipe or a model
    written by `tilewright learn`.
    """
    if compact:
        own = techniques.get(name).params.validate() if name in techniques else Recipe.of(name, FileResolver()).params
        if own.compact is None:
            raise InvalidRecipe(f"must be technique rules or one of its recipes, got {name}", at="compact")
        print_json(own.compact)
        return
    found = find(name, kind)
    if as_json:
        print_json(_to_data(next(iter(found.values()))))
        return
    (one, thing), *others = found.items()
    if as_yaml and one != "recipes":
        raise InvalidRecipe(f"must be a recipe, {name} is a {one.removesuffix('s')}", at="yaml")
    _explain(name, one.removesuffix("s"), thing, as_yaml=as_yaml)
    for other, _ in others:
        info(f"{name} is also a {other.removesuffix('s')}: tilewright explain {name} --kind {other}")


def _explain(name: str, kind: str, thing: CatalogEntry, *, as_yaml: bool) -> None:
    console = stdout_console()
    console.print(Text.assemble((name, "bold cyan"), (f"  {kind}", "dim")))
    console.print()
    if isinstance(thing, Entry):
        _print_doc(thing.doc)
        _print_facts(thing)
        _print_parameters(thing)
    elif isinstance(thing, Tileset):
        _print_tiles(thing)
    elif isinstance(thing, Model):
        _print_model(thing)
    elif isinstance(thing, Network):
        _print_network(thing)
    elif isinstance(thing, TileMap):
        _print_tiles(thing.tileset)
        console.print()
        draw(thing, summarize(thing, name))
    else:
        if doc := recipe_doc(name):
            _print_doc(doc)
            console.print()
        _print_knobs(list_knobs(name))
        if as_yaml:
            lines = [f"  {line}" for line in read_recipe_lines(name) if not line.startswith("#")]
            console.print("\n".join(lines), soft_wrap=True)
        else:
            console.print(Text.assemble(("YAML     ", "dim"), f"tilewright explain {name} --yaml"), soft_wrap=True)
    console.print()
    console.print(Text.assemble(("Example  ", "dim"), _format_example(name, thing)), soft_wrap=True)


def _print_doc(doc: str) -> None:
    """Print paragraphs, at most 100 columns wide."""
    console = stdout_console()
    paragraphs = [" ".join(part.split()) for part in doc.strip().split("\n\n")]
    console.print("\n\n".join(paragraphs), width=min(console.width, 100))


def _print_facts(entry: Entry) -> None:
    """Print the properties of an entry other than its parameters."""
    facts: dict[str, str] = {}
    if isinstance(entry, Technique):
        defaults = entry.params.validate()
        facts["tileset"] = entry.own_tileset(defaults).name
        facts["tiles"] = ", ".join(entry.labels_of(defaults)) if entry.tiles else "all of its tileset"
    elif isinstance(entry, Measure) and entry.unit:
        facts["unit"] = entry.unit
        if entry.group:
            facts["group"] = entry.group
        if entry.argument:
            facts["name"] = entry.usage
        if entry.compares:
            facts["needs"] = "a sample to compare with (--like)"
    elif isinstance(entry, Distance) and entry.needs:
        facts["needs"] = entry.needs
    elif isinstance(entry, Game):
        facts["roles"] = ", ".join(entry.roles)
        facts["events"] = ", ".join(entry.events)
    elif isinstance(entry, Format):
        able = {"write": entry.write, "animate": entry.animate, "read": entry.read}
        facts["endings"] = ", ".join(entry.extensions) or "none; use --format"
        facts["can"] = ", ".join(word for word, ability in able.items() if ability)
        if entry.engines:
            facts["opens in"] = ", ".join(entry.engines)
    elif isinstance(entry, Engine):
        facts["program"], facts["format"] = entry.program, entry.format
    if facts:
        click.echo()
        print_table(facts.items(), "", "", header=False, style="dim")


def _print_parameters(entry: Entry) -> None:
    _print_fields(entry.params, "parameter")
    for name, model in models_in(entry.params).items():
        click.echo()
        stdout_console().print(Text.assemble((name, "bold"), "  ", (model.__doc__ or "").split("\n", 1)[0]))
        _print_fields(model, "field")


def _print_fields(model: type[BaseModel], heading: str) -> None:
    fields = fields_of(model)
    if not fields:
        return
    click.echo()
    rows = (
        (field.name, field.form.replace("|", " | "), short_default(field), field.range, field.description)
        for field in fields
    )
    print_table(rows, heading, "type", "default", "range", "description")


def _print_knobs(knobs: Sequence[RecipeKnob]) -> None:
    if not knobs:
        return
    rows = (
        (knob.name, field.range or field.form.replace("|", " | "), short_default(field), field.description)
        for knob in knobs
        for field in [knob.field]
    )
    print_table(rows, "knob", "range", "default", "description")
    click.echo()


def _print_tiles(tileset: Tileset) -> None:
    rows = (
        (
            tile.name,
            Text(tile.glyph, tile.color),
            Text.assemble(("  ", Style(bgcolor=tile.color)), " ", tile.color),
            "yes" if tile.passable else "no",
            tile.kind,
        )
        for tile in tileset
    )
    print_table(rows, "tile", "glyph", "color", "walk", "kind")


def _print_model(model: Model) -> None:
    """Print the samples and parameters from which a model was learned."""
    stdout_console().print(f"What {model.technique} learned from {pluralize(len(model.samples), 'sample')}.")
    click.echo()
    sizes = Counter("x".join(str(side) for side in reversed(grid.shape)) for grid in model.samples)
    facts = {
        "samples": ", ".join(size if times == 1 else f"{times} of {size}" for size, times in sizes.items()),
        "tileset": f"{model.samples.tileset.name} ({pluralize(len(model.samples.tileset), 'tile')})",
        **{name: str(value) for name, value in model.params.model_dump(mode="json", exclude={"sample"}).items()},
        **model.params.facts,
    }
    print_table(facts.items(), "", "", header=False, style="dim")
    click.echo()
    counts = np.bincount(np.concatenate([map.reshape(-1) for map in model.samples.maps]))
    rows = (
        (str(model.samples.labels[number]), f"{counts[number]:,}", f"{counts[number] / counts.sum():.1%}")
        for number in np.argsort(-counts, kind="stable").tolist()
    )
    print_table(rows, "tile", "cells", "fraction")


TRAINING_FACTS = {
    "maps": "maps",
    "sizes": "sizes",
    "steps": "steps",
    "settings": "settings",
    "loss": "loss",
    "held_out_loss": "loss on held-out maps",
}
"""Keys of the manifest of a network, and how they are shown. The manifest of a file may contain any values."""
MAX_FACT = 200
"""Maximum number of characters of a value of the manifest."""


def _print_network(network: Network) -> None:
    """Print the tiles of a network, and how it was trained."""
    stdout_console().print(f"A network that {network.technique} learned from maps.")
    click.echo()
    trained = {
        title: make_printable(_format_fact(network.manifest[key])[:MAX_FACT])
        for key, title in TRAINING_FACTS.items()
        if key in network.manifest
    }
    facts = {
        "tileset": network.tileset.name,
        "tiles": ", ".join(network.labels),
        "layers": f"{len(network.dilations)} of {network.channels} channels, dilations {network.dilations}",
        **trained,
        "digest": network.digest,
    }
    print_table(facts.items(), "", "", header=False, style="dim")


def _format_fact(value: Any) -> str:
    """Return a value of the manifest as one line."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {part}" for key, part in value.items())
    return f"{value:,}" if type(value) is int else str(value)


def _format_example(name: str, thing: CatalogEntry) -> str:
    """Return an example command, with a parameter if there is one."""
    if isinstance(thing, Tileset):
        return f"tilewright convert level.txt --tileset {name} -o level.png"
    if isinstance(thing, TileMap):
        return f"tilewright make wfc --sample {name} --seed 7"
    if isinstance(thing, Model | Network):
        return f"tilewright make {thing.technique} --model {name}"
    if not isinstance(thing, Entry):
        return " ".join([f"tilewright run {name}", *_format_knob(list_knobs(name)), "--seed 7"])
    settings = [
        (field, default)
        for field in fields_of(thing.params)
        if (default := short_default(field)) and " " not in default and not field.is_switch
    ]
    if isinstance(thing, Technique):
        chosen = [f"{flag_of(field)} {default}" for field, default in settings[:3]]
        return " ".join([f"tilewright make {name}", *chosen, "--seed 7"])
    if isinstance(thing, Shaper):
        if thing.example:
            return f"tilewright make {thing.example}"
        needed = [field.name for field in fields_of(thing.params) if field.kind == "recipe"]
        if needed:
            return f"tilewright make caves --shape {name},{needed[0]}=islets"
        chosen = [f"{field.name}={default}" for field, default in settings[:1]]
        return f"tilewright make caves --shape {','.join([name, *chosen])}"
    if isinstance(thing, Measure):
        return f"tilewright measure level.json --measures {thing.usage}" + (" --like dungeon" if thing.compares else "")
    if isinstance(thing, Distance):
        return f"tilewright search variety open-caves --distance {name} --count 10 -o level_{{number}}.tmx"
    if isinstance(thing, Game):
        return f"tilewright play level.json --game {name}"
    if isinstance(thing, Engine):
        return f"tilewright export open-caves --engine {name} -o game --count 10"
    assert isinstance(thing, Format)
    if thing.shared_extensions:
        return f"tilewright convert level{thing.shared_extensions[0]} level.png --from {name}"
    ending = thing.extensions[0] if thing.extensions else f" --format {name}"
    return f"tilewright make caves -o level{ending}"


def _format_knob(knobs: Sequence[RecipeKnob]) -> list[str]:
    """Return the first knob at the end of its range, as options of a command."""
    for knob in knobs:
        end = next(value for value in reversed(knob.ends) if value != knob.value)
        if not isinstance(end, bool):
            return [flag_of(knob.field), str(end)]
    return []


def _to_data(thing: CatalogEntry) -> object:
    if isinstance(thing, Entry):
        return thing.params.model_json_schema()
    if isinstance(thing, Network):
        return {"tiles": list(thing.labels), "digest": thing.digest, "training": thing.manifest}
    if isinstance(thing, TileMap):
        return {"size": format_size(thing.shape), "tiles": thing.tileset.names, "rows": str(thing).splitlines()}
    return thing.to_data() if isinstance(thing, Tileset | Model) else thing

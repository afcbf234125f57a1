"""`tilewright make TECHNIQUE`: one command per technique, whose options are its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from ..core.entries import Technique
from ..core.errors import InvalidRecipe
from ..core.fields import Field, fields_by_name, fields_of
from ..core.notation import RESERVED_FLAGS
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..formats._resolver import FileResolver
from . import _produce, _recipe
from ._catalogue import list_summaries
from ._options import make_field_option, make_options, read_options, read_settings, write_option_sections
from ._produce import ProduceOptions, produce

SETTINGS_INSIDE = click.Option(
    ["settings_inside", "--set"],
    multiple=True,
    metavar="NAME.PART=VALUE",
    help="Set part of a structured parameter, such as scores.0=0.5.",
)
OWN_OPTIONS = (SETTINGS_INSIDE, *_recipe.OPTIONS, *make_options(ProduceOptions), *_produce.OPTIONS)


class TechniqueCommand(click.Command):
    """Command of a technique, whose help lists the parameters before the common options."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        own = [option for option in self.params if option not in OWN_OPTIONS]
        write_option_sections(self, context, formatter, "Parameters", own)


class TechniqueGroup(click.Group):
    """Techniques as commands, imported on use."""

    def list_commands(self, context: click.Context) -> list[str]:
        return techniques.names()

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if context.resilient_parsing and name not in techniques:
            return None
        return _make_command(techniques.get(name))

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Techniques"):
            formatter.write_dl(list_summaries("techniques"))

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            raise InvalidRecipe("the technique must come before its options", at=error.option_name) from None


@click.group("make", cls=TechniqueGroup, invoke_without_command=True, subcommand_metavar="TECHNIQUE [OPTIONS]")
@click.pass_context
def command(context: click.Context) -> None:
    """Generate maps with a technique and draw or save them.

    \b
    tilewright make caves --width 60 --seed 7
    tilewright make caves --shape connect,thickness=2 -o level.tmx -o level.png --scale 16
    tilewright make caves --count 50 -o caves_{seed}.png
    tilewright make caves --seed 8 --locks liked.json --keep 10,5,12,8
    tilewright make caves -o growing.gif
    tilewright make caves --width 65536 --height 65536 -o world.zarr

    List the options of a technique: tilewright make caves --help
    """
    if context.invoked_subcommand is None:
        raise InvalidRecipe(f"TECHNIQUE is missing; choose one of {', '.join(techniques.names())}", rule="unknown_name")


def _make_command(entry: Technique) -> click.Command:
    # A parameter replaces the format option of the same name.
    named = {field.name: field for field in fields_of(entry.params) if field.name not in RESERVED_FLAGS}
    return TechniqueCommand(
        entry.name,
        params=[
            *(make_field_option(field, field.name) for field in named.values()),
            *(option for option in OWN_OPTIONS if option.name not in named),
        ],
        callback=partial(_make, entry, named),
        help=entry.doc,
        short_help=entry.summary,
        context_settings={"token_normalize_func": lambda word: word.replace("_", "-")},
    )


def _make(
    entry: Technique,
    fields: Mapping[str, Field],
    /,
    *,
    settings_inside: tuple[str, ...],
    **values: Any,
) -> None:
    params = read_options({name: values.pop(name) for name in fields}, fields)
    if any("." in setting.partition("=")[0] for setting in settings_inside):
        # Start from the other options and the defaults.
        validated = entry.params.validate(params, resolver=FileResolver())
        params = {name: value for name, value in validated.model_dump(mode="json").items() if value is not None}
    params = read_settings(settings_inside, entry.params, "set", params)
    recipe_fields = _recipe.read_recipe_fields(values)
    own = fields_by_name(ProduceOptions)
    options = ProduceOptions.validate(read_options({name: values.pop(name) for name in own}, own))
    produce(Recipe.of({"technique": entry.name, "params": params, **recipe_fields}, FileResolver()), options, **values)

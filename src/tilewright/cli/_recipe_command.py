"""Commands that take a recipe: the knobs of the recipe are options of the command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import data as built_in
from ..core.errors import InvalidRecipe, TilewrightError
from ..core.knobs import RecipeKnob
from ..core.notation import read_value
from ..core.recipe import Recipe, as_recipe_data
from ..core.recipe_knobs import apply_knobs, read_knob_setting, read_knobs_of
from ..core.registry import techniques
from ..core.resolver import Resolver
from ..formats._resolver import FileResolver
from . import _recipe
from ._options import make_field_option

if TYPE_CHECKING:
    from ..corpus.request import Request

PREFIX = "knob_"
"""Prefix of the names of options that are knobs, because a command may have an argument of the same name."""
KNOB_OPTIONS = f"{__name__}.knobs"
"""Key of the options of the recipe's knobs in the context of a command."""
KNOBS = click.Option(
    ["knobs", "--knob"],
    multiple=True,
    metavar="NAME=VALUE",
    help="Turn a knob of the recipe, such as parks=3; `tilewright explain RECIPE` lists them. --parks 3 does the same.",
)


class RecipeCommand(click.Command):
    """Command on a recipe, which may be followed by the recipe's knobs as options.

    The recipe is read before the options only if an option is unknown or help is requested.
    """

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        if any(flag in arguments for flag in context.help_option_names):
            self._add_knobs(context, arguments)
        try:
            return super().parse_args(context, [*arguments])
        except click.NoSuchOption as error:
            unknown = error
        self._add_knobs(context, arguments)
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption:
            name = unknown.option_name.lstrip("-").replace("-", "_")
            if not any(name in entry.params.model_fields for entry in techniques):
                raise
            own = f"{context.command_path.partition(' ')[2]} sets parameters with --set"
            raise InvalidRecipe(f"{own}, such as --set params.{name}=40", at=unknown.option_name) from None

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        return [*super().get_params(context), *context.meta.get(KNOB_OPTIONS, ())]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        own = context.meta.get(KNOB_OPTIONS, ())
        others = [one for one in self.get_params(context) if isinstance(one, click.Option) and one not in own]
        for title, part in (("Knobs", own), ("Options", others)):
            records = [record for option in part if (record := option.get_help_record(context))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def _add_knobs(self, context: click.Context, arguments: list[str]) -> None:
        """Add the knobs of the recipe among the arguments to the options of the command."""
        parser = self.make_parser(context)
        parser.ignore_unknown_options = True
        options, rest, _ = parser.parse_args([*arguments])
        for candidate in (options.get("recipe"), *rest):
            if isinstance(candidate, str) and (candidate in built_in.list_names("recipes") or _is_file(candidate)):
                context.meta[KNOB_OPTIONS] = [*_make_options(list_knobs(candidate))]
                return


def list_knobs(recipe: str) -> tuple[RecipeKnob, ...]:
    """Return the knobs of a recipe, built-in or in a file."""
    found, beside = FileResolver().read_recipe(recipe)
    return Recipe.of(as_recipe_data(found), beside).knobs


def read_recipe(recipe: str, settings: Sequence[str], options: dict[str, Any]) -> Recipe:
    """Return a recipe, given as a file or the name of a recipe or technique, with the options that change it.

    The knobs and the fields of the recipe are removed from the options.
    """
    fields = _recipe.read_recipe_fields(options)
    if recipe in techniques:
        data: Mapping[str, Any] = {"technique": recipe}
        resolver: Resolver = FileResolver()
    else:
        found, resolver = FileResolver().read_recipe(recipe)
        data = as_recipe_data(found)
    qualified = [_recipe.qualify_setting(setting) for setting in settings]
    data = _recipe.with_settings(with_knobs(data, options), qualified)
    return Recipe.of(_recipe.with_recipe_fields(data, fields), resolver)


def read_request(recipe: str, settings: Sequence[str], options: dict[str, Any]) -> Request:
    """Return a recipe that may have a sweep, or that of a corpus, with the options that change it."""
    from ..corpus.request import Request

    fields = _recipe.read_recipe_fields(options)
    qualified = [_recipe.qualify_setting(setting) for setting in settings]

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        turned = with_knobs(data, {**options})
        return _recipe.with_recipe_fields(_recipe.with_settings(turned, qualified), fields)

    return Request.of(recipe, change)


def with_knobs(data: Mapping[str, Any], values: dict[str, Any]) -> Mapping[str, Any]:
    """Remove the knobs from the options of a command, and return a recipe's data with these knobs applied."""
    texts = values.pop("knobs")
    options = {name: values.pop(name) for name in [*values] if name.startswith(PREFIX)}
    turned = {name.removeprefix(PREFIX): value for name, value in options.items() if value is not None}
    if not texts and not turned:
        return data
    knobs = {knob.name: knob for knob in read_knobs_of(data)}
    try:
        settings = dict(read_knob_setting(text, knobs) for text in texts)
    except TilewrightError as error:
        raise InvalidRecipe.from_error(error, "knob") from None
    for name, value in turned.items():
        settings[name] = read_value(value, knobs[name].field) if isinstance(value, str) else value
    return apply_knobs(data, settings)


def _make_options(knobs: tuple[RecipeKnob, ...]) -> Iterator[click.Option]:
    for knob in knobs:
        yield make_field_option(knob.field, f"{PREFIX}{knob.name}")


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # The argument contains a null character.
        return False

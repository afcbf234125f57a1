"""Commands that take a recipe: the knobs of the recipe are options of the command."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from .. import data as built_in
from ..core.errors import InvalidRecipe, TilewrightError, errors_within
from ..core.knobs import RecipeKnob
from ..core.notation import read_value
from ..core.params import Params
from ..core.recipe import Recipe, as_recipe_data
from ..core.recipe_knobs import apply_knobs, read_knob_setting, read_knobs_of
from ..core.registry import techniques
from ..corpus import refuse_without_packages
from ..formats._resolver import DigestResolver, FileResolver, open_recipe
from . import _recipe
from ._options import make_field_option, make_options, params_command, write_option_sections

if TYPE_CHECKING:
    from ..corpus.request import Request

PREFIX = "knob_"
"""Prefix of the names of options that are knobs, because a command may have an argument of the same name."""
KNOB_OPTIONS = f"{__name__}.knobs"
"""Key of the options of the recipe's knobs in the context of a command."""


def complete_recipe(context: click.Context, option: click.Parameter, start: str) -> list[CompletionItem]:
    """Return the names of recipes and techniques that begin with a string, or files if there is none."""
    names = [name for name in (*built_in.list_names("recipes"), *techniques.names()) if name.startswith(start)]
    return [CompletionItem(name) for name in names] or [CompletionItem(start, type="file")]


RECIPE = click.Argument(["recipe"], metavar="RECIPE", shell_complete=complete_recipe)
OPTIONS = (*make_options(_recipe.ChangeOptions), *_recipe.OPTIONS)


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
        write_option_sections(self, context, formatter, "Knobs", context.meta.get(KNOB_OPTIONS, ()))

    def _add_knobs(self, context: click.Context, arguments: list[str]) -> None:
        """Add the knobs of the recipe among the arguments to the options of the command."""
        parser = self.make_parser(context)
        parser.ignore_unknown_options = True
        options, rest, _ = parser.parse_args([*arguments])
        words = [word for word in (options.get("recipe"), *rest) if isinstance(word, str)]
        for candidate in words:
            if candidate in built_in.list_names("recipes") or os.path.isfile(candidate):
                knobs = list_knobs(candidate)
                context.meta[KNOB_OPTIONS] = [make_field_option(one.field, f"{PREFIX}{one.name}") for one in knobs]
                return


def recipe_command(
    name: str,
    model: type[Params],
    *shared: click.Parameter,
    read: Callable[[str, dict[str, Any]], Any] | None = None,
    required: Sequence[str] = (),
    without: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command on a recipe, whose options are the fields of a class and all that change a recipe.

    The command receives both validated, as `recipe` and `params`. `read` reads the recipe, by default `read_recipe`.
    `without` has names of options of recipes that the command lacks. For `required`, see `params_command`.
    """
    change = [option for option in OPTIONS if option.name not in without]

    def decorate(body: Callable[..., Any]) -> click.Command:
        @wraps(body)
        def call(recipe: str, **values: Any) -> Any:
            found = (read or read_recipe)(recipe, values)
            return body(recipe=found, **values)

        return params_command(name, model, RECIPE, *shared, *change, cls=RecipeCommand, required=required)(call)

    return decorate


def list_knobs(recipe: str) -> tuple[RecipeKnob, ...]:
    """Return the knobs of a recipe, built-in or in a file."""
    return Recipe.of(*open_recipe(recipe)).knobs


def read_recipe(name: str, options: dict[str, Any], files: DigestResolver | None = None) -> Recipe:
    """Return a recipe, given as a file or the name of a recipe or technique, with the options that change it.

    These options are removed. `files` finds large maps and networks that the recipe refers to by digest.
    """
    change = read_change(options)
    data, beside = open_recipe(name)
    if files is not None and isinstance(beside, FileResolver):
        beside.networks = files.networks
    elif files is not None:
        beside = files
    return Recipe.of(change(as_recipe_data(data)), beside)


def read_request(name: str, options: dict[str, Any]) -> Request:
    """Return a recipe that may have a sweep, or that of a corpus, with the options that change it."""
    refuse_without_packages()
    from ..corpus.request import Request

    return Request.of(name, read_change(options))


def read_change(options: dict[str, Any]) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Remove the options that change a recipe, and return a function that changes a recipe's data by them.

    The knobs are turned first, and the fields of the recipe are replaced last.
    """
    fields = _recipe.read_recipe_fields(options)
    settings, texts = options.pop("settings_inside"), options.pop("knobs")
    flags = {name: options.pop(name) for name in [*options] if name.startswith(PREFIX)}
    turned = {name.removeprefix(PREFIX): value for name, value in flags.items() if value is not None}

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        with_knobs = _turn_knobs(data, texts, turned) if texts or turned else data
        return _recipe.with_recipe_fields(_recipe.with_settings(with_knobs, settings), fields)

    return change


def _turn_knobs(data: Mapping[str, Any], texts: Sequence[str], turned: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a recipe's data with knobs applied: strings such as `parks=3`, and values of options by knob."""
    knobs = {knob.name: knob for knob in read_knobs_of(data)}
    with errors_within("knob", kind=TilewrightError, into=InvalidRecipe):
        settings = dict(read_knob_setting(text, knobs) for text in texts)
    for name, value in turned.items():
        settings[name] = read_value(value, knobs[name].field) if isinstance(value, str) else value
    return apply_knobs(data, settings)

"""Options of commands for parameters and knobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from pydantic import BaseModel

from ..core.errors import InvalidRecipe, TilewrightError, errors_within
from ..core.fields import UNSET, Field, fields_of
from ..core.notation import flag_of, read_setting, read_value, short_default
from ..core.params import Params
from ..formats._files import read_text
from ..formats._resolver import FileResolver

PREFIX = "param_"
"""Prefix of the names of options of `params_command`, because a command may have another option of the same name."""


def make_field_option(field: Field, name: str, *, required: bool = False) -> click.Option:
    """Return an option for the values of a field. The command reads them from strings."""
    default = short_default(field)
    about = ", ".join(fact for fact in (field.range, f"default {default}" if default else "") if fact)
    more = " May be repeated." if field.repeated else ""
    help = field.description.partition("\n\n")[0] + more + (f" [{about}]" if about else "")
    flags = list(field.flags or (flag_of(field),))
    if field.is_switch:
        return click.Option([name, f"{flags[-1]}/--no-{flags[-1][2:]}"], default=None, help=help)
    # Choices are shown as they are, other types in upper case.
    form = "json" if field.is_structured else field.form
    metavar = field.metavar or (form if "|" in form else form.upper())
    return click.Option([name, *flags], metavar=metavar, multiple=field.repeated, required=required, help=help)


def make_options(model: type[Params]) -> list[click.Option]:
    """Return an option for each field of a class, with the name of the field."""
    return [make_field_option(field, field.name) for field in fields_of(model)]


def write_option_sections(
    command: click.Command, context: click.Context, formatter: click.HelpFormatter, title: str, own: Sequence[Any]
) -> None:
    """Write the help of some options of a command in a section with a title, and that of the others below."""
    others = [option for option in command.get_params(context) if option not in own]
    for heading, options in ((title, own), ("Options", others)):
        if records := [record for option in options if (record := option.get_help_record(context))]:
            with formatter.section(heading):
                formatter.write_dl(records)


def read_options(values: Mapping[str, Any], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the values of the options that are given. They are not validated."""
    return {name: _read(values[name], field) for name, field in fields.items() if values[name] not in (None, ())}


def read_settings(
    texts: Sequence[str], model: type[BaseModel], option: str, values: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return values changed by settings such as `layer=1` or `scores.0=0.5`. Errors name the option of the command."""
    found = dict(values or {})
    with errors_within(option, kind=TilewrightError, into=InvalidRecipe):
        for text in texts:
            read_setting(found, text, model, read_text)
    return found


def read_integers(text: str, separator: str = ",") -> list[int]:
    """Return integers of at most eight digits, such as 10 and 5 for `10,5`; an empty list if the text has others."""
    parts = [part.strip() for part in text.split(separator)]
    return [*map(int, parts)] if all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts) else []


def _read(value: Any, field: Field) -> Any:
    if isinstance(value, tuple):
        return list(value)
    is_plain = field.kind == "text" and field.types == {"string"}
    return read_value(value, field, read_text) if isinstance(value, str) and not is_plain else value


def params_command(
    name: str,
    model: type[Params],
    *shared: click.Parameter,
    cls: type[click.Command] = click.Command,
    required: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command whose options are the fields of a class. It receives them validated, as `params`.

    In help, the options of the class come before those of the function itself, and the shared ones last. `required` has
    names of fields that have a default, and are required all the same.
    """
    fields = {field.name: field for field in fields_of(model)}

    def decorate(body: Callable[..., Any]) -> click.Command:
        def call(**values: Any) -> Any:
            texts = {field: values.pop(PREFIX + field) for field in fields}
            return body(params=model.validate(read_options(texts, fields), resolver=FileResolver()), **values)

        options = [
            make_field_option(field, PREFIX + name, required=field.default is UNSET or name in required)
            for name, field in fields.items()
        ]
        own = reversed(getattr(body, "__click_params__", []))
        return cls(name, params=[*options, *own, *shared], callback=call, help=body.__doc__)

    return decorate

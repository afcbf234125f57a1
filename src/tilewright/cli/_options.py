"""Options of commands for parameters and knobs."""

from __future__ import annotations

import click

from ..core.fields import Field
from ..core.notation import short_default


def make_field_option(field: Field, name: str, flag: str) -> click.Option:
    """Return an option for the values of a field. The command reads them from strings."""
    default = short_default(field)
    about = ", ".join(fact for fact in (field.range, f"default {default}" if default else "") if fact)
    help = field.description + (f" [{about}]" if about else "")
    if field.is_switch:
        return click.Option([name, f"{flag}/--no-{flag[2:]}"], default=None, help=help)
    # Choices are shown as they are, other types in upper case.
    form = "json" if field.is_structured else field.form
    return click.Option([name, flag], metavar=form if "|" in form else form.upper(), help=help)

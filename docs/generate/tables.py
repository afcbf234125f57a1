"""Generated parts of the pages: tables of parameters and results, from `<!-- KIND of NAME -->` to `<!-- end -->`."""

from __future__ import annotations

import re
import sys

from pydantic import BaseModel

import tilewright as tw
from tilewright.cli._catalogue import KINDS, list_summaries
from tilewright.core.entries import Entry
from tilewright.core.fields import fields_of, models_in
from tilewright.core.notation import short_default
from tilewright.core.references import TABLE, get_reference, list_references
from tilewright.core.skins import Skin
from tilewright.core.tileset import Sheet
from tilewright.formats import Format

from . import experiments
from .markdown import table

PART = re.compile(r"(<!-- (\w+) of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
EXPERIMENTS = {
    "repairs": experiments.compare_repairs,
    "comparison": experiments.compare_techniques,
    "successes": experiments.count_successes,
    "errors": experiments.list_errors,
    "measured": experiments.show_comparison,
}
CITED = {"techniques": "technique", "shapers": "shaper", "measures": "measure", "distances": "distance"}


def fill_tables(text: str, *, with_experiments: bool = True) -> str:
    """Return a page with its generated parts refreshed, with or without the experiments, which take a minute."""

    def refresh(match: re.Match[str]) -> str:
        what, name = match.group(2), match.group(3)
        if what == "parameters":
            kind = next(kind for kind in ("techniques", "shapers", "formats", "games") if name in KINDS[kind].names())
            entry = KINDS[kind].get(name)
            assert isinstance(entry, Entry)
            content = format_parameters(entry)
        elif what in EXPERIMENTS:
            if not with_experiments:
                return match[0]
            content = EXPERIMENTS[what](name)
        else:
            makers = {
                "overview": format_overview,
                "reference": format_reference,
                "joints": format_joints,
                "fields": format_file_keys,
                "references": format_references,
            }
            if what not in makers:
                known = ", ".join(["parameters", *makers, *EXPERIMENTS])
                sys.exit(f"<!-- {what} of {name} -->: unknown part {what!r}; use one of {known}")
            content = makers[what](name)
        return f"{match.group(1)}\n{content}\n{match.group(4)}"

    return PART.sub(refresh, text)


def format_parameters(entry: Entry) -> str:
    """Return the parameters of an entry, and the models that they consist of, as tables."""
    if not fields_of(entry.params):
        return "It takes no parameters.\n"
    inner = (
        f"\n**{name}**: {(model.__doc__ or '').splitlines()[0]}\n\n{format_fields(model, 'field')}"
        for name, model in models_in(entry.params).items()
    )
    return "".join([format_fields(entry.params, "parameter"), *inner])


def format_fields(model: type[BaseModel], heading: str) -> str:
    """Return the fields of a model as a table whose first column has this heading."""
    rows = (
        (
            f"`{one.name}`",
            f"`{default}`" if (default := short_default(one)) else "",
            one.range or one.form,
            one.description,
        )
        for one in fields_of(model)
    )
    return table((heading, "default", "range", "what it is"), *rows)


def format_overview(kind: str) -> str:
    """Return all names of a kind with their summaries."""
    return table(("name", "what it is"), *((f"`{name}`", line) for name, line in list_summaries(kind)))


def format_reference(kind: str) -> str:
    """Return all names of a kind with their descriptions and parameters."""
    parts = []
    for name, line in list_summaries(kind):
        entry = KINDS[kind].get(name)
        assert isinstance(entry, Entry)
        rest = entry.doc.strip().partition("\n")[2].strip()
        if isinstance(entry, Format) and entry.engines:
            line += f" Opens in {', '.join(entry.engines)}."
        parts.append(f"### {name}\n\n{line}\n\n{rest}\n\n{format_parameters(entry)}".replace("\n\n\n\n", "\n\n"))
    return "\n".join(parts)


def format_references(kind: str) -> str:
    """Return the sources of the entries of a kind; for `all`, the BibTeX of all references."""
    if kind == "all":
        return "\n\n".join(["```bibtex", *(one.to_bibtex() for one in list_references()), "```"])
    rows = (
        (f"`{name}`", "<br>".join(f"{get_reference(key).to_text()} (`{key}`)" for key in keys))
        for name, keys in TABLE[kind].items()
    )
    return table((CITED[kind], "sources"), *rows)


def format_file_keys(name: str) -> str:
    """Return the keys of a table in tileset files."""
    model = {"Skin": Skin, "Sheet": Sheet}[name]
    keys = {field: key for key, field in getattr(model, "file_keys", {}).items()}
    rows = (
        (
            f"`{keys.get(one.name, one.name)}`",
            f"`{default}`" if (default := short_default(one)) else "",
            one.range or one.form,
            " ".join(one.description.split()),
        )
        for one in fields_of(model)
    )
    return table(("key", "default", "range", "what it is"), *rows)


def format_joints(name: str) -> str:
    """Return what the open edges of a tileset's pieces may meet, one row per kind."""
    tileset = KINDS["tilesets"].get(name)
    assert isinstance(tileset, tw.Tileset)
    buildings = dict.fromkeys(tile.kind for tile in tileset if tile.country)

    def join_kinds(kinds: tuple[str, ...]) -> str:
        if set(buildings) <= set(kinds):
            kinds = (*(kind for kind in kinds if kind not in buildings), "every building")
        return ", ".join(kinds)

    rows = (
        (
            f"**{joint.kind}**",
            join_kinds(joint.joins),
            "; ".join(
                part
                for part in (
                    join_kinds(joint.meets),
                    joint.passes_under and f"under a {join_kinds(joint.passes_under)}",
                )
                if part
            ),
            join_kinds(joint.may_stop_at),
            "yes" if joint.edge else "no",
            join_kinds(joint.fallback),
        )
        for joint in tileset.joints
    )
    return table(("kind", "continues with", "ends at", "may also stop at", "leaves the map", "is replaced by"), *rows)

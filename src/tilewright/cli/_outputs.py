"""Output files of maps: names with placeholders, formats and their options, validated before any map is made."""

from __future__ import annotations

import os
import re
import string
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName, did_you_mean
from ..core.notation import read_setting
from ..core.params import Params, param
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..formats import Format, format_of
from ..formats._files import encode_image, read_text, refuse_unwritable, write_files
from ..formats._sheet import refuse_own_sheet
from ._console import info
from ._options import make_options

if TYPE_CHECKING:
    from PIL.Image import Image

STANDARD_OUTPUT = "-"
WORLD = ".zarr"
"""Extension of worlds."""

FLAT = click.Option(
    ["--flat"],
    is_flag=True,
    help="Draw the colors of tiles instead of sprites in pictures; the option markers=false leaves out markers.",
)


class OutputOptions(Params):
    """Options of output files."""

    outputs: tuple[str, ...] = param((), flags=("-o", "--output"), metavar="FILE", repeated=True)
    """Output file; its extension chooses the format; - is standard output."""
    format: str | None = param(None, metavar="NAME")
    """Output format. [chosen by the file extension]"""
    scale: str | None = param(None, metavar="N")
    """Pixels per cell in images."""
    overlay: str | None = param(None, metavar="NAME[,SETTING=VALUE...]")
    """Overlay on the map: distance, flee, path, hot-path, regions, rooms, chokepoints or sight; with settings, such as
    hot-path,slack=8 or sight,origin=3,4,radius=9."""
    layer: str | None = param(None, metavar="NAME")
    """Layer, such as height, to write as a 16-bit grayscale PNG."""
    frames: str | None = param(None, metavar="N")
    """Maximum number of frames of an animation."""
    duration: str | None = param(None, metavar="MS")
    """Milliseconds per frame."""
    settings: tuple[str, ...] = param((), flags=("--option",), metavar="NAME=VALUE", repeated=True)
    """Option of the format, listed by `tilewright explain FORMAT`."""


OPTIONS = (*make_options(OutputOptions), FLAT)
PICTURE = click.Option(["picture", "-o", "--output"], metavar="FILE", help="Write a picture to a .png file.")


@dataclass(frozen=True)
class PreparedFile:
    """Content of an output. All files of a map are prepared before the first is written."""

    path: str
    contents: Mapping[str, bytes]
    """Bytes by file name: the output itself first, then its additional files."""

    def write(self, *, first: bool = True) -> None:
        """Write the files. On standard output, a blank line separates maps."""
        if self.path != STANDARD_OUTPUT:
            write_files(self.path, self.contents)
            return
        click.echo(b"" if first else b"\n", nl=False)
        click.echo(next(iter(self.contents.values())), nl=False)


@dataclass(frozen=True)
class Output:
    """File name with placeholders, its format and options."""

    template: str
    format: Format
    options: Params

    @property
    def is_animation(self) -> bool:
        return self.format.animate is not None

    def format_path(self, **fields: str | int) -> str:
        return fill_template(self.template, **fields)

    def prepare(
        self, path: str, map: TileMap | None = None, frames: Iterable[Frame] = (), *, alone: bool = True
    ) -> PreparedFile:
        """Return the files of a map, or of an animation if there is no map. `alone` is true for the only one."""
        target = self._target_path(path)
        if map is None:
            assert self.format.animate is not None
            contents = self.format.animate(frames, self.options, target)
        else:
            contents = self.format.write(map, self.options, target)
            if path != STANDARD_OUTPUT:
                refuse_own_sheet(map.tileset, path, contents)
        if path == STANDARD_OUTPUT and b"\0" in next(iter(contents.values())):
            if sys.stdout.isatty():
                raise TilewrightError(
                    f"{self.format.name} is binary and cannot be shown in a terminal; use a pipe or name a file with -o"
                )
            if not alone:
                raise TilewrightError(
                    f"several {self.format.name} maps cannot be written to standard output; name files with -o"
                )
        return PreparedFile(path, contents)

    def _target_path(self, path: str) -> Path:
        """Return the absolute path of the output, or a bare name for standard output, as formats expect it."""
        if path == STANDARD_OUTPUT:
            return Path("map").with_suffix("".join(self.format.extensions[:1]))
        refuse_unwritable(path)
        return Path(path).absolute()


def fill_template(template: str, **fields: str | int) -> str:
    """Fill the placeholders of a file name. Characters that file names cannot contain become underscores."""
    _check_placeholders(template, tuple(fields))
    safe = {
        name: re.sub(r'[\\/:*?"<>|\x00-\x1f]', "_", value) if isinstance(value, str) else value
        for name, value in fields.items()
    }
    return template.format(**safe)


def is_world(name: str) -> bool:
    """Return whether an output is a world."""
    return name.rstrip("/").endswith(WORLD)


def read_outputs(
    names: Sequence[str],
    *,
    fields: Iterable[str],
    format: str | None,
    settings: Sequence[str],
    flat: bool = False,
    **shorthands: str | None,
) -> list[Output]:
    """Parse and validate the outputs given on the command line.

    Each format option is passed to the outputs whose format has it.

    Parameters
    ----------
    names : sequence of str
        File names with placeholders; `-` is standard output.
    fields : iterable of str
        Names of the allowed placeholders.
    format : str, optional
        Name of the format of all outputs; chosen by the file extension by default.
    settings : sequence of str
        Format options, written `name=value`.
    flat : bool
        Whether pictures show colors instead of sprites.
    **shorthands : str or None
        Format options that have a command-line option of their own.

    Returns
    -------
    list of Output

    Raises
    ------
    InvalidRecipe
        If a name, a placeholder or an option is invalid.
    """
    settings = [*settings, *(f"{name}={text}" for name, text in shorthands.items() if text is not None)]
    if flat:
        if any(_option_name(setting) == "sprites" for setting in settings):
            raise InvalidRecipe("--flat already means sprites=false; remove one of them", at="sprites")
        settings.append("sprites=false")
    if format is not None and not names:
        raise InvalidRecipe("only applies to output files; name one with -o (-o - is standard output)", at="format")
    chosen = [_find_format(name, format) for name in names]
    for setting in settings:
        name = setting.partition("=")[0]
        _refuse_unknown(name, chosen, "--flat" if flat and name == "sprites" else "")
    outputs = []
    for name, entry in zip(names, chosen, strict=True):
        _check_placeholders(name, tuple(fields))
        options: dict[str, Any] = {}
        for setting in settings:
            if _option_name(setting) in entry.params.model_fields:
                read_setting(options, setting, entry.params, read_text)
        outputs.append(Output(name, entry, entry.params.validate(options)))
    return outputs


def write_maps(outputs: Sequence[Output], maps: Iterable[tuple[Mapping[str, str | int], TileMap]], count: int) -> str:
    """Write maps, each to all outputs. All files of a map are prepared before the first of them is written.

    Parameters
    ----------
    outputs : sequence of Output
        The outputs.
    maps : iterable of (mapping, TileMap)
        The values of the placeholders in file names, and the map.
    count : int
        Number of maps.

    Returns
    -------
    str
        Message with the files that were written; empty if there are none.
    """
    fields: Mapping[str, str | int] = {}
    for number, (fields, map) in enumerate(maps if outputs else ()):
        files = [output.prepare(output.format_path(**fields), map, alone=count == 1) for output in outputs]
        refuse_clashes(files)
        for file in files:
            file.write(first=number == 0)
    return describe_written(outputs, fields, count) if fields else ""


def refuse_clashes(files: Iterable[PreparedFile]) -> None:
    """Check that no output of a map replaces a file of another one, such as the picture of its tileset."""
    seen: dict[str, tuple[str, bytes]] = {}
    for file in files:
        for name, content in file.contents.items() if file.path != STANDARD_OUTPUT else ():
            place = os.path.join(os.path.dirname(file.path), name)
            path, before = seen.setdefault(place, (file.path, content))
            if path != file.path and before != content:
                text = f"{path} and {file.path} need different files of this name; choose another name for one of them"
                raise BadFile(text, at=place, rule="conflict")


def describe_written(outputs: Sequence[Output], last: Mapping[str, str | int], count: int) -> str:
    """Return a message with the files written for the last map; empty if all went to standard output."""
    names = ", ".join(output.format_path(**last) for output in outputs if output.template != STANDARD_OUTPUT)
    several = f"{count} maps up to " if count > 1 else ""
    return f"wrote {several}{names}" if names else ""


def refuse_collisions(outputs: Sequence[Output], fields: Sequence[Mapping[str, str | int]], *remedies: str) -> None:
    """Check that the files of the first maps have distinct paths that can be written."""
    seen: dict[str, str] = {}
    for output in outputs:
        paths = [output.format_path(**filled) for filled in fields]
        if len(set(paths)) < len(paths) and output.template != STANDARD_OUTPUT:
            missing = " or ".join(f"{{{name}}}" for name in remedies if f"{{{name}" not in output.template)
            raise InvalidRecipe(f"the same file name for several maps; add {missing} to it", at=output.template)
        for path in dict.fromkeys(paths):
            if path in seen:
                raise InvalidRecipe("is the path of two outputs; give each its own name", at=path, rule="duplicate")
            seen[path] = output.template
            if path != STANDARD_OUTPUT:
                refuse_unwritable(path)


def check_picture_path(path: str | None) -> None:
    """Check that a picture can be written to a path."""
    if path is not None and Path(path).suffix.lower() != ".png":
        raise InvalidRecipe("must end in .png", at=path)
    if path is not None:
        refuse_unwritable(path)


def write_picture(image: Image, path: str) -> None:
    write_files(path, {Path(path).name: encode_image(image)})
    info(f"wrote {path}")


def _find_format(name: str, format: str | None) -> Format:
    if name == STANDARD_OUTPUT and format is None:
        raise InvalidRecipe("standard output has no file extension; choose a format with --format")
    if os.path.isdir(name):
        refuse_unwritable(name)  # This raises an error: a folder has no extension that selects a format.
    return format_of(name, format)


def _option_name(setting: str) -> str:
    return re.split(r"[.=]", setting, maxsplit=1)[0].strip().replace("-", "_")


def _refuse_unknown(name: str, chosen: Sequence[Format], flag: str) -> None:
    """Refuse an option that no format has. `flag` is its name on the command line, if that is another one."""
    known = {option for entry in chosen for option in entry.params.model_fields}
    if not chosen:
        raise InvalidRecipe("only applies to output files; name one with -o", at=flag or name, rule="missing")
    if _option_name(name) not in known:
        names = list(dict.fromkeys(entry.name for entry in chosen))
        have = "has" if len(names) == 1 else "have"
        hint = f" for {flag}" if flag else did_you_mean(name, known)
        raise InvalidRecipe(f"{', '.join(names)} {have} no option {name!r}{hint}")


def _check_placeholders(template: str, fields: Sequence[str]) -> None:
    try:
        for _, name, form, conversion in string.Formatter().parse(template):
            if name is not None and name not in fields:
                shown = [f"{{{field}}}" for field in fields]
                raise UnknownName("placeholder", f"{{{name}}}", shown, f"in {template}")
            if conversion or not re.fullmatch(r"0?\d?", form or ""):
                raise ValueError("a placeholder may only have a width, such as {index:03}")
    except UnknownName:
        raise
    except ValueError as error:
        raise InvalidRecipe(f"{error}; write a literal brace twice", at=template, rule="duplicate") from None

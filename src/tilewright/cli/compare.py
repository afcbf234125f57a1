"""`tilewright compare SAMPLE...`: techniques that learn from the same samples, as a table and a picture."""

from __future__ import annotations

from pathlib import Path

import click

from ..comparison.contestants import list_contestants
from ..comparison.rows import COLUMNS, format_problems, format_rows
from ..comparison.run import CompareParams, compare_techniques
from ..core.errors import InvalidRecipe, pluralize
from ..core.params import PathText, param
from ..formats._files import refuse_unwritable
from ._console import AS_JSON, info, print_json, print_table
from ._inputs import SampleOptions, read_samples
from ._options import params_command, read_integers
from ._progress import show_progress


class CompareOptions(SampleOptions, CompareParams):
    """Options of `compare`."""

    size: str | None = param(None, metavar="WIDTHxHEIGHT")
    """Size of the maps; short for --width and --height."""
    output: PathText = param(None, flags=("-o", "--output"), metavar="FOLDER")
    """Folder for table.md, table.csv, table.json and sheet.png."""


@params_command("compare", CompareOptions, AS_JSON)
@click.argument("samples", metavar="SAMPLE...", nargs=-1, required=True)
def command(samples: tuple[str, ...], params: CompareOptions, as_json: bool) -> None:
    """Compare techniques that learn from the same samples: speed, failures, similarity, novelty, diversity, memory.

    A sample is a file, a folder of maps, a quoted glob such as "maps/*.csv", or the name of a built-in sample. Each
    technique runs in its own process. gan and elsgan, and the training of diffusion, need the extra neural.

    \b
    tilewright compare dungeon --techniques patterns,wfc,markov --count 20
    tilewright compare "maps/*.txt" --tileset dungeon --size 40x30 -o compared
    tilewright compare village --set wfc.pattern_size=2 --set patterns.quality=draft
    """
    output = params.output
    if params.size is not None:
        width, height = _read_size(params.size)
        params = params.replace(width=width, height=height)
    if output is not None:
        refuse_unwritable(Path(output) / "table.md")
    read = read_samples(samples, params)
    with show_progress(remaining=False) as report:
        found = compare_techniques(read, params, report)
    if output is not None:
        found.save(output)
    if as_json:
        print_json(found.to_data())
    else:
        headings = [column.heading for column in COLUMNS]
        print_table(format_rows(found.rows), *headings, numbers=range(1, len(COLUMNS)))
    for line in format_problems(found.rows):
        info(line)
    missing = [name for name in list_contestants() if name not in params.names]
    if params.techniques is None and missing:
        info(f'without {", ".join(missing)}, which need torch: pip install "tilewright[neural]"')
    what = f"{pluralize(found.count, 'map')} of {found.width}x{found.height} cells by each technique, seed {found.seed}"
    info(what if output is None else f"{what}; wrote {output}")


def _read_size(text: str) -> tuple[int, int]:
    """Return the width and height of a size such as 40x30."""
    numbers = read_integers(text.lower(), "x")
    if len(numbers) != 2:
        raise InvalidRecipe("must be a width and a height, such as 40x30", at="size", got=text, rule="format")
    width, height = numbers
    return width, height

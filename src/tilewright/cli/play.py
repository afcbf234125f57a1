"""`tilewright play FILE...`: solve maps with a game."""

from __future__ import annotations

from typing import Any

import click

from .. import api, formats
from ..core.errors import InvalidRecipe
from ..core.params import PathText, param
from ..formats import format_of
from ..play.game import solve
from ..play.overlays import describe
from ._console import AS_JSON, print_json
from ._inputs import InputOptions, read_maps
from ._options import params_command
from ._outputs import FLAT

MIN_SCALE, MAX_SCALE, MAX_WIDTH = 8, 24, 1200
"""Minimum and maximum number of pixels of a cell in pictures, and of a large map."""


class PlayOptions(InputOptions):
    """Options of `play`."""

    game: str | None = param(None, metavar="NAME[,PARAM=VALUE...]")
    """Game to play, such as platformer,jump_height=4. [the game of the tileset, or the one that suits its roles]"""
    limit: int | None = param(None, metavar="N")
    """Maximum number of states to examine. [set by the game]"""
    output: PathText = param(None, flags=("-o", "--output"), metavar="PATH")
    """File for the playthrough: an animation such as run.gif, or a picture of the path such as run.png."""


@params_command("play", PlayOptions, AS_JSON, FLAT)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(files: tuple[str, ...], params: PlayOptions, as_json: bool, flat: bool) -> None:
    """Find out whether levels can be finished, and how.

    The solver of a game plays each level. Tiles and markers take part by their roles, such as player, exit, crate or
    spike, which the tileset declares. The exit code is 1 if a level cannot be finished, and 0 otherwise.

    \b
    tilewright play level.json
    tilewright play level.json --game platformer,jump_height=4 -o run.gif
    tilewright play levels/*.json --json
    """
    game, output = params.game, params.output
    maps = [(given.name, given.map) for given in read_maps(files, params)]
    if output is not None and len(maps) != 1:
        raise InvalidRecipe(f"--output needs one level, got {len(maps)}", rule="type")
    found = [(name, map, solve(map, game, limit=params.limit)) for name, map in maps]
    if as_json:
        print_json(
            [
                {
                    "file": name,
                    "game": one.game,
                    "solved": one.solved,
                    "moves": list(one.moves),
                    "explored": one.explored,
                    "events": [
                        {"move": event.move, "kind": event.kind, "cell": event.cell[::-1]} for event in one.events
                    ],
                }
                for name, _, one in found
            ]
        )
    else:
        for name, _, one in found:
            click.echo(f"{name}: {describe(one)}" if len(found) > 1 else describe(one))
    if output is not None:
        ((_, map, one),) = found
        scale = min(MAX_SCALE, max(MIN_SCALE, MAX_WIDTH // max(map.shape)))
        look: dict[str, Any] = {"scale": scale, "sprites": False if flat else None}
        if format_of(output).animate is not None:
            formats.save_animation(one.draw(), output, **look)
        else:
            map.save(output, overlay=api.overlay(map, "playthrough", game=one.game), **look)
    if any(one.solved is False for _, _, one in found):
        raise SystemExit(1)

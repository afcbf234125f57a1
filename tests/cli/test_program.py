"""Behavior of all commands: fast help, one-line errors, clean exits."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from pkgutil import iter_modules

import psutil
import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tilewright import cli, kernels
from tilewright.cli import COMMANDS, main

PROGRAM = [sys.executable, "-m", "tilewright"]
PATIENT = """
import json, sys
from tilewright.cli import _progress, main
_progress.BAR_DELAY = 60
for arguments in json.loads(sys.argv[1]):
    code = main(arguments)
    print(end="\\0", flush=True)
    if code:
        sys.exit(code)
"""
"""Runs commands one after the other, and prints a zero after each. The progress bar appears after a minute, because on
a busy machine any work may take half a second."""


def imported_by(*arguments: str) -> set[str]:
    """Return the modules that a process has imported after running a command."""
    script = f"import sys; from tilewright.cli import main; main({list(arguments)!r}); print('|', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("|")[2].split())


def test_every_command_has_a_file_and_every_file_a_summary() -> None:
    files = {module.name for module in iter_modules(cli.__path__) if not module.name.startswith("_")}
    assert files == set(COMMANDS)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(tilewright: Run, command: str) -> None:
    done = tilewright.succeed(*command.split(), "--help")
    assert "Usage: tilewright" in done.out
    assert not done.err


def test_no_command_shows_the_help(tilewright: Run) -> None:
    assert tilewright() == tilewright("--help")


def test_help_imports_click_and_little_else() -> None:
    assert not imported_by("--help") & {"numpy", "numba", "pydantic", "rich", "PIL", "yaml", "scipy"}


@pytest.mark.parametrize("arguments", [["list"], ["explain", "fashion"], ["make", "fashion", "--help"]])
def test_listing_and_explaining_import_no_numba(arguments: list[str]) -> None:
    assert not imported_by(*arguments) & {"numba", "scipy", "dask", "nicegui"}


def test_bug_is_one_line_and_the_traceback_is_shown_on_request(
    tilewright: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> list[object]:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(kernels, "list_entries", broken)
    done = tilewright("warmup")
    assert done.code == 70
    assert done.err == (
        "tilewright: this is a bug in Tilewright (ZeroDivisionError: two lines); "
        "TILEWRIGHT_DEBUG=1 shows the traceback\n"
    )
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["warmup"])


def test_closed_pipe_causes_no_error_message() -> None:
    with subprocess.Popen(
        [*PROGRAM, "make", "caves", "--height", "4000", "--seed", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        running.stdout.close()
        errors = running.stderr.read().decode()
    assert errors in ("", "caves 80x4000, seed 1\n")


@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["make", "caves", "--width", "9", "--seed", "1"]])
@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_causes_no_error(arguments: list[str], closed: int) -> None:
    """The stream is closed before the program starts, as by >&- in a shell."""
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, preexec_fn=lambda: os.close(closed))
    assert done.returncode == 0
    assert b"bug" not in done.stderr
    assert b"Error" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "tilewright: the output: No space left on device\n"


def run_program_in_terminal(
    program: list[str],
    environment: Mapping[str, str],
    *,
    interrupt: str = "",
    family: list[psutil.Process] | None = None,
) -> tuple[str, int]:
    """Return the terminal output and the exit code.

    When the text `interrupt` appears, press Ctrl-C, and add the processes that the program has started to `family`.
    """
    child, terminal = pty.fork()
    if child == 0:
        usual = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "100", "LINES": "40"}
        os.environ.update({**usual, **environment})
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # background processes ignore it
        os.execv(sys.executable, program)
    shown = b""
    try:
        while part := os.read(terminal, 1 << 16):
            shown += part
            if interrupt and interrupt.encode() in shown:
                interrupt = ""
                if family is not None:
                    family += psutil.Process(child).children(recursive=True)
                os.write(terminal, b"\x03")
    except OSError:  # end of the program
        pass
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run_in_terminal(*commands: str, **environment: str) -> list[str]:
    """Return the terminal output of each command. They run in one process, because starting one takes a second."""
    program = [sys.executable, "-c", PATIENT, json.dumps([shlex.split(command) for command in commands])]
    shown, code = run_program_in_terminal(program, environment)
    assert code == 0, shown
    *parts, _ = shown.split("\0")
    assert len(parts) == len(commands)
    return parts


def strip_colors(shown: str) -> str:
    """Return terminal output without colors."""
    return re.sub(r"\x1b\[[\d;]*m", "", shown)


def test_maps_are_colored_in_a_terminal() -> None:
    (shown,) = run_in_terminal("make caves --width 30 --height 4 --seed 1")
    assert "\x1b[38;2;" in shown
    assert "caves 30x4, seed 1" in shown
    assert "━" not in shown  # quick work shows no bar


def test_a_map_larger_than_the_terminal_becomes_a_picture() -> None:
    wide, tall = run_in_terminal(
        "make caves --width 300 --height 20 --seed 1", "make caves --width 30 --height 51 --seed 1"
    )
    assert "▀" in wide
    assert "reduced to 100 columns" in wide
    lines = [line for line in strip_colors(tall).split("\r\n") if "▀" in line]
    assert [len(line) for line in lines] == [30] * 26
    assert "reduced to 30 columns; --glyphs shows each cell" in tall


def test_glyphs_and_blocks_can_be_chosen() -> None:
    tw.make("caves", width=30, height=4, seed=1).save("cave.json")
    glyphs, blocks, shown_blocks, shown_plain = run_in_terminal(
        "make caves --width 110 --height 51 --seed 1 --glyphs",
        "make caves --width 30 --height 4 --blocks",
        "show cave.json --blocks",
        "show cave.json --plain",
    )
    assert "▀" not in glyphs
    assert [len(line) for line in strip_colors(glyphs).split("\r\n")[:51]] == [110] * 51
    assert [line for line in strip_colors(blocks).split("\r\n") if "▀" in line] == ["▀" * 30] * 2
    assert "▀" in shown_blocks
    assert "\x1b[38" not in shown_plain


def save_level() -> None:
    """Save a small level with markers as level.json. Its tiles have the glyphs `#`, `.` and `s`."""
    tileset = tw.Tileset.from_labels(["#", ".", "s"])
    rows = ["#####", "#.s.#", "#...#", "#####"]
    places = {
        "start": [(1, 1)],
        "key red": [(3, 1), (1, 2)],
        "key blue": [(2, 2)],
        "key gold": [(3, 2)],
        "key yellow": [(0, 0)],
        "snake": [(0, 3)],
        "orc": [(1, 1)],
    }
    markers = [tw.Marker(name, x, y) for name, cells in places.items() for x, y in cells]
    level = tw.TileMap([[tileset.id(glyph) for glyph in row] for row in rows], tileset)
    level.replace(markers=markers).save("level.json")


def test_markers_are_letters_with_a_legend_in_a_terminal() -> None:
    """Names that differ only in a color share a letter, unless a terminal with 16 colors shows the same color."""
    save_level()
    full, blocks = run_in_terminal("show level.json --glyphs", "show level.json --blocks")
    (few,) = run_in_terminal("show level.json", TERM="xterm", COLORTERM="")
    for shown in (full, few):
        lines = strip_colors(shown).split("\r\n")
        assert lines[:4] == ["K####", "#Ssk#", "#kkk#", "n####"]
        legend = " ".join(" ".join(lines[5:]).split())
        assert legend == "S start k key red ×2 k key blue k key gold K key yellow n snake o orc"
        styles = {re.findall(r"\x1b\[([\d;]*)m", before)[-1] for before in shown.split("k")[:4]}
        assert len(styles) == 3
    assert strip_colors(blocks).split("\r\n")[:2] == ["KS▀k▀", "nkkk▀"]


@pytest.mark.parametrize("look", ["", "--plain"])
def test_plain_maps_show_tiles_only_and_list_the_places_of_markers(tilewright: Run, look: str) -> None:
    save_level()
    done = tilewright("show", "level.json", *look.split())
    assert done.out == f"{tw.load('level.json')}\n"
    keys = "key red 3,1 1,2; key blue 2,2; key gold 3,2; key yellow 0,0"
    assert done.err.endswith(f"\nmarkers: start 1,1; {keys}; snake 0,3; orc 1,1\n")
    (shown,) = run_in_terminal(f"show level.json {look}", NO_COLOR="1")
    assert strip_colors(shown).replace("\r\n", "\n") == done.out + done.err


def test_legends_of_many_markers_are_short() -> None:
    """Names without a letter of their own are counted; control characters and long names cannot spoil the terminal."""
    names = ["\x1b[31mred", "n" * 1000, *(f"name {number}" for number in range(70))]
    markers = [tw.Marker(name, number % 20, number // 20) for number, name in enumerate(names)]
    tw.make("caves", width=20, height=8, seed=1).replace(markers=[*markers, *markers[:1] * 30]).save("level.json")
    colored, plain = run_in_terminal("show level.json --glyphs", "show level.json --plain")
    legend = " ".join(strip_colors(colored).partition("20x8 of cave")[2].split())
    assert "3 [31mred ×31 n nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn ... " in legend
    assert legend.endswith("? 10 other names")
    assert "red 0,0 0,0" in plain
    assert " and 11 more; nnnn" in plain
    assert "; 10 other names" in plain


def test_overlays_only_change_colors() -> None:
    rooms = {"rooms": [tw.Room(1, 1, 8, 5), tw.Room(20, 2, 7, 8)], "links": [(0, 1)]}
    tw.make("caves", width=30, height=12, seed=1).replace(**rooms).save("cave.json")
    names, looks = ("distance", "hot-path", "rooms", "sight"), ("--glyphs", "--blocks")
    overlays = [f"--overlay {name}" for name in names]
    commands = [f"show cave.json {look} {overlay}" for look in looks for overlay in ("", *overlays)]
    shown = dict(zip(commands, run_in_terminal(*commands), strict=True))
    for name, overlay in zip(names, overlays, strict=True):
        legend = tw.overlay(tw.load("cave.json"), name).legend
        for look in looks:
            without, colored = shown[f"show cave.json {look} "], shown[f"show cave.json {look} {overlay}"]
            assert strip_colors(colored) == strip_colors(without) + legend + "\r\n"
            assert colored.split("cave.json")[0] != without.split("cave.json")[0]
    few = run_in_terminal(*(f"show cave.json {overlay}" for overlay in overlays), TERM="xterm", COLORTERM="")
    assert [len(strip_colors(one).split("\r\n")) for one in few] == [12 + 3] * len(names)


def test_sixteen_colors_are_chosen_by_hue_without_background() -> None:
    Path("sea.txt").write_text("~~..&&^^\n")
    Path("cave.txt").write_text("#.~\n")
    sea, cave = run_in_terminal(
        "show sea.txt --tileset terrain", "show cave.txt --tileset cave", TERM="xterm", COLORTERM=""
    )
    assert "\x1b[94m~~\x1b[0m\x1b[92m..\x1b[0m\x1b[32m&&\x1b[0m\x1b[37m^^\x1b[0m" in sea
    assert "\x1b[90m#\x1b[0m\x1b[93m.\x1b[0m\x1b[36m~\x1b[0m" in cave


def test_wide_map_without_colors_is_cut_with_a_message() -> None:
    (shown,) = run_in_terminal("make caves --width 300 --height 4 --seed 1", NO_COLOR="1")
    assert "\x1b[38" not in shown
    assert "only 100 columns shown" in shown
    assert max(len(line) for line in shown.split("\r\n")) <= 100


def test_the_same_map_in_every_process() -> None:
    commands = [["make", "caves", "--seed", "7"], ["make", "fashion", "--seed", "snow", "--generations", "5"]]
    program = [sys.executable, "-c", PATIENT, json.dumps(commands)]
    first, second = (
        subprocess.run(program, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert first.count(b"\0") == len(commands)


def test_json_is_json(tilewright: Run) -> None:
    assert "caves" in [entry["name"] for entry in json.loads(tilewright("list", "--json").out)["techniques"]]
    assert json.loads(tilewright("explain", "caves", "--json").out)["properties"]["walls"]["maximum"] == 1
    assert json.loads(tilewright("explain", "cave", "--json").out)["tiles"][0]["name"] == "floor"

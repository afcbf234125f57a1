"""The real Godot 4, whose program the environment variable TILEWRIGHT_GODOT names."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

PROGRAM = os.environ.get("TILEWRIGHT_GODOT", "")
needs_godot = pytest.mark.skipif(not PROGRAM, reason="TILEWRIGHT_GODOT does not name a Godot 4 program")


def run_godot(project: Path, *arguments: str) -> str:
    """Run Godot in a project without a window, and return what it prints. Errors of the project fail the test."""
    command = [PROGRAM, "--headless", "--path", str(project), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    # Importing opens the editor, which also reports errors of the machine, such as missing certificates.
    assert "ERROR" not in output or ("--import" in arguments and "res://" not in output), output
    return output


def run_script(project: Path, name: str, *arguments: str) -> list[Any]:
    """Run a script in a project, and return the lines of JSON that it prints after RESULT."""
    lines = run_godot(project, "--script", f"{name}.gd", "--", *arguments).splitlines()
    return [json.loads(line.removeprefix("RESULT ")) for line in lines if line.startswith("RESULT ")]

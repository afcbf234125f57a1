"""Install programs that tests use, if possible: Debian's `tmxrasterizer` and Chromium, and npm packages.

It never fails. A test whose program is missing is skipped (and fails under .ci/run).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
PACKAGES = {"tiled": ("tmxrasterizer",), "chromium-headless-shell": BROWSERS, "chromium": BROWSERS}
"""Debian packages and their programs, of which one is enough."""
WITH_NPM = ("examples/phaser", "tests/studio")
"""Folders with a package.json."""


def main() -> None:
    can_install = shutil.which("apt-get") and os.geteuid() == 0
    if can_install and not all(map(has_program, PACKAGES)):
        run_quietly("apt-get", "update", "-qq")
    for package in PACKAGES:
        if can_install and not has_program(package):
            print(f"installing {package} for the tests", file=sys.stderr)
            run_quietly("apt-get", "install", "-qq", "-y", "--no-install-recommends", package)
    for folder in WITH_NPM:
        # npm writes this file. Install again if a requirement is newer.
        installed = ROOT / folder / "node_modules" / ".package-lock.json"
        wanted = ROOT / folder / "package.json"
        if shutil.which("npm") and (not installed.exists() or installed.stat().st_mtime < wanted.stat().st_mtime):
            print(f"installing npm packages in {folder} for the tests", file=sys.stderr)
            quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--fetch-retries=1")
            run_quietly("npm", "install", *quiet, folder=ROOT / folder)


def has_program(package: str) -> bool:
    return any(map(shutil.which, PACKAGES[package]))


def run_quietly(*command: str, folder: Path = ROOT) -> None:
    """Run a command without output and ignore its failure."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    silent: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, check=False, cwd=folder, env=environment, timeout=900, **silent)


if __name__ == "__main__":
    main()

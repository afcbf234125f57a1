"""Sets up what tests use beside Python packages, where this machine lets us.

Debian's `tmxrasterizer` and Chromium where there are none, and the npm packages of the examples. Never fails: a test
whose tool is missing is skipped and says so (and fails under .ci/run).
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
PACKAGES = {
    "tiled": ("tmxrasterizer",),
    "chromium": ("chromium", "chromium-browser", "google-chrome", "chrome"),
}
"""Debian's packages, and the programs of which one is enough."""
WITH_NPM = ("examples/phaser",)
"""Folders with a package.json."""


def main() -> None:
    missing = [package for package, programs in PACKAGES.items() if not any(map(shutil.which, programs))]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        print(f"installing {' and '.join(missing)} for the tests", file=sys.stderr)
        attempt("apt-get", "update", "-qq")
        for package in missing:
            attempt("apt-get", "install", "-qq", "-y", "--no-install-recommends", package)
    for folder in WITH_NPM:
        # Made again when a requirement changes; npm leaves this file in what it installs.
        installed = ROOT / folder / "node_modules" / ".package-lock.json"
        wanted = ROOT / folder / "package.json"
        if shutil.which("npm") and (not installed.exists() or installed.stat().st_mtime < wanted.stat().st_mtime):
            print(f"installing npm packages in {folder} for the tests", file=sys.stderr)
            quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--fetch-retries=1")
            attempt("npm", "install", *quiet, folder=ROOT / folder)


def attempt(*command: str, folder: Path = ROOT) -> None:
    """Run a command, and go on whatever becomes of it."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    silent: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, check=False, cwd=folder, env=environment, timeout=900, **silent)


if __name__ == "__main__":
    main()

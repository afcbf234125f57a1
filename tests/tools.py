"""Sets up what tests use beside Python packages, where this machine lets us: Debian's `tmxrasterizer`.

Never fails: a test whose tool is missing is skipped and says so (and fails under .ci/run).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def main() -> None:
    if shutil.which("tmxrasterizer") or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    print("installing tmxrasterizer (package tiled) for the tests", file=sys.stderr)
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "tiled"],
    ):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(command, check=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

"""Run a command that receives a signal at one of its audit events, such as the opening of a file.

python tests/kill_at.py TOUCHED SIGNAL WHOM EVENT COUNTS ARGUMENTS...

The signal comes at event number EVENT of all events (TOUCHED is empty) or of those that name a path with TOUCHED in it;
0 sends none. WHOM is `process`, or `group` as at the end of a terminal. The number of events is written to COUNTS.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    touched, name, whom, event, counts, *arguments = sys.argv[1:]
    number, at = signal.Signals[name], int(event)
    from tilewright.cli import main as run

    seen = [0, 0]
    is_running = True

    def count(kind: str, values: tuple[Any, ...]) -> None:
        if not is_running:
            return
        is_touched = bool(touched) and any(isinstance(one, str) and touched in one for one in values[:2])
        seen[0] += 1
        seen[1] += is_touched
        if at and (is_touched or not touched) and seen[is_touched] == at:
            if whom == "group":
                os.killpg(os.getpgrp(), number)
            else:
                os.kill(os.getpid(), number)

    sys.addaudithook(count)
    try:
        return run(arguments)
    finally:
        is_running = False
        Path(counts).write_text(f"{seen[0]} {seen[1]}")


if __name__ == "__main__":
    sys.exit(main())

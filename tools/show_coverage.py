"""Show the coverage of each package, from the JSON file that slipcover writes: `python tools/show_coverage.py FILE`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path, PurePath

PACKAGE = "tilewright"


def find_package(file: str) -> str:
    """Return the package of a file, such as `core`; the name of a plugin, or `tilewright` outside of all packages."""
    parts = PurePath(file).parts
    inside = parts[parts.index("plugins" if "plugins" in parts else PACKAGE) + 1 :]
    return inside[0] if len(inside) > 1 else PACKAGE


def main() -> None:
    files = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"]
    executed, lines = Counter[str](), Counter[str]()
    for file, content in files.items():
        for name in (find_package(file), "total"):
            executed[name] += len(content["executed_lines"])
            lines[name] += len(content["executed_lines"]) + len(content["missing_lines"])
    print("Coverage:", ", ".join(f"{name} {executed[name] / max(1, lines[name]):.0%}" for name in sorted(lines)))


if __name__ == "__main__":
    main()

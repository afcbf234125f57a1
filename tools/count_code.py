"""Count the code lines of Python files: `python tools/count_code.py src/tilewright tests`.

Blank lines, comments, docstrings and the `description=` of parameters are not counted. One line per folder, then one
per package of it. `tests/test_count_code.py` has examples.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def count_code(source: str) -> int:
    """Return the number of code lines of a module."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for token in tokens if token.type not in NOT_CODE for line in range(token.start[0], token.end[0] + 1)}
    blank = {line for line, text in enumerate(source.splitlines(), 1) if not text.strip()}
    return len(lines - blank - find_prose(source))


def find_prose(source: str) -> set[int]:
    """Return the lines of docstrings and descriptions."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg == "description"):
            value = node.value
            if isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
                lines.update(range(value.lineno, (value.end_lineno or value.lineno) + 1))
    return lines


def main() -> None:
    for folder in map(Path, sys.argv[1:]):
        lines = Counter[str]()
        paths = [path for path in sorted(folder.rglob("*.py")) if "node_modules" not in path.parts]
        for path in paths:
            package, *rest = path.relative_to(folder).parts
            lines[package if rest else "."] += count_code(path.read_text(encoding="utf-8"))
        print(f"{folder}: {len(paths)} files, {lines.total()} code lines")
        for package, count in lines.most_common():
            print(f"  {package}: {count}")


if __name__ == "__main__":
    main()

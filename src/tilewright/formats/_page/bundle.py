"""The JavaScript modules of a page in one script.

Browsers do not load modules from files on a disk, and a page is one file. Each module becomes a function that returns
its exports, called in the order of the imports. Written by hand, because bundlers need Node.js: the modules only use
`import { names } from "./module.js"` and `export` before declarations, and everything else is refused.
"""

from __future__ import annotations

import re
from functools import lru_cache

from . import MODULES

IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^[ \t]*(?:import|export)\b.*$|\bimport\(", re.MULTILINE)


@lru_cache(maxsize=4)
def bundle(entry: str) -> str:
    """Return a script that runs a module with all modules that it imports."""
    bodies: dict[str, str] = {}
    _add(entry, bodies, ())
    return '"use strict";\n' + "\n".join(bodies.values())


def _add(name: str, bodies: dict[str, str], importing: tuple[str, ...]) -> None:
    """Add a module after the modules that it imports."""
    if name in importing:
        raise ValueError(f"{name}.js imports itself, by {', '.join(importing)}")
    if name in bodies:
        return
    source = (MODULES / f"{name}.js").read_text("utf-8")
    for _, imported in IMPORT.findall(source):
        _add(imported, bodies, (*importing, name))
    exports = ", ".join(EXPORT.findall(source))
    body = EXPORT.sub("", IMPORT.sub(r"const { \1 } = module_\2;", source))
    if left := OTHER.search(body):
        raise ValueError(f"{name}.js has an import or export that cannot be bundled: {left[0].strip()}")
    bodies[name] = f"const module_{name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"

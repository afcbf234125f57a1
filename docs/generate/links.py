"""Links of the repository's pages, as the site has them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "examples/README.md": "examples.md",
    "examples/demo.py": "files/demo.py",
    "examples/patterns.ipynb": "files/patterns.ipynb",
    "examples/phaser/README.md": "examples-phaser.md",
    "examples/phaser/main.js": "files/main.js",
}
"""Pages and files outside docs/ that the site has too: path in the repository, path on the site."""
LINK = re.compile(r"(\]\()([^)#:\s]+)([^)]*\))")


def for_site(markdown: str, page: str) -> str:
    """Return a page with its relative links rewritten from paths in the repository to paths on the site.

    Parameters
    ----------
    markdown
        Text of the page.
    page
        Path of the page on the site.
    """
    sources = {target: source for source, target in OUTSIDE.items()}
    folder = posixpath.dirname(sources.get(page, f"docs/{page}"))

    def rewrite(match: re.Match[str]) -> str:
        start, target, rest = match.groups()
        path = posixpath.normpath(posixpath.join(folder, target))
        on_site = OUTSIDE.get(path) or path.removeprefix("docs/")
        if on_site == path:  # neither in docs/ nor one of OUTSIDE: left for mkdocs to complain about
            return match[0]
        return f"{start}{posixpath.relpath(on_site, posixpath.dirname(page) or '.')}{rest}"

    return LINK.sub(rewrite, markdown)

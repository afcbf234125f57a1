"""Hooks of mkdocs: pages from outside docs/, parts that are generated for the site only, and links."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from generate import cards, charts, http_api, links, reference
from mkdocs.structure.files import File, Files

FENCE = re.compile(r"^```(\w+) (picture|file|plugin)=(\S+)$", re.MULTILINE)
PART = re.compile(r"^<!-- site: (\w+) of (\w+) -->$", re.MULTILINE)
MAKERS: dict[str, Callable[[str], str]] = {
    "gallery": cards.make_cards,
    "bench": charts.chart,
    "http": lambda name: {"routes": http_api.routes, "settings": http_api.settings}[name](),
}
"""Functions that make the parts which only the site has; in the repository these parts are comments."""
log = logging.getLogger("mkdocs.hooks")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and files of the repository that are not in docs/; warn of public names without a reference."""
    for source, target in links.OUTSIDE.items():
        file = links.ROOT / source
        if not file.exists():
            continue
        if target.endswith(".md"):
            files.append(File.generated(config, target, content=file.read_text(encoding="utf-8")))
        else:
            files.append(File.generated(config, target, abs_src_path=str(file)))
    pages = [file.content_string for file in files.documentation_pages()]
    for name in reference.missing_names(pages):
        log.warning("no page of docs/reference documents %s; add `::: %s` to one", name, name)
    for name in reference.unknown_names(pages):
        log.warning("a page has `::: %s`, which does not exist", name)
    return files


def on_page_markdown(markdown: str, page: Any, **others: object) -> str:
    """Fill in generated parts, rewrite links for the site, and keep only the options of fences that mkdocs knows."""
    text = PART.sub(lambda match: MAKERS[match[1]](match[2]), markdown)
    text = links.for_site(reference.expand(text), page.file.src_uri)
    return FENCE.sub(
        lambda match: f'```{match[1]} title="{match[3]}"' if match[2] == "file" else f"```{match[1]}", text
    )

"""Summaries of results as HTML, which notebooks show below a cell."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import TooLarge
from ..core.measure_groups import format_short
from ..core.tilemap import TileMap
from .charts import FAINT, FIRST, MUTED
from .sheets import GAP, MIN_WIDTH, choose_columns, draw_contact_sheet, map_width

WIDTH, CELL = 1200, 16
"""Maximum width of the sheet and of a cell in pixels. Notebooks shrink the sheet to the width of the page."""
MAX_CHARTS = 12
BARS = 24
CHART_WIDTH, CHART_HEIGHT = 168, 44


def render_summary(
    title: str,
    facts: Sequence[str],
    maps: Sequence[TileMap],
    captions: Sequence[str],
    measures: Mapping[str, Any],
    command: str,
) -> str:
    """Return a summary as HTML. All strings are escaped, so that text of a file is never markup.

    Parameters
    ----------
    title : str
        Title.
    facts : sequence of str
        Lines below the title.
    maps : sequence of TileMap
        Maps to draw.
    captions : sequence of str
        Caption of each map.
    measures : mapping of str to array
        Values by measure. Each measure gets a bar chart; values that are not finite are left out.
    command : str
        Command that makes the result again; empty for none.

    Returns
    -------
    str
    """
    parts = [f"<strong>{escape(title)}</strong>", *(f"<div>{escape(fact)}</div>" for fact in facts)]
    if maps and (sheet := _encode_sheet(maps, captions)):
        source = b64encode(sheet).decode()
        about = f"{title}: {', '.join(captions)}"
        parts.append(f'<img src="data:image/png;base64,{source}" alt="{escape(about)}" style="max-width: 100%">')
    charts = [render_chart(name, np.asarray(own, dtype=np.float64)) for name, own in measures.items()]
    if charts := [chart for chart in charts if chart][:MAX_CHARTS]:
        parts.append(f'<div style="display: flex; flex-wrap: wrap; gap: 12px">{"".join(charts)}</div>')
    if command:
        parts.append(f"<pre>{escape(command)}</pre>")
    return f'<div class="tilewright-summary">{"".join(parts)}</div>'


def _encode_sheet(maps: Sequence[TileMap], captions: Sequence[str]) -> bytes:
    """Return a sheet of maps as a PNG file; nothing if the maps are so tall that the sheet would be too large."""
    content, columns = BytesIO(), choose_columns(maps)
    width = columns * (CELL * max(map_width(map) for map in maps) + GAP) + GAP
    try:
        picture = draw_contact_sheet(maps, captions, columns=columns, width=min(max(width, MIN_WIDTH), WIDTH))
    except TooLarge:
        return b""
    picture.save(content, "PNG")
    return content.getvalue()


def render_chart(name: str, values: NDArray[np.float64]) -> str:
    """Return a histogram with its measure and its range; an empty string without values."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return ""
    low, high = float(finite.min()), float(finite.max())
    span = high / 2 - low / 2  # of numbers so large that their difference is not finite, too
    is_integer = bool(np.all(finite == np.round(finite))) and 2 * span < BARS
    count = int(high - low) + 1 if is_integer else BARS if span > 1e-9 * max(abs(high), abs(low)) else 1
    places = (finite - low).astype(int) if is_integer else (finite / 2 - low / 2) / (span or 1.0) * count
    counts = np.bincount(np.clip(places, 0, count - 1).astype(int), minlength=count)
    step, most = CHART_WIDTH / count, int(counts.max())
    bars = "".join(
        f'<rect x="{number * step:.1f}" y="{CHART_HEIGHT - height:.1f}" width="{max(step - 1, 0.5):.1f}" '
        f'height="{height:.1f}"/>'
        for number, own in enumerate(counts.tolist())
        if (height := max(1.0, CHART_HEIGHT * own / most) if own else 0.0)
    )
    about = escape(f"{name}: {format_short(low)} to {format_short(high)}")
    return (
        f'<figure style="margin: 0"><svg role="img" aria-label="{about}" width="{CHART_WIDTH}" '
        f'height="{CHART_HEIGHT + 1}" fill="{_to_css(FIRST)}"><title>{about}</title>{bars}'
        f'<path d="M0 {CHART_HEIGHT + 0.5}H{CHART_WIDTH}" stroke="{_to_css(FAINT)}"/></svg>'
        f'<figcaption style="color: {_to_css(MUTED)}; font-size: small">{about}</figcaption></figure>'
    )


def _to_css(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)

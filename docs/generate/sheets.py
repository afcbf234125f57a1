"""Several pictures on one sheet."""

from __future__ import annotations

from PIL.Image import Image
from PIL.Image import new as new_image
from PIL.ImageDraw import Draw

GAP = 10
"""Pixels between neighboring pictures."""
CAPTION = 18
"""Pixels for a line below a picture."""


def arrange_pictures(pictures: list[tuple[Image, str]], *, columns: int) -> Image:
    """Return pictures with their notes in rows; the largest picture of a row or column sets its size."""
    caption = CAPTION if any(note for _, note in pictures) else 0
    widths = [max(picture.width for picture, _ in pictures[column::columns]) for column in range(columns)]
    rows = [pictures[first : first + columns] for first in range(0, len(pictures), columns)]
    heights = [max(picture.height for picture, _ in row) + caption for row in rows]
    sheet = new_image("RGB", (sum(widths) + GAP * (columns - 1), sum(heights) + GAP * (len(rows) - 1)), "white")
    for at, (picture, note) in enumerate(pictures):
        x = sum(widths[: at % columns]) + GAP * (at % columns)
        y = sum(heights[: at // columns]) + GAP * (at // columns)
        sheet.paste(picture, (x, y))
        if note:
            Draw(sheet).text((x, y + picture.height + 2), note, fill="#444444", font_size=13)
    return sheet

"""Colors of a 16-color terminal."""

from __future__ import annotations

from colorsys import rgb_to_hsv

Rgb = tuple[int, int, int]
HUES = ((20, "red"), (65, "yellow"), (165, "green"), (200, "cyan"), (265, "blue"), (345, "magenta"), (360, "red"))
"""Colors, each with the upper limit of its hue in degrees."""


def nearest_ansi(rgb: Rgb) -> str:
    """Return the nearest of the 16 terminal colors, except black, by hue, so that water stays blue."""
    hue, saturation, value = rgb_to_hsv(*(part / 255 for part in rgb))
    if saturation < 0.3:
        return "bright_black" if value < 0.45 else "white" if value < 0.8 else "bright_white"
    name = next(name for end, name in HUES if hue * 360 <= end)
    return name if value < 0.6 else f"bright_{name}"

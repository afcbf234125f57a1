"""Pictures inside recipes and tilesets: a PNG file as a data URL, or its digest if the picture is kept elsewhere."""

from __future__ import annotations

import base64
import binascii
import re
from hashlib import blake2b

from .errors import short_repr

MAX_PICTURE_BYTES = 1_000_000
"""Maximum number of bytes of a PNG file inside a recipe."""
MAX_PICTURE_PIXELS = 1 << 24
"""Maximum number of pixels of such a picture."""
DATA_PREFIX, DIGEST_PREFIX = "data:image/png;base64,", "blake2b:"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_HEADER_END = 24
"""Position after the width and height in a PNG file, which are its first two numbers of 32 bits."""


def read_embedded(text: str) -> str:
    """Return a reference to a picture. Raise ValueError if it is neither a PNG data URL nor a digest."""
    if text.startswith(DATA_PREFIX):
        check_png(decode_picture(text))
    elif text and not re.fullmatch(rf"{DIGEST_PREFIX}[0-9a-f]{{32}}", text):
        raise ValueError(f"must be a PNG file as {DATA_PREFIX}..., or the digest of one, got {short_repr(text)}")
    return text


def check_png(picture: bytes) -> None:
    """Raise ValueError if a file is not PNG, or too large for a recipe."""
    if not picture.startswith(PNG_SIGNATURE) or len(picture) < PNG_HEADER_END:
        raise ValueError("must be a PNG file")
    if len(picture) > MAX_PICTURE_BYTES:
        raise ValueError(
            f"must have at most {MAX_PICTURE_BYTES / 1e6:.0f} MB as PNG, got {len(picture) / 1e6:.1f} MB; "
            "crop it to the sprites in use, or reduce its colors"
        )
    width, height = (int.from_bytes(picture[start : start + 4], "big") for start in (16, 20))
    if width * height > MAX_PICTURE_PIXELS:
        raise ValueError(
            f"must have at most {MAX_PICTURE_PIXELS:,} pixels, got {width:,}x{height:,}; crop it to the sprites in use"
        )


def encode_picture(picture: bytes) -> str:
    """Return a PNG file as a data URL."""
    return DATA_PREFIX + base64.b64encode(picture).decode()


def decode_picture(text: str) -> bytes:
    """Return the file in a data URL; empty if the text is a digest. Raise ValueError if the encoding is wrong."""
    if not text.startswith(DATA_PREFIX):
        return b""
    if len(text) > 2 * MAX_PICTURE_BYTES:
        raise ValueError(f"must have at most {MAX_PICTURE_BYTES / 1e6:.0f} MB as PNG, got more")
    try:
        return base64.b64decode(text[len(DATA_PREFIX) :], validate=True)
    except binascii.Error:
        raise ValueError("must be a PNG file in base64") from None


def digest_picture(picture: bytes) -> str:
    """Return the reference to a picture that is kept elsewhere.

    >>> digest_picture(b"")
    'blake2b:cae66941d9efbd404e4d88758ea67670'
    """
    return DIGEST_PREFIX + blake2b(picture, digest_size=16).hexdigest()

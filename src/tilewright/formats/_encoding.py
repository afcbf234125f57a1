"""Pictures as the content of files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image


def encode_image(picture: Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return a picture as a file of this kind. The options are those of Pillow."""
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()

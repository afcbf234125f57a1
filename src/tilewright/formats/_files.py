"""Reading and writing files so that nothing is ever half there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from ..core.errors import BadFile

MOST_BYTES = 1 << 30
"""Larger files are not read: no map we know of is."""


def read_file(path: str | PathLike[str]) -> bytes:
    """A file's content, or one line that says why not."""
    try:
        size = os.stat(path).st_size
        if size > MOST_BYTES:
            raise BadFile(f"{path}: {size / 2**30:.1f} GB are more than the {MOST_BYTES / 2**30:.0f} GB that are read")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadFile(f"{path}: cannot be read ({_reason(error)})") from None
    if len(content) > MOST_BYTES:
        raise BadFile(f"{path}: endless; nothing is read from it")
    return content


def refuse_unwritable(path: str | PathLike[str]) -> None:
    """Say before the work starts that a file cannot be written; folders on the way are made later."""
    target = Path(path)
    try:
        if target.is_dir():
            raise BadFile(f"{path}: is a folder; name a file in it")
        folder = target.parent
        while not folder.exists():
            folder = folder.parent
        if not folder.is_dir():
            raise BadFile(f"{path}: cannot be written ({folder} is not a folder)")
        # Asking the system is not enough: root may write anywhere but into read-only file systems.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        raise BadFile(f"{path}: cannot be written ({_reason(error)})") from None


def write_files(path: str | PathLike[str], contents: Mapping[str, bytes]) -> list[Path]:
    """Write contents beside each other, the companions first, each to a temporary name that is then renamed."""
    folder = Path(path).parent
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in reversed(list(contents.items())):
            target = folder / name
            written.append(target)
            if name != Path(path).name and _holds(target, content):
                continue  # a companion that several maps share
            handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(temporary, 0o666 & ~_umask())
                os.replace(temporary, target)
            except BaseException:
                os.unlink(temporary)
                raise
    except (OSError, ValueError) as error:
        raise BadFile(f"{path}: cannot be written ({_reason(error)})") from None
    return written[::-1]


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__

"""Locks of folders, so that no other process on this machine writes to the same folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from ..core.errors import BadFile

try:
    import fcntl
except ImportError:  # On Windows, two concurrent runs in one folder are not detected.
    fcntl = None  # type: ignore[assignment]

LOCK = ".tilewright.lock"
"""Name of the file that a writing process locks. The file is removed at the end of the run and never renamed."""


@contextmanager
def lock_folder(folder: str, address: str = "") -> Iterator[bool]:
    """Hold an exclusive lock on a folder. The lock ends with the process. Errors name the address, if one is given.

    Yield whether the folder is locked: some file systems do not support locks. A missing folder is created, and removed
    again if nothing is written to it.

    Raises
    ------
    BadFile
        If another process holds the lock.
    OSError
        If the folder cannot be written.
    """
    if fcntl is None:
        yield False
        return
    is_new = not os.path.isdir(folder)
    file, is_locked = _open_lock(folder, address or folder)
    try:
        yield is_locked
    finally:
        with file, suppress(OSError):
            os.unlink(os.path.join(folder, LOCK))
            if is_new:
                os.rmdir(folder)


def _open_lock(folder: str, address: str) -> tuple[BinaryIO, bool]:
    """Return the locked file, and whether the file system supports locks."""
    path = os.path.join(folder, LOCK)
    while True:
        with suppress(FileNotFoundError):  # The process that held the lock has just removed the file or folder.
            os.makedirs(folder, exist_ok=True)
            file = open(path, "ab")  # noqa: SIM115
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # A lock on a file that was removed meanwhile excludes no other process.
                if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    return file, True
            except BlockingIOError:
                file.close()
                raise BadFile("another process is writing to it", at=address) from None
            except FileNotFoundError:
                file.close()
                raise
            except OSError:
                return file, False
            file.close()

"""Functions that read files, write files atomically, and lock folders."""

from __future__ import annotations

import io
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from os import PathLike
from pathlib import Path, PurePosixPath, PureWindowsPath
from time import time
from typing import TYPE_CHECKING, Any, BinaryIO

from ..core.errors import BadFile, find_nearest

if TYPE_CHECKING:
    from PIL.Image import Image


MAX_BYTES = 1 << 30
"""Maximum size of a file to read."""
MAX_NAMES = 10_000
"""Maximum number of files whose names are compared with the name of a missing file."""
TEMPORARY = re.compile(r"\.tilewright-[0-9a-f]{16}\.part")
"""Name of a file that is being written. It gets its own name when it is complete."""
STALE_SECONDS = 24 * 60 * 60
"""Age at which a temporary file is taken for one of a killed process."""
SECONDS_BETWEEN_SCANS = 60
"""Time during which a folder is not searched again for such files."""


def read_file(path: str | PathLike[str]) -> bytes:
    """Return the content of a file. Raise BadFile with the reason if the file cannot be read."""
    try:
        size = os.stat(path).st_size
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1) if size <= MAX_BYTES else b""
    except (OSError, ValueError) as error:
        raise _make_unreadable(path, error) from None
    if size > MAX_BYTES:
        raise BadFile(f"must have at most {MAX_BYTES / 2**30:.0f} GB, got {size / 2**30:.1f} GB", at=path)
    if len(content) > MAX_BYTES:
        raise BadFile("endless, so it is not read", at=path)
    return content


def refuse_missing(path: str | PathLike[str]) -> None:
    """Raise BadFile early if there is no file with this path, or if it is a folder."""
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError) as error:
        raise _make_unreadable(path, error) from None
    if is_folder:
        raise BadFile("is a folder; give a file in it", at=path)


def _make_unreadable(path: str | PathLike[str], error: Exception) -> BadFile:
    """Return the error for a file that cannot be read. If it is missing, suggest the most similar name."""
    near = _find_nearest(Path(path)) if isinstance(error, FileNotFoundError) else None
    advice = f"; did you mean {near!r}?" if near else ""
    return BadFile(f"cannot be read ({describe_error(error)}){advice}", at=path)


def read_file_inside(path: Path, folders: Iterable[Path]) -> bytes:
    """Return the content of a file in one of the folders or below. Links are followed before the check.

    Raise BadFile with the rule `outside` if the file is elsewhere.
    """
    real = Path(os.path.realpath(path))
    if not any(real.is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise BadFile("is outside the folder of the file that refers to it", at=path, rule="outside")
    return read_file(path)


def read_text(path: str | PathLike[str]) -> str:
    """Return the text in a UTF-8 file."""
    try:
        return read_file(path).decode()
    except UnicodeDecodeError:
        raise BadFile("not UTF-8 text", at=path) from None


def is_relative(path: str) -> bool:
    """Return whether a path is relative on every system."""
    windows = PureWindowsPath(path)
    return bool(path) and "://" not in path and not (windows.drive or windows.root or PurePosixPath(path).is_absolute())


def read_path(path: str) -> str:
    """Return a path with slashes. Raise ValueError unless it is relative."""
    if path and not is_relative(path):
        raise ValueError(f"must be relative to the map's file, got {path!r}")
    return path.replace("\\", "/")


def list_files(folder: str | PathLike[str]) -> list[Path]:
    """Return the entries of a folder. Raise BadFile if the folder cannot be read."""
    try:
        return list(Path(folder).iterdir())
    except OSError as error:
        raise BadFile(f"cannot be read ({describe_error(error)})", at=folder) from None


def refuse_unwritable(path: str | PathLike[str]) -> None:
    """Raise BadFile early if a file cannot be written. Missing folders are created later."""
    with explain_write_errors(path):
        obstacle = _find_obstacle(Path(path))
    if obstacle:
        raise BadFile(obstacle, at=path)


def write_files(path: str | PathLike[str], contents: Mapping[str, bytes]) -> list[Path]:
    """Write several files in one folder, all or none, the main file last.

    Links are followed. A target that is not a regular file, such as a pipe, is written directly.
    """
    folder = Path(path).parent
    targets: dict[Path, bytes] = {}
    streams: dict[Path, bytes] = {}
    with explain_write_errors(path):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in reversed(list(contents.items())):
            target = folder / name
            if name != Path(path).name and _has_content(target, content):
                continue  # Several maps share this file.
            if _is_stream(target):
                streams[target] = content
            else:
                target = Path(os.path.realpath(target))
                remove_stale(target.parent)
                targets[target] = content
        replace_files([*targets.items()], lambda: [target.write_bytes(content) for target, content in streams.items()])
    return [folder / name for name in contents]


def replace_files(
    contents: Sequence[tuple[Path, bytes]],
    prepare: Callable[[], object] = lambda: None,
    finish: Callable[[], object] = lambda: None,
) -> None:
    """Write several files, all or none, and their folders.

    All are written to temporary files, which are then renamed in their order. `prepare` is called before the first is
    renamed, and `finish` before the last.
    """
    complete: list[tuple[Path, Path]] = []
    created: list[Path] = []
    folders: list[Path] = []
    try:
        for target, content in contents:
            folders += [one for one in reversed(target.parents) if not one.exists()]
            target.parent.mkdir(parents=True, exist_ok=True)
            complete.append((write_temporary(target, content), target))
        prepare()
        for number, (temporary, target) in enumerate(complete, 1):
            if number == len(complete):
                finish()
            if not target.exists():
                created.append(target)
            os.replace(temporary, target)
    except BaseException:
        for leftover in (*created, *(temporary for temporary, _ in complete)):
            with suppress(OSError):
                leftover.unlink()
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def explain_write_errors(path: str | PathLike[str]) -> Iterator[None]:
    """Convert errors of the file system to the line that a file or folder cannot be written."""
    try:
        yield
    except BadFile:
        raise
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot be written ({describe_error(error)})", at=path) from None


def name_temporary() -> str:
    """Return a new name for a file that is being written."""
    return f".tilewright-{secrets.token_hex(8)}.part"


def remove_stale(folder: str | PathLike[str]) -> None:
    """Remove temporary files that killed processes left in a folder more than a day ago."""
    _remove_stale(os.fspath(folder), int(time() / SECONDS_BETWEEN_SCANS))


@lru_cache(maxsize=64)
def _remove_stale(folder: str, scan: int) -> None:
    """Remove old temporary files. The cache skips folders that were searched in this scan."""
    remove_temporary(folder, STALE_SECONDS)


def remove_temporary(folder: str | PathLike[str], min_age: float = 0.0) -> None:
    """Remove temporary files of killed processes from a folder.

    Without a minimum age in seconds, no other process may write to the folder.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if TEMPORARY.fullmatch(entry.name) and time() - entry.stat().st_mtime >= min_age:
                    os.unlink(entry.path)


def _find_nearest(path: Path) -> str | None:
    """Return the path of the file in the same folder with the most similar name, or None."""
    try:
        names = [entry.name for entry in islice(os.scandir(path.parent), MAX_NAMES) if not entry.name.startswith(".")]
    except (OSError, ValueError):
        return None
    near = find_nearest(path.name, names)
    return str(path.with_name(near)) if near else None


def _find_obstacle(path: Path) -> str:
    """Return the reason why a file cannot be written, or an empty string if it can be written."""
    if path.is_dir():
        return "is a folder; give a file in it"
    if _is_stream(path):
        return "" if os.access(path, os.W_OK) else "cannot be written (Permission denied)"
    target = Path(os.path.realpath(path))
    folder = next(folder for folder in target.parents if folder.exists())
    if not folder.is_dir():
        return f"cannot be written ({folder} is not a folder)"
    for name in target.relative_to(folder).parts:
        with suppress(FileNotFoundError):
            os.lstat(folder / name)  # This raises an error if the name is too long.
    # os.access is not enough: it allows root everything except read-only file systems.
    with tempfile.TemporaryFile(dir=folder):
        return ""


def write_temporary(target: Path, content: bytes) -> Path:
    """Write the content of a file to a temporary file beside it, and return its path."""
    temporary = target.with_name(name_temporary())
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _has_content(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content


def _is_stream(path: Path) -> bool:
    """Return whether a path is a pipe or a device, which cannot be replaced by a file."""
    return path.exists() and not path.is_file() and not path.is_dir()


def describe_error(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def encode_image(picture: Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return a picture as a file of this kind. The options are those of Pillow."""
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


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

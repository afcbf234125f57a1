"""The folder of a job, local or remote (fsspec). Files are read completely and written atomically."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ..core.errors import BadFile, TilewrightError
from ..formats._files import LOCK, TEMPORARY, lock_folder, name_temporary, remove_stale
from . import refuse_without_packages

T = TypeVar("T")
MANIFEST, DATASHEET = "manifest.json", "README.md"


class Folder:
    """A folder by its address: a path, or a URL such as s3://bucket/caves."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/") or address
        self.file_system: Any = LocalFiles()
        self._root = Path(self.address).expanduser().absolute().as_posix()
        if "://" in self.address or "::" in self.address:
            refuse_without_packages("fsspec")
            import fsspec

            with self._translate_errors():
                self.file_system, self._root = fsspec.core.url_to_fs(self.address)

    def __str__(self) -> str:
        return self.address

    def path(self, *names: str) -> str:
        """Return the path of a file in the folder, for the file system."""
        return "/".join([self._root.rstrip("/"), *names])

    @property
    def is_local(self) -> bool:
        protocol = self.file_system.protocol
        return "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    # -- reading ------------------------------------------------------------------------------------------------

    def list_names(self, inner: str = "") -> list[str]:
        """Return the names of the files in the folder or in a subfolder; an empty list if the folder does not exist."""
        with self._translate_errors(inner):
            try:
                self.file_system.invalidate_cache()  # shows files that other processes have written
                found = self.file_system.ls(self.path(inner) if inner else self._root, detail=False)
            except FileNotFoundError:
                return []
            return sorted(str(name).rstrip("/").rpartition("/")[2] for name in found)

    def read(self, *names: str) -> bytes | None:
        """Return the content of a file, or None if the file does not exist."""
        with self._translate_errors(*names):
            try:
                return bytes(self.file_system.cat_file(self.path(*names)))
            except FileNotFoundError:
                return None

    def read_description(self, name: str, noun: str, read: Callable[[bytes], T]) -> T | None:
        """Read the file that describes the folder. Return None for an empty folder.

        Raise BadFile for a folder with other content. `read` raises a TilewrightError for a damaged file.
        """
        content = self.read(name)
        if content is None:
            if all(other == LOCK or TEMPORARY.fullmatch(other) for other in self.list_names()):
                return None
            content = self.read(name)  # Another process may have just written it; it is always the first file.
        if content is None:
            raise BadFile(f"is not empty and contains no {noun}; name an empty or new folder", at=self)
        try:
            return read(content)
        except BadFile as error:
            raise BadFile.from_error(error, self) from None
        except TilewrightError:
            raise BadFile(f"{name} is damaged or belongs to something else", at=self) from None

    def list_sizes(self, inner: str) -> dict[str, int]:
        """Return the sizes in bytes of the files in a subfolder, by name."""
        with self._translate_errors():
            try:
                found = self.file_system.ls(self.path(inner), detail=True)
            except FileNotFoundError:
                return {}
            return {str(file["name"]).rpartition("/")[2]: int(file["size"] or 0) for file in found}

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, content: bytes, *names: str, durable: bool = False) -> None:
        """Write a file. A durable file is flushed to disk before it gets its name."""
        with self.write_atomically(*names) as temporary:
            self.file_system.pipe_file(temporary, content)
            if durable and self.is_local:
                _flush_to_disk(temporary)

    @contextmanager
    def write_atomically(self, *names: str) -> Iterator[str]:
        """Yield a temporary path to write to. After success, the file is renamed to its final name."""
        *folders, _ = names
        folder = self.path(*folders) if folders else self._root
        temporary = self.path(*folders, name_temporary())
        with self._translate_errors(*names):
            self.file_system.makedirs(folder, exist_ok=True)
            if self.is_local:
                remove_stale(folder)
            try:
                yield temporary
                self.file_system.mv(temporary, self.path(*names))
            except BaseException:
                with suppress(Exception):
                    self.file_system.rm_file(temporary)
                raise

    def remove(self, *names: str) -> None:
        with self._translate_errors(*names):
            self.file_system.rm_file(self.path(*names))

    @contextmanager
    def lock(self, *inner: str) -> Iterator[None]:
        """Hold an exclusive lock, so that no other process on this machine writes here.

        Remote folders and some file systems do not support locks. In a locked folder and in subfolders, temporary files
        of a killed run are removed. A missing folder is created, and removed again if nothing is written to it.

        Raises
        ------
        BadFile
            If another process holds the lock.
        """
        if not self.is_local:
            yield
            return
        with ExitStack() as stack:
            with self._translate_errors():
                is_locked = stack.enter_context(lock_folder(self._root, self.address))
            # Without the lock, they may belong to a running process.
            for folder in ("", *inner) if is_locked else ():
                for name in filter(TEMPORARY.fullmatch, self.list_names(folder)):
                    self.remove(*filter(None, (folder, name)))
            yield

    @contextmanager
    def _translate_errors(self, *names: str) -> Iterator[None]:
        """Convert any error of a file system to a one-line error."""
        place = "/".join([self.address, *names]).rstrip("/")
        try:
            yield
        except TilewrightError:
            raise
        except Exception as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
            raise BadFile(" ".join(reason.split()), at=place) from None


class LocalFiles:
    """The files of this machine, with the functions of fsspec that a folder needs."""

    protocol = "file"
    makedirs = staticmethod(os.makedirs)
    rm_file = staticmethod(os.remove)
    mv = staticmethod(os.replace)
    isdir = staticmethod(os.path.isdir)
    open = staticmethod(open)

    def invalidate_cache(self) -> None:
        """Do nothing: no listing is cached."""

    def ls(self, path: str, detail: bool) -> list[Any]:
        with os.scandir(path) as entries:
            names = [entry.path for entry in entries]
        return [{"name": name, "size": os.path.getsize(name)} for name in names] if detail else names

    def cat_file(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def pipe_file(self, path: str, content: bytes) -> None:
        Path(path).write_bytes(content)


def _flush_to_disk(path: str) -> None:
    """Flush a file to disk, so that it is complete even after a power failure."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)

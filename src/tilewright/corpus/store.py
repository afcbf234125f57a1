"""The folder that a corpus lies in, wherever fsspec reaches: read whole files, write them so that none is ever half."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import fsspec

from ..core.errors import BadFile, TilewrightError

try:
    import fcntl
except ImportError:  # Windows, where two runs in one folder are not told apart
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")
MANIFEST, DATASHEET, PARTS = "manifest.json", "README.md", "parts"
PART = re.compile(r"part-(\d{6,})\.parquet")
TEMPORARY = re.compile(r"\.tilewright-[0-9a-f]{16}\.part")


class Folder:
    """A folder by its address: a path, or anything such as s3://bucket/caves."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/") or address
        with self._translate_errors():
            self._files, self._root = fsspec.core.url_to_fs(self.address)

    def __str__(self) -> str:
        return self.address

    def path(self, *names: str) -> str:
        """The address of something in it, as the file system has it."""
        return "/".join([self._root.rstrip("/"), *names])

    @property
    def file_system(self) -> Any:
        return self._files

    @property
    def is_local(self) -> bool:
        protocol = self._files.protocol
        return "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    # -- reading ------------------------------------------------------------------------------------------------

    def list_names(self, inner: str = "") -> list[str]:
        """What lies in it, or in a folder of it; nothing where there is none."""
        with self._translate_errors(inner):
            try:
                self._files.invalidate_cache()  # what others have written since
                found = self._files.ls(self.path(inner) if inner else self._root, detail=False)
            except FileNotFoundError:
                return []
            return sorted(str(name).rstrip("/").rpartition("/")[2] for name in found)

    def read(self, *names: str) -> bytes | None:
        """A file's content; None where there is none."""
        with self._translate_errors(*names):
            try:
                return bytes(self._files.cat_file(self.path(*names)))
            except FileNotFoundError:
                return None

    def read_description(self, name: str, noun: str, read: Callable[[bytes], T]) -> T | None:
        """What the file that describes all others says; None where the folder is empty.

        A folder that holds something else is refused.
        """
        content = self.read(name)
        if content is None:
            if not all(map(TEMPORARY.fullmatch, self.list_names())):
                raise BadFile(f"holds something else than a {noun}; name an empty folder, or a new one", at=self)
            return None
        try:
            return read(content)
        except BadFile as error:
            raise BadFile.from_error(error, self) from None
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError, TilewrightError):
            raise BadFile(f"its {name} is damaged, or belongs to something else", at=self) from None

    def list_parts(self) -> list[int]:
        """The numbers of the parts that are there."""
        found = (PART.fullmatch(name) for name in self.list_names(PARTS))
        return sorted(int(part[1]) for part in found if part)

    def size(self) -> int:
        """Bytes of all parts."""
        with self._translate_errors():
            try:
                found = self._files.ls(self.path(PARTS), detail=True)
            except FileNotFoundError:
                return 0
            parts = (file for file in found if PART.fullmatch(str(file["name"]).rpartition("/")[2]))
            return sum(int(file["size"] or 0) for file in parts)

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, content: bytes, *names: str, durable: bool = False) -> None:
        """Write a file; a lasting one is on the disk before it gets its name."""
        with self.write_atomically(*names) as temporary:
            self._files.pipe_file(temporary, content)
            if durable and self.is_local:
                _flush_to_disk(temporary)

    @contextmanager
    def write_atomically(self, *names: str) -> Iterator[str]:
        """A temporary path to write a file to: what is there gets the file's name in the end, if all goes well."""
        *folders, _ = names
        temporary = self.path(*folders, f".tilewright-{secrets.token_hex(8)}.part")
        with self._translate_errors(*names):
            self._files.makedirs(self.path(*folders) if folders else self._root, exist_ok=True)
            try:
                yield temporary
                self._files.mv(temporary, self.path(*names))
            except BaseException:
                with suppress(Exception):
                    self._files.rm_file(temporary)
                raise

    def remove(self, *names: str) -> None:
        with self._translate_errors(*names):
            self._files.rm_file(self.path(*names))

    def remove_temporary(self, *inner: str) -> None:
        """Remove the temporary files that a killed run has left, here and in these folders."""
        for folder in ("", *inner):
            for name in filter(TEMPORARY.fullmatch, self.list_names(folder)):
                self.remove(*filter(None, (folder, name)))

    @contextmanager
    def lock(self, name: str = MANIFEST) -> Iterator[None]:
        """Nobody else on this machine makes what is here meanwhile; a process that is killed holds nothing any more."""
        if fcntl is None or not self.is_local:
            yield
            return
        with self._translate_errors(name):
            file = open(self.path(name), "rb")  # noqa: SIM115
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadFile("another process is making it right now", at=self.address) from None
            except OSError:  # a file system that knows no locks
                pass
            yield

    @contextmanager
    def _translate_errors(self, *names: str) -> Iterator[None]:
        """What goes wrong with a file is told in one line, whatever a file system raises."""
        place = "/".join([self.address, *names]).rstrip("/")
        try:
            yield
        except TilewrightError:
            raise
        except Exception as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
            raise BadFile(" ".join(reason.split()), at=place) from None


def _flush_to_disk(path: str) -> None:
    """Have a file on the disk: then one that is there is whole, even when the power fails."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def part_name(number: int) -> str:
    return f"part-{number:06d}.parquet"

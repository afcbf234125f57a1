"""The folder of an exported project, and the manifest with the digests of its files.

A file belongs to the export if the manifest names it and it still has the digest in it. Only such files are replaced or
removed. Links are never followed inside the folder, and a manifest cannot name a file outside of it.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ..core.errors import BadFile, Problem, TilewrightError, check_limit
from ..core.stored import StoredData
from ..formats import _files
from . import Project

MANIFEST = "tilewright-export.json"
VERSION = 1
"""Version of the manifest's structure."""
NAME = r'[^./\\:*?"<>|\x00-\x1f\x7f][^/\\:*?"<>|\x00-\x1f\x7f]*'
PATH = re.compile(rf"{NAME}(/{NAME}){{0,3}}")
"""Paths that a manifest may contain, valid on every system. No part of them starts with a dot."""
MAX_MANIFEST_BYTES = 1 << 24
MAX_NAMES = 8
"""Maximum number of files that an error names."""

EditedPolicy = Literal["refuse", "keep", "replace"]
"""What happens to files that were edited after the previous export."""


def _check_path(path: str) -> str:
    if not PATH.fullmatch(path) or path == MANIFEST:
        raise ValueError("must be the path of an exported file")
    return path


FilePath = Annotated[str, AfterValidator(_check_path)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ExportManifest(StoredData):
    """What an export consists of."""

    version: int
    engine: str
    about: dict[str, Any] = Field(default_factory=dict)
    """Facts for users: version of Tilewright, recipe, seed, options and seeds of the levels."""
    files: dict[FilePath, Digest]
    """Digest (SHA-256) of each file. Line ends do not count, because version control may convert them."""
    replaced: dict[FilePath, Digest] = Field(default_factory=dict)
    """Digests of the previous export's files, only while an export is being written."""

    def encode(self) -> bytes:
        kept = self.model_dump(exclude=None if self.replaced else {"replaced"})
        return (json.dumps(kept, indent=2, ensure_ascii=False) + "\n").encode()

    def owns(self, path: str, digest: str) -> bool:
        """Return whether a file is as an export wrote it."""
        return digest in (self.files.get(path), self.replaced.get(path))

    @property
    def names(self) -> dict[str, None]:
        """Paths of all files that an export may have written."""
        return dict.fromkeys((*self.files, *self.replaced))


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes that an export makes to a folder."""

    files: Mapping[str, str]
    """Digests of all files of the export; for kept files, those of the previous export."""
    written: Mapping[str, bytes]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]


class ProjectFolder:
    """A folder with an exported project, an empty folder, or a folder that does not exist yet."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.shown = os.fspath(path)
        self.path = Path(os.path.realpath(path))
        self._is_locked = False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold an exclusive lock on the folder. Raise BadFile if another process writes to it."""
        if self.path.exists() and not self.path.is_dir():
            raise BadFile("is a file; name a folder", at=self.shown)
        with _files.explain_write_errors(self.shown):
            _files.refuse_unwritable(self.path / MANIFEST)
        with ExitStack() as stack:
            with _files.explain_write_errors(self.shown):
                self._is_locked = stack.enter_context(_files.lock_folder(str(self.path), self.shown))
            yield

    def read_manifest(self, engine: str) -> ExportManifest:
        """Return the manifest of the previous export, which must be for the same engine; an empty one if there is none.

        Raises
        ------
        BadFile
            If the manifest is damaged, or the folder contains an export for another engine.
        """
        path = self._find(MANIFEST)
        if path is None:
            return ExportManifest(version=VERSION, engine=engine, files={})
        content = _files.read_file(path)
        try:
            check_limit("bytes", len(content), MAX_MANIFEST_BYTES)
            found = ExportManifest.from_json(content)
        except TilewrightError:
            advice = "remove it, and set edited to replace"
            raise BadFile(f"is damaged or not the manifest of an export; {advice}", at=self._show(MANIFEST)) from None
        if found.version != VERSION:
            raise BadFile("was written by a newer version of Tilewright", at=self._show(MANIFEST))
        if found.engine != engine:
            text = f"contains an export for {found.engine}; name another folder for {engine}"
            raise BadFile(text, at=self.shown, rule="conflict")
        return found

    def refuse_edited(self, manifest: ExportManifest, names: Sequence[str]) -> None:
        """Raise BadFile if one of these files, which the next export replaces, was edited."""
        edited = [name for name in names if (digest := self._digest(name)) and not manifest.owns(name, digest)]
        self._refuse(edited, [])

    def plan_changes(self, project: Project, manifest: ExportManifest, edited: EditedPolicy) -> Changes:
        """Compare a project with the folder.

        Raises
        ------
        BadFile
            If a file was edited or does not belong to an export, and the policy does not allow to replace it.
        """
        files: dict[str, str] = {}
        written: dict[str, bytes] = {}
        changed: list[str] = []
        foreign: list[str] = []
        unchanged: list[str] = []
        kept: list[str] = []
        removed: list[str] = []
        for name, content in project.files.items():
            _check_path(name)
            files[name] = new = digest_of(content)
            old = self._digest(name)
            if old == new:
                unchanged.append(name)
                continue
            if old is not None and not manifest.owns(name, old) and edited != "replace":
                if name in manifest.names and edited == "keep":
                    kept.append(name)
                    files[name] = manifest.files.get(name) or manifest.replaced[name]
                    continue
                (changed if name in manifest.names else foreign).append(name)
            written[name] = content
        self._refuse(changed, foreign)
        written |= {name: content for name, content in project.starters.items() if not self._exists(name)}
        for name in project.starters.keys() & written.keys():
            self._find(name)  # Its folders must not be links.
        for name in manifest.names:
            old = self._digest(name) if name not in files else None
            if old is not None:
                (removed if manifest.owns(name, old) else kept).append(name)
        return Changes(files, written, tuple(unchanged), tuple(removed), tuple(kept))

    def apply(self, changes: Changes, before: ExportManifest, after: ExportManifest) -> None:
        """Write and remove files. All are written to temporary files first; those of killed exports are removed.

        While files are renamed, the manifest names the old and the new digests, so that the files of a process that was
        killed meanwhile still belong to the export.
        """
        between = after.model_copy(update={"replaced": {**before.replaced, **before.files}})
        steps = [(MANIFEST, between.encode()), *changes.written.items(), (MANIFEST, after.encode())]

        def remove_old() -> None:
            for name in changes.removed:
                (self.path / name).unlink(missing_ok=True)

        with _files.explain_write_errors(self.shown):
            if self._is_locked:
                for place in {(self.path / name).parent for name in (MANIFEST, *changes.files, *before.names)}:
                    _files.remove_temporary(place)
            _files.replace_files([(self.path / name, content) for name, content in steps], finish=remove_old)

    def _digest(self, name: str) -> str | None:
        """Return the digest of a file, or None if there is none. Raise BadFile if it is a link or a folder."""
        path = self._find(name)
        return None if path is None else digest_of(_files.read_file(path))

    def _exists(self, name: str) -> bool:
        return os.path.lexists(self.path / name)

    def _find(self, name: str) -> Path | None:
        """Return the path of a regular file, or None if there is no such file. Links are refused, not followed."""
        target = self.path / name
        with _files.explain_write_errors(self.shown):
            for path in [*reversed([one for one in target.parents if one.is_relative_to(self.path)][:-1]), target]:
                try:
                    mode = os.lstat(path).st_mode
                except FileNotFoundError:
                    return None
                if not (stat.S_ISREG(mode) if path == target else stat.S_ISDIR(mode)):
                    what = "a link" if stat.S_ISLNK(mode) else "not a file" if path == target else "not a folder"
                    place = self._show(path.relative_to(self.path).as_posix())
                    raise BadFile(f"is {what}, so nothing is exported to it", at=place, rule="conflict")
        return target

    def _refuse(self, changed: Sequence[str], foreign: Sequence[str]) -> None:
        """Raise BadFile with the names of files that must not be overwritten."""
        problems = []
        if changed:
            text = f"edited since the last export: {_join_names(changed)}; set edited to keep or to replace"
            problems.append(Problem((self.shown,), "edited", list(changed), text))
        if foreign:
            text = f"not written by an export: {_join_names(foreign)}; name another folder, or set edited to replace"
            problems.append(Problem((self.shown,), "conflict", list(foreign), text))
        if problems:
            raise BadFile(*problems)

    def _show(self, name: str) -> str:
        return os.path.join(self.shown, name)


def digest_of(content: bytes) -> str:
    """Return the digest of a file. In text, line ends of Windows count as those of other systems."""
    return sha256(content if b"\0" in content else content.replace(b"\r\n", b"\n")).hexdigest()


def _join_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"{', '.join(names[:MAX_NAMES])}{more}"

"""Corpora of the maps that a search has found, as zip archives. They need the extra `corpus`."""

from __future__ import annotations

from uuid import uuid4

from ...core.errors import TilewrightError, TooLarge
from ...corpus import refuse_without_packages
from ...search.archive import Archive
from ..jobs import CancelToken
from ..operations import zip_files

MAX_BYTES = 64 << 20
"""Maximum bytes of all files of a corpus."""


def can_write_corpora() -> bool:
    """Return whether the packages of the extra `corpus` are installed."""
    try:
        refuse_without_packages()
    except TilewrightError:
        return False
    return True


def write_corpus_zip(archive: Archive, token: CancelToken) -> bytes:
    """Return a zip archive of the corpus of an archive's maps. The function runs as a job."""
    refuse_without_packages()
    import fsspec

    name = f"search-{uuid4().hex}"
    files = fsspec.filesystem("memory")
    try:
        archive.to_corpus(f"memory://{name}", workers=0, on_progress=lambda progress: token.check())
        paths = sorted(files.find(f"/{name}"))
        if sum(files.size(path) for path in paths) > MAX_BYTES:
            raise TooLarge(f"the files must have at most {MAX_BYTES >> 20} MB together; select fewer maps")
        return zip_files({path.removeprefix(f"/{name}/"): files.cat_file(path) for path in paths})
    finally:
        if files.exists(f"/{name}"):
            files.rm(f"/{name}", recursive=True)

"""Hot loops: arrays in, arrays out, compiled by numba when first called.

A kernel is a plain function under `@kernel`. Importing it costs nothing: numba is loaded and the machine code
compiled, or read from the user's cache folder, with the first call. Kernels call each other by their global names.
All are compiled with numpy's division rules (x / 0 is inf), without the GIL and without fast math.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Generic, ParamSpec, TypeVar, overload

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Kernels compiled by Tilewright; may be deleted.\n"
"""What CACHEDIR.TAG holds: backups skip such a folder, and we know it for ours (https://bford.info/cachedir)."""

_entries: list[Kernel[..., object]] = []


class Kernel(Generic[P, R]):
    """A function that is compiled when first called, or first named by another kernel that is being compiled."""

    def __init__(self, function: Callable[P, R], signature: str | None) -> None:
        update_wrapper(self, function)
        self._function = function
        self._signature = signature
        self._compiled: Callable[P, R] | None = None
        self._call: Callable[P, R] = self._first_call

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._call(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        return f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}"

    @property
    def _numba_type_(self) -> object:
        """numba asks any global it does not know for this: here one kernel finds another."""
        from numba import typeof

        return typeof(self.compile())

    def _first_call(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.compile()(*args, **kwargs)

    def compile(self) -> Callable[P, R]:
        """The compiled function; the work is done once, whichever thread comes first."""
        from numba.core.compiler_lock import global_compiler_lock

        # numba's own lock: with one of ours, two threads could each hold one and wait for the other.
        with global_compiler_lock:
            if self._compiled is None:
                try:
                    self._compiled = self._compile(_cache_folder())
                except Exception:  # a full disk, a damaged cache file; a mistake in the kernel is raised again
                    self._compiled = self._compile(None)
                self._call = self._compiled
            return self._compiled

    def _compile(self, folder: Path | None) -> Callable[P, R]:
        import numba

        compiled = numba.njit(nogil=True, error_model="numpy")(self._function)
        if self._signature is not None and not numba.config.DISABLE_JIT:
            if folder is not None:
                before = numba.config.CACHE_DIR
                numba.config.CACHE_DIR = str(folder)  # read only while caching is being enabled
                try:
                    compiled.enable_caching()
                finally:
                    numba.config.CACHE_DIR = before
            compiled.compile(self._signature)
            compiled.disable_compile()
        return compiled  # type: ignore[no-any-return]


@overload
def kernel(signature: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def kernel(signature: str, /) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    signature: Callable[P, R] | str, /
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Make a function a kernel.

    `@kernel("void(uint8[:, ::1], int64)")` is an entry, for Python to call: it takes exactly these types (others
    are a TypeError, never a silent second compilation) and is cached on disk. An array that may be read-only is
    written `Array(uint8, 2, "C", readonly=True)`. Plain `@kernel` is a part, compiled into the entries that call it.
    Limits: kernels name each other as globals, not as `module.name`, and do not recurse.
    """
    if not isinstance(signature, str):
        return Kernel(signature, None)

    def entry(function: Callable[P, R]) -> Kernel[P, R]:
        made = Kernel(function, signature)
        _entries.append(made)
        return made

    return entry


def entries() -> list[Kernel[..., object]]:
    """Every entry kernel: those of this folder, and whatever else has been imported by now."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return list(_entries)


def warmup() -> Iterator[str]:
    """Compile every entry into the cache, giving each one's name when it is done."""
    for entry in entries():
        entry.compile()
        yield entry.name


def clear_stale_caches() -> list[Path]:
    """Delete what other versions left beside the present cache: folders that carry our tag, and nothing else."""
    home, current = _cache_home(), f"kernels-{_stamp()}"
    stale = [
        folder
        for folder in (sorted(home.glob("kernels-*")) if home.is_dir() else ())
        if folder.name != current and re.fullmatch(r"kernels-[0-9a-f]{16}", folder.name) and _is_ours(folder)
    ]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return stale


def _is_ours(folder: Path) -> bool:
    tag = folder / "CACHEDIR.TAG"
    return not folder.is_symlink() and tag.is_file() and tag.read_text(errors="replace") == TAG


def _cache_home() -> Path:
    """TILEWRIGHT_CACHE, or the folder for caches that this system's users expect."""
    if chosen := os.environ.get("TILEWRIGHT_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "tilewright"


def _cache_folder() -> Path | None:
    """The present cache, made and tagged; None where nothing can be written."""
    try:
        folder = _cache_home() / f"kernels-{_stamp()}"
        folder.mkdir(parents=True, exist_ok=True)
        # Written each time: it also proves that the folder can be written, else numba would look for another one.
        (folder / "CACHEDIR.TAG").write_text(TAG)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return None
    return folder


@cache
def _stamp() -> str:
    """A digest of everything the machine code depends on.

    numba notices an edit of the kernel's own file only, not one of a part in another module.
    """
    import numba

    digest = blake2b(digest_size=8)
    for version in (numba.__version__, np.__version__, platform.python_version()):
        digest.update(version.encode() + b"\n")
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\n" + source.read_bytes())
    return digest.hexdigest()

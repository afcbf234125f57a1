"""Kernels: loops over arrays, compiled by numba.

A kernel is a plain function with the decorator `@kernel`, or `@part` if only kernels call it. Importing it is cheap:
only its first call loads numba and compiles it, or reads the machine code from the user's cache folder. Kernels release
the GIL, divide like numpy (x / 0 is inf) and never use fast math.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache, partial, update_wrapper
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules
from threading import Lock
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar, overload

import numpy as np

from ..core.plugins import find_plugins, load_plugin
from .types import read_signature, widen_integers

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Kernels compiled by Tilewright; may be deleted.\n"
"""Contents of CACHEDIR.TAG: backups skip such a folder, and it identifies our caches (https://bford.info/cachedir)."""

_entries: list[Kernel[..., object]] = []


class Kernel(Generic[P, R_co]):
    """Function that is compiled at its first call, or at the first compilation of a kernel that calls it."""

    __wrapped__: Callable[P, R_co]
    """The plain Python function."""

    def __init__(
        self,
        function: Callable[P, R_co],
        *,
        is_part: bool = False,
        allocates: bool = True,
        is_inlined: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self._function = function
        self._is_part, self._allocates, self._is_inlined = is_part, allocates, is_inlined
        self._compiled: Callable[P, R_co] | None = None
        self._part_dispatchers: dict[bool, Dispatcher[Callable[P, R_co]]] = {}
        """Dispatchers of a part, by whether the calling kernels may allocate."""
        self._call: Callable[P, R_co] = self._compile_and_call
        self._specialized: dict[bytes, Callable[P, R_co]] = {}
        """Machine code by numba's fingerprints of first arguments whose types were checked."""

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    else:
        # A method would pack and pass on all arguments, which takes a quarter of a microsecond per call.
        __call__ = property(attrgetter("_call"))

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        """Module and function, such as `caves.smooth`."""
        return f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}"

    @property
    def bytecode_size(self) -> int:
        """Size of the bytecode of this function alone, in bytes."""
        return len(self._function.__code__.co_code)

    @property
    def is_compiled(self) -> bool:
        """Whether this process has compiled this entry, or read it from the cache."""
        return self._compiled is not None

    def callees(self) -> set[Kernel[..., object]]:
        """Return the kernels that this one calls."""
        names, known = self._function.__code__.co_names, self._function.__globals__
        return {known[name] for name in names if isinstance(known.get(name), Kernel)}

    @property
    def _numba_type_(self) -> object:
        """Type of the kernel, which numba reads when another kernel calls it."""
        import numba
        from numba.core.targetconfig import ConfigStack

        if not self._is_part:
            return numba.typeof(self.compile())  # type: ignore[no-untyped-call]
        flags = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]  # of the caller that is being compiled
        counts = flags is None or not flags.is_set("nrt") or bool(flags.nrt)
        if counts not in self._part_dispatchers:
            # Python never calls parts. Without a Python wrapper they compile in two thirds of the time.
            dispatcher = self._jit(no_cpython_wrapper=True, _nrt=counts, forceinline=self._is_inlined)
            self._part_dispatchers[counts] = widen_integers(dispatcher)
        return numba.typeof(self._part_dispatchers[counts])  # type: ignore[no-untyped-call]

    @property
    def part_signatures(self) -> list[object]:
        """Signatures for which this part has been compiled in this process."""
        return [signature for dispatcher in self._part_dispatchers.values() for signature in dispatcher.overloads]

    def _compile_and_call(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        return self.compile()(*args, **kwargs)

    def compile(self) -> Callable[P, R_co]:
        """Return the compiled function. The first thread that calls this method compiles it."""
        _load_numba()
        from numba.core.compiler_lock import global_compiler_lock

        # Use numba's own lock: with two locks, two threads could deadlock.
        with global_compiler_lock:
            if self._compiled is None:
                with _time_compilation():
                    try:
                        self._compiled = self._compile(cached=True)
                    except Exception:  # a full disk or a damaged file; errors of the kernel itself are raised again
                        self._compiled = self._compile(cached=False)
                self._call = self._compiled
            return self._compiled

    def specialize(self, arguments: tuple[object, ...]) -> Callable[P, R_co]:
        """Return machine code for these first arguments, followed by numbers, that does not check types."""
        _load_numba()
        from numba import typeof, types
        from numba._dispatcher import compute_fingerprint
        from numba.core.dispatcher import Dispatcher

        compiled = self.compile()
        if not isinstance(compiled, Dispatcher):
            return compiled
        fingerprint: bytes = compute_fingerprint(arguments)  # type: ignore[arg-type]
        if fingerprint not in self._specialized:
            ((kinds, code),) = compiled.overloads.items()
            given = tuple(typeof(argument) for argument in arguments)  # type: ignore[no-untyped-call]
            numbers = kinds[len(given) :]
            if given + numbers != kinds or not all(isinstance(kind, types.Number | types.Boolean) for kind in numbers):
                return compiled  # this function converts the arguments, or raises a TypeError
            self._specialized[fingerprint] = code.entry_point  # type: ignore[attr-defined]
        return self._specialized[fingerprint]

    def _jit(self, **options: bool) -> Dispatcher[Callable[P, R_co]]:
        import numba

        common = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
        jit: Callable[[Callable[P, R_co]], Dispatcher[Callable[P, R_co]]] = numba.njit(**common, **options)  # type: ignore[call-overload]
        return jit(self._function)

    def _compile(self, *, cached: bool) -> Callable[P, R_co]:
        import numba

        settings = vars(numba.config)
        if settings["DISABLE_JIT"]:
            # numpy's scalars would warn about overflow and division by 0, which kernels rely on.
            return self._function if self._is_part else np.errstate(all="ignore")(self._function)
        compiled = self._jit(_nrt=self._allocates)
        if self._is_part:
            return compiled
        folder = _open_cache_folder(self._function.__module__) if cached else None
        if folder is not None:
            # The setting is global, but numba reads it only in `enable_caching`.
            before, settings["CACHE_DIR"] = settings["CACHE_DIR"], str(folder)
            try:
                compiled.enable_caching()
            finally:
                settings["CACHE_DIR"] = before
        try:
            compiled.compile(read_signature(self._function, self.name))
        except Exception:
            compiled._cache.flush()  # type: ignore[attr-defined]  # discard a damaged file
            raise
        compiled.disable_compile()
        return compiled


_compile_start: float | None = None
"""Start time of the current compilation."""
_quick_start = False
_import_lock = Lock()
_is_numba_loaded = False


@contextmanager
def _time_compilation() -> Iterator[None]:
    """Record the start time of a compilation, which may contain those of other kernels."""
    global _compile_start
    before = _compile_start
    _compile_start = before or time.monotonic()
    try:
        yield
    finally:
        _compile_start = before


def compilation_seconds() -> float:
    """Return the seconds since the current compilation, or reading of the cache, started; 0 if there is none."""
    start = _compile_start
    return 0.0 if start is None else time.monotonic() - start


def start_quickly() -> None:
    """Load numba without linear algebra, which no kernel needs. This saves a fifth of a second.

    Use it only in our own programs, such as the command line: numba cannot compile np.dot in this process afterwards.
    """
    global _quick_start
    _quick_start = True


def _load_numba() -> None:
    """Load numba. Its modules import each other in circles, so two threads that import them at once can deadlock."""
    global _is_numba_loaded
    if _is_numba_loaded:
        return
    with _import_lock:
        if _quick_start:
            _load_numba_without_blas()
        import_module("numba")
        _is_numba_loaded = True


def _load_numba_without_blas() -> None:
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]  # its import fails, and numba works without it
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


@overload
def kernel(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def kernel(*, allocates: bool) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    function: Callable[P, R] | None = None, /, *, allocates: bool = True
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Make a function an entry: a kernel that Python can call, compiled for the types of its annotations.

    The types are `int`, `float`, `bool`, the scalars of numpy, and the arrays and structures of `kernels/types.py`.
    Other arguments raise a TypeError instead of compiling again. The machine code is cached on disk.

    Kernels must refer to each other as globals, not as `module.name`, and must not recurse.

    Parameters
    ----------
    function
        The function, or none as in `@kernel(allocates=False)`.
    allocates
        Whether the entry or its parts create arrays. With False it compiles faster, because references to arrays are
        not counted.

    Returns
    -------
    Kernel or callable
        The kernel, or its decorator.
    """

    def decorate(function: Callable[P, R]) -> Kernel[P, R]:
        entry = Kernel(function, allocates=allocates)
        _entries.append(entry)
        return entry

    return decorate if function is None else decorate(function)


def part(function: Callable[P, R], /) -> Kernel[P, R]:
    """Make a function a part: a kernel that is compiled into the kernels that call it, for the types they pass."""
    return Kernel(function, is_part=True)


def inline(function: Callable[P, R], /) -> Kernel[P, R]:
    """Make a function a part that is inlined into its callers, for innermost loops."""
    return Kernel(function, is_part=True, is_inlined=True)


def bind(call: partial[R], /) -> partial[R]:
    """Check the types of an entry's first arguments once, for many calls; all other arguments must be numbers.

    Otherwise numba checks the types of all arguments at each call, which takes longer than a short call.
    """
    assert isinstance(call.func, Kernel)
    return partial(call.func.specialize(call.args), *call.args)


def list_entries() -> list[Kernel[..., object]]:
    """Return all entries: those of this package and of plugins, and others that have been imported."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    for plugin in find_plugins("kernels"):
        load_plugin("kernels", plugin)
    return list(_entries)


def warmup(names: Collection[str] | None = None, *, processes: int | None = None) -> Iterator[str]:
    """Compile entries into the cache and yield the name of each when it is done.

    Parameters
    ----------
    names
        Names of the entries to compile; by default all.
    processes
        Number of processes, by default that of the processors, because numba compiles one function at a time per
        process.
    """
    from .workers import compile_in_workers

    processes = processes or os.cpu_count() or 1
    known = [entry for entry in list_entries() if names is None or entry.name in names]
    packages = [__name__, *(point.module for point in find_plugins("kernels").values())]
    ours = [entry for entry in known if entry.__module__.startswith(tuple(f"{package}." for package in packages))]
    others = [entry for entry in known if entry not in ours]  # another process may not find these
    if processes > 1 and sys.executable:
        yield from compile_in_workers(ours, processes)
    else:
        others += ours
    for entry in others:
        entry.compile()
        yield entry.name
    mark = _ready_mark(names)
    if mark is not None:
        mark.touch()


def is_ready(names: Collection[str] | None = None) -> bool:
    """Return whether `warmup` has compiled all entries, or those with the same names. Does not load numba."""
    return any(mark is not None and mark.exists() for mark in (_ready_mark(), _ready_mark(names)))


def is_cold() -> bool:
    """Return whether the cache is empty, so that the first map takes some seconds. Does not load numba."""
    return not any(_cache_home().glob("kernels-*/**/*.nbi"))


def clear_stale_caches() -> list[Path]:
    """Delete the caches of other versions, which are the sibling folders with our tag, and return them."""
    home = _cache_home()
    modules = {__name__, *(entry.__module__ for entry in list_entries())}
    current = {f"kernels-{_source_digest(module)}" for module in modules}
    stale = [
        folder
        for folder in (sorted(home.glob("kernels-*")) if home.is_dir() else ())
        if folder.name not in current and re.fullmatch(r"kernels-[0-9a-f]{16}", folder.name) and _is_ours(folder)
    ]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return stale


def _is_ours(folder: Path) -> bool:
    tag = folder / "CACHEDIR.TAG"
    return not folder.is_symlink() and tag.is_file() and tag.read_text(errors="replace") == TAG


def _cache_home() -> Path:
    """Return TILEWRIGHT_CACHE, or the usual folder for caches of this operating system."""
    if chosen := os.environ.get("TILEWRIGHT_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "tilewright"


def _open_cache_folder(module: str) -> Path | None:
    """Create and tag the cache folder of a module and return it; None if it is not writable."""
    try:
        folder = _cache_home() / f"kernels-{_source_digest(module)}"
        folder.mkdir(parents=True, exist_ok=True)
        # Written each time to check that the folder is writable; otherwise numba would silently use another one.
        (folder / "CACHEDIR.TAG").write_text(TAG)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home folder
        return None
    return folder


def _ready_mark(names: Collection[str] | None = None) -> Path | None:
    """Return the path of the file that marks a cache of all entries, or of those with these names, as complete.

    Its name depends on the sources' paths and dates.
    """
    folder = _open_cache_folder(__name__)
    sources = [(str(source), source.stat().st_mtime_ns) for source in sorted(Path(__file__).parent.glob("*.py"))]
    content = repr((sources, names and sorted(names)))
    return folder and folder / f"ready-{blake2b(content.encode(), digest_size=8).hexdigest()}"


@cache
def _source_digest(module: str) -> str:
    """Return a digest of all versions and sources that the machine code of a module's entries depends on.

    numba detects only changes of the kernel's own file, not of parts in other modules.
    """
    digest = blake2b(digest_size=8)
    for used in (version("numba"), np.__version__, platform.python_version()):
        digest.update(used.encode() + b"\n")
    for source in find_sources(module):
        digest.update(source.name.encode() + b"\n" + source.read_bytes())
    return digest.hexdigest()


def find_sources(module: str) -> list[Path]:
    """Return the files that a module depends on: itself, and the modules that it imports from its package.

    A module of another package also depends on all files of this package.
    """
    folder = Path(__file__).parent
    package, _, name = module.rpartition(".")
    if package == __name__:
        found, pending = {Path(__file__)}, [folder / f"{name}.py", folder / "types.py"]
    else:
        found, pending = {*folder.glob("*.py")}, [Path(getattr(sys.modules.get(module), "__file__", None) or __file__)]
    while pending:
        source = pending.pop()
        if source not in found and source.is_file():
            found.add(source)
            names = re.findall(r"(?m)^[ \t]*from \.(\w+) import", source.read_text())
            pending += [source.parent / f"{name}.py" for name in names]
    return sorted(found)

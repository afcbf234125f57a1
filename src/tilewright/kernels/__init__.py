"""Hot loops: arrays in, arrays out, compiled by numba.

A kernel is a plain function under `@kernel`. Importing it costs nothing: only its first call loads numba and
compiles it, or reads the machine code from the user's cache folder. Kernels release the GIL, divide as numpy
does (x / 0 is inf) and never use fast math.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial, update_wrapper
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar, overload

import numpy as np

from .types import read_signature, widen_integers

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Kernels compiled by Tilewright; may be deleted.\n"
"""What CACHEDIR.TAG holds: backups skip such a folder, and we know it for ours (https://bford.info/cachedir)."""

_entries: list[Kernel[..., object]] = []


class Kernel(Generic[P, R_co]):
    """A function that is compiled when it is first called, or first met in the compilation of another kernel."""

    __wrapped__: Callable[P, R_co]
    """The plain Python function."""

    def __init__(
        self,
        function: Callable[P, R_co],
        signature: str | None = None,
        *,
        allocates: bool = True,
        is_inlined: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self._function = function
        self._signature = signature
        self._allocates, self._is_inlined = allocates, is_inlined
        self._compiled: Callable[P, R_co] | None = None
        self._part_dispatchers: dict[bool, Dispatcher[Callable[P, R_co]]] = {}
        """A part as other kernels call it, by whether these may allocate."""
        self._call: Callable[P, R_co] = self._compile_and_call
        self._specialized: dict[bytes, Callable[P, R_co]] = {}
        """The machine code, by numba's fingerprints of first arguments that were found to have the right types."""

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    else:
        # A method would pack all arguments and hand them on: a quarter of a microsecond each time.
        __call__ = property(attrgetter("_call"))

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        """Module and function, such as `fashion.update`."""
        return f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}"

    @property
    def bytecode_size(self) -> int:
        """Bytes of Python's code for this function alone."""
        return len(self._function.__code__.co_code)

    def callees(self) -> set[Kernel[..., object]]:
        """Return the kernels that this one calls."""
        names, known = self._function.__code__.co_names, self._function.__globals__
        return {known[name] for name in names if isinstance(known.get(name), Kernel)}

    @property
    def _numba_type_(self) -> object:
        """The type that numba asks a global of a kernel for when it does not know it: so kernels find each other."""
        import numba
        from numba.core.targetconfig import ConfigStack

        if self._signature is not None:
            return numba.typeof(self.compile())  # type: ignore[no-untyped-call]
        flags = ConfigStack.top_or_none()  # type: ignore[no-untyped-call]  # of the caller that is being compiled
        counts = flags is None or not flags.is_set("nrt") or bool(flags.nrt)
        if counts not in self._part_dispatchers:
            # Python never calls these: without what it would need, they compile in two thirds of the time.
            part = self._jit(no_cpython_wrapper=True, _nrt=counts, forceinline=self._is_inlined)
            self._part_dispatchers[counts] = widen_integers(part)
        return numba.typeof(self._part_dispatchers[counts])  # type: ignore[no-untyped-call]

    @property
    def part_signatures(self) -> list[object]:
        """The signatures for which this part has been compiled in this process."""
        return [signature for part in self._part_dispatchers.values() for signature in part.overloads]

    def _compile_and_call(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        return self.compile()(*args, **kwargs)

    def compile(self) -> Callable[P, R_co]:
        """The compiled function, made once, by whichever thread comes first."""
        if _quick_start:
            _load_numba_without_blas()
        from numba.core.compiler_lock import global_compiler_lock

        # numba's own lock: with one of ours, two threads could each hold one and wait for the other.
        with global_compiler_lock:
            if self._compiled is None:
                with _time_compilation():
                    try:
                        self._compiled = self._compile(cached=True)
                    except Exception:  # a full disk or a damaged file; a fault of the kernel itself comes again
                        self._compiled = self._compile(cached=False)
                self._call = self._compiled
            return self._compiled

    def specialize(self, arguments: tuple[object, ...]) -> Callable[P, R_co]:
        """Return what may be called with these first arguments and numbers: machine code that checks no types."""
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
                return compiled  # which converts the arguments, or refuses them
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
            # numpy's scalars warn about overflow and division by 0, which kernels rely on.
            return self._function if self._signature is None else np.errstate(all="ignore")(self._function)
        compiled = self._jit(_nrt=self._allocates)
        if self._signature is None:
            return compiled
        folder = _open_cache_folder() if cached else None
        if folder is not None:
            # The setting belongs to the whole process, but is read only where caching is enabled.
            before, settings["CACHE_DIR"] = settings["CACHE_DIR"], str(folder)
            try:
                compiled.enable_caching()
            finally:
                settings["CACHE_DIR"] = before
        try:
            compiled.compile(read_signature(self._signature, self._function.__globals__))
        except Exception:
            compiled._cache.flush()  # type: ignore[attr-defined]  # a damaged file must not be met again
            raise
        compiled.disable_compile()
        return compiled


_compile_start: float | None = None
"""When the compilation that goes on began."""
_quick_start = False


@contextmanager
def _time_compilation() -> Iterator[None]:
    """A kernel is compiled; those that it calls are compiled within."""
    global _compile_start
    before = _compile_start
    _compile_start = before or time.monotonic()
    try:
        yield
    finally:
        _compile_start = before


def compilation_seconds() -> float:
    """For how many seconds a kernel has been compiled, or read from the cache, by now; 0 where none is."""
    begun = _compile_start
    return 0.0 if begun is None else time.monotonic() - begun


def start_quickly() -> None:
    """Let numba load without linear algebra, of which no kernel has need: a fifth of a second less.

    For programs that are all ours, such as the command line: numba then refuses np.dot in this process for good.
    """
    global _quick_start
    _quick_start = True


def _load_numba_without_blas() -> None:
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]  # importing it fails, and numba does without
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules[blas]


@overload
def kernel(signature: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def kernel(signature: str, /, *, allocates: bool = ...) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    signature: Callable[P, R] | str, /, *, allocates: bool = True
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Make a function a kernel.

    `@kernel("void(uint8[:, ::1], int64)")` is an entry, for Python to call. It takes exactly these types (others
    are a TypeError, never a silent second compilation) and is cached on disk. An array that may be read-only is
    written `Array(uint8, 2, "C", readonly=True)`. A NamedTuple or Record class of the module is written by its
    name, as in `@kernel("int64(Wave, uint64[::1])")`; see `kernels/types.py`. Plain `@kernel` is a part, compiled
    into its callers.

    `allocates=False` promises that neither the entry nor its parts create an array. It compiles faster, because
    references to arrays need not be counted.

    Limits: kernels name each other as globals, not as `module.name`, and do not recurse.
    """
    if not isinstance(signature, str):
        return Kernel(signature)

    def decorate(function: Callable[P, R]) -> Kernel[P, R]:
        made = Kernel(function, signature, allocates=allocates)
        _entries.append(made)
        return made

    return decorate


def inline(function: Callable[P, R], /) -> Kernel[P, R]:
    """Make a function a part that is compiled into its callers without a call, for the innermost loops."""
    return Kernel(function, is_inlined=True)


def bind(call: partial[R], /) -> partial[R]:
    """Check the types of an entry's first arguments once, for many calls with them; the other arguments are numbers.

    numba finds the types of all arguments at each call otherwise, which takes longer than a short call itself.
    """
    assert isinstance(call.func, Kernel)
    return partial(call.func.specialize(call.args), *call.args)


def list_entries() -> list[Kernel[..., object]]:
    """Every entry kernel: those of this folder, and whatever else has been imported by now."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return list(_entries)


def warmup(*, processes: int | None = None) -> Iterator[str]:
    """Compile every entry into the cache, in that many processes, and give each one's name when it is done.

    By default as many processes as there are processors: numba compiles one function at a time in each.
    """
    from .workers import compile_in_workers

    processes = processes or os.cpu_count() or 1
    known = list_entries()
    ours = [entry for entry in known if entry.__module__.startswith(f"{__name__}.")]
    others = [entry for entry in known if entry not in ours]  # which another process may not find
    if processes > 1 and sys.executable:
        yield from compile_in_workers(ours, processes)
    else:
        others += ours
    for entry in others:
        entry.compile()
        yield entry.name
    mark = _ready_mark()
    if mark is not None:
        mark.touch()


def is_ready() -> bool:
    """Whether `warmup` has compiled everything, so that nobody has to wait for it. Loads no numba."""
    mark = _ready_mark()
    return mark is not None and mark.exists()


def is_cold() -> bool:
    """Whether nothing was ever compiled here, so that the first map takes some seconds. Loads no numba."""
    return not any(_cache_home().glob("kernels-*/**/*.nbi"))


def clear_stale_caches() -> list[Path]:
    """Delete the caches of other versions, which are the folders beside ours that carry our tag."""
    home, current = _cache_home(), f"kernels-{_source_digest()}"
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


def _open_cache_folder() -> Path | None:
    """The present cache, made and tagged; None where nothing can be written."""
    try:
        folder = _cache_home() / f"kernels-{_source_digest()}"
        folder.mkdir(parents=True, exist_ok=True)
        # Each time, to prove that the folder is writable: else numba would quietly look for another one.
        (folder / "CACHEDIR.TAG").write_text(TAG)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return None
    return folder


def _ready_mark() -> Path | None:
    """A file beside what is compiled, which says that all is; numba looks at where a source lies, and at its date."""
    folder = _open_cache_folder()
    sources = [(str(source), source.stat().st_mtime_ns) for source in sorted(Path(__file__).parent.glob("*.py"))]
    return folder and folder / f"ready-{blake2b(repr(sources).encode(), digest_size=8).hexdigest()}"


@cache
def _source_digest() -> str:
    """A digest of everything the machine code depends on.

    numba notices an edit of the kernel's own file only, not one of a part in another module.
    """
    digest = blake2b(digest_size=8)
    for used in (version("numba"), np.__version__, platform.python_version()):
        digest.update(used.encode() + b"\n")
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\n" + source.read_bytes())
    return digest.hexdigest()

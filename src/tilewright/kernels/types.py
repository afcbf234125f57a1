"""Types of kernel arguments: arrays by element type and dimension, and structures of them with named fields.

The annotations of an entry are its compiled signature: the aliases below, `int`, `float`, `bool`, scalars of numpy, and
the structures described here. Arrays that the caller may pass read-only, such as constants and views of maps, have the
types `ReadOnly...`. Parts are compiled for what they are given; their annotations are for readers.

A NamedTuple groups the arrays of one thing. Its fields are annotated with the aliases below, from which the compiled
type follows. A small vector of state is a Record:

    class StackState(Record):
        top: int
        largest: float

    class Stack(NamedTuple):
        items: Int32_1D
        state: StackState

`StackState.new()` creates one; kernels and Python read and write `stack.state.top`. An array of structures is
`Annotated[NDArray[np.void], DTYPE]`, or `Annotated[NDArray[np.void], DTYPE, 2]` with two dimensions. A NamedTuple costs
compile time for every array in it and every kernel that it is passed to: pass single arrays where few are needed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher
    from numba.core.types import Type
    from numba.core.typing.templates import Signature

    _Void = object
else:
    _Void = np.void  # final in numpy's type stubs, although np.record is a subclass

F = TypeVar("F", bound=Callable[..., object])

Uint8: TypeAlias = Annotated[int, "uint8"]
Uint64: TypeAlias = Annotated[int, "uint64"]
Uint8_1D: TypeAlias = Annotated[NDArray[np.uint8], "uint8[::1]"]
Uint8_2D: TypeAlias = Annotated[NDArray[np.uint8], "uint8[:, ::1]"]
Uint8_4D: TypeAlias = Annotated[NDArray[np.uint8], "uint8[:, :, :, ::1]"]
Uint16_1D: TypeAlias = Annotated[NDArray[np.uint16], "uint16[::1]"]
Uint16_2D: TypeAlias = Annotated[NDArray[np.uint16], "uint16[:, ::1]"]
Uint64_1D: TypeAlias = Annotated[NDArray[np.uint64], "uint64[::1]"]
Uint64_2D: TypeAlias = Annotated[NDArray[np.uint64], "uint64[:, ::1]"]
Uint64_3D: TypeAlias = Annotated[NDArray[np.uint64], "uint64[:, :, ::1]"]
Int16_1D: TypeAlias = Annotated[NDArray[np.int16], "int16[::1]"]
Int16_2D: TypeAlias = Annotated[NDArray[np.int16], "int16[:, ::1]"]
Int16_3D: TypeAlias = Annotated[NDArray[np.int16], "int16[:, :, ::1]"]
Int32_1D: TypeAlias = Annotated[NDArray[np.int32], "int32[::1]"]
Int32_2D: TypeAlias = Annotated[NDArray[np.int32], "int32[:, ::1]"]
Int32_3D: TypeAlias = Annotated[NDArray[np.int32], "int32[:, :, ::1]"]
Int64_1D: TypeAlias = Annotated[NDArray[np.int64], "int64[::1]"]
Int64_2D: TypeAlias = Annotated[NDArray[np.int64], "int64[:, ::1]"]
Int64_3D: TypeAlias = Annotated[NDArray[np.int64], "int64[:, :, ::1]"]
Float64_1D: TypeAlias = Annotated[NDArray[np.float64], "float64[::1]"]
Float64_2D: TypeAlias = Annotated[NDArray[np.float64], "float64[:, ::1]"]
Float64_3D: TypeAlias = Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
ReadOnlyUint8_1D: TypeAlias = Annotated[NDArray[np.uint8], "Array(uint8, 1, 'C', readonly=True)"]
ReadOnlyUint8_3D: TypeAlias = Annotated[NDArray[np.uint8], "Array(uint8, 3, 'C', readonly=True)"]
ReadOnlyUint8_4D: TypeAlias = Annotated[NDArray[np.uint8], "Array(uint8, 4, 'C', readonly=True)"]
ReadOnlyUint16_1D: TypeAlias = Annotated[NDArray[np.uint16], "Array(uint16, 1, 'C', readonly=True)"]
ReadOnlyUint16_2D: TypeAlias = Annotated[NDArray[np.uint16], "Array(uint16, 2, 'C', readonly=True)"]
ReadOnlyUint16_4D: TypeAlias = Annotated[NDArray[np.uint16], "Array(uint16, 4, 'C', readonly=True)"]
ReadOnlyUint64_1D: TypeAlias = Annotated[NDArray[np.uint64], "Array(uint64, 1, 'C', readonly=True)"]
ReadOnlyUint64_2D: TypeAlias = Annotated[NDArray[np.uint64], "Array(uint64, 2, 'C', readonly=True)"]
ReadOnlyInt64_2D: TypeAlias = Annotated[NDArray[np.int64], "Array(int64, 2, 'C', readonly=True)"]
ReadOnlyFloat64_1D: TypeAlias = Annotated[NDArray[np.float64], "Array(float64, 1, 'C', readonly=True)"]
ReadOnlyFloat64_2D: TypeAlias = Annotated[NDArray[np.float64], "Array(float64, 2, 'C', readonly=True)"]

SCALARS: Mapping[object, str] = {int: "int64", float: "float64", bool: "bool"}


class Record(_Void):
    """Numpy record of the annotated fields (int, float or bool), initially zero; kernels change it in place."""

    layout: ClassVar[np.dtype[np.void]]
    _record_dtype: ClassVar[np.dtype[np.void]]
    data: memoryview = None  # type: ignore[assignment]  # hides the property of numpy's scalars
    """Memory as int64, created once. numba reads it at each call, and numpy would create it each time."""

    def __init_subclass__(cls) -> None:
        hints = {name: hint for name, hint in get_type_hints(cls).items() if hint in SCALARS}
        cls.layout = np.dtype([(name, np.dtype(SCALARS[hint])) for name, hint in hints.items()], align=True)
        offsets = {name: offset for name, (_, offset, *_) in (cls.layout.fields or {}).items()}
        for name, hint in hints.items():
            if hasattr(np.void, name):
                raise TypeError(f"{cls.__name__}: {name} is an attribute of every numpy scalar")
            setattr(cls, name, _int_field(offsets[name]) if hint is int else _any_field(name))
        # One object for all records of a class, because numba identifies types by the identity of their dtype.
        cls._record_dtype = np.dtype((cls, cls.layout))

    @classmethod
    def new(cls) -> Self:
        """Return a record of zeros."""
        array = np.zeros(1, dtype=cls._record_dtype)
        record: Self = array[0]
        record.data = array.view(np.int64).data
        return record


def _any_field(name: str) -> property:
    """Return a property that reads and writes a field of a record."""

    def write(record: Any, value: float) -> None:
        record[name] = value

    return property(itemgetter(name), write)


def _int_field(offset: int) -> property:
    """Return a property of an int field, which takes a third of the time of `_any_field`."""
    place = offset // 8

    def read(record: Record) -> int:
        return record.data[place]

    def write(record: Record, value: int) -> None:
        record.data[place] = value

    return property(read, write)


def read_signature(function: Callable[..., object], name: str) -> Signature:
    """Return the numba signature of a function from its annotations; errors contain `name` and the parameter."""
    from numba.core.typing.templates import signature

    hints = get_type_hints(function, include_extras=True)
    kinds = []
    for parameter in ("return", *inspect.signature(function).parameters):
        try:
            kinds.append(_read_type(hints[parameter]))
        except (KeyError, TypeError) as error:
            annotation = hints.get(parameter, "no annotation")
            raise TypeError(
                f"kernel {name}, {parameter}: the types of arguments are in kernels/types.py, got {annotation}"
            ) from error
    found: Signature = signature(*kinds)  # type: ignore[no-untyped-call]
    return found


def widen_integers(part: Dispatcher[F]) -> Dispatcher[F]:
    """Make a part accept all signed integers and constants as int64, so that it is compiled only once for them."""
    from numba import types

    find_template: Callable[..., object] = part.get_call_template

    def widen(kind: Any) -> Type:
        is_signed = isinstance(kind, types.Integer) and kind.signed  # type: ignore[attr-defined]
        return types.int64 if is_signed else kind

    def find_wide_template(args: Iterable[Type], kws: Mapping[str, Type]) -> object:
        return find_template(tuple(map(widen, args)), {name: widen(kind) for name, kind in kws.items()})

    vars(part)["get_call_template"] = find_wide_template
    return part


def _read_type(hint: Any) -> Type:
    from numba import from_dtype, types
    from numba.core.sigutils import normalize_signature

    found: Type
    if hint is type(None):
        return types.none
    if get_origin(hint) is Annotated:
        _, layout, *dimensions = get_args(hint)
        if isinstance(layout, np.dtype):
            return types.Array(from_dtype(layout), dimensions[0] if dimensions else 1, "C")
        found = normalize_signature(f"({layout},)")[0][0]  # type: ignore[no-untyped-call]
    elif hint in SCALARS:
        found = from_dtype(np.dtype(SCALARS[hint]))
    elif issubclass(hint, Record):
        found = from_dtype(hint.layout)
    elif issubclass(hint, np.generic):
        found = from_dtype(np.dtype(hint))
    elif issubclass(hint, tuple):
        fields = [_read_type(field) for field in get_type_hints(hint, include_extras=True).values()]
        if len(set(fields)) == 1:
            found = types.NamedUniTuple(fields[0], len(fields), hint)  # type: ignore[no-untyped-call]
        else:
            found = types.NamedTuple(fields, hint)  # type: ignore[no-untyped-call]
    else:
        raise TypeError
    return found

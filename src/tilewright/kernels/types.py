"""Types of kernel arguments: arrays by element type and dimension, and structures of them with named fields.

A NamedTuple groups the arrays of one thing. Its fields are annotated with the aliases below, from which the compiled
type follows. A small vector of state is a numpy record:

    STATE = np.dtype([("top", np.int64), ("count", np.int64)])

    class Stack(NamedTuple):
        items: Int32_1D
        state: Annotated[np.record, STATE]

`new_record(STATE)` creates one; kernels and Python read `stack.state.top`. `Annotated[NDArray[np.void], STATE]` is an
array of records. A NamedTuple costs compile time for every array in it and every kernel that it is passed to: pass
single arrays where few are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numba.core.types import Type
    from numba.core.typing.templates import Signature

Uint8_1D: TypeAlias = Annotated[NDArray[np.uint8], "uint8[::1]"]
Uint8_2D: TypeAlias = Annotated[NDArray[np.uint8], "uint8[:, ::1]"]
Uint16_1D: TypeAlias = Annotated[NDArray[np.uint16], "uint16[::1]"]
Uint16_2D: TypeAlias = Annotated[NDArray[np.uint16], "uint16[:, ::1]"]
Uint64_1D: TypeAlias = Annotated[NDArray[np.uint64], "uint64[::1]"]
Uint64_2D: TypeAlias = Annotated[NDArray[np.uint64], "uint64[:, ::1]"]
Uint64_3D: TypeAlias = Annotated[NDArray[np.uint64], "uint64[:, :, ::1]"]
Int32_1D: TypeAlias = Annotated[NDArray[np.int32], "int32[::1]"]
Int32_2D: TypeAlias = Annotated[NDArray[np.int32], "int32[:, ::1]"]
Int32_3D: TypeAlias = Annotated[NDArray[np.int32], "int32[:, :, ::1]"]
Int64_1D: TypeAlias = Annotated[NDArray[np.int64], "int64[::1]"]
Int64_2D: TypeAlias = Annotated[NDArray[np.int64], "int64[:, ::1]"]
Int64_3D: TypeAlias = Annotated[NDArray[np.int64], "int64[:, :, ::1]"]
Float64_1D: TypeAlias = Annotated[NDArray[np.float64], "float64[::1]"]
Float64_2D: TypeAlias = Annotated[NDArray[np.float64], "float64[:, ::1]"]

SCALARS: Mapping[object, str] = {int: "int64", float: "float64", bool: "boolean"}


def new_record(dtype: np.dtype[np.void]) -> np.record:
    """Return a record of zeros that kernels can change."""
    record: np.record = np.zeros(1, dtype=dtype).view(np.recarray)[0]
    return record


def read_signature(text: str, names: Mapping[str, object]) -> Signature:
    """Return the signature `text`, in which NamedTuple classes and record dtypes are written by their `names`."""
    from numba.core.typing.templates import signature

    depth = 0
    for start in range(len(text) - 1, -1, -1):  # the last bracket closes the list of arguments
        depth += (text[start] == ")") - (text[start] == "(")
        if depth == 0:
            break
    arguments = [_read_type(argument, names) for argument in _split(text[start + 1 : -1])]
    return signature(_read_type(text[:start], names), *arguments)  # type: ignore[no-untyped-call]


def _split(text: str) -> Iterator[str]:
    """Split a list of types at its commas, leaving those within brackets."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    if text[start:].strip():
        yield text[start:].strip()


def _read_type(text: str, names: Mapping[str, object]) -> Type:
    from numba import from_dtype
    from numba.core.sigutils import normalize_signature

    named = names.get(text)
    if isinstance(named, np.dtype):
        return from_dtype(named)
    if isinstance(named, type) and hasattr(named, "_fields"):
        return _struct_type(named)
    (found,), _ = normalize_signature(f"({text},)")  # type: ignore[no-untyped-call]
    return found


def _struct_type(struct: type) -> Type:
    from numba import types

    hints = get_type_hints(struct, include_extras=True)
    fields = [_field_type(hint) for hint in hints.values()]
    if len(set(fields)) == 1:
        return types.NamedUniTuple(fields[0], len(fields), struct)  # type: ignore[no-untyped-call]
    return types.NamedTuple(fields, struct)  # type: ignore[no-untyped-call]


def _field_type(hint: Any) -> Type:
    from numba import from_dtype

    if hint in SCALARS:
        return _read_type(SCALARS[hint], {})
    if get_origin(hint) is not Annotated:
        return _struct_type(hint)
    kind, layout = get_args(hint)
    if isinstance(layout, np.dtype):
        record = from_dtype(layout)
        return record if kind is np.record else record[::1]
    return _read_type(layout, {})

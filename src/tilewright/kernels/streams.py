"""Keys of random streams from decimal seeds, as `core/seeds` computes them: blake2b of the seed, then of each name.

All messages fit into one block of blake2b. Source: RFC 7693.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .bit_rows import count_bits
from .types import Int64_1D, ReadOnlyInt64_2D, ReadOnlyUint64_1D, Uint8_1D, Uint64, Uint64_1D, Uint64_2D

START = np.array(
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ],
    dtype=np.uint64,
)  # fmt: skip
"""Initial state of blake2b."""
ORDER = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    ],
    dtype=np.int64,
)
"""(round, position) order in which the rounds of blake2b read the words of the message."""
PARAMETERS = np.uint64(0x01010000 ^ 16)
"""Parameter block of blake2b: a digest of 16 bytes, without a key."""
MAX_NAME_BYTES = 100
"""Maximum length of a name, so that it fits into a block with the key of its parent."""


@inline
def rotate(word: np.uint64, count: int) -> np.uint64:
    """Rotate a word to the right."""
    return (word >> np.uint64(count)) | (word << np.uint64(64 - count))


@inline
def put_byte(message: Uint64_1D, at: int, byte: np.uint8) -> None:
    """Write a byte of a message whose words were 0."""
    message[at >> 3] |= np.uint64(byte) << np.uint64(8 * (at & 7))


@part
def hash_block(
    message: Uint64_1D, length: int, start: ReadOnlyUint64_1D, order: ReadOnlyInt64_2D, work: Uint64_1D
) -> None:
    """Hash a message of at most 128 bytes, and replace its first two words by the digest; `work` holds 16 words."""
    for i in range(8):
        work[i] = start[i]
        work[i + 8] = start[i]
    work[0] ^= PARAMETERS
    work[12] ^= np.uint64(length)
    work[14] = ~work[14]
    for turn in range(12):
        for step in range(8):
            a, b, c, d = step, 4 + step, 8 + step, 12 + step
            if step >= 4:
                a, b, c, d = step - 4, 4 + (step - 3) % 4, 8 + (step - 2) % 4, 12 + (step - 1) % 4
            work[a] = work[a] + work[b] + message[order[turn, 2 * step]]
            work[d] = rotate(work[d] ^ work[a], 32)
            work[c] = work[c] + work[d]
            work[b] = rotate(work[b] ^ work[c], 24)
            work[a] = work[a] + work[b] + message[order[turn, 2 * step + 1]]
            work[d] = rotate(work[d] ^ work[a], 16)
            work[c] = work[c] + work[d]
            work[b] = rotate(work[b] ^ work[c], 63)
    message[0] = start[0] ^ PARAMETERS ^ work[0] ^ work[8]
    message[1] = start[1] ^ work[1] ^ work[9]


@part
def hash_seed(
    seed: np.uint64,
    prefix: Uint8_1D,
    start: ReadOnlyUint64_1D,
    order: ReadOnlyInt64_2D,
    message: Uint64_1D,
    work: Uint64_1D,
) -> None:
    """Set the first two words of `message` to the key of a seed, as `Rng.of` computes it."""
    for i in range(16):
        message[i] = np.uint64(0)
    length = 0
    for i in range(prefix.size):
        put_byte(message, length, prefix[i])
        length += 1
    power, ten = np.uint64(1), np.uint64(10)
    while seed // power >= ten:
        power *= ten
    while power > np.uint64(0):
        put_byte(message, length, np.uint8(48) + np.uint8(seed // power % ten))
        length += 1
        power //= ten
    hash_block(message, length, start, order, work)


@part
def hash_child(
    names: Uint8_1D,
    first: int,
    last: int,
    start: ReadOnlyUint64_1D,
    order: ReadOnlyInt64_2D,
    message: Uint64_1D,
    work: Uint64_1D,
) -> None:
    """Replace the key in the first two words of `message` by that of a child, as `Rng.child` computes it."""
    for i in range(2, 16):
        message[i] = np.uint64(0)
    length = 16
    for i in range(first, last):
        put_byte(message, length, names[i])
        length += 1
    hash_block(message, length, start, order, work)


@inline
def make_gamma(word: np.uint64) -> np.uint64:
    """Return the gamma of the stream with this second word of its key, as `Rng.state` computes it."""
    gamma = word | np.uint64(1)
    if count_bits(gamma ^ (gamma >> np.uint64(1))) < 24:
        gamma ^= np.uint64(0xAAAAAAAAAAAAAAAA)
    return gamma


@kernel
def fill_stream_keys(first: Uint64, prefix: Uint8_1D, names: Uint8_1D, ends: Int64_1D, keys: Uint64_2D) -> None:
    """Write the keys (seed, word) of streams from consecutive decimal seeds, see `pack_names`."""
    message, work = np.empty(16, dtype=np.uint64), np.empty(16, dtype=np.uint64)
    for number in range(keys.shape[0]):
        hash_seed(np.uint64(first) + np.uint64(number), prefix, START, ORDER, message, work)
        begin = 0
        for end in ends:
            hash_child(names, begin, end, START, ORDER, message, work)
            begin = end
        keys[number, 0], keys[number, 1] = message[0], message[1]


def pack_names(path: Sequence[str | tuple[str, int]]) -> tuple[Uint8_1D, NDArray[np.int64]]:
    """Return the names of a stream, each with its number (by default 0) as `Rng.child` appends it, and where each ends.

    >>> pack_names(["noise", ("octave", 1)])[0].tobytes()
    b'noise\\x000octave\\x001'
    """
    numbered = [(name, 0) if isinstance(name, str) else name for name in path]
    encoded = [f"{name}\x00{number}".encode() for name, number in numbered]
    assert all(len(name) <= MAX_NAME_BYTES for name in encoded)
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8).copy(), ends

"""Keys of streams against `core/seeds`, which hashes with hashlib."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.core.seeds import STREAM, Rng
from tilewright.kernels.streams import fill_stream_keys, pack_names


@pytest.mark.parametrize("path", [[], ["caves"], ["maze", "links"]], ids=str)
@pytest.mark.parametrize("prefix", ["", "7-", "a long prefix of a corpus-" * 2], ids=len)
@pytest.mark.parametrize("first", [0, 95, 10**9 - 30, 2**64 - 60])
def test_keys_are_those_of_seeds(first: int, prefix: str, path: list[str]) -> None:
    keys = np.empty((60, 2), dtype=np.uint64)
    fill_stream_keys(first, np.frombuffer(STREAM + prefix.encode(), dtype=np.uint8).copy(), *pack_names(path), keys)
    for number in range(60):
        stream = Rng.of(f"{prefix}{first + number}")
        for name in path:
            stream = stream.child(name)
        assert keys[number].tobytes() == stream.key

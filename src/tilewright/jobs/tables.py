"""Tables in Parquet files."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_GROUP = 128
"""Number of rows in a row group. To read one map, its complete row group is read."""


def encode_table(table: pa.Table, **options: Any) -> bytes:
    """Return a table as a file. A column `cells` is compressed already."""
    buffer = BytesIO()
    compression = {name: "none" if name == "cells" else "zstd" for name in table.column_names}
    pq.write_table(table, buffer, compression=compression, write_page_checksum=True, **options)
    return buffer.getvalue()

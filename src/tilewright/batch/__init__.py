"""Many maps of one recipe at once: kernels make and measure thousands of small maps in one call.

A `Scanner` tests a range of seeds against requirements. `open_scanner` returns one for recipes that have kernels on the
chosen device. The maps and measures are those of `tw.run` and `tw.measure`, byte for byte.
"""

from __future__ import annotations

from .scanner import Bound, ScanResult, Scanner, bin_width

__all__ = ["Bound", "ScanResult", "Scanner", "bin_width"]

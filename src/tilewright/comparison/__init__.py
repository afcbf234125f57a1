"""Techniques that learn from samples, side by side: what each makes of the same samples, how fast and how well.

Each technique runs in a process of its own, so that its memory can be measured and no technique benefits from what
another has loaded. There it learns, makes maps and tries small samples (`trial`). The maps are measured afterwards and
shown as a table (`rows`) and as a picture (`pictures.sheets`). `run` is the entry.
"""

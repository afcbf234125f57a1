"""Commands of `tilewright benchmark`."""

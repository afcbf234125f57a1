"""Pictures."""

from ..core.params import Params


class PngParams(Params):
    """x"""

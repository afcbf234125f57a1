"""Resolver of recipes in the studio."""

from __future__ import annotations

from .. import data
from ..core.errors import InvalidRecipe, short_repr
from ..core.network import Network
from ..core.resolver import Resolver
from . import own_models
from .own_tiles import pictures as own_pictures


class StudioResolver(Resolver):
    """Resolver of built-in names, and of the pictures and models that users have uploaded."""

    def find_picture(self, digest: str, name: str) -> bytes:
        return own_pictures.picture_store.get(digest)

    def find_network(self, digest: str, name: str) -> Network:
        found = own_models.model_store.get(digest)
        if found is not None:
            return found
        try:
            return super().find_network(digest, name)
        except InvalidRecipe:
            shown = short_repr(name or digest[:12])
            text = f"the model {shown} is not in this studio; upload its file"
            raise InvalidRecipe(text, rule="unknown_name", value=name, instead=data.list_names("models")[0]) from None

"""Contestants: techniques and networks behind one interface, learn from samples and make a map.

A contestant is a technique that learns from samples, or a network of `tilewright.neural.gan`, which is no technique.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.errors import InvalidRecipe, UnknownName, errors_within
from ..core.fields import fields_by_name
from ..core.grid import resolve_label
from ..core.model import LearningProgress, Model, TrainingParams, learn, read_training_params
from ..core.network import Network
from ..core.params import Params
from ..core.pipeline import run
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.resolver import Resolver
from ..core.samples import Samples
from ..core.seeds import Rng, Seed
from ..core.tilemap import TileMap
from ..formats._resolver import FileResolver
from ..neural._torch import has_torch, refuse_without_torch
from ..neural.gan import ElsganParams, Gan, GanParams, evolve_map, make_divergence_score, train_gan

OnProgress = Callable[[float, str], None]
MODEL = "model"
"""Setting of a technique that names a trained model or network, so that the technique does not learn again."""
OWN_NAMES = ("sample", "width", "height", "depth")
"""Parameters of techniques that the comparison sets."""


class Contestant(ABC):
    """A technique or network that learns from samples and then makes maps.

    Parameters
    ----------
    name
        Name of the contestant.
    settings
        Parameters by name, in place of the defaults.
    """

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self.name = name
        self.settings = dict(settings)

    @abstractmethod
    def check(self, samples: Samples) -> None:
        """Raise an error if a setting breaks its rule. Nothing is learned."""

    @abstractmethod
    def fit(self, samples: Samples, seed: Seed, on_progress: OnProgress) -> None:
        """Learn from samples."""

    @abstractmethod
    def generate(self, width: int, height: int, seed: Seed) -> TileMap:
        """Make a map. Raise GaveUp if there is none."""


class TechniqueContestant(Contestant):
    """A technique of Tilewright that learns a model."""

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._entry = techniques.get(name)
        known = read_setting_models(name)
        for key in settings:
            if key not in known:
                raise UnknownName("parameter", key, known, name)
        learned = fields_by_name(_learning_params(name))
        self._learned = {key: value for key, value in settings.items() if key in learned}
        self._made = {key: value for key, value in settings.items() if key not in learned and key != MODEL}
        if MODEL in settings and self._learned:
            raise InvalidRecipe("does not apply to a trained model", at=min(self._learned), rule="conflict")
        self._model: Model | Network | None = None
        self._recipes: dict[tuple[int, int], Recipe] = {}

    def check(self, samples: Samples) -> None:
        if MODEL in self.settings:
            self._entry.params.validate({MODEL: self._read_model(), **self._made})
            return
        read_training_params(self._entry, samples, self._learned, Resolver())
        if not needs_torch(self.name):  # Others need a trained model.
            model = learn(self._entry, samples, self._learned, Resolver())
            self._entry.params.validate({"model": model, **self._made})

    def fit(self, samples: Samples, seed: Seed, on_progress: OnProgress) -> None:
        def report(progress: LearningProgress) -> None:
            on_progress(progress.fraction, progress.note)

        if MODEL in self.settings:
            self._model = self._read_model()
        else:
            self._model = learn(self._entry, samples, self._learned, Resolver(), on_progress=report)
        self._recipes.clear()

    def _read_model(self) -> Model | Network:
        """Return the model or network of the settings, which may be the name of a file or of a built-in network."""
        given = self.settings[MODEL]
        with errors_within(MODEL):
            found: Model | Network = FileResolver().read_learned(given) if isinstance(given, str) else given
        return found

    def generate(self, width: int, height: int, seed: Seed) -> TileMap:
        if (width, height) not in self._recipes:
            params = {MODEL: self._model, "width": width, "height": height, **self._made}
            self._recipes[width, height] = Recipe.of({"technique": self.name, "params": params})
        return run(self._recipes[width, height].with_seed(seed))


class GanContestant(Contestant):
    """A generative adversarial network, or evolution in its latent space, towards the patterns of the samples."""

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._params = NETWORKS[name].validate(self.settings)
        self._gan: Gan | None = None
        self._samples: Samples | None = None

    def check(self, samples: Samples) -> None:
        """Do nothing: the parameters were validated before."""

    def fit(self, samples: Samples, seed: Seed, on_progress: OnProgress) -> None:
        self._samples = samples
        self._gan = train_gan(samples, self._params, rng=Rng.of(seed).child("gan"), on_progress=on_progress)

    def generate(self, width: int, height: int, seed: Seed) -> TileMap:
        assert self._gan is not None
        assert self._samples is not None
        rng = Rng.of(seed).child("gan")
        if isinstance(self._params, ElsganParams):
            score = make_divergence_score(self._samples, min(self._params.pattern_size, height, width))
            cells = evolve_map(self._gan, score, self._params, height, width, rng)
        else:
            cells = self._gan.generate(height, width, rng)
        tileset = self._samples.tileset
        ids = np.array([resolve_label(label, tileset) for label in self._samples.labels])
        return TileMap(ids[cells], tileset)


NETWORKS: Mapping[str, type[GanParams]] = {"gan": GanParams, "elsgan": ElsganParams}
"""Parameters of the networks by name."""


def list_contestants() -> list[str]:
    """Return the names of all contestants: techniques by name, with those that need torch last, and networks."""
    names = [entry.name for entry in techniques if entry.learn is not None]
    return [*sorted(names, key=lambda name: (needs_torch(name), name)), *NETWORKS]


def needs_torch(name: str) -> bool:
    """Return whether a contestant needs torch to learn."""
    return name in NETWORKS or _learning_params(name).trains_network


def list_available(settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the names of the contestants that have a trained model, or whose packages are installed."""
    return [
        name for name in list_contestants() if not needs_torch(name) or has_torch() or MODEL in settings.get(name, ())
    ]


def make_contestant(name: str, settings: Mapping[str, Any]) -> Contestant:
    """Return a contestant.

    Raises
    ------
    UnknownName
        If there is no contestant of that name, or it has no such parameter.
    TilewrightError
        If a package is missing.
    """
    refuse_unknown(name)
    if needs_torch(name) and MODEL not in settings:
        refuse_without_torch(name)
    with errors_within(name):
        return GanContestant(name, settings) if name in NETWORKS else TechniqueContestant(name, settings)


def refuse_unknown(name: str) -> None:
    """Raise UnknownName if there is no contestant of this name."""
    if name not in (known := list_contestants()):
        raise UnknownName("technique", name, known, "learning from samples")


def read_setting_models(name: str) -> dict[str, type[Params]]:
    """Return the classes of parameters that the settings of a contestant belong to, by parameter."""
    own: tuple[type[Params], ...] = (NETWORKS[name],) if name in NETWORKS else ()
    models = own or (techniques.get(name).params, _learning_params(name))
    return {key: model for model in models for key in fields_by_name(model) if key not in OWN_NAMES}


def find_quick_settings(name: str) -> Mapping[str, Any]:
    """Return settings that show quickly whether a contestant can learn from a sample at all."""
    return NETWORKS[name].quick_trial if name in NETWORKS else _learning_params(name).quick_trial


def _learning_params(name: str) -> type[TrainingParams]:
    """Return the parameters with which a technique learns."""
    found: type[TrainingParams] | None = techniques.get(name).learn
    assert found is not None
    return found

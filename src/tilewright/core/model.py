"""Models that techniques learn from samples.

Most techniques count patterns. Their model holds the samples, the parameters with which they were read, and the counts
that the technique made. A recipe stores the samples instead of the model, so that the recipe alone regenerates the map.
Maps made from a model and from its samples are equal. The technique diffusion learns a network instead; see
`core.network`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fsdecode
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationInfo, model_validator

from .. import data
from .errors import InvalidRecipe, errors_within, short_repr
from .grid import pack, unpack
from .network import Network
from .params import AtomicValue, Params, get_resolver, param
from .ports import files
from .resolver import Resolver
from .samples import Counts, Samples
from .tileset import Tileset

KEYS = {"version", "technique", "learned", "tileset"}
COUNTED_KEYS = {*KEYS, "digests", "counts"}
VERSION = 2
"""Version of the data of models. Version 1 has no counts."""
MAX_COUNTS = 1 << 23
"""Maximum number of values in stored counts. Larger counts are not stored; the samples are counted again at first
use."""


@dataclass(frozen=True, repr=False)
class Model(AtomicValue):
    """A model that a technique has learned from samples.

    `tw.learn` makes models. Two models are equal if their technique, samples and parameters are equal.

    Parameters
    ----------
    technique
        Name of the technique.
    params
        The samples and the parameters with which they are read.
    """

    json_schema: ClassVar = {"title": "Model", "type": ["string", "object"], "control": "model"}
    technique: str
    """Name of the technique."""
    params: TrainingParams
    """The samples and the parameters with which they are read."""

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Model:
        """Read a model.

        Parameters
        ----------
        value
            A model, its plain data, or a path.
        resolver
            Object that opens files. By default, no files are opened.

        Returns
        -------
        Model
            The model.

        Raises
        ------
        InvalidRecipe
            If the value is not a model, or its parts are inconsistent.
        """
        if isinstance(value, Model):
            return value
        if isinstance(value, (str, PathLike)):
            return (resolver or Resolver()).read_model(fsdecode(value))
        if not isinstance(value, Mapping) or not KEYS <= set(value) <= COUNTED_KEYS:
            raise InvalidRecipe("must be a model, or the name of a file that holds one", got=value, rule="type")
        from .registry import techniques

        _check_version(value["version"])
        entry = techniques.get(str(value["technique"]))
        if entry.learn is None or not isinstance(value["learned"], Mapping):
            raise InvalidRecipe(f"{entry.name} does not learn such a model")
        with errors_within("tileset"):
            tileset = Tileset.of(value["tileset"])
        learned = entry.learn.validate(value["learned"])
        unknown = [label for label in learned.sample.labels if label not in tileset.by_name]
        if unknown:
            raise InvalidRecipe(f"made for another tileset: {tileset.name!r} has no tile {unknown[0]!r}")
        learned = learned.replace(sample=learned.sample.with_tileset(tileset))
        return cls(entry.name, _read_counts(learned, value.get("counts"), value.get("digests")))

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Return plain data that `of` reads. With `inline=False`, the data has no samples and counts."""
        data = {
            "version": VERSION,
            "technique": self.technique,
            "learned": self.params.model_dump(mode="json", exclude=None if inline else {"sample"}),
            "tileset": _write_tileset(self.samples.tileset),
            "digests": self.digests,
        }
        if inline and self.counts:
            data["counts"] = {name: pack(array.astype("<i8").tobytes()) for name, array in self.counts.items()}
        return data

    def with_counts(self) -> Model:
        """Return the model with counts. The samples are counted unless the model already has counts."""
        if self.samples.counts:
            return self
        counts = self.params.count()
        small = sum(array.size for array in counts.values()) <= MAX_COUNTS
        return Model(self.technique, _attach_counts(self.params, counts)) if small else self

    @property
    def counts(self) -> Counts:
        """Counts as arrays by name; empty for techniques without counts."""
        return self.samples.counts

    @property
    def digests(self) -> list[str]:
        """Digests of the samples."""
        return [grid.digest for grid in self.samples]

    def merge(self, *others: Model) -> Model:
        """Return a model learned from the samples of this and other models.

        Parameters
        ----------
        *others
            Models of the same technique with the same parameters.

        Returns
        -------
        Model
            The model of all samples together.

        Raises
        ------
        InvalidRecipe
            If techniques or parameters differ.

        Examples
        --------
        >>> import tilewright as tw
        >>> both = tw.learn("patterns", "dungeon").merge(tw.learn("patterns", "caverns"))
        >>> len(both.samples)
        2
        """
        for other in others:
            if other.technique != self.technique:
                raise InvalidRecipe(f"cannot merge models of {self.technique} and {other.technique}")
            for name in type(self.params).model_fields:
                one, another = getattr(self.params, name), getattr(other.params, name)
                if name != "sample" and one != another:
                    raise InvalidRecipe(
                        f"is {short_repr(one)} in one model and {short_repr(another)} in another", at=name
                    )
        grids = [grid for model in (self, *others) for grid in model.samples]
        return Model(self.technique, self.params.replace(sample=Samples.of(grids)))

    @property
    def samples(self) -> Samples:
        """Maps that the model was learned from."""
        return self.params.sample

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model with its samples and counts to a .json or .npz file."""
        files.get().save_model(self.with_counts(), path)

    def __repr__(self) -> str:
        return f"<Model of {self.technique}>"


@dataclass(frozen=True)
class LearningProgress:
    """State of a technique that learns for a long time."""

    fraction: float
    """Completed fraction, 0 to 1."""
    note: str
    """Losses, to show."""
    build: Callable[[], Network]
    """Function that returns the network learned so far."""


OnLearning = Callable[[LearningProgress], None]
"""Function that is called from time to time while a technique learns. An exception that it raises stops learning."""


class Checkpoint(Protocol):
    """Storage of the state of unfinished learning."""

    def load(self) -> Mapping[str, NDArray[Any]] | None:
        """Return the stored arrays; None if there are none."""

    def store(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace the stored arrays."""


class TrainingParams(Params):
    """Base of the parameters of a model: the samples, and in subclasses the parameters with which they are read."""

    trains_network: ClassVar[bool] = False
    """Whether `fit` trains a network."""
    quick_trial: ClassVar[Mapping[str, Any]] = {}
    """Parameters of learning and making that show quickly whether the technique can learn from a sample at all."""
    sample: Samples = param("dungeon")
    """One or several maps to imitate: files, rows of glyphs, or names of built-in samples."""

    @property
    def facts(self) -> Mapping[str, str]:
        """Further facts about the model to show, by name."""
        return {}

    def fit(
        self, technique: str, *, on_progress: OnLearning | None = None, checkpoint: Checkpoint | None = None
    ) -> Model | Network:
        """Return what the technique learns from the samples.

        Techniques that count quickly return a model, and ignore the other arguments.

        Parameters
        ----------
        technique
            Name of the technique.
        on_progress
            Function to call from time to time.
        checkpoint
            Storage of the state, from which unfinished learning continues.

        Returns
        -------
        Model or Network
            A model with the samples and counts, or a trained network.
        """
        return Model(technique, self).with_counts()

    def count(self) -> Counts:
        """Count the patterns that the technique needs in the samples.

        Techniques that count quickly return an empty mapping.
        """
        return {}

    def check_counts(self, counts: Counts) -> None:
        """Raise InvalidRecipe if counts from a file cannot come from the samples. Techniques rely on this check."""
        if counts:
            raise InvalidRecipe("this technique has no counts", at="counts")


class LearningParams(TrainingParams):
    """Base of the parameters of a technique that learns. A model is replaced by its samples and parameters."""

    technique: ClassVar[str]
    """Name of the technique."""
    model: Model | None = param(None, control="model")
    """File of a model made by `tilewright learn`, instead of a sample."""

    @model_validator(mode="before")
    @classmethod
    def _expand_model(cls, values: Any, info: ValidationInfo) -> Any:
        if not isinstance(values, Mapping) or values.get("model") is None:
            return values
        with errors_within("model"):
            model = Model.of(values["model"], get_resolver(info))
        if model.technique != cls.technique:
            raise InvalidRecipe(f"learned by {model.technique}, not by {cls.technique}", at="model")
        learned = {name: getattr(model.params, name) for name in type(model.params).model_fields}
        both = sorted(learned.keys() & values.keys())
        if both:
            raise InvalidRecipe("is part of the model, so leave it out", at=both[0], rule="conflict")
        return {**{name: value for name, value in values.items() if name != "model"}, **learned}


def _check_version(version: object) -> None:
    if version in (1, VERSION) and not isinstance(version, bool):
        return
    newer = isinstance(version, int) and version > VERSION
    reason = "written by a newer Tilewright" if newer else "unknown; learn the model again"
    raise InvalidRecipe(f"model version {short_repr(version)} is {reason} (this Tilewright reads 1 to {VERSION})")


def _read_counts(params: TrainingParams, packed: object, digests: object) -> TrainingParams:
    """Return params whose samples have the counts of a file, after validation."""
    if digests is not None and digests != [grid.digest for grid in params.sample]:
        raise InvalidRecipe("do not match the samples; learn the model again", at="digests")
    if packed is None:
        return params
    if not isinstance(packed, Mapping) or digests is None:
        raise InvalidRecipe("must be arrays by name, with the digests of the samples", at="counts", rule="type")
    counts: dict[str, NDArray[np.int64]] = {}
    bytes_left = 8 * MAX_COUNTS
    for name, value in packed.items():
        raw = value.astype("<i8").tobytes() if isinstance(value, np.ndarray) else unpack(value, bytes_left, "counts")
        bytes_left -= len(raw)
        if bytes_left < 0 or len(raw) % 8:
            raise InvalidRecipe(f"must be at most {MAX_COUNTS:,} numbers of 8 bytes", at="counts", rule="maximum")
        counts[str(name)] = np.frombuffer(raw, "<i8").astype(np.int64)
    params.check_counts(counts)
    return _attach_counts(params, counts)


def _attach_counts(params: TrainingParams, counts: Counts) -> TrainingParams:
    return params.replace(sample=params.sample.with_counts(counts))


def _write_tileset(tileset: Tileset) -> Any:
    """Return the name of a built-in tileset, or the data of any other."""
    from .tilesets import tilesets

    built_in = tileset.name in data.list_names("tilesets") and tilesets.get(tileset.name) == tileset
    return tileset.name if built_in else tileset.to_data()


def learn(
    technique: Any,
    sample: Any,
    params: Mapping[str, Any],
    resolver: Resolver,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: Checkpoint | None = None,
) -> Model | Network:
    """Return the model or network that a technique learns from samples."""
    found = read_training_params(technique, sample, params, resolver)
    return found.fit(technique.name, on_progress=on_progress, checkpoint=checkpoint)


def read_training_params(technique: Any, sample: Any, params: Mapping[str, Any], resolver: Resolver) -> TrainingParams:
    """Return the validated parameters with which a technique learns from samples."""
    from .registry import techniques

    if technique.learn is None:
        able = [other.name for other in techniques if other.learn]
        raise InvalidRecipe(f"{technique.name} does not learn from samples; {', '.join(able)} can")
    learned: TrainingParams = technique.learn.validate({"sample": sample, **params}, resolver=resolver)
    return learned

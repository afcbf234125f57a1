"""Models: what a technique has learned from samples, so that they need not be read and counted again.

A model holds the counts, the samples that were counted, and how they were read. A recipe holds the samples in place of
the model, so that its map can be made again from the recipe alone; the same map is made from either.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fsdecode
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationInfo, model_validator

from .. import data
from .deprecation import renamed_members
from .errors import InvalidRecipe, short_repr
from .grid import pack, unpack
from .params import AtomicValue, Params, get_resolver, param
from .ports import files
from .resolver import Resolver
from .samples import Counts, Samples
from .tileset import Tileset

KEYS = {"version", "technique", "learned", "tileset"}
COUNTED_KEYS = {*KEYS, "digests", "counts"}
VERSION = 2
"""Of models as data. Version 1 has no counts; later ones are not read."""
MAX_COUNTS = 1 << 23
"""Numbers in the counts of a model; where there are more, they are counted again at first use."""


@renamed_members(learned="params", counted="with_counts", merged="merge")
class Model(AtomicValue):
    """Something learned: by which technique, and from what.

    Models of equal samples that were read alike are equal. `save` writes one as JSON or npz, with all samples inside.
    """

    __slots__ = ("params", "technique")
    json_schema: ClassVar = {"title": "Model", "type": ["string", "object"], "control": "model"}

    def __init__(self, technique: str, params: TrainingParams) -> None:
        self.technique = technique
        self.params = params
        """The samples, and the params that say how they are read."""

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Model:
        """A model from itself, its plain data, or a file."""
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
            raise InvalidRecipe(f"{entry.name} has learned nothing of that kind")
        try:
            looks = Tileset.of(value["tileset"])
        except InvalidRecipe as error:
            raise error.within("tileset") from None
        learned = entry.learn.validate(value["learned"])
        unknown = [label for label in learned.sample.labels if label not in looks.by_name]
        if unknown:
            raise InvalidRecipe(f"made for another tileset: {looks.name!r} has no tile {unknown[0]!r}")
        learned = learned.replace(sample=learned.sample.with_tileset(looks))
        return cls(entry.name, _read_counts(learned, value.get("counts"), value.get("digests")))

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Plain data that makes it again, or with `inline=False` all but the samples and the counts."""
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
        """The model with its counts; the samples are counted where that was not done before."""
        if self.samples.counts:
            return self
        counts = self.params.count()
        small = sum(array.size for array in counts.values()) <= MAX_COUNTS
        return Model(self.technique, _attach_counts(self.params, counts)) if small else self

    @property
    def counts(self) -> Counts:
        """What was counted, as arrays by name; empty where the technique keeps no counts."""
        return self.samples.counts

    @property
    def digests(self) -> list[str]:
        """The digests of the samples."""
        return [grid.digest for grid in self.samples]

    def merge(self, *others: Model) -> Model:
        """What is learned from the samples of several models, which must have read them alike."""
        for other in others:
            if other.technique != self.technique:
                raise InvalidRecipe(f"models of {self.technique} and {other.technique} do not merge")
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
        return self.params.sample

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file, .json or .npz."""
        files.get().save_model(self.with_counts(), path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return (self.technique, self.params) == (other.technique, other.params)

    def __hash__(self) -> int:
        return hash((self.technique, self.params))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.technique, self.params)

    def __repr__(self) -> str:
        return f"<Model of {self.technique}>"


class TrainingParams(Params):
    """What is learned: samples, and in classes of its own how they are read."""

    sample: Samples = param("dungeon")
    """One or several maps whose style the map is to have: files, drawings, or names of built-in samples."""

    @property
    def facts(self) -> Mapping[str, str]:
        """What there is to tell about what was learned, beside the samples and how they were read."""
        return {}

    def count(self) -> Counts:
        """Count what making maps needs of the samples; nothing where counting takes no time worth saving."""
        return {}

    def check_counts(self, counts: Counts) -> None:
        """Refuse counts that cannot be those of the samples, so that no other code has to check them."""
        if counts:
            raise InvalidRecipe("this technique keeps none", at="counts")


class LearningParams(TrainingParams):
    """Params of a technique that learns: a model stands for what it was learned from."""

    technique: ClassVar[str]
    """The name of the technique."""
    model: Model | None = param(None, control="model")
    """What was learned before, by `tilewright learn`, instead of a sample: a file."""

    @model_validator(mode="before")
    @classmethod
    def _expand_model(cls, values: Any, info: ValidationInfo) -> Any:
        if not isinstance(values, Mapping) or values.get("model") is None:
            return values
        try:
            model = Model.of(values["model"], get_resolver(info))
        except InvalidRecipe as error:
            raise error.within("model") from None
        if model.technique != cls.technique:
            raise InvalidRecipe(f"learned by {model.technique}, not by {cls.technique}", at="model")
        learned = {name: getattr(model.params, name) for name in type(model.params).model_fields}
        both = sorted(learned.keys() & values.keys())
        if both:
            raise InvalidRecipe("the model has learned it already, so leave it out", at=both[0], rule="conflict")
        return {**{name: value for name, value in values.items() if name != "model"}, **learned}


def _check_version(version: object) -> None:
    if version in (1, VERSION) and not isinstance(version, bool):
        return
    newer = isinstance(version, int) and version > VERSION
    made = "by a newer Tilewright" if newer else "otherwise; learn it again"
    raise InvalidRecipe(f"version {short_repr(version)} of models, made {made} (this one reads 1 to {VERSION})")


def _read_counts(params: TrainingParams, packed: object, digests: object) -> TrainingParams:
    """The learned params whose samples have the counts of a file, checked."""
    if digests is not None and digests != [grid.digest for grid in params.sample]:
        raise InvalidRecipe("are not those of the samples, which were changed; learn it again", at="digests")
    if packed is None:
        return params
    if not isinstance(packed, Mapping) or digests is None:
        raise InvalidRecipe("must be arrays by name, of samples that are named by digests", at="counts", rule="type")
    counts: dict[str, NDArray[np.int64]] = {}
    room = 8 * MAX_COUNTS
    for name, value in packed.items():
        raw = value.astype("<i8").tobytes() if isinstance(value, np.ndarray) else unpack(value, room, "counts")
        room -= len(raw)
        if room < 0 or len(raw) % 8:
            raise InvalidRecipe(f"must be at most {MAX_COUNTS:,} numbers of 8 bytes", at="counts", rule="maximum")
        counts[str(name)] = np.frombuffer(raw, "<i8").astype(np.int64)
    params.check_counts(counts)
    return _attach_counts(params, counts)


def _attach_counts(params: TrainingParams, counts: Counts) -> TrainingParams:
    return params.replace(sample=params.sample.with_counts(counts))


def _write_tileset(tileset: Tileset) -> Any:
    """A tileset that ships by its name, any other as a whole."""
    from .registry import tilesets

    built_in = tileset.name in data.list_names("tilesets") and tilesets.get(tileset.name) == tileset
    return tileset.name if built_in else tileset.to_data()


def learn(technique: Any, sample: Any, params: Mapping[str, Any], resolver: Resolver) -> Model:
    """What a technique learns from samples."""
    from .registry import techniques

    if technique.learn is None:
        able = [other.name for other in techniques if other.learn]
        raise InvalidRecipe(f"{technique.name} does not learn from samples; {', '.join(able)} can")
    learned: TrainingParams = technique.learn.validate({"sample": sample, **params}, resolver=resolver)
    return Model(technique.name, learned)

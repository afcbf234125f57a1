"""Models: what a technique has learned from samples, ready to be used again without them at hand.

A model is its samples together with how they were read, so that a map that it made can be made again from the recipe
alone: there, the samples stand in the place of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fsdecode
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo, model_validator
from pydantic_core import CoreSchema

from .errors import InvalidRecipe, quoted
from .params import Params, param, whole_value
from .reading import Reading
from .samples import Samples
from .tileset import Tileset

KEYS = ("technique", "learned", "tileset")


class Model:
    """Something learned: by which technique, and from what.

    Equal content is equal. `save` writes it as JSON, with all samples inside.
    """

    __slots__ = ("learned", "technique")

    def __init__(self, technique: str, learned: FromSamples) -> None:
        self.technique = technique
        self.learned = learned
        """The samples, and the params that say how they are read."""

    @classmethod
    def of(cls, value: Any, reading: Reading | None = None) -> Model:
        """A model from itself, its plain data, or a file."""
        if isinstance(value, Model):
            return value
        if isinstance(value, (str, PathLike)):
            return (reading or Reading()).model(fsdecode(value))
        if not isinstance(value, Mapping) or set(value) != set(KEYS):
            raise InvalidRecipe(f"must be a model, or the name of a file that holds one, got {quoted(value)}")
        from .registry import techniques

        entry = techniques.get(str(value["technique"]))
        if entry.learn is None or not isinstance(value["learned"], Mapping):
            raise InvalidRecipe(f"{entry.name} has learned nothing of that kind")
        looks = Tileset.checked(value["tileset"])
        learned = entry.learn.checked(value["learned"])
        return cls(entry.name, learned.changed(sample=learned.sample.looking_like(looks)))

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Plain data that makes it again."""
        learned = self.learned.model_dump(mode="json")
        return {"technique": self.technique, "learned": learned, "tileset": self.samples.tileset.to_data()}

    @property
    def samples(self) -> Samples:
        return self.learned.sample

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file, .json."""
        from .registry import provider

        provider("formats", "_models").save_model(self, path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return (self.technique, self.learned) == (other.technique, other.learned)

    def __hash__(self) -> int:
        return hash((self.technique, self.learned))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.technique, self.learned)

    def __repr__(self) -> str:
        return f"<Model of {self.technique}>"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return whole_value(cls.of, cls.to_data)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"title": "Model", "type": ["string", "object"], "control": "file"}


class FromSamples(Params):
    """What is learned: samples, and in classes of its own how they are read."""

    sample: Samples = param("dungeon")
    """One or several maps whose style the map is to have: files, drawings, or names of built-in samples."""


class Learning(FromSamples):
    """Params of a technique that learns: a model stands for what it was learned from."""

    technique: ClassVar[str]
    """The name of the technique."""
    model: Model | None = param(None, control="file")
    """What was learned before, by `tilewright learn`, instead of a sample: a file."""

    @model_validator(mode="before")
    @classmethod
    def _model_is_its_samples(cls, values: Any, info: ValidationInfo) -> Any:
        if not isinstance(values, Mapping) or values.get("model") is None:
            return values
        reading = info.context.get("reading") if isinstance(info.context, Mapping) else None
        try:
            model = Model.of(values["model"], reading)
        except InvalidRecipe as error:
            raise error.within("model") from None
        if model.technique != cls.technique:
            raise InvalidRecipe(f"model: learned by {model.technique}, not by {cls.technique}")
        learned = {name: getattr(model.learned, name) for name in type(model.learned).model_fields}
        both = sorted(learned.keys() & values.keys())
        if both:
            raise InvalidRecipe(f"{both[0]}: the model has learned it already, so leave it out")
        return {**{name: value for name, value in values.items() if name != "model"}, **learned}


def learn(technique: Any, sample: Any, params: Mapping[str, Any], reading: Reading) -> Model:
    """What a technique learns from samples."""
    from .registry import techniques

    if technique.learn is None:
        able = [other.name for other in techniques if other.learn]
        raise InvalidRecipe(f"{technique.name} does not learn from samples; {', '.join(able)} can")
    learned: FromSamples = technique.learn.checked({"sample": sample, **params}, reading=reading)
    return Model(technique.name, learned)

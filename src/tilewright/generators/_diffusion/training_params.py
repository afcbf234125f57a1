"""Parameters with which the technique diffusion learns a network from samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ...core.model import Checkpoint, LearningProgress, OnLearning, TrainingParams
from ...core.network import Network
from ...core.params import param
from ...core.samples import Samples
from ...neural.learning import learn_network
from ...neural.settings import TrainingSettings
from ...neural.training_set import TrainingSet

if TYPE_CHECKING:
    from ...neural.training import TrainingProgress


class DiffusionTrainingParams(TrainingParams):
    """Samples, and how a network is trained on them."""

    trains_network: ClassVar[bool] = True
    quick_trial: ClassVar[Mapping[str, Any]] = {
        "size": "small", "training_steps": 2, "batch": 2, "steps": 1, "refine": 0,
    }  # fmt: skip
    sample: Samples = param("dungeon")
    """Maps to learn from: files, folders, drawings, or names of built-in samples. Several hundred give good results."""
    size: Literal["small", "normal", "large"] = param("normal")
    """Size of the network: small trains on a CPU in minutes, normal and large on a GPU."""
    training_steps: int | None = param(None, ge=1, le=10_000_000, typical=(1000, 50_000))
    """Number of training steps; by default 4,000 for small networks and 15,000 for others."""
    crop: int | None = param(None, ge=8, le=256, typical=(16, 64))
    """Maximum edge length of the windows to train on; by default 24, 32 or 40, depending on the size."""
    batch: int | None = param(None, ge=1, le=4096, typical=(8, 256))
    """Number of windows per training step; by default 32 for small networks and 64 for others."""
    symmetry: Literal[1, 2, 8] = param(1)
    """Number of views of the samples: 1 as they are, 2 also mirrored left to right, 8 all rotations and reflections."""
    pieces: Literal["learned", "chosen"] = param("learned")
    """Pieces of rivers, roads and the like: learned one by one, or learned as one kind and chosen to fit afterwards."""
    training_seed: int = param(1, ge=0, le=(1 << 31) - 1)
    """Seed of the training."""
    device: Literal["auto", "cpu", "cuda"] = param("auto")
    """Device to train on: auto takes a CUDA device if there is one."""

    def fit(
        self, technique: str, *, on_progress: OnLearning | None = None, checkpoint: Checkpoint | None = None
    ) -> Network:
        def report(progress: TrainingProgress, build: Callable[[], Network]) -> None:
            assert on_progress is not None
            losses = f"loss {progress.loss:.3f}"
            if progress.held_out_loss is not None:
                losses += f", held out {progress.held_out_loss:.3f}"
            on_progress(LearningProgress(progress.step / progress.steps, losses, build))

        return learn_network(
            TrainingSet.of(self.sample, are_pieces_chosen=self.pieces == "chosen"),
            TrainingSettings.of_size(
                self.size,
                steps=self.training_steps,
                crop=self.crop,
                batch=self.batch,
                symmetry=self.symmetry,
                seed=self.training_seed,
                device=self.device,
            ),
            name=technique,
            on_progress=report if on_progress is not None else None,
            checkpoint=checkpoint,
        )

"""Lets the guided suggester of a bundle go on learning, from what was decided in a project."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from core.errors import ConfigError
from core.model.bundle.bundle import Bundle, load_bundle, save_weights
from core.model.bundle.manifest import read_manifest, record_about
from core.model.guided import GuidedClassifier
from core.review.reports.retraining_plan import why_no_encoder
from core.suggest.cold_start.document_ids import key_of
from core.suggest.correction.bundled import BundledDecisions
from core.suggest.protocol import FinishedDocument
from training.config import ModelConfig, OptimConfig, ReadingConfig, RunConfig
from training.config.presets import PRESETS
from training.corpora.corpus import LabelledDocument
from training.fitting.inputs import TrainingInputs
from training.fitting.loop import Trainer
from training.fitting.losses import GuidedLoss
from training.fitting.run import freeze
from training.retraining.correction import known_documents
from training.retraining.making import ENCODER, add_decisions, copy_bundle, local_of
from training.retraining.material import labelled
from training.retraining.progress import Work

Progress = Callable[[int, int], None]

TRAINING = "Training the encoder"
TOKEN_DROPOUT = 0.1
N_WATCHED = 50
"""Documents on which the log shows the loss."""


def with_encoder(
    work: Work, finished: Sequence[FinishedDocument], made: Path, bundled: BundledDecisions | None
) -> None:
    """Make a bundle of the model that serves, whose encoder goes on learning from decisions.

    What it suggests for these documents says nothing of what it suggests for others, so that only
    general weights correct it.

    Raises:
        BundleError: the bundle is damaged.
        ConfigError: it has no encoder, or one that reads in a way that is not trained here.
    """
    directory = work.named.directory
    manifest = read_manifest(directory) if directory else None
    problem = why_no_encoder(manifest, work.named.project.name)
    if directory is None or problem:
        raise ConfigError(problem)
    local = local_of(work)
    model = continued(
        load_bundle(directory),
        labelled(finished),
        work.folder / "encoder",
        on_progress=work.says(TRAINING),
    )
    copy_bundle(directory, made)
    replace_weights(made, model)
    decisions = known_documents(local, finished, bundled, key_of(work.settings.home))
    add_decisions(made, decisions)
    record_about(made, {ENCODER: True})


def replace_weights(made: Path, model: GuidedClassifier) -> None:
    """Replace the model in a bundle; checksums are not written."""
    for old in made.glob("model-*.safetensors"):
        old.unlink()
    save_weights(made, model)


@dataclass(frozen=True, slots=True)
class FurtherTraining:
    """How an encoder goes on learning.

    Attributes:
        learning_rate_share: of the rates with which such encoders are trained from the beginning.
        windows: of each text that are read in a pass, at random places.
        frozen_layers: from the first on, which stay as they are.
    """

    epochs: float = 2.0
    learning_rate_share: float = 0.5
    windows: int = 1
    frozen_layers: int = 0


ON_DECISIONS = FurtherTraining()


def continued(
    bundle: Bundle,
    documents: Sequence[LabelledDocument],
    out: Path,
    *,
    how: FurtherTraining = ON_DECISIONS,
    on_progress: Progress,
) -> GuidedClassifier:
    """Train a bundle's encoder and heads on documents; goes on where it was stopped.

    Args:
        out: a folder for checkpoints and the log.
        on_progress: is called with (batches done, batches).
    Raises:
        BundleError: the bundle has no encoder.
    """
    model, tokenizer = bundle.guided
    # Which of its rows have changed would say which words stand in the documents.
    freeze(model.encoder, "words")
    lists = (part for part in model.encoder.modules() if isinstance(part, nn.ModuleList))
    layers = next(lists, nn.ModuleList())  # small networks have none
    for layer in list(layers)[: how.frozen_layers]:
        layer.requires_grad_(False)
    config = _config(bundle.manifest, model, how)
    out.mkdir(parents=True, exist_ok=True)

    def inputs(some: Sequence[Any]) -> TrainingInputs:
        return TrainingInputs(
            some,
            label_space=bundle.label_space,
            depth=len(model.shape.level_sizes),
            tokenizer=tokenizer,
            reading=config.reading,
        )

    loss = GuidedLoss(model.shape.level_sizes, config.optim.loss_scale, model.shape.objective)
    trainer = Trainer(config, model, loss, inputs(documents), inputs(documents[-N_WATCHED:]), out)
    trainer.on_batch = on_progress
    trainer.fit()
    return model.to("cpu").eval()


def _config(
    manifest: Mapping[str, Any], model: GuidedClassifier, how: FurtherTraining
) -> RunConfig:
    reading = manifest["reading"]
    small = PRESETS["small"]["optim"]
    return RunConfig(
        name="retrain",
        preset="small",
        checkpoint_minutes=1.0,
        model=ModelConfig.model_validate(
            {"plan": model.shape.plan, "objective": model.shape.objective}
        ),
        reading=ReadingConfig(
            mode="windows",
            max_length_tokens=reading["window_tokens"],
            title_tokens=reading["title_tokens"],
            max_title_tokens=reading["max_title_tokens"],
            token_dropout=TOKEN_DROPOUT,
            windows_per_document=0 if reading.get("title_only") else how.windows,
            boilerplate=reading.get("boilerplate", ""),
        ),
        optim=OptimConfig.model_validate(
            {
                **small,
                "epochs": how.epochs,
                "encoder_lr": small["encoder_lr"] * how.learning_rate_share,
                "head_lr": small["head_lr"] * how.learning_rate_share,
                "patience": 0,
            }
        ),
    )

"""run.json: what was trained on what, for how long, with which versions."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import torch
from torch import nn

from core.model.bundle.bundle import TRAINING_ONLY
from core.model.precision import best_device
from training.config import RunConfig
from training.corpora.corpus import Corpus
from training.fitting.progress import TrainingProgress
from training.judging.recorded import commit


def run_facts(
    config: RunConfig,
    progress: TrainingProgress,
    model: nn.Module,
    *,
    corpus: Corpus,
    n_documents: int,
    levels: Sequence[int],
    dtype: torch.dtype,
) -> dict[str, Any]:
    """Return the facts of a finished run.

    Args:
        n_documents: that it was trained on.
        levels: labels of each learned level.
        dtype: in which the model is read.
    """
    by_f1 = config.optim.select == "micro_f1"
    seconds = max(progress.minutes * 60, 1e-9)
    return {
        "name": config.name,
        "digest": config.digest(),
        **{k: v for k, v in asdict(progress).items() if k in ("step", "minutes")},
        "steps": progress.step,
        "epochs": round(progress.epochs, 2),
        "best_epoch": progress.best_epoch,
        "capped": progress.capped,
        "stopped_early": progress.stopped_early,
        "parameters": n_parameters(model),
        "dev_loss": round(progress.best_loss, 5),
        "dev_micro_f1": round(progress.best_f1, 5) if by_f1 else None,
        "documents_seen": progress.documents,
        "documents_per_second": round(progress.documents / seconds, 1),
        "training_documents": n_documents,
        "problems": len(corpus.problems),
        "levels": list(levels),
        "data_sha256": dict(corpus.sha256),
        "commit": commit(),
        "device": best_device(),
        "processor": platform.processor() or platform.machine(),
        "threads": torch.get_num_threads(),
        "dtype": str(dtype),
        "versions": {p: version(p) for p in ("torch", "transformers", "tokenizers", "numpy")},
    }


def n_parameters(model: nn.Module) -> int:
    """Return weights of a model as it is served, without heads that only training reads."""
    serving = (p for name, p in model.named_parameters() if not name.startswith(TRAINING_ONLY))
    return sum(parameter.numel() for parameter in serving)

"""Comparisons with a trainer that tosses coins."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.support.labelled import tiny_label_space
from training.config import RunConfig
from training.judging.arms import (
    plan_arms,
)
from training.judging.compare import Comparison
from training.judging.folders import load_data
from training.judging.scores import Scores


@dataclass
class Tossing:
    """Trains nothing: scores the right labels best, but for noise that depends on arm and seed."""

    noise: dict[str, float] = field(default_factory=dict)
    trained: list[str] = field(default_factory=list)

    def __call__(self, config: RunConfig, out: Path) -> Path:
        self.trained.append(config.name)
        corpus = load_data(config.data).corpus
        rng = np.random.default_rng(config.seed)
        for split in ("dev", "test"):
            documents = corpus.split(split)
            assigned = [row.assigned for row in documents]
            matrices = {}
            for name, augmented in (("levels", True), ("assigned", False)):
                right = tiny_label_space().encode(assigned, augmented=augmented).toarray()
                noise = rng.random(right.shape) * self.noise.get(config.model.plan, 0.5)
                matrices[name] = (right * 0.5 + noise).astype(np.float16)
            Scores(tuple(d.document_id for d in documents), **matrices).save(
                out / f"scores_{split}.npz"
            )
        facts = {"minutes": 1.25, "steps": 10, "documents_seen": 300, "commit": "abc1234"}
        (out / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        return out


def comparison(base: RunConfig, folder: Path, **changes: object) -> Comparison:
    settings = {"seeds": [1, 2], "results": folder / "results", "runs": folder / "runs"}
    settings |= {"arms": plan_arms("flat,last_half"), "say": lambda _: None} | changes
    return Comparison(base=base, **settings)  # type: ignore[arg-type]

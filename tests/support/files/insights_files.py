"""Invented figures of a model, written beside the bundle of a fake server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.insights.judged import Judged
from core.insights.report import Insights, insights_of
from core.model.bundle.cards import read_card
from core.paths import PROJECT_ROOT
from core.vocabulary.labels import LabelSpace
from tests.support.fakes import hierarchy

MANIFEST = PROJECT_ROOT / "assets" / "models" / "eurovoc" / "bundle.json"
COMMAND = "python -m training insights …/pets --data …/pets --split dev"


def write_manifest(bundle: Path, name: str = "pets") -> None:
    """Give the folder of a fake server's label space a card, though it holds no model."""
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    files = {path.name: {"bytes": path.stat().st_size} for path in bundle.glob("*.jsonl")}
    vocabulary = hierarchy()
    known = {"vocabulary_id": vocabulary.vocabulary_id, "vocabulary_version": vocabulary.version}
    own = {**manifest, **known, "name": name, "files": files}
    (bundle / "bundle.json").write_text(json.dumps(own), "utf-8")


def invented_insights(seed: int = 1, n_documents: int = 200) -> Insights:
    """Figures of a model that is right more often than not."""
    rng = np.random.default_rng(seed)
    space = LabelSpace(hierarchy())
    assignable = [i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok]
    assigned = [list(rng.choice(assignable, 2, replace=False)) for _ in range(n_documents)]
    gold = space.encode(assigned, augmented=False).toarray()
    logits = rng.normal(-2.2, 1.3, gold.shape) + 3.0 * gold
    probs = 1 / (1 + np.exp(-logits))
    above = space.encode(assigned, augmented=True).toarray()
    branch = np.maximum(probs, above * rng.uniform(0.3, 1, gold.shape))
    judged = Judged(
        space,
        assigned,
        training_ids=[[i] for n, i in enumerate(assignable) for _ in range(12 * n)],
        levels=branch,
        assigned=probs,
        branch=branch,
        uncalibrated=1 / (1 + np.exp(-2 * logits)),
        threshold=0.4,
    )
    facts = {
        "model": "pets",
        "hash": "0123456789abcdef",
        "calibrated": True,
        "split": "dev",
        "corpus": "invented acts",
        "n_full_texts": 20,
        "n_of_split": n_documents,
        "n_training_documents": 594,
        "vocabulary": "tiny",
        "command": COMMAND,
    }
    return insights_of(judged, facts, depth=4)


def write_figures(folder: Path) -> None:
    """Write them into the folder where the page looks; of the bundle that it lies in, if any."""
    card, measured = read_card(folder.parent), invented_insights()
    measured = replace(measured, facts={**measured.facts, "hash": card.bundle_hash})
    measured.save(folder / "insights-dev.json")

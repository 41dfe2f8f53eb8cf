"""How good a bundle is as it is shipped: compressed weights, joined windows, calibration and all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.model.manifest import read_manifest
from core.suggest.predictor import Predictor
from training.corpora.corpus import LabelledDocument
from training.corpora.subsets import dev_threshold, titled_full_texts, with_title_alone
from training.judging.evaluate import evaluate
from training.judging.folders import JudgedData
from training.judging.rows import Facts, ResultRow
from training.judging.scores import FEW_COLUMNS, Scores
from training.shipping.shipped import require_known


def judge_bundle(
    folder: Path, data: JudgedData, *, depth: int, facts: Facts, split: str
) -> ResultRow:
    """The row of a bundle on a split, in its own label space; the threshold is tuned on dev.

    Raises:
        ConfigError: the documents have none of its labels.
    """
    predictor = Predictor.load(folder)
    data = replace(data, label_space=predictor.label_space)
    documents = data.corpus.split(split)
    require_known(folder, data.label_space, documents)
    dev = bundle_scores(predictor, data.corpus.dev)
    scores = dev if split == "dev" else bundle_scores(predictor, documents)
    judged = evaluate(
        scores,
        documents,
        data.label_space,
        depth=depth,
        threshold=dev_threshold(dev, data),
        single_label=data.single_label,
    )
    texts = titled_full_texts(documents)
    if texts and not predictor.reader.reading.pair:
        alone = bundle_scores(predictor, [row.title_alone() for row in texts])
        judged = with_title_alone(judged, alone, documents, data)
    identity = {"bundle": predictor.name, "bundle_hash": predictor.bundle_hash, "split": split}
    corpus = data.corpus
    said = {"remarks": list(corpus.remarks)} if corpus.remarks else {}
    checked = {"data_sha256": dict(corpus.sha256)}
    return ResultRow.of(judged, {**facts, **identity, **_command(folder), **said, **checked})


def _command(folder: Path) -> dict[str, str]:
    """What trained the bundle, as its manifest has it."""
    made = read_manifest(folder).get("training")
    command = made.get("command") if isinstance(made, dict) else None
    return {"command": str(command)} if command else {}


def bundle_scores(
    predictor: Predictor, documents: Sequence[LabelledDocument], *, exact: bool = False
) -> Scores:
    """The predictor's probabilities of every concept, as scores in its label space's columns.

    Args:
        exact: keep float32 for any number of columns, as what becomes logits again needs.
    """
    shape = (len(documents), len(predictor.label_space))
    names = ("levels", "assigned", "branch") if predictor.calibration.levels else ("assigned",)
    dtype = np.float32 if exact or shape[1] <= FEW_COLUMNS else np.float16
    matrices = {name: np.empty(shape, dtype=dtype) for name in names}
    found = predictor.probabilities_of(row.document for row in documents)
    for row, probabilities in enumerate(found):
        for name, matrix in matrices.items():
            matrix[row] = getattr(probabilities, name)
    return Scores(tuple(row.document_id for row in documents), **matrices)

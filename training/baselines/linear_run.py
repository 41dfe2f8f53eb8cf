"""The linear suggester from the corpus to its two files, and to scores as any run has them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from rich.progress import Progress as ProgressBar

from core.metrics import mean_defined
from core.model.sparse_linear import TERMS_FILE, WEIGHTS_FILE, SparseLinear
from core.model.terms import StemmedTerms, TermVectors
from core.suggest.branches import BranchUnion
from core.vocabulary.labels import LabelSpace
from training.baselines.linear import LinearConfig, fit_linear, pruned
from training.baselines.run_folder import clear, judged_documents, write_baseline_facts
from training.corpora.corpus import LabelledDocument
from training.judging.coded import CodedDocuments
from training.judging.folders import JudgedData
from training.judging.scores import Scores, in_all_columns
from training.shipping.fit_fusion import fit_linear_platt

FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
MAX_NAMES = 12
"""Wordings of a label that are read."""


Array = npt.NDArray[np.float32]


def run_linear(config: LinearConfig, data: JudgedData, out: Path, *, command: str = "") -> Path:
    """Fit on train, calibrate on dev, score dev and test with the files as they were written.

    Writes linear.safetensors, linear_terms.txt, scores_dev.npz, scores_test.npz, the same with
    _title_alone for full texts read by their titles alone, and, last, run.json.
    """
    clear(out)
    started = time.monotonic()
    corpus, label_space = data.corpus, data.label_space
    fitted, name_weight = _fitted(config, data), None
    if config.names:
        factors = FACTORS if config.name_weight is None else (config.name_weight,)
        fitted, name_weight = with_names(fitted, corpus.dev, label_space, factors)
        fitted = pruned(fitted, max_bytes=config.max_bytes)
    fitted.save(out)
    minutes = round((time.monotonic() - started) / 60, 2)
    # From here on the weights are those that ship, with what pruning and int8 did to them.
    linear = SparseLinear.load(out, label_space)
    _score(linear, data, out)
    facts = {
        "name": "linear",
        "command": command,
        "config": asdict(config),
        "minutes": minutes,
        "documents_seen": len(corpus.train),
        "training_documents": len(corpus.train),
        "name_weight": name_weight,
        "terms": len(linear.vectors),
        "weights": int(linear.weights.nnz),
        "parameters": int(linear.weights.nnz) + len(linear.bias),
        "bytes": {name: (out / name).stat().st_size for name in (WEIGHTS_FILE, TERMS_FILE)},
    }
    write_baseline_facts(out, data, facts, packages=("scikit-learn", "PyStemmer", "numpy"))
    return out


def _fitted(config: LinearConfig, data: JudgedData) -> SparseLinear:
    with ProgressBar(transient=True) as bar:
        task = bar.add_task("concepts")
        return fit_linear(
            [row.document for row in data.corpus.train],
            data.label_space.encode_assigned([row.assigned for row in data.corpus.train]),
            config,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def margins_of(linear: SparseLinear, documents: Sequence[LabelledDocument]) -> Array:
    """Return margins of documents, shape (n_documents, n_assignable)."""
    rows = [linear.margins(row.document.title, row.document.text) for row in documents]
    return np.stack(rows) if rows else np.empty((0, len(linear.bias)), dtype=np.float32)


def _score(linear: SparseLinear, data: JudgedData, out: Path) -> None:
    dev = data.corpus.dev
    are_texts = np.array([row.is_full_text for row in dev], dtype=bool)
    platt = fit_linear_platt(margins_of(linear, dev), dev, data.label_space, has_text=are_texts)
    union = BranchUnion(data.label_space)
    for name, rows in judged_documents(data.corpus).items():
        has_text = np.array([row.is_full_text for row in rows], dtype=bool)
        margins = margins_of(linear, rows)
        probs = np.where(has_text[:, None], platt[1](margins), platt[0](margins))
        assigned = in_all_columns(probs, data.label_space)
        matrices = {"levels": union(assigned), "assigned": assigned}
        halved = {head: matrix.astype(np.float16) for head, matrix in matrices.items()}
        Scores(tuple(row.document_id for row in rows), **halved).save(out / f"scores_{name}.npz")


def with_names(
    linear: SparseLinear,
    dev: Sequence[LabelledDocument],
    label_space: LabelSpace,
    factors: Sequence[float] = FACTORS,
) -> tuple[SparseLinear, float]:
    """Return the suggester with the names of its labels in it, and the factor that dev chose."""
    names = _names(label_space)
    vectors = _with_terms(linear.vectors, names)
    learned = sp.csr_matrix(linear.weights)
    learned.resize(len(vectors), learned.shape[1])
    from_names = name_vectors(vectors, names)
    candidates = {
        factor: replace(
            linear, vectors=vectors, weights=sp.csr_matrix(learned + factor * from_names)
        )
        for factor in factors
    }
    quality = {
        factor: _quality(candidate, dev, label_space) for factor, candidate in candidates.items()
    }
    best = max(factors, key=lambda factor: (quality[factor], -factor))
    return candidates[best], best


def name_vectors(vectors: TermVectors, names: Sequence[Sequence[str]]) -> sp.csr_matrix:
    """Return the mean TF-IDF vector of each label's wordings, shape (n_terms, n_labels)."""
    columns = []
    for wordings in names:
        rows = sp.vstack([vectors(text) for text in wordings])
        columns.append(sp.csr_matrix(rows.mean(axis=0)))
    return sp.csr_matrix(sp.vstack(columns).T, dtype=np.float32)


def _names(label_space: LabelSpace) -> list[list[str]]:
    concepts = [label_space.hierarchy[i] for i in label_space.assignable_position]
    return [[c.label(), *c.alt_labels.get("en", ())][:MAX_NAMES] for c in concepts]


def _with_terms(vectors: TermVectors, names: Sequence[Sequence[str]]) -> TermVectors:
    """Return the known terms, and behind them those of the names alone, as rare as any."""
    cut = StemmedTerms()
    name_terms = {term for wordings in names for text in wordings for term in cut(text)}
    new = sorted(name_terms - set(vectors.terms))
    rarest = float(vectors.idf.max()) if len(vectors.idf) else 1.0
    return TermVectors(
        [*vectors.terms, *new], np.concatenate([vectors.idf, np.full(len(new), rarest)])
    )


def _quality(
    linear: SparseLinear, dev: Sequence[LabelledDocument], label_space: LabelSpace
) -> float:
    margins = margins_of(linear, dev)
    judged = CodedDocuments(
        tuple(label_space.assignable_position),
        margins.astype(np.float64) - float(margins.min()),  # none below 0
        tuple(frozenset(row.assigned) for row in dev),
    )
    return mean_defined(judged.precisions())

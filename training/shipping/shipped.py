"""The data that a bundle was made from, as its manifest remembers it.

The manifest holds format, task and fold, and the checksums of the files; not their place, which is
of the machine that trained it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.model.bundle.manifest import read_manifest
from core.vocabulary.labels import LabelSpace
from training.config import DataConfig
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument
from training.corpora.sampling import EVERYTHING
from training.judging.folders import JudgedData, RunFolder, load_corpus, over

KEPT = ("format", "task", "fold")
"""Settings of `data` that decide which documents are dev and test."""


def kept_data(data: DataConfig) -> dict[str, Any]:
    """Return what a manifest keeps of the data of a run, under training.data.

    A bundle that has learned from everything is judged by other documents, in their own splits.
    """
    return {name: getattr(data, name) for name in KEPT} | ({"fold": ""} if seen(data) else {})


def seen(data: DataConfig) -> dict[str, list[str]]:
    """Return what a manifest says of splits that were learned from, beside train."""
    return {"seen": list(SPLITS)} if data.fold == EVERYTHING else {}


def about_run(run: RunFolder) -> dict[str, Any]:
    """Return facts for the card of a run's bundle; training writes run.json last."""
    ended = datetime.fromtimestamp((run.path / "run.json").stat().st_mtime, UTC)
    facts = {"trained_at": ended.isoformat(timespec="minutes")}
    return {**facts, "training_documents": run.facts.get("training_documents")}


def data_of_bundle(folder: Path) -> DataConfig:
    """Return the data that a bundle was made from; the acts where its manifest names none.

    Raises:
        BundleError: the manifest cannot be read.
    """
    stated = _training(folder).get("data", {})
    data = DataConfig()
    for name in KEPT:
        if type(stated.get(name)) is type(getattr(data, name)):
            data = data.model_copy(update={name: stated[name]})
    return data


def load_bundle_data(folder: Path, options: DataConfig, label_space: LabelSpace) -> JudgedData:
    """Return the documents that a bundle is judged on, with its own labels.

    Args:
        options: data that the command line names, over what the bundle was made from.
    Raises:
        ConfigError: no place is named, and the data for development is not what it was made from.
    """
    source = over(data_of_bundle(folder), options)
    corpus = load_corpus(source)
    if not source.path:
        _require_same(folder, corpus)
    return JudgedData(corpus, label_space, source)


def require_known(
    folder: Path, label_space: LabelSpace, documents: Sequence[LabelledDocument]
) -> None:
    """Refuse to judge a bundle by labels that are not its own.

    Raises:
        ConfigError: of all ids that were assigned to the documents, none is a label of the bundle.
    """
    n_assigned = sum(len(row.assigned) for row in documents)
    unknown = label_space.unknown(row.assigned for row in documents)
    if n_assigned and unknown.total() == n_assigned:
        first = next(iter(unknown))
        raise ConfigError(
            f"No label of these documents, such as “{first}”, is a label of {folder}: name the "
            "corpus that it was made for (--data, --format, --task)."
        )


def require_unseen(folder: Path, corpus: Corpus, split: str) -> None:
    """Refuse to judge a bundle by documents that it has learned from.

    Raises:
        ConfigError: its manifest names the split, of this very corpus, among `seen`, or a file of
            the corpus among those that it was refreshed with.
    """
    made = _training(folder)
    refreshed = set(made.get("refreshed", {}).get("sha256", {}).values())
    if seen := [name for name, sha256 in corpus.sha256.items() if sha256 in refreshed]:
        raise ConfigError(
            f"{folder} was refreshed with {seen[0]}, so figures on it would say nothing: judge the "
            "bundle that it was made of."
        )
    if split in made.get("seen", ()) and made.get("data_sha256") == dict(corpus.sha256):
        raise ConfigError(
            f"{folder} has learned from {split}, so figures on it would say nothing: name other "
            "documents with --data, or judge the bundle that was made without them."
        )


def _require_same(folder: Path, corpus: Corpus) -> None:
    expected = _training(folder).get("data_sha256")
    if expected and expected != dict(corpus.sha256):
        raise ConfigError(
            f"{folder} was made from another corpus than {corpus.name}, as the checksums of its "
            "files say: name its place with --data."
        )


def _training(folder: Path) -> Mapping[str, Any]:
    training = read_manifest(folder).get("training")
    return training if isinstance(training, dict) else {}

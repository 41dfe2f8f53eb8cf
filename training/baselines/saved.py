"""A baseline as its run folder keeps it, ready to read texts again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.baselines.classical import MODEL_FILE, Classical
from training.baselines.tree_run import SEARCHES
from training.baselines.trees import TREES_FOLDER, TreeBaseline
from training.judging.folders import RunFolder
from training.judging.scores import Matrix

Reads = Callable[[Sequence[Document]], Matrix]


def load_baseline(folder: Path) -> Reads:
    """What gives the scores of documents, shape (n_documents, n_labels).

    Raises:
        ConfigError: the folder keeps no model, or it is damaged.
    """
    if (folder / MODEL_FILE).is_file():
        return Classical.load(folder).scores
    if (folder / TREES_FOLDER).is_dir():
        tree = str(RunFolder.finished(folder).facts.get("config", {}).get("tree", ""))
        trees, search = TreeBaseline.load(folder, tree), SEARCHES["assigned"]
        return lambda documents: trees.read(documents, search)
    raise ConfigError(f"{folder} keeps no baseline that could read a text: train it anew.")

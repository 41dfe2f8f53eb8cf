"""Finished runs, baselines and bundles as functions from documents to scores, to be timed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from core.documents.document import Document
from core.errors import ConfigError
from core.model.bundle.manifest import MANIFEST
from training.baselines.classical import MODEL_FILE, Classical
from training.baselines.trees import SEARCHES, TREES_FOLDER, TreeBaseline
from training.corpora.corpus import LabelledDocument
from training.judging.folders import KnownData, RunFolder, config_of, identity_of
from training.judging.scores import Matrix

Reads = Callable[[Sequence[Document]], Matrix]


def load_baseline(folder: Path) -> Reads:
    """Return what gives the scores of documents, shape (n_documents, n_labels).

    Raises:
        ConfigError: the folder keeps no model, or it is damaged.
    """
    if (folder / MODEL_FILE).is_file():
        return Classical.load(folder).scores
    if (folder / TREES_FOLDER).is_dir():
        trees, search = TreeBaseline.load(folder), SEARCHES["assigned"]
        return lambda documents: trees.predict(documents, search)
    raise ConfigError(f"{folder} keeps no baseline that could read a text: train it anew.")


Documents = Sequence[LabelledDocument]

NOT_KNOWN = -1
RUN_FILES = ("model.safetensors", "tokenizer.json")
"""What a run has of its own to read a text; an encoder's tokenizer is the encoder's."""

SCALE = "::scale"
NOT_LEARNED = ("concept", "concepts_of_term", "idf", "scale")
"""Tensors of a bundle beside its weights: columns, counts, and scales of what is kept in int8."""

APP_BATCH = 16
"""Documents that the app reads at a time: the default of `Suggester.suggest_batch`."""


@dataclass(frozen=True, slots=True)
class TimedReader:
    """A way of reading documents with a model, to be timed.

    Attributes:
        name: as tables have it.
        read: takes documents and how many are read together, from their texts to their scores.
        batch_size: of its own; 0 for whichever is asked for.
    """

    name: str
    read: Callable[[Documents, int], None]
    batch_size: int = 0


@dataclass(frozen=True, slots=True)
class TimedModel:
    """A model that is ready to read.

    Attributes:
        parameters: numbers that were learned, or `NOT_KNOWN`.
        n_bytes: on disk, of everything that it needs to read a text, or `NOT_KNOWN`.
        readers: the first reads documents one by one.
        threads: that it reads with whatever is asked for; 0 for those of torch.
    """

    arm: str
    seed: int
    parameters: int
    n_bytes: int
    device: str
    readers: tuple[TimedReader, ...]
    threads: int = 0


def timed_model(folder: Path, data: KnownData | None = None) -> TimedModel:
    """Load what a folder holds.

    Args:
        data: corpora that were read before; what this one needs beside them is added.
    Raises:
        ConfigError: it holds nothing that can read a text.
        BundleError: it holds a bundle that cannot be loaded.
    """
    if (folder / MANIFEST).is_file():
        return _of_bundle(folder)
    if config_of(folder) is not None:
        return _of_run(folder, data or KnownData())
    return _of_baseline(folder)


def _of_bundle(folder: Path) -> TimedModel:
    from core.suggest.opening import load_suggester

    suggester = load_suggester(folder)

    def read(documents: Documents, batch_size: int) -> None:
        _suggest(suggester, documents, batch_size)

    return TimedModel(
        arm=folder.name,
        seed=NOT_KNOWN,
        parameters=_bundle_parameters(folder),
        n_bytes=sum(path.stat().st_size for path in folder.iterdir() if path.is_file()),
        device=suggester.device,
        readers=(
            TimedReader("as the app reads it", read, APP_BATCH),
            TimedReader("the same in larger batches", read),
        ),
    )


def _suggest(suggester: Any, documents: Documents, batch_size: int) -> None:
    if len(documents) == 1:
        suggester.suggest(documents[0].document)
        return
    read = suggester.suggest_batch((row.document for row in documents), batch_size=batch_size)
    deque(read, maxlen=0)


def _bundle_parameters(folder: Path) -> int:
    from safetensors import safe_open

    total = 0
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "numpy") as file:
            total += sum(
                prod(file.get_slice(name).get_shape())
                for name in file.keys()  # noqa: SIM118
                if name not in NOT_LEARNED and not name.endswith(SCALE)
            )
    return total


def _of_run(folder: Path, data: KnownData) -> TimedModel:
    from core.model.precision import best_device
    from core.suggest.windows import JoinRule
    from training.fitting.progress import n_parameters
    from training.fitting.run import Run, load_trained

    config = config_of(folder)
    assert config is not None
    run = Run(config, folder, data.of(config.data))
    model = load_trained(run)
    device, rule = best_device(), JoinRule()
    dtype = str(run.reading_dtype(device)).removeprefix("torch.")
    identity = identity_of(folder)
    files = [folder / name for name in RUN_FILES]

    def read(documents: Documents, batch_size: int) -> None:
        run.scores(model, documents, rule, batch_size=batch_size)

    return TimedModel(
        arm=str(identity["arm"]),
        seed=int(identity["seed"]),
        parameters=n_parameters(model),
        n_bytes=sum(path.stat().st_size for path in files if path.is_file()),
        device=device,
        readers=(TimedReader(f"torch, {dtype}", read),),
    )


def _of_baseline(folder: Path) -> TimedModel:
    facts, scores = RunFolder.finished(folder).facts, load_baseline(folder)
    identity = identity_of(folder)

    def read(documents: Documents, batch_size: int) -> None:
        for start in range(0, len(documents), batch_size):
            scores([row.document for row in documents[start : start + batch_size]])

    n_bytes = facts.get("bytes", NOT_KNOWN)
    return TimedModel(
        arm=str(identity["arm"]),
        seed=int(identity.get("seed", NOT_KNOWN)),
        parameters=int(facts.get("parameters", NOT_KNOWN)),
        n_bytes=sum(n_bytes.values()) if isinstance(n_bytes, dict) else int(n_bytes),
        device="cpu",
        readers=(TimedReader("as its own library reads it", read),),
        threads=1,
    )

"""What a retrained bundle holds beside its model: documents that were decided where it was
retrained, as what is learned from them, and the weights of the correction that were fitted on them.

No text and no id is kept: of each document there are concepts, where labels stood, and hashed
words, of which none is its own: who makes a bundle leaves out what few documents have. By which
names the documents are known in the home where they are finished stands in a file beside, which
the manifest does not name, so that it does not travel.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import safe_open
from safetensors.numpy import save_file

from core.documents.document import Document
from core.home import open_private
from core.model.bundle.manifest import BUNDLE, read_json, write_json
from core.suggest.calibration import Platt
from core.suggest.cold_start.document_ids import anonymous_id, read_key
from core.suggest.ranking.decided import PRIOR_RIGHT, LearnedDocument, Positions, SparseRow
from core.suggest.ranking.features import COLD_START_FEATURES, CORRECTION_FEATURES
from core.suggest.ranking.ranker import KINDS, Blend, BlendedRanker, Ranker
from core.suggest.similar import N_HASHED

Tensors = Mapping[str, npt.NDArray[np.generic]]

FILE, SETTINGS_FILE = "decided.safetensors", "correction.json"
HERE_FILE = "decided.here"
"""The ids of the documents in this home; of a kind that is no part of any bundle."""
FORMAT = "strata-decided-2"
OWN, GENERAL = "own_ranker", "general_ranker"
KEPT_TERMS = 150
"""Of a document, those that occur most; more find hardly any other neighbours."""


@dataclass(frozen=True, slots=True)
class BundledDecisions:
    """Documents that were decided where a bundle was retrained, and what ranks in their light.

    Attributes:
        concept_ids: by position, as the documents name them.
        key: by which the documents are named.
    """

    concept_ids: tuple[str, ...]
    documents: tuple[LearnedDocument, ...]
    corrector: BlendedRanker
    key: bytes = b""

    def knowing(self) -> Callable[[Document], bool]:
        """Return what says whether a document is among those that it came with."""
        ids = {row.document_id for row in self.documents}
        return lambda document: anonymous_id(document, self.key) in ids

    def of(self, position: Mapping[str, int]) -> list[LearnedDocument]:
        """Return the documents by positions in a vocabulary; concepts it lacks are left out."""
        moved = np.array([position.get(i, -1) for i in self.concept_ids], dtype=np.int32)
        return [_moved(document, moved) for document in self.documents]

    def save(self, directory: Path) -> None:
        """Write the files of the part into a bundle; its manifest is not touched."""
        if self.corrector.own is not None:
            self.corrector.own.save(directory, name=OWN)
        self.corrector.general.save(directory, name=GENERAL)
        blends = {kind: getattr(self.corrector, kind) for kind in KINDS}
        settings = {k: {"own_share": b.own_share, **asdict(b.platt)} for k, b in blends.items()}
        write_json(directory / SETTINGS_FILE, settings)
        used, documents = _without_unused(self.concept_ids, self.documents)
        tensors: dict[str, npt.NDArray[np.generic]] = {
            "concept_ids": np.frombuffer(json.dumps(used).encode(), dtype=np.uint8),
            "versions": np.array([row.version for row in documents], dtype=np.int64),
        }
        for name in ("assigned", "rejected"):
            tensors |= _columns(name, [getattr(row, name) for row in documents])
        for where in PRIOR_RIGHT:
            tensors |= _columns(f"in_{where}", [row.standing[where] for row in documents])
        tensors |= _weighed("terms", [_heaviest(row.terms) for row in documents])
        tensors |= _weighed("suggested", [row.suggested for row in documents])
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        save_file(contiguous, directory / FILE, metadata={"format": FORMAT})
        with open_private(directory / HERE_FILE) as file:
            file.truncate()
            file.write(json.dumps([row.document_id for row in documents]).encode())

    @classmethod
    def load(cls, directory: Path, home: Path | None = None) -> BundledDecisions:
        """Read what `save` wrote.

        Args:
            home: where its documents may be known; None where none of them is.
        Raises:
            BundleError: a file is missing or damaged, or of another version.
        """
        with BUNDLE.translated(
            "The decisions in {directory} are damaged ({reason}). Get the bundle again.",
            directory=directory,
        ):
            with safe_open(directory / FILE, framework="numpy") as file:
                written = (file.metadata() or {}).get("format")
                if written != FORMAT:
                    raise ValueError(f"{FILE} is of another version")
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            settings = read_json(directory / SETTINGS_FILE)
            title, text = (_blend(settings[kind]) for kind in KINDS)
            concept_ids = tuple(map(str, json.loads(tensors["concept_ids"].tobytes())))
            ids = _ids(directory, tensors)
            documents = tuple(_documents(tensors, ids, len(concept_ids)))
            has_own = (directory / f"{OWN}.json").is_file()
            local = Ranker.load(directory, CORRECTION_FEATURES, name=OWN) if has_own else None
            general = Ranker.load(directory, CORRECTION_FEATURES, COLD_START_FEATURES, name=GENERAL)
        key = read_key(home) if home else b""
        return cls(concept_ids, documents, BlendedRanker(local, general, title, text), key)


@lru_cache(maxsize=8)
def bundled_decisions(directory: Path, checksum: str, home: Path) -> BundledDecisions:
    """Return the decisions in a bundle, read once.

    Args:
        checksum: of the bundle, as another one may take the place of this one.
    Raises:
        BundleError: they are damaged.
    """
    del checksum
    return BundledDecisions.load(directory, home)


def _blend(settings: Mapping[str, Any]) -> Blend:
    platt = Platt(float(settings["slope"]), float(settings["bias"]))
    return Blend(float(settings["own_share"]), platt)


# ---------------------------------------------------------------------- positions


def _moved(document: LearnedDocument, moved: Positions) -> LearnedDocument:
    def known(positions: Positions) -> Positions:
        there = moved[positions]
        return np.sort(there[there >= 0])

    chances = moved[document.suggested.columns]
    order = np.argsort(chances[chances >= 0], kind="stable")
    return replace(
        document,
        assigned=known(document.assigned),
        rejected=known(document.rejected),
        standing={where: known(matches) for where, matches in document.standing.items()},
        suggested=SparseRow(
            chances[chances >= 0][order], document.suggested.values[chances >= 0][order]
        ),
    )


def _without_unused(
    concept_ids: Sequence[str], documents: Sequence[LearnedDocument]
) -> tuple[list[str], list[LearnedDocument]]:
    parts = [
        part
        for row in documents
        for part in (row.assigned, row.rejected, row.suggested.columns, *row.standing.values())
    ]
    used = np.unique(np.concatenate([np.empty(0, np.int32), *parts]))
    moved = np.full(len(concept_ids), -1, dtype=np.int32)
    moved[used] = np.arange(len(used))
    return [concept_ids[n] for n in used.tolist()], [_moved(row, moved) for row in documents]


def _heaviest(row: SparseRow) -> SparseRow:
    if len(row.columns) <= KEPT_TERMS:
        return row
    columns_kept = np.sort(np.argsort(-row.values, kind="stable")[:KEPT_TERMS])
    return SparseRow(row.columns[columns_kept], row.values[columns_kept])


# ---------------------------------------------------------------------- tensors


def _columns(name: str, rows: Sequence[Positions]) -> dict[str, npt.NDArray[np.generic]]:
    ends = np.cumsum([0, *map(len, rows)])
    joined = np.concatenate([np.empty(0, np.int32), *rows]).astype(np.int32)
    return {name: joined, f"{name}_ends": ends.astype(np.int32)}


def _weighed(name: str, rows: Sequence[SparseRow]) -> dict[str, npt.NDArray[np.generic]]:
    values = np.concatenate([np.empty(0, np.float32), *(row.values for row in rows)])
    columns = _columns(name, [row.columns for row in rows])
    return {**columns, f"{name}_values": values.astype(np.float16)}


def _ids(directory: Path, tensors: Tensors) -> list[str]:
    """Return what documents are called in the home where they are; numbers in any other."""
    number = len(tensors["versions"])
    try:
        ids = json.loads((directory / HERE_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        ids = []
    usable = isinstance(ids, list) and len(set(map(str, ids))) == number
    return list(map(str, ids if usable else range(number)))


def _documents(tensors: Tensors, ids: Sequence[str], n_concepts: int) -> list[LearnedDocument]:
    def rows(name: str, n_columns: int = n_concepts) -> list[Positions]:
        columns = tensors[name].astype(np.int32)
        if len(columns) and not 0 <= int(columns.min()) <= int(columns.max()) < n_columns:
            raise ValueError(f"{name} names columns that are not there")
        return np.split(columns, tensors[f"{name}_ends"][1:])[:-1]

    def weighed(name: str, n_columns: int) -> list[SparseRow]:
        values = tensors[f"{name}_values"].astype(np.float32)
        pieces = np.split(values, tensors[f"{name}_ends"][1:])[:-1]
        return list(map(SparseRow, rows(name, n_columns), pieces))

    standing = [
        dict(zip(PRIOR_RIGHT, stood, strict=True))
        for stood in zip(*(rows(f"in_{where}") for where in PRIOR_RIGHT), strict=True)
    ]
    parts = (
        ids,
        tensors["versions"].tolist(),
        rows("assigned"),
        rows("rejected"),
        standing,
        weighed("terms", N_HASHED),
        weighed("suggested", n_concepts),
    )
    return [LearnedDocument(*row) for row in zip(*parts, strict=True)]

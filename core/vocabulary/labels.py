"""The label space of a model: which column stands for which concept, and on which level."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from core.boundaries import VOCABULARY_FILES, VOCABULARY_RECORDS
from core.errors import VocabularyError
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.records import as_record, from_record

MOST_UNPACKED_BYTES = 200_000_000
"""Those of EuroVoc have 2 MB."""
FORMAT = "strata-label-space-1"
PACKED = ".gz"
"""Ending of a file that is gzipped; names of labels pack into a sixth."""


class LabelSpace:
    """Columns for the concepts of a hierarchy, ordered by (level, concept_id as text).

    Deprecated concepts have no column. The order depends on the hierarchy alone, so a level is one
    block of columns and the first levels are the first columns.

    Attributes:
        concept_ids: by column.
        levels: level of each column, 1 = most general, shape (n_concepts,).
        assignable: False where a concept is a mere division, shape (n_concepts,).
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.concept_ids: tuple[str, ...] = tuple(
            chain.from_iterable(sorted(level) for level in hierarchy.levels)
        )
        self._column = {concept_id: i for i, concept_id in enumerate(self.concept_ids)}
        self.levels: NDArray[np.int64] = np.repeat(
            np.arange(1, hierarchy.depth + 1), [len(level) for level in hierarchy.levels]
        )
        self.assignable: NDArray[np.bool_] = np.array(
            [hierarchy[i].assignable for i in self.concept_ids], dtype=bool
        )

    def __len__(self) -> int:
        return len(self.concept_ids)

    def __contains__(self, concept_id: object) -> bool:
        return concept_id in self._column

    def column(self, concept_id: str) -> int:
        """Return the column of a concept.

        Raises:
            VocabularyError: the concept has none.
        """
        try:
            return self._column[concept_id]
        except KeyError as exc:
            raise VocabularyError(
                f"Concept {concept_id} has no column in {self.hierarchy.vocabulary_id} "
                f"{self.hierarchy.version}; it is unknown there, or deprecated."
            ) from exc

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return self.hierarchy.depth

    def level_columns(self, level: int) -> NDArray[np.int64]:
        """Return the columns of a level (1 = most general), ascending; none past the last."""
        return np.flatnonzero(self.levels == level)

    @cached_property
    def assignable_columns(self) -> NDArray[np.int64]:
        """The columns of assignable concepts, ascending."""
        return np.flatnonzero(self.assignable)

    @cached_property
    def assignable_position(self) -> dict[str, int]:
        """The number of each assignable concept among these, in the order of their columns."""
        columns = self.assignable_columns.tolist()
        return {self.concept_ids[column]: n for n, column in enumerate(columns)}

    def positions(self, concept_ids: Iterable[str]) -> NDArray[np.int32]:
        """Return where concepts are among the assignable ones, ascending; others are left out."""
        position = self.assignable_position
        return np.array(sorted({position[i] for i in concept_ids if i in position}), dtype=np.int32)

    @cached_property
    def broader_pairs(self) -> NDArray[np.int64]:
        """Links (narrower column, broader column), the most specific narrower ones first.

        Raising each broader column in this order carries a value all the way to the top.
        Shape (n_edges, 2).
        """
        pairs = [
            (column, self._column[broader])
            for column in range(len(self) - 1, -1, -1)
            for broader in self.hierarchy.broader(self.concept_ids[column])
        ]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def encode(
        self, assigned: Iterable[Iterable[str]], *, augmented: bool
    ) -> csr_matrix[np.float32]:
        """Ones where a document has a concept; ids that have no column are skipped.

        Args:
            assigned: concept ids of each document.
            augmented: whether the ancestors of what was assigned count as well.
        Returns:
            float32, shape (n_documents, n_concepts), column indices sorted and without repetition.
        """
        above = self._ancestor_columns if augmented else None
        rows: list[NDArray[np.int32]] = []
        for ids in assigned:
            columns = {self._column[i] for i in ids if i in self._column}
            if above is not None:
                columns.update(*(above(column) for column in tuple(columns)))
            rows.append(np.array(sorted(columns), dtype=np.int32))
        ends = np.cumsum([0, *(len(row) for row in rows)])
        indices = np.concatenate(rows) if rows else np.empty(0, dtype=np.int32)
        ones = np.ones(len(indices), dtype=np.float32)
        return csr_matrix((ones, indices, ends), shape=(len(rows), len(self)))

    def encode_assigned(self, assigned: Iterable[Iterable[str]]) -> csr_matrix[np.float32]:
        """As `encode`, without ancestors and with the assignable columns alone."""
        return self.encode(assigned, augmented=False)[:, self.assignable_columns]

    def _ancestor_columns(self, column: int) -> Iterator[int]:
        return (self._column[i] for i in self.hierarchy.ancestors(self.concept_ids[column]))

    def unknown(self, assigned: Iterable[Iterable[str]]) -> Counter[str]:
        """Return how often each id was assigned that has no column."""
        return Counter(i for ids in assigned for i in ids if i not in self._column)

    def save(self, path: str | Path) -> None:
        """Write `label_space.jsonl`: a header line, then one concept a line in column order.

        It is gzipped where the name ends in `.gz`, and the same bytes each time.
        """
        header = {
            "format": FORMAT,
            "vocabulary_id": self.hierarchy.vocabulary_id,
            "version": self.hierarchy.version,
            "uri_base": self.hierarchy.uri_base,
            **({"scheme_uri": scheme} if (scheme := self.hierarchy.scheme_uri) else {}),
            "n_concepts": len(self),
        }
        records = chain([header], map(self._record, self.concept_ids))
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        data = "".join(lines).encode()
        is_packed = Path(path).suffix == PACKED
        Path(path).write_bytes(gzip.compress(data, mtime=0) if is_packed else data)

    def _record(self, concept_id: str) -> dict[str, Any]:
        """Without notes: a bundle is given away, and the prose of a thesaurus may not be."""
        concept = replace(self.hierarchy[concept_id], notes={})
        return as_record(concept, level=self.hierarchy.level(concept_id))

    @classmethod
    def load(cls, path: str | Path) -> LabelSpace:
        """Read what `save` wrote, from that file or a gzipped one beside it; the columns are the same.

        Raises:
            VocabularyError: the file is missing, damaged, of another format, or incomplete.
        """
        path = Path(path)
        with (
            VOCABULARY_FILES.translated("{path} cannot be read: {reason}.", path=path),
            VOCABULARY_RECORDS.translated(
                "{path} is not a label space, or is damaged ({reason}).", path=path
            ),
        ):
            content = _content(path)
            header, *records = [json.loads(line) for line in content.splitlines()]
            if header["format"] != FORMAT:
                raise VocabularyError(f"{path} is of the format {header['format']}, not {FORMAT}.")
            hierarchy = Hierarchy(
                map(from_record, records),
                vocabulary_id=header["vocabulary_id"],
                version=header["version"],
                uri_base=header["uri_base"],
                scheme_uri=header.get("scheme_uri", ""),
            )
            hierarchy.checksum = hashlib.sha256(content).hexdigest()
            order = [record["concept_id"] for record in records]
            n_concepts = header["n_concepts"]
        space = cls(hierarchy)
        if list(space.concept_ids) != order or len(space) != n_concepts:
            raise VocabularyError(f"{path} is damaged: concepts are missing or out of order.")
        return space


def _content(path: Path) -> bytes:
    packed = path.with_name(path.name + PACKED)
    if path.is_file() and packed.is_file():
        # A checksum covers one of them alone, and nothing says that it is the one read here.
        raise VocabularyError(
            f"{path} and {packed.name} are both there: remove what is no part of it."
        )
    if path.suffix != PACKED and (path.is_file() or not packed.is_file()):
        return path.read_bytes()
    with gzip.open(path if path.suffix == PACKED else packed) as file:
        content = file.read(MOST_UNPACKED_BYTES + 1)
    if len(content) > MOST_UNPACKED_BYTES:
        raise VocabularyError(
            f"{path} unpacks to more than {MOST_UNPACKED_BYTES / 1e6:.0f} MB, which no label space "
            "does: get it again from where it came."
        )
    return content

"""Whether a note looks like the documents that a model has learned from.

Four things are compared, because each can be said in a sentence: what kind of note it is called, how
many of its words the training documents have, how long it is, and how many kinds of headed sections
it has (a discharge summary has many, a case report next to none). Where one is outside what nearly
all of these have, the model's probabilities are not to be relied on. The headings of a report do not
count where texts as short as reports were learned: such texts are often kept without headings.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file

from core.clinical.kinds import (
    ADMINISTRATIVE,
    COMPLAINT,
    DIAGNOSES,
    EXAMINATION,
    HISTORY,
    OTHER,
    PROCEDURES,
    RESULTS,
    kind_of_stay,
)
from core.clinical.sections import Section, sections
from core.documents.document import Document
from core.model.bundle.manifest import BUNDLE

FILE = "familiar.safetensors"
LOWEST = 0.02
"""Share of training documents that may have fewer known words, or be shorter, or longer."""
ROOM = 1.5
"""Times the longest and divided by the shortest, what a document may still be."""
FEW_KINDS = 1
"""Kinds of sections that are never too many. Nearly all documents of the models that were fitted
before kinds were counted have no more."""
OF_REPORT = frozenset(
    {ADMINISTRATIVE, COMPLAINT, HISTORY, EXAMINATION, PROCEDURES, RESULTS, DIAGNOSES}
)
"""Kinds of sections of which a report of radiology has any, such as indication, technique, findings
and impression."""
IMPRESSION = "impression"
REPORT_WORDS = 150
"""Of texts that are learned, the longest, where these are as short as reports."""
_WORD = re.compile(r"[^\W\d_]{2,}")

Hashes = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Familiarity:
    """How a document compares with those that were learned.

    Attributes:
        n_words: of it.
        known: share of its words that training documents have, in [0, 1].
        least_known: what nearly all training documents have of words of the others.
        shortest, longest: words that nearly all training documents have.
        n_kinds: kinds of its headed sections, as far as they count.
        most_kinds: what nearly all training documents have of these.
        of_stay: the kind of note of a stay that it is called, where training documents are none.
    """

    n_words: int
    known: float
    least_known: float
    shortest: int
    longest: int
    n_kinds: int = 0
    most_kinds: int = FEW_KINDS
    of_stay: str = ""

    @property
    def is_familiar(self) -> bool:
        """Whether the document is like those that were learned."""
        return not self.reason

    @property
    def reason(self) -> str:
        """Why it is not, as a part of a sentence; "" where it is."""
        if not self.n_words:
            return ""
        if self.of_stay:
            return (
                f"it is called {self.of_stay.lower()}, and what the model has learned from is no "
                "note of a stay"
            )
        if self.n_words > ROOM * self.longest or self.n_words < self.shortest / ROOM:
            return (
                f"it has {self.n_words:,} words, and what the model has learned from has "
                f"{self.shortest:,} to {self.longest:,}"
            )
        if self.known < self.least_known:
            return (
                f"{self.known:.0%} of its words stand in what the model has learned from; of "
                f"documents of that kind it is {self.least_known:.0%} and more"
            )
        if self.n_kinds > self.most_kinds:
            return (
                f"it has {self.n_kinds} kinds of headed sections, and what the model has learned "
                f"from has {self.most_kinds} at most"
            )
        return ""


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """What is kept of the words of training documents: no text, and no order.

    Attributes:
        words: checksums of all words, ascending, (n_words,).
        least_known: of a training document's words, the share that others have, but for `LOWEST`.
        shortest, longest: words of a training document, but for `LOWEST` at either end.
        most_kinds: of headed sections in a training document, but for `LOWEST`.
        has_stays: 1 where more of them than `LOWEST` are called notes of a stay.
    """

    words: Hashes
    least_known: float
    shortest: int
    longest: int
    most_kinds: int = FEW_KINDS
    has_stays: int = 0

    @classmethod
    def of(cls, documents: Sequence[Document]) -> KnownDocuments:
        """Learn what documents look like."""
        by_document = [_hashes(document) for document in documents]
        having = Counter(h for hashes in by_document for h in set(hashes.tolist()))
        shares = [
            float(np.mean([having[h] > 1 for h in hashes.tolist()]))
            for hashes in by_document
            if len(hashes)
        ]
        lengths = [len(hashes) for hashes in by_document]
        return cls(
            np.array(sorted(having), dtype=np.uint32),
            float(np.quantile(shares, LOWEST)),
            int(np.quantile(lengths, LOWEST)),
            int(np.quantile(lengths, 1 - LOWEST)),
            max(FEW_KINDS, int(np.quantile([len(_kinds(note)) for note in documents], 1 - LOWEST))),
            int(np.mean([bool(_stay_kind(note)) for note in documents]) > LOWEST),
        )

    def __call__(self, document: Document) -> Familiarity:
        """Compare a document with them."""
        hashes = _hashes(document)
        share_known = float(np.isin(hashes, self.words).mean()) if len(hashes) else 1.0
        return Familiarity(
            len(hashes), share_known, self.least_known, self.shortest, self.longest,
            self._n_kinds(document), self.most_kinds, "" if self.has_stays else _stay_kind(document),
        )  # fmt: skip

    @property
    def are_reports(self) -> bool:
        """Whether they are as short as reports of radiology."""
        return self.longest <= REPORT_WORDS

    def _n_kinds(self, document: Document) -> int:
        """Return how many kinds of sections count: none of a report, where reports were learned."""
        is_report = self.are_reports and _is_report(document)
        return 0 if is_report else len(_kinds(document))

    def save(self, folder: Path) -> None:
        """Write `familiar.safetensors`."""
        numbers = np.array(
            [self.least_known, self.shortest, self.longest, self.most_kinds, self.has_stays],
            dtype=np.float64,
        )
        save_file({"words": self.words, "numbers": numbers}, folder / FILE)

    @classmethod
    def load(cls, folder: Path) -> KnownDocuments | None:
        """Read what `save` wrote; None of a bundle that has nothing of it.

        Raises:
            BundleError: the file is damaged.
        """
        if not (folder / FILE).is_file():
            return None
        with BUNDLE.translated(
            "{path} is damaged ({reason}). Get the bundle again.", path=folder / FILE
        ):
            tensors = load_file(folder / FILE)
            least, *counts = tensors["numbers"].tolist()
            return cls(tensors["words"], least, *map(int, counts))


def _stay_kind(document: Document) -> str:
    """Return the kind of note of a stay that one of a document's parts is called; "" of none."""
    kind = (kind_of_stay(part.kind, part.title) for part in document.parts)
    return next(filter(None, kind), "")


def _kinds(document: Document) -> set[str]:
    return {section.kind for section in _sections(document)} - {OTHER}


def _is_report(document: Document) -> bool:
    """Return whether a document has the sections of a report of radiology, and no others."""
    kinds = _sections(document)
    is_read = any(part.kind == RESULTS or part.title.casefold() == IMPRESSION for part in kinds)
    return is_read and _kinds(document) <= OF_REPORT


def _sections(document: Document) -> list[Section]:
    return [section for part in document.parts for section in sections(part.text)]


def _hashes(document: Document) -> Hashes:
    return np.array(list(_checksums(f"{document.title}\n{document.text}")), dtype=np.uint32)


def _checksums(text: str) -> Iterable[int]:
    return (zlib.crc32(match.group().casefold().encode()) for match in _WORD.finditer(text))

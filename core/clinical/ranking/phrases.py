"""What training texts teach of wordings: which codes were given where a phrase stands.

A phrase is up to three neighbouring words, or the code of which a name stands in the text: coders of
some texts give another code than the one that is named. Phrases are kept as checksums.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors import safe_open
from safetensors.numpy import save_file

from core.clinical.assertions import Assertions, is_denying
from core.clinical.names.clinical_words import Word, words_of
from core.clinical.names.mentions import Named
from core.clinical.ranking.denied import denied_of
from core.documents.document import Document
from core.model.bundle.manifest import BUNDLE

FILE = "code_phrases.safetensors"
MAX_WORDS = 3
MIN_TEXTS = 2
"""Texts that a phrase must stand in, and in which the code must have been given beside it."""
PRIOR = 2.0
"""Texts with the usual share of a code that count beside those that have the phrase."""
LEAST = 0.1
"""Share of the texts with a phrase that have a code, for the phrase to speak for it."""

Checksums = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.intp]
Shares = tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]
"""Of a code, the places of phrases, and the share of the texts with each that have the code."""


class Spoken(NamedTuple):
    """What the phrases of a text say of a code.

    Attributes:
        best: the highest share, of training texts with a phrase, that had the code.
        second: the next one, of another phrase; 0 where there is none.
        n_phrases: that speak for the code.
    """

    best: float
    second: float
    n_phrases: int


@dataclass(frozen=True)
class LearnedPhrases:
    """Shares of texts with a phrase that had a code; pairs of a phrase are neighbours.

    Attributes:
        phrases: checksums, ascending, (n_phrases,).
        starts: where the pairs of each phrase begin, and an end, (n_phrases + 1,).
        columns: the code of each pair, by its number, (n_pairs,).
        shares: of each pair, (n_pairs,).
        codes: by number.
    """

    phrases: Checksums = field(default_factory=lambda: np.empty(0, np.uint32))
    starts: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(1, np.int32))
    columns: npt.NDArray[np.uint16] = field(default_factory=lambda: np.empty(0, np.uint16))
    shares: npt.NDArray[np.float16] = field(default_factory=lambda: np.empty(0, np.float16))
    codes: tuple[str, ...] = ()

    @classmethod
    def of(cls, documents: Iterable[tuple[Checksums, Iterable[str]]]) -> LearnedPhrases:
        """Learn from the phrases of training texts, and the codes that these were given."""
        rows = [(phrases, frozenset(codes)) for phrases, codes in documents]
        if not rows:
            return cls()
        checksums, counts = np.unique(np.concatenate([row[0] for row in rows]), return_counts=True)
        checksums, counts = checksums[counts >= MIN_TEXTS], counts[counts >= MIN_TEXTS]
        having: dict[str, list[npt.NDArray[np.intp]]] = defaultdict(list)
        for phrases, codes in rows:
            here = np.flatnonzero(np.isin(checksums, phrases))
            for code in codes:
                having[code].append(here)
        names = tuple(code for code in sorted(having) if len(having[code]) >= MIN_TEXTS)
        shares = [_shares(having[code], counts, len(rows)) for code in names]
        return cls._of_shares(checksums, shares, names)

    @classmethod
    def _of_shares(
        cls, checksums: Checksums, by_code: Sequence[Shares], codes: tuple[str, ...]
    ) -> LearnedPhrases:
        """Put the pairs of each phrase beside each other, from those of each code."""
        if not codes:
            return cls()
        places = np.concatenate([places for places, _ in by_code])
        shares = np.concatenate([shares for _, shares in by_code])
        columns = np.repeat(np.arange(len(codes)), [len(places) for places, _ in by_code])
        order = np.lexsort((columns, places))
        present, n_pairs = np.unique(places, return_counts=True)
        return cls(
            checksums[present],
            np.concatenate(([0], np.cumsum(n_pairs))).astype(np.int32),
            columns[order].astype(np.uint16),
            shares[order].astype(np.float16),
            codes,
        )

    def __call__(self, phrases: Checksums) -> dict[str, Spoken]:
        """Return what the phrases of a text say of codes; of other codes they say nothing."""
        rows = np.flatnonzero(np.isin(self.phrases, phrases))
        places = [np.arange(self.starts[row], self.starts[row + 1]) for row in rows]
        if not places:
            return {}
        chosen = np.concatenate(places)
        columns, shares = self.columns[chosen], self.shares[chosen].astype(np.float32)
        order = np.lexsort((-shares, columns))
        columns, shares = columns[order], shares[order]
        numbers, firsts, counts = np.unique(columns, return_index=True, return_counts=True)
        return {
            self.codes[number]: Spoken(
                float(shares[first]), float(shares[first + 1]) if count > 1 else 0.0, int(count)
            )
            for number, first, count in zip(
                numbers.tolist(), firsts.tolist(), counts.tolist(), strict=True
            )
        }

    def save(self, directory: Path) -> None:
        """Write `code_phrases.safetensors`; no file where nothing was learned."""
        if not self.codes:
            (directory / FILE).unlink(missing_ok=True)
            return
        tensors: dict[str, npt.NDArray[np.generic]] = {
            "phrases": self.phrases,
            "starts": self.starts,
            "columns": self.columns,
            "shares": self.shares,
        }
        save_file(tensors, directory / FILE, metadata={"codes": json.dumps(self.codes)})

    @classmethod
    def load(cls, directory: Path) -> LearnedPhrases:
        """Read what `save` wrote; nothing where a ranker has no phrases.

        Raises:
            BundleError: the file is damaged.
        """
        if not (directory / FILE).is_file():
            return cls()
        with (
            BUNDLE.translated(
                "{path} is damaged ({reason}). Get the bundle again.", path=directory / FILE
            ),
            safe_open(directory / FILE, framework="numpy") as file,
        ):
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            phrases = cls(**tensors, codes=tuple(json.loads(file.metadata()["codes"])))
            phrases.check()
            return phrases

    def check(self) -> None:
        """Raise ValueError where pairs begin or codes stand outside of what there is."""
        starts, columns = self.starts.astype(np.int64), self.columns
        if len(starts) != len(self.phrases) + 1 or len(columns) != len(self.shares):
            raise ValueError("its arrays are of different lengths")
        if starts[0] or starts[-1] != len(columns) or (np.diff(starts) < 0).any():
            raise ValueError("its phrases do not follow each other")
        if len(columns) and int(columns.max()) >= len(self.codes):
            raise ValueError("it names codes that are not there")


def _shares(texts: Sequence[npt.NDArray[np.intp]], counts: Counts, n_texts: int) -> Shares:
    """Return the phrases that speak for a code, and by which shares.

    Args:
        texts: the phrases of each text that has the code.
        counts: how many texts have each phrase.
        n_texts: how many there are.
    """
    beside = np.bincount(np.concatenate(texts), minlength=len(counts))
    shares = (beside + PRIOR * len(texts) / n_texts) / (counts + PRIOR)
    frequent = np.flatnonzero((beside >= MIN_TEXTS) & (shares >= LEAST))
    return frequent, shares[frequent]


def phrases_of(document: Document, named: Sequence[Named]) -> Checksums:
    """Return the checksums of the phrases of a document, each once.

    Words that the document denies, or says of the family, are in no phrase: "brother with
    diabetes" speaks for no code of diabetes.

    Args:
        named: the codes whose names stand in it.
    """
    denied = denied_of(named)
    spoken = (code.concept_id for code in named if code.concept_id not in denied)
    checksums = {zlib.crc32(f"@{concept_id}".encode()) for concept_id in spoken}
    for words in (words_of(document.title), _affirmed_words(document)):
        checksums.update(zlib.crc32(phrase.encode()) for phrase in _phrases(list(words)))
    return np.array(sorted(checksums), dtype=np.uint32)


def _affirmed_words(document: Document) -> Iterator[Word]:
    assertions = Assertions.of_document(document)
    for word in words_of(document.text):
        if not is_denying(assertions.at(word.start, word.end)):
            yield word


def _phrases(words: Sequence[Word]) -> Iterator[str]:
    """Yield the phrases of a text, each as often as it stands there; none ends a sentence."""
    for first in range(len(words)):
        for n_words in range(1, MAX_WORDS + 1):
            these = words[first : first + n_words]
            if len(these) < n_words or these[-1].place - these[0].place >= n_words:
                break
            yield " ".join(word.keys[0] for word in these)

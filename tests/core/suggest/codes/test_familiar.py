"""Whether a note looks like what a model has learned from."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import BundleError
from core.suggest.codes.familiar import FILE, KnownDocuments

WORDS = [
    "cough",
    "and",
    "fever",
    "of",
    "two",
    "days",
    "with",
    "normal",
    "lungs",
    "no",
    "pneumonia",
    "seen",
    "on",
    "the",
    "film",
    "today",
]


def _document(*words: str) -> Document:
    return Document.from_text("d", "", " ".join(words))


@pytest.fixture(scope="module")
def known() -> KnownDocuments:
    return KnownDocuments.of([_document(*WORDS[n:], *WORDS[:n]) for n in range(len(WORDS))])


def test_what_is_learned_looks_familiar(known: KnownDocuments) -> None:
    found = known(_document(*WORDS))
    assert (found.known, found.n_words, found.is_familiar) == (1.0, len(WORDS), True)
    assert known(_document()).is_familiar


def test_a_long_note_and_a_foreign_one_do_not(known: KnownDocuments) -> None:
    assert "16 to 16" in known(_document(*WORDS * 3)).reason
    foreign = known(_document(*["Bericht"] * len(WORDS)))
    assert foreign.known == 0 and "0% of its words" in foreign.reason


def test_it_is_read_as_it_was_written(known: KnownDocuments, tmp_path: Path) -> None:
    assert KnownDocuments.load(tmp_path) is None
    known.save(tmp_path)
    again = KnownDocuments.load(tmp_path)
    assert again is not None and again(_document(*WORDS)) == known(_document(*WORDS))
    (tmp_path / FILE).write_bytes(b"none")
    with pytest.raises(BundleError, match="damaged"):
        KnownDocuments.load(tmp_path)

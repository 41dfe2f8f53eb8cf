"""Codes that are found, counted by hand, and what of a code system a corpus uses."""

from __future__ import annotations

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from training.corpora.corpus import Corpus, LabelledDocument
from training.corpora.label_spaces import coded_alone
from training.corpora.sampling import folded
from training.judging.coded import CodedDocuments


def coded(probs: list[list[float]], *gold: set[str]) -> CodedDocuments:
    return CodedDocuments(("A", "B", "C"), np.array(probs), tuple(map(frozenset, gold)))


FIRST = coded([[0.9, 0.6, 0.1], [0.2, 0.8, 0.7]], {"A", "X"}, {"C"})


def test_a_code_that_the_model_does_not_know_is_never_found_and_counts() -> None:
    # A and C are right, B is said twice in vain, X is never found.
    found = FIRST.counted(0.5)
    assert [int(total) for total in found] == [2, 4, 3]
    assert float(found.f1()) == pytest.approx(2 * 2 / (4 + 3))
    # The first has A in front of one of its two codes; the second has C behind B.
    assert FIRST.precisions().tolist() == [0.5, 0.5]
    assert np.isnan(coded([[1, 0, 0]], set()).precisions()[0])


# ---------------------------------------------------------------------- runs of a small code system

CODES = {
    "001-009": ("Infections", ()),
    "001": ("Cholera", ("001-009",)),
    "001.0": ("Cholera due to Vibrio", ("001",)),
    "002.0": ("Typhoid fever", ("001-009",)),
    "003.0": ("Salmonella gastroenteritis", ("001-009",)),
    "004.0": ("Shigella", ("001-009",)),
}


def hierarchy() -> Hierarchy:
    concepts = [
        Concept(code, f"urn:{code}", code, {"en": title}, broader=broader)
        for code, (title, broader) in CODES.items()
    ]
    return Hierarchy(concepts, vocabulary_id="codes", version="1")


def labelled(document_id: str, text: str, code: str) -> LabelledDocument:
    return LabelledDocument(Document.from_text(document_id, "", text), (code,))


def corpus() -> Corpus:
    words = {"001.0": "cholera rice water", "002.0": "typhoid rose spots", "003.0": "bad eggs"}
    rows = [
        labelled(f"{code}-{n}", f"the patient has {text} day {n}", code)
        for code, text in words.items()
        for n in range(8)
    ]
    return Corpus("invented", tuple(rows), (), ())


def test_what_is_coded_and_above_it_is_learned_and_the_coded_alone_is_assignable() -> None:
    kept = coded_alone(hierarchy(), {"001.0", "002.0", "E999"})
    assert set(kept) == {"001-009", "001", "001.0", "002.0"}
    assert [code for code in kept if kept[code].assignable] == ["001.0", "002.0"]
    with pytest.raises(VocabularyError, match="None of the 1 codes"):
        coded_alone(hierarchy(), {"E999"})


def test_words_in_the_place_of_folds_hold_dev_out_or_learn_all() -> None:
    rows = corpus().train
    whole = Corpus("invented", rows[:20], rows[20:], ())
    on_dev = folded(whole, "dev")
    assert on_dev.test == rows[20:]
    assert len(on_dev.train) + len(on_dev.dev) == 20
    everything = folded(whole, "all")
    assert len(everything.train) + len(everything.dev) == 24
    assert everything.dev == everything.test

"""What is served beside the codes that people gave, by hand-computed figures."""

from __future__ import annotations

import numpy as np
import pytest

from core.documents.document import Document
from core.vocabulary.concepts import Concept, Hierarchy
from training.codes.served import figures, given_as, judged
from training.corpora.corpus import LabelledDocument


def row(*codes: str) -> LabelledDocument:
    return LabelledDocument(Document.from_text("d", "", "text"), codes)


def test_figures_are_pooled_and_precision_is_a_mean_over_documents() -> None:
    first = judged(row("A", "B"), ["A", "C", "B"], np.array([0.9, 0.6, 0.2]))
    second = judged(row("D"), ["E"], np.array([0.4]))
    found = figures([first, second], folds=3)
    assert (found.documents, found.folds) == (2, 3)
    # Of two that are shown one is right, of three that were given one is found.
    assert found.means["precision@0.5"] == pytest.approx(1 / 2)
    assert found.means["recall@0.5"] == pytest.approx(1 / 3)
    assert found.means["micro_f1@0.5"] == pytest.approx(2 / 5)
    assert found.means["map"] == pytest.approx(((1 + 2 / 3) / 2 + 0) / 2)
    # Four bins of one suggestion each: 0.1, 0.6, 0.8 and 0.4 away from what is right.
    assert found.means["calibration_error"] == pytest.approx((0.1 + 0.6 + 0.8 + 0.4) / 4)


def test_a_document_without_codes_has_no_average_precision() -> None:
    found = figures([judged(row(), ["A"], np.array([0.7])), judged(row("A"), ["A"], np.ones(1))])
    assert found.means["map"] == 1.0 and found.means["precision@0.5"] == 0.5


def test_a_category_that_was_a_code_is_found_once_by_a_code_below_it() -> None:
    concepts = [
        Concept("E87.2", "urn:1", "E87.2", {"en": "Acidosis"}, {}, (), assignable=False),
        Concept("E87.20", "urn:2", "E87.20", {"en": "Acidosis"}, {}, ("E87.2",)),
        Concept("E87.21", "urn:3", "E87.21", {"en": "Lactic acidosis"}, {}, ("E87.2",)),
    ]
    hierarchy = Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written")
    gold = frozenset(["E87.2"])
    assert given_as("E87.21", gold, hierarchy) == "E87.2"
    assert given_as("E87.21", frozenset(["E87.20"]), hierarchy) is None
    found = judged(row("E87.2"), ["E87.21", "E87.20"], np.array([0.8, 0.7]), hierarchy)
    assert found.is_right.tolist() == [True, False] and found.n_found == 1

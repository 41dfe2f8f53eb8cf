"""Concepts by how often they were assigned in training, and titles that stood there before."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from core.documents.document import Document
from tests.support.labelled import tiny_label_space
from training.corpora.corpus import LabelledDocument
from training.judging.evaluate import are_repeated, evaluate, found_by_frequency
from training.judging.scores import Scores


def act(title: str, *assigned: str, text: str = "") -> LabelledDocument:
    return LabelledDocument(Document.from_text(title, title, text), assigned)


def test_a_title_is_repeated_but_for_numbers_and_dates() -> None:
    known = [act("Regulation No 12/2014 of 3 May 2014 on prices of fruit")]
    asked = [
        act("Regulation 7/2017 of 28 February 2017 on prices of fruit"),
        act("REGULATION 7/2017 of 28 February 2017 on Prices of fruit"),
        act("Regulation 7/2017 of 28 February 2017 on prices of vegetables"),
    ]
    assert are_repeated(asked, known).tolist() == [True, True, False]


def test_the_share_that_is_found_is_counted_by_frequency() -> None:
    # Ten concepts, of which the last two are not among the first eight of either document.
    scores = np.tile(np.arange(10, 0, -1, dtype=np.float32), (2, 1))
    gold = sparse.lil_matrix((2, 10))
    gold[0, [0, 9]] = 1
    gold[1, [1, 2, 8]] = 1
    n_assigned = np.array([51, 9, 10, 0, 0, 0, 0, 0, 1, 50])
    found = found_by_frequency(gold.tocsr(), scores, n_assigned)
    assert found == {"recall@8:frequent": 1.0, "recall@8:few": 0.5, "recall@8:rare": 0.5}


def test_an_evaluation_has_new_and_repeated_titles_apart() -> None:
    space = tiny_label_space()
    training = [act("On fish of 2014", "fish"), act("On wheat", "wheat")]
    documents = [
        act("On fish of 2017", "fish"),
        act("On grapes", "grape"),
        act("A", "fish", text="b"),
    ]
    matrix = np.zeros((3, len(space)), dtype=np.float32)
    matrix[:, space.column("fish")] = 1.0
    scores = Scores(tuple(row.document_id for row in documents), assigned=matrix)
    judged = evaluate(scores, documents, space, depth=3, training=training)
    assert judged.sizes == {
        "all": 3, "titles": 2, "full_texts": 1, "new_titles": 1, "repeated_titles": 1,
    }  # fmt: skip
    assert judged.means["repeated_titles"]["p@5"] == pytest.approx(0.2)
    assert judged.means["repeated_titles"]["recall@8:rare"] == 1.0
    assert "recall@8:unseen" not in judged.means["repeated_titles"]
    assert "new_titles" not in evaluate(scores, documents, space, depth=3).means

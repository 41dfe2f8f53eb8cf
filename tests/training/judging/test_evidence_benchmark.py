"""The measure of evidence: the same acts each time, equal lengths, and figures checked by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from tests.support.models.network_bundle import write_network_bundle
from tests.support.tables import unpadded
from training.benchmarks.evidence_benchmark import (
    CANDIDATES,
    MAIN,
    OURS,
    RANDOM,
    REFERENCE,
    SHARES,
    SHOWN,
    EvidenceCase,
    EvidenceScores,
    Measurement,
    deleted,
    draw,
    kept,
    random_passages,
    read,
    table,
)
from training.benchmarks.evidence_methods import IntegratedGradients
from training.corpora.corpus import LabelledDocument

pytestmark = pytest.mark.usefixtures("single_thread")

ACT = Document.from_text("act", "fish quota", "honey label tax trade bank fish bay quota bay " * 9)


def concepts(predictor: LabelSuggester, n: int) -> tuple[str, ...]:
    return tuple(i for i in predictor.label_space.concept_ids if predictor.can_assign(i))[:n]


def test_the_same_acts_and_descriptors_are_drawn_each_time(fused_predictor: LabelSuggester) -> None:
    known = concepts(fused_predictor, 3)
    acts = [
        LabelledDocument(replace(ACT, document_id=str(n)), (*known, "unknown")) for n in range(9)
    ]
    acts.append(LabelledDocument(replace(ACT, document_id="few"), (known[0], "unknown")))
    acts.append(LabelledDocument(Document("title", "a title", ()), known))
    first = draw(acts, fused_predictor.label_space, n_acts=5)
    assert first == draw(acts[::-1], fused_predictor.label_space, n_acts=5)
    assert len(first) == 5
    assert all(len(set(case.concept_ids)) == 2 <= len(known) for case in first)
    assert {case.document.document_id for case in draw(acts, fused_predictor.label_space)} == set(
        map(str, range(9))
    )


def test_attributions_of_integrated_gradients_add_up_to_what_the_text_changed(
    fused_predictor: LabelSuggester,
) -> None:
    explanation = fused_predictor.explain(ACT)
    gradients = IntegratedGradients(fused_predictor, explanation, steps=100)
    concept_ids = concepts(fused_predictor, 4)
    for concept_id, summed in zip(concept_ids, gradients(concept_ids).sum(axis=0), strict=True):
        change = gradients.fused_logit(1.0, concept_id) - gradients.fused_logit(0.0, concept_id)
        assert summed == pytest.approx(change, abs=0.05)


@pytest.mark.parametrize("kind", ["lstm_reg", "kim_cnn", "xml_cnn", "han"])
def test_the_gradients_of_networks_add_up_and_end_at_what_is_served(
    kind: str, tmp_path: Path
) -> None:
    write_network_bundle(tmp_path, kind)
    student = load_suggester(tmp_path)
    gradients = IntegratedGradients(student, student.explain(ACT), steps=100)
    (concept_id,) = concepts(student, 1)
    summed = float(gradients([concept_id]).sum())
    end = gradients.fused_logit(1.0, concept_id)
    assert summed == pytest.approx(end - gradients.fused_logit(0.0, concept_id), abs=0.05)
    served = next(student.probabilities_of([ACT])).assigned
    p = float(served[student.label_space.column(concept_id)])
    assert end == pytest.approx(np.log(p / (1 - p)), abs=0.02)


def test_the_way_ends_at_the_probability_that_is_served(fused_predictor: LabelSuggester) -> None:
    gradients = IntegratedGradients(fused_predictor, fused_predictor.explain(ACT))
    served = next(fused_predictor.probabilities_of([ACT])).assigned
    for concept_id in concepts(fused_predictor, 4):
        p = float(served[fused_predictor.label_space.column(concept_id)])
        assert gradients.fused_logit(1.0, concept_id) == pytest.approx(
            np.log(p / (1 - p)), abs=1e-3
        )


def test_random_passages_are_runs_of_the_size_that_is_asked_for() -> None:
    words = random_passages(100, 20, random.Random(1))
    assert len(words) == len(set(words)) == 20
    assert sum(other - word != 1 for word, other in pairwise(words)) <= 6
    assert sorted(random_passages(5, 5, random.Random(1))) == list(range(5))


def test_deleting_and_keeping_words_of_a_document(fused_predictor: LabelSuggester) -> None:
    explanation = fused_predictor.explain(
        Document.from_text("x", "Fish, quota", "Honey. Bay of tax!")
    )
    cut = deleted(explanation, [0, 3])
    assert (cut.title, cut.text) == (", quota", "Honey.  of tax!")
    only = kept(explanation, [3, 0])
    assert (only.title, only.text) == ("Fish", "Bay")


def test_every_method_is_measured_at_equal_lengths_and_only_once(
    fused_predictor: LabelSuggester, tmp_path: Path
) -> None:
    case = EvidenceCase(ACT, concepts(fused_predictor, 2))
    path = tmp_path / "runs" / "measured.jsonl"
    Measurement(fused_predictor, path).run([case], (*MAIN, *CANDIDATES))
    found = read(path)
    assert {row.method for row in found} == {*MAIN, *CANDIDATES}
    assert len(found) == 2 * (len(MAIN) + len(CANDIDATES))
    n_words = len(fused_predictor.explain(ACT).words)
    for row in found:
        if row.method != SHOWN:
            assert row.deleted_share == [round(share * n_words) / n_words for share in SHARES]
    Measurement(fused_predictor, path).run([case], MAIN)
    assert read(path) == found
    assert "integrated gradients" in table(found, "tiny", "abc")


def measured(method: str, *falls: float) -> EvidenceScores:
    return EvidenceScores(
        "a", "c", method, 0.9, [0.1] * len(falls), [0.9 - f for f in falls], [0.8] * len(falls)
    )


def test_the_bar_by_hand() -> None:
    rows = [
        measured(OURS, 0.30, 0.40, 0.50),
        measured(REFERENCE, 0.32, 0.41, 0.50),
        measured(RANDOM, 0.10, 0.10, 0.25),
        measured(SHOWN, 0.2),
    ]
    text = table(rows, "tiny", "abc")
    assert f"| {OURS} | 1 | 0.300 | 0.400 | 0.500 | 0.400 | 0.100 |" in unpadded(text)
    assert "at most 0.020 behind" in text and "at least 2.0 times" in text and ": met." in text
    assert "10.0% of the words: without them the probability falls by 0.200" in text
    worse = [measured(OURS, 0.28, 0.4, 0.5), *rows[1:]]
    assert ": missed." in table(worse, "tiny", "abc")

"""Codes found, counted by hand: thresholds, averages over folds, unknown codes, pairs of arms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import metrics
from core.documents.document import Document
from core.errors import ConfigError, VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.typed_commands import options_of
from training.baselines.linear import LinearConfig
from training.baselines.linear_run import run_linear
from training.config import DataConfig
from training.corpora.corpus import Corpus, LabelledDocument
from training.corpora.label_spaces import coded_alone
from training.corpora.sampling import folded
from training.judging.coded import (
    CodedDocuments,
    best_mix,
    best_threshold,
    counted,
    f1_differences,
    mixed,
    pooled,
)
from training.judging.folders import JudgedData
from training.studies.coded_study import CodedStudy, run_folders


def coded(probs: list[list[float]], *gold: set[str], start: int = 0) -> CodedDocuments:
    ids = tuple(f"d{start + n}" for n in range(len(gold)))
    return CodedDocuments(ids, ("A", "B", "C"), np.array(probs), tuple(map(frozenset, gold)))


FIRST = coded([[0.9, 0.6, 0.1], [0.2, 0.8, 0.7]], {"A", "X"}, {"C"})


def test_a_code_that_the_model_does_not_know_is_never_found_and_counts() -> None:
    found = counted(FIRST, 0.5)
    assert found.codes == ("A", "B", "C", "X")
    sums = [cells.sum(axis=1).tolist() for cells in (found.right, found.predicted, found.gold)]
    assert sums == [[1, 1], [2, 2], [2, 1]]
    assert metrics.micro_f1(found.gold, found.predicted) == pytest.approx(2 * 2 / (4 + 3))
    # A is right, B is said twice in vain, C is right, X is never found.
    assert metrics.macro_f1(found.gold, found.predicted) == pytest.approx((1 + 0 + 1 + 0) / 4)
    # The first has A in front of one of its two codes; the second has C behind B.
    assert FIRST.precisions().tolist() == [0.5, 0.5]
    assert np.isnan(coded([[1, 0, 0]], set()).precisions()[0])


def test_the_threshold_is_the_one_with_the_best_f1() -> None:
    documents = coded([[0.9, 0.4, 0.3], [0.8, 0.2, 0.1]], {"A", "B"}, {"A"})
    assert best_threshold(documents) == 0.4
    found = counted(documents, 0.4)
    assert metrics.micro_f1(found.gold, found.predicted) == 1


def test_folds_are_pooled_and_not_averaged() -> None:
    second = coded([[0.1, 0.1, 0.9]], {"B"}, start=2)
    both = pooled([counted(FIRST, 0.5), counted(second, 0.5)])
    assert both.document_ids == ("d0", "d1", "d2")
    assert metrics.micro_f1(both.gold, both.predicted) == pytest.approx(2 * 2 / (5 + 4))
    c = both.codes.index("C")
    assert [cells[:, c].sum() for cells in (both.right, both.predicted, both.gold)] == [1, 2, 1]


def test_the_mean_of_two_is_tuned_and_aligned_by_document() -> None:
    wrong = coded([[0.1, 0.9, 0.2], [0.1, 0.9, 0.2]], {"A"}, {"C"})
    right = CodedDocuments(
        ("d1", "d0"), ("A", "C"), np.array([[0.0, 0.5], [0.5, 0.0]]), wrong.gold[::-1]
    )
    assert best_mix(wrong, right) < 0.5
    both = mixed(wrong, right, 0.0)
    assert both.codes == ("A", "B", "C")
    assert both.probs.tolist() == [[0.5, 0, 0], [0, 0, 0.5]]


def test_the_difference_of_two_arms_has_an_interval() -> None:
    probs = [[1.0, 0, 0]] * 40
    gold = [{"A"}] * 40
    better = counted(coded(probs, *gold), 0.5)
    worse = counted(coded([[1.0, 1.0, 0]] * 40, *gold), 0.5)
    micro, macro = f1_differences(better, worse, n_resamples=300)
    assert micro.mean_difference == pytest.approx(1 - 2 / 3)
    assert macro.mean_difference == pytest.approx(1 - 1 / 2)  # A is right, B is said in vain
    for found in (micro, macro):
        assert found.low == pytest.approx(found.high) == pytest.approx(found.mean_difference)
        assert found.leaves_zero_out
    for found in f1_differences(better, better, n_resamples=50):
        assert (found.mean_difference, found.low, found.high) == (0, 0, 0)
        assert not found.leaves_zero_out


def test_documents_are_paired_by_their_id_and_drawn_together() -> None:
    # Of 30 documents, one arm has ten that the other has not, and never the other way round.
    gold = [{"A"}] * 30
    ours = counted(coded([[1.0, 0, 0]] * 30, *gold), 0.5)
    mixed_up = coded([[0.0, 0, 0]] * 10 + [[1.0, 0, 0]] * 20, *gold)
    turned = CodedDocuments(
        mixed_up.document_ids[::-1], mixed_up.codes, mixed_up.probs[::-1], mixed_up.gold
    )
    micro, _ = f1_differences(ours, counted(turned, 0.5), n_resamples=500)
    assert micro.mean_difference == pytest.approx(1 - 2 * 20 / 50)
    assert 0 < micro.low < micro.mean_difference < micro.high


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


def test_folds_of_a_linear_suggester_with_names_make_one_arm(tmp_path: Path) -> None:
    whole, space = corpus(), LabelSpace(coded_alone(hierarchy(), {*CODES} - {"001-009"}))
    config = LinearConfig(names=True, min_positives=1)
    known: dict[DataConfig, JudgedData] = {}
    for number in (1, 2):
        source = DataConfig(format="table", fold=f"{number}/2")
        data = JudgedData(folded(whole, source.fold), space, source)
        run_linear(config, data, tmp_path / f"words-fold{number}")
        known[source] = data
    assert len(run_folders([tmp_path])) == 2
    study = CodedStudy([tmp_path], known)
    arm = study.arm("words")
    assert (arm.n_folds, len(arm.tuned.document_ids)) == (2, 24)
    assert arm.precision > 0.9
    assert study.arm("words+words").weights == (0.5, 0.5)
    with pytest.raises(ConfigError, match="no arm “other”"):
        study.arm("other")


def test_no_run_is_said_and_the_command_is_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no run\.json"):
        run_folders([tmp_path])
    assert options_of(["coded", "runs/x", "--mix", "a+b"])["mix"] == ["a+b"]

"""Draws that keep the shares of labels: cuts, folds, held-out splits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.labelled import act
from training.config import DataConfig
from training.corpora.corpus import Corpus, LabelledDocument
from training.corpora.sampling import (
    completed,
    draw,
    folded,
    hold_out,
    parse_fold,
    split_in_tenths,
    training_documents,
)


def rows_of(**counts: int) -> list[LabelledDocument]:
    labels = [label for label, n in counts.items() for _ in range(n)]
    return [act(f"d{number:03}", label) for number, label in enumerate(labels)]


def labels_in(rows: list[LabelledDocument] | tuple[LabelledDocument, ...]) -> Counter[str]:
    return Counter(label for row in rows for label in row.assigned)


def corpus_of(rows: list[LabelledDocument]) -> Corpus:
    return Corpus("invented", tuple(rows), (), ())


def test_a_cut_has_the_exact_size_and_the_shares_of_the_classes() -> None:
    corpus = corpus_of(rows_of(fish=60, honey=30, tax=10))
    cut = training_documents(corpus, DataConfig(cut=20), seed=1)

    assert len({row.document_id for row in cut}) == 20
    assert labels_in(tuple(cut)) == {"fish": 12, "honey": 6, "tax": 2}


def test_a_cut_changes_with_the_seed_and_with_nothing_else() -> None:
    corpus = corpus_of(rows_of(fish=60, honey=30, tax=10))
    first, again, other = (
        [row.document_id for row in training_documents(corpus, DataConfig(cut=20), seed=seed)]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_cut_is_drawn_from_the_newest() -> None:
    dated = [
        LabelledDocument(row.document, row.assigned, f"20{number:02}-01-01")
        for number, row in enumerate(rows_of(fish=20))
    ]
    cut = training_documents(corpus_of(dated), DataConfig(newest=5, cut=3), seed=1)
    assert len(cut) == 3
    assert min(row.date for row in cut) >= "2015"


def test_a_stratum_gives_its_share_rounded_up_or_down() -> None:
    rows = rows_of(a=7, b=13, c=29, d=51)
    for seed in range(20):
        drawn = labels_in([rows[i] for i in draw(rows, 30, np.random.default_rng(seed))])
        for label, n in labels_in(rows).items():
            assert abs(drawn[label] - 0.3 * n) < 1


def test_what_is_held_out_leaves_every_label_in_training() -> None:
    rows = [*rows_of(fish=40, honey=2, tax=1), act("many", "fish", "loan")]
    for seed in range(10):
        stays, held = hold_out(rows, 0.25, np.random.default_rng(seed))
        assert (len(stays), len(held)) == (33, 11)
        assert set(labels_in(stays)) == {"fish", "honey", "tax", "loan"}


def test_documents_without_labels_are_drawn_as_a_stratum_of_their_own() -> None:
    rows = [*rows_of(fish=20), *(act(f"none{n}") for n in range(20))]
    _, held = hold_out(rows, 0.5, np.random.default_rng(1))
    assert labels_in(held) == {"fish": 10}


def test_folds_hold_each_document_out_once_and_keep_the_shares() -> None:
    corpus = corpus_of(rows_of(fish=50, honey=25, tax=25))
    folds = [folded(corpus, f"{number}/5") for number in range(1, 6)]

    held = [row.document_id for fold in folds for row in fold.test]
    assert len(held) == len(set(held)) == 100
    for fold in folds:
        assert (len(fold.train), len(fold.dev), len(fold.test)) == (64, 16, 20)
        assert labels_in(fold.test) == {"fish": 10, "honey": 5, "tax": 5}
        ids = {row.document_id for row in (*fold.train, *fold.dev, *fold.test)}
        assert len(ids) == 100


def test_folds_do_not_depend_on_the_splits_or_the_order_of_the_corpus() -> None:
    rows = rows_of(fish=30, honey=20)
    split = Corpus("invented", tuple(rows[30:]), tuple(rows[:10]), tuple(rows[10:30]))
    assert folded(split, "2/5").test == folded(corpus_of(rows), "2/5").test


def test_dev_that_stands_for_test_counts_once_in_a_fold() -> None:
    rows = rows_of(fish=40)
    corpus = Corpus("invented", tuple(rows[:30]), tuple(rows[30:]), tuple(rows[30:]))
    fold = folded(corpus, "1/4")
    assert len(fold.train) + len(fold.dev) + len(fold.test) == 40
    assert "fold 1/4 of all 40 documents" in fold.remarks[0]


def test_texts_that_are_learned_and_judged_are_said() -> None:
    texts = ["Thank you.", *(f"Message {n}" for n in range(38)), "Thank you."]
    rows = [act(f"d{n:02}", "a", title=text) for n, text in enumerate(texts)]
    said = [folded(corpus_of(rows), f"{n}/5").remarks[1:] for n in range(1, 6)]
    assert ("1 of 8 test documents repeat a training document.",) in said
    assert () in said


@pytest.mark.parametrize("fold", ["0/5", "6/5", "1/1", "2", "a/b", "-1/5", "2/5/7"])
def test_what_is_no_fold_is_refused(fold: str) -> None:
    with pytest.raises(ConfigError, match="is no fold"):
        parse_fold(fold)


def test_missing_splits_are_drawn_or_stood_in_for_and_said() -> None:
    rows = tuple(rows_of(fish=60, honey=40))
    drawn, remarks = completed({"train": rows})
    assert [len(rows) for rows in drawn] == [64, 16, 20]
    assert "64 % train" in remarks[0]

    drawn, remarks = completed({"train": rows[:80], "test": rows[80:]})
    assert [len(rows) for rows in drawn] == [72, 8, 20]
    assert "Dev is a stratified random 10%" in remarks[0]

    drawn, remarks = completed({"train": rows[:80], "dev": rows[80:], "test": ()})
    assert drawn.test == drawn.dev == rows[80:]
    assert "Test is dev itself" in remarks[0]

    drawn, remarks = completed({"train": rows[:60], "dev": rows[60:80], "test": rows[80:]})
    assert (len(drawn.train), remarks) == (60, ())


def test_a_text_that_stands_twice_is_in_one_of_the_tenths() -> None:
    rows = [
        act(f"{number:03}", "fish" if number % 2 else "honey", title=f"Review {number % 50}")
        for number in range(100)
    ]
    splits, remarks = split_in_tenths(rows)
    titles = [{row.document.title for row in of} for of in splits]
    assert [len(of) for of in splits] == [80, 10, 10]
    assert len(set.union(*titles)) == sum(map(len, titles)) == 50
    assert remarks[1] == "50 documents repeat another's text, and are in the split of that."


def test_tenths_depend_on_texts_alone() -> None:
    rows = [act(f"{number:03}", "fish", title=f"Review {number}") for number in range(50)]
    # Ids that are the numbers of lines, in another order.
    other = [act(f"{n:03}", "fish", title=row.document.title) for n, row in enumerate(rows[::-1])]
    drawn, again = (
        [{row.document.title for row in of} for of in split_in_tenths(of_all)[0]]
        for of_all in (rows, other)
    )
    assert drawn == again


def dated(**years: int) -> list[LabelledDocument]:
    """Return as many documents of each year, named like “y2012”."""
    return [
        replace(act(f"{year}-{n}", "fish"), date=f"{year[1:]}-06-01")
        for year, number in years.items()
        for n in range(number)
    ]


def test_what_came_before_a_date_is_learned_and_what_came_after_is_judged() -> None:
    rows = dated(y2011=30, y2012=30, y2013=5)
    corpus = Corpus("invented", tuple(rows[3:]), tuple(rows[:2]), tuple(rows[2:3]))
    fold = folded(corpus, "before 2013")
    assert {row.date[:4] for row in (*fold.train, *fold.dev)} == {"2011", "2012"}
    assert (len(fold.train), len(fold.dev), len(fold.test)) == (54, 6, 5)
    assert "before 2013" in fold.remarks[0]


@pytest.mark.parametrize("date", ["1999", "2030", ""])
def test_a_date_outside_the_corpus_is_refused(date: str) -> None:
    with pytest.raises(ConfigError, match="name a date between"):
        folded(corpus_of(dated(y2011=5, y2012=5)), f"before {date}")


def test_folds_of_everything_tune_on_any_document_that_they_do_not_judge() -> None:
    # Each label has one document, so a dev that is drawn by labels would have none.
    rows = [act(f"d{n:02}", f"label{n}") for n in range(60)]
    corpus = Corpus("invented", tuple(rows[10:]), tuple(rows[:10]), tuple(rows[:10]))
    folds = [folded(corpus, f"everything {number}/3") for number in (1, 2, 3)]
    held = [row.document_id for fold in folds for row in fold.test]
    assert len(held) == len(set(held)) == 60
    assert {(len(fold.train), len(fold.dev), len(fold.test)) for fold in folds} == {(36, 4, 20)}
    assert folds[1].remarks == (
        "Test is 2/3 of the documents of all splits; dev is 10% of the others.",
    )


def test_everything_is_learned() -> None:
    rows = rows_of(fish=30, honey=20)
    corpus = Corpus("invented", tuple(rows[10:]), tuple(rows[:5]), tuple(rows[5:10]))
    fold = folded(corpus, "everything")
    assert {row.document_id for row in fold.train} == {row.document_id for row in rows}
    assert len(fold.train) == 50
    assert fold.dev == fold.test
    assert len(fold.dev) == 5

"""Readers of AAPD, IMDB with ten ratings and Yelp 2014, on invented rows in their layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError, DocumentError
from tests.support.files.review_files import write_pairs, write_reviews
from training.corpora.readers import read_corpus


def figures(n_classes: int, *places: int) -> str:
    return "".join("1" if place in places else "0" for place in range(1, n_classes + 1))


def write_table(file: Path, n_classes: int, n_rows: int, *more: str) -> Path:
    rows = [
        f'{figures(n_classes, n % n_classes + 1)}\tIt "was, {file.stem} {n}' for n in range(n_rows)
    ]
    file.write_text("\n".join([*rows, *more]) + "\n", "utf-8")
    return file


def write_tables(folder: Path, n_classes: int, *more: str) -> Path:
    for split, number in (("train", 24), ("dev", 6), ("test", 8)):
        write_table(folder / f"{split}.tsv", n_classes, number, *(more if split == "train" else ()))
    return folder


def test_abstracts_and_their_subjects_lie_in_two_files(tmp_path: Path) -> None:
    corpus = read_corpus("aapd", write_pairs(tmp_path))

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (12, 3, 4)
    assert corpus.dev[0].document.text == "we bound the loss of codes , val 0"
    assert corpus.test[1].assigned == ("cs.lg", "stat.ml")
    assert corpus.test[1].document_id == "test-2"
    assert set(corpus.labels) == {"cs.it", "math.it", "cs.lg", "stat.ml", "cs.cl"}
    assert (corpus.remarks, corpus.problems) == ((), ())
    assert set(corpus.sha256) >= {"text_train", "label_val"}


def test_a_blank_abstract_does_not_shift_the_subjects_of_the_others(tmp_path: Path) -> None:
    write_pairs(tmp_path)
    (tmp_path / "text_train").write_text("a b\n\nc d\ne f\n\n", "utf-8")
    (tmp_path / "label_train").write_text("cs.ai cs.ai\ncs.it\n\ncs.cl\n\n", "utf-8")
    corpus = read_corpus("aapd", tmp_path)

    assert [(row.document.text, row.assigned) for row in corpus.train] == [
        ("a b", ("cs.ai",)),
        ("e f", ("cs.cl",)),
    ]
    assert "line 2: the abstract has no text" in corpus.problems[0]
    assert "line 3: the abstract has no subject" in corpus.problems[1]


def test_files_of_other_releases_are_refused(tmp_path: Path) -> None:
    write_pairs(tmp_path)
    (tmp_path / "label_test").write_text("cs.ai\n", "utf-8")
    with pytest.raises(DocumentError, match=r"label_test ends before line 2, which text_test has"):
        read_corpus("aapd", tmp_path)
    (tmp_path / "text_train").write_bytes(b"caf\xe9\n")
    with pytest.raises(DocumentError, match="not UTF-8"):
        read_corpus("aapd", tmp_path)
    with pytest.raises(ConfigError, match=r"neither text_train and label_train nor train\.tsv"):
        read_corpus("aapd", tmp_path / "..")


def test_figures_of_aapd_stand_for_its_subjects(tmp_path: Path) -> None:
    several = f"{figures(54, 1, 54)}\tcodes and proofs"
    corpus = read_corpus("aapd", write_tables(tmp_path, 54, several))

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (25, 6, 8)
    assert corpus.train[0].document.text == 'It "was, train 0'
    assert corpus.train[-1].assigned == ("01", "54")
    (tmp_path / "labels.txt").write_text("\n".join(f"s{n}" for n in range(54)), "utf-8")
    assert read_corpus("aapd", tmp_path).train[-1].assigned == ("s0", "s53")
    (tmp_path / "labels.txt").write_text("cs.it\ncs.it\n", "utf-8")
    with pytest.raises(ConfigError, match="54 different subjects, one a line, and has 1"):
        read_corpus("aapd", tmp_path)


@pytest.mark.parametrize(("name", "n_ratings"), [("imdb10", 10), ("yelp2014", 5)])
def test_ratings_are_read_from_hedwigs_tables(tmp_path: Path, name: str, n_ratings: int) -> None:
    bad = (
        "label\ttext",
        f"{figures(n_ratings)}\tno rating",
        f"{figures(n_ratings, 1, 2)}\ttwo ratings",
        f"{figures(n_ratings + 1, 1)}\ttoo long",
        f"{figures(n_ratings, 1)}\t",
        f"{figures(n_ratings, 1)}\ta\tb",
        "",
    )
    corpus = read_corpus(name, write_tables(tmp_path, n_ratings, *bad))

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (24, 6, 8)
    assert corpus.has_single_labels
    assert [row.assigned for row in corpus.train[:2]] == [("1",), ("2",)]
    assert list(corpus.labels) == [str(rating) for rating in range(1, n_ratings + 1)]
    said = " ".join(corpus.problems)
    assert len(corpus.problems) == 6
    assert "'label' is no string of 0 and 1" in said
    assert "0 classes are marked where there is one class" in said
    assert "2 classes are marked" in said
    assert f"{n_ratings + 1} figures for {n_ratings} classes" in said
    assert "the row has no text" in said
    assert "3 fields for 2 columns" in said


def test_a_header_and_the_older_names_of_hedwigs_files_are_known(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for split, number in (("train", 10), ("validation", 5), ("test", 5)):
        file = write_table(tmp_path / "data" / f"yelp2014_{split}.tsv", 5, number)
        file.write_text(f"label\ttext\n{file.read_text('utf-8')}", "utf-8")
    corpus = read_corpus("yelp2014", tmp_path)
    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (10, 5, 5)
    assert corpus.problems == ()


def test_reviews_without_splits_are_drawn_in_tenths(tmp_path: Path) -> None:
    file = write_reviews(tmp_path / "yelp_academic_dataset_review.json", 200)
    (tmp_path / "yelp_academic_dataset_user.json").write_text("{}\n", "utf-8")
    corpus = read_corpus("yelp2014", tmp_path)

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (160, 20, 20)
    for split in (corpus.dev, corpus.test):
        assert sorted(row.assigned[0] for row in split) == sorted("12345" * 4)
    ids = {row.document_id for rows in (corpus.train, corpus.dev, corpus.test) for row in rows}
    assert len(ids) == 200
    assert "80 % train, 10 % dev, 10 % test" in corpus.remarks[0]
    assert (corpus.labels["4"], corpus.train[0].date) == ("4 of 5 stars", "2013-05-01")

    rows = file.read_text("utf-8").splitlines()
    turned = tmp_path / "turned.jsonl"
    turned.write_text("\n".join(reversed(rows)), "utf-8")
    assert read_corpus("yelp2014", turned).test == corpus.test


def test_bad_reviews_are_skipped_and_doubled_ones_dropped(tmp_path: Path) -> None:
    more = (
        '{"review_id": "a", "stars": 6, "text": "Six."}',
        '{"review_id": "b", "stars": 4.5, "text": "Half."}',
        '{"review_id": "c", "stars": 4, "text": " "}',
        '{"review_id": "d", "text": "None."}',
        '{"review_id": "r1", "stars": 2, "text": "Again."}',
        '["no review"]',
        '{"stars": 3',
    )
    file = write_reviews(tmp_path / "reviews.jsonl.gz", 20, *more, stars="3.0")
    corpus = read_corpus("yelp2014", file)

    assert sum(len(corpus.split(name)) for name in ("train", "dev", "test")) == 20
    said = " ".join(corpus.problems)
    for reason in (
        "'6', none of 1 to 5",
        "'4.5'",
        "no text",
        "rating is ''",
        "second r1",
        "not a JSON object",
    ):
        assert reason in said
    assert "not JSON (" in said


def test_too_few_reviews_and_files_that_cannot_be_told_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"neither train\.tsv nor one file of reviews"):
        read_corpus("yelp2014", tmp_path)
    with pytest.raises(DocumentError, match="3 documents cannot be split in tenths"):
        read_corpus("yelp2014", write_reviews(tmp_path / "few.json", 3))
    write_reviews(tmp_path / "more.json", 30)
    with pytest.raises(ConfigError, match="2 that may be"):
        read_corpus("yelp2014", tmp_path)
    write_reviews(tmp_path / "train.json", 30)
    write_reviews(tmp_path / "test.json", 30, review_id="t")
    assert len(read_corpus("yelp2014", tmp_path).test) == 1

"""Readers of GLUE, TREC, IMDB and the toxic comments, on invented rows in their layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError, DocumentError
from training.corpora.readers import read_corpus
from training.corpora.readers.glue import TASKS

ROWS = {
    "wnli": ("index\tsentence1\tsentence2\tlabel", "{n}\tHe fell.\tWho fell?\t{label}", "01"),
    "rte": (
        "index\tsentence1\tsentence2\tlabel",
        "{n}\tIt rains.\tIt is wet.\t{label}",
        ("entailment", "not_entailment"),
    ),
    "mrpc": (
        "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String",
        '{label}\t7\t8\tHe said "no.\tShe said no."',
        "01",
    ),
    "cola": (None, "gj04\t{label}\t*\tThe bee hums.", "01"),
    "sst-2": ("sentence\tlabel", "a dull film \t{label}", "01"),
    "qqp": (
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate",
        "{n}\t1\t2\tWhy?\tWhy so?\t{label}",
        "01",
    ),
    "mnli": (
        "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
        "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tgold_label",
        "{n}\t1\t1e\tmail\t( a )\t( b )\t(A a)\t(B b)\tIt rains.\tIt is wet.\tneutral\t{label}",
        ("contradiction", "entailment", "neutral"),
    ),
}
"""Task -> header (none for CoLA), a row, the labels."""


def write_task(folder: Path, task: str, *bad: str) -> Path:
    header, row, labels = ROWS[task]
    folder.mkdir(exist_ok=True)
    for split, file in TASKS[task].files:
        lines = [] if header is None else [header]
        lines += [row.format(n=n, label=labels[n % len(labels)]) for n in range(6)]
        lines += bad if split == "train" else ()
        (folder / file).write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.mark.parametrize("task", ROWS)
def test_every_task_of_glue_is_read_from_its_own_layout(tmp_path: Path, task: str) -> None:
    corpus = read_corpus("glue", write_task(tmp_path, task), task)

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (6, 6, 6)
    assert corpus.problems == ()
    assert corpus.has_single_labels
    assert set(corpus.labels) == set(ROWS[task][2])
    document = corpus.train[0].document
    assert bool(document.title) == (len(TASKS[task].texts) == 2)
    assert document.text
    assert document.document_id == "train-1"


def test_dev_is_judged_where_glue_keeps_the_labels_of_the_test_set(tmp_path: Path) -> None:
    rte = read_corpus("glue", write_task(tmp_path / "RTE", "rte").parent, "rte")
    mnli = read_corpus("glue", write_task(tmp_path / "MNLI", "mnli").parent, "mnli")
    assert rte.test == rte.dev
    assert "Test is dev itself" in rte.remarks[0]
    assert mnli.test != mnli.dev
    assert "mismatched" in mnli.remarks[0]


def test_quotation_marks_in_glue_are_text(tmp_path: Path) -> None:
    document = read_corpus("glue", write_task(tmp_path, "mrpc"), "mrpc").train[0].document
    assert (document.title, document.text) == ('He said "no.', 'She said no."')


def test_a_carriage_return_within_a_row_of_glue_is_a_space(tmp_path: Path) -> None:
    stray = "7\t1\t2\tWhy\rso?\tHow so?\t1\r"
    corpus = read_corpus("glue", write_task(tmp_path, "qqp", stray), "qqp")
    assert len(corpus.train) == 7
    assert corpus.train[-1].document.title == "Why so?"
    assert corpus.problems == ()


def test_bad_rows_of_glue_are_skipped(tmp_path: Path) -> None:
    bad = ("7\t1\t2\tWhy?\tWhy so?", "8\t1\t2\t\tWhy?\t1", "9\t1\t2\ta\tb\t2")
    corpus = read_corpus("glue", write_task(tmp_path, "qqp", *bad), "qqp")
    assert len(corpus.train) == 6
    assert "5 fields for 6 columns" in corpus.problems[0]
    assert "no text in question1 or question2" in corpus.problems[1]
    assert "is_duplicate is '2'" in corpus.problems[2]


def test_unknown_tasks_and_missing_files_of_glue_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"data\.task is one of “wnli”, “rte”"):
        read_corpus("glue", tmp_path)
    with pytest.raises(ConfigError, match=r"no .*train\.tsv: the release of CoLA has it"):
        read_corpus("glue", tmp_path, "cola")


def write_trec(folder: Path) -> Path:
    kinds = ("DESC:manner How do bees hum ?", "HUM:ind Who wrote caf\xe9 ?", "NUM:date When ?")
    (folder / "train_5500.label").write_bytes(
        "\n".join(kinds * 10 + ("no class",)).encode("latin-1")
    )
    (folder / "TREC_10.label").write_bytes("\n".join(kinds).encode("latin-1"))
    return folder


def test_questions_are_read_by_coarse_and_by_fine_class(tmp_path: Path) -> None:
    coarse = read_corpus("trec", write_trec(tmp_path))
    fine = read_corpus("trec", tmp_path, "fine")

    assert (len(coarse.train), len(coarse.dev), len(coarse.test)) == (27, 3, 3)
    assert coarse.test[1].document.text == "Who wrote café ?"
    assert dict(coarse.labels) == {"DESC": "description", "HUM": "human", "NUM": "number"}
    assert fine.test[1].assigned == ("HUM:ind",)
    assert fine.labels["HUM:ind"] == "human: person"
    assert "line 31: the line is no COARSE:fine class" in coarse.problems[0]
    with pytest.raises(ConfigError, match="no task “coarse”"):
        read_corpus("trec", tmp_path, "coarse")


def test_reviews_are_read_from_their_folders(tmp_path: Path) -> None:
    for split in ("train", "test"):
        for label in ("neg", "pos"):
            folder = tmp_path / "aclImdb" / split / label
            folder.mkdir(parents=True)
            for number in range(10):
                text = f"A {label} film.<br /><br />Number {number}."
                (folder / f"{number}_7.txt").write_text(text, "utf-8")
    (tmp_path / "aclImdb" / "train" / "neg" / "bad.txt").write_bytes(b"caf\xe9")
    (tmp_path / "aclImdb" / "train" / "pos" / "empty.txt").write_text("<br />", "utf-8")
    corpus = read_corpus("imdb", tmp_path)

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (18, 2, 20)
    assert corpus.test[0].document.text == "A neg film.\nNumber 0."
    assert corpus.test[0].assigned == ("neg",)
    assert len(corpus.problems) == 2
    assert corpus.labels["pos"] == "positive"
    with pytest.raises(ConfigError, match=r"holds no \.txt file"):
        read_corpus("imdb", tmp_path / "aclImdb" / "train")


HEADER = "id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate"


def write_comments(folder: Path, n: int = 20) -> Path:
    rows = [f'{i},"You, {i}\nfool",{i % 2},0,0,0,{i % 2},0' for i in range(n)]
    (folder / "train.csv").write_text("\n".join((HEADER, *rows)) + "\n", "utf-8")
    tests = "\n".join(f"t{i},Nice {i}" for i in range(4))
    (folder / "test.csv").write_text(f"id,comment_text\n{tests}\n", "utf-8")
    return folder


def test_comments_without_public_labels_are_split_and_the_rest_left_out(tmp_path: Path) -> None:
    corpus = read_corpus("toxic", write_comments(tmp_path))

    assert len(corpus.train) + len(corpus.dev) + len(corpus.test) == 20
    assert {row.assigned for row in corpus.train} == {(), ("toxic", "insult")}
    assert list(corpus.labels) == HEADER.split(",")[2:]
    assert corpus.train[0].document.text.startswith("You, ")


def test_comments_that_were_scored_later_are_the_test_set(tmp_path: Path) -> None:
    header = HEADER.replace("comment_text,", "")
    scored = "t0,0,0,0,0,0,0\nt1,1,0,0,1,0,0\nt2,-1,-1,-1,-1,-1,-1\nt3,2,0,0,0,0,0\n"
    (write_comments(tmp_path) / "test_labels.csv").write_text(f"{header}\n{scored}", "utf-8")
    corpus = read_corpus("toxic", tmp_path)

    assert [(row.document_id, row.assigned) for row in corpus.test] == [
        ("t0", ()),
        ("t1", ("toxic", "threat")),
    ]
    assert (len(corpus.train), len(corpus.dev)) == (18, 2)
    assert "toxic is '2', neither 0 nor 1" in corpus.problems[0]


def test_bad_comments_are_skipped_and_missing_files_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no .*train\.csv: Kaggle"):
        read_corpus("toxic", tmp_path)
    write_comments(tmp_path, 2)
    (tmp_path / "test.csv").unlink()
    with (tmp_path / "train.csv").open("a", encoding="utf-8") as file:
        file.write("x,,0,0,0,0,0,0\ny,Hm,0,0,maybe,0,0,0\n")
    corpus = read_corpus("toxic", tmp_path)
    assert "x has no text" in corpus.problems[0]
    assert "obscene is 'maybe'" in corpus.problems[1]
    (tmp_path / "train.csv").write_text('id,comment_text\n1,"open\n', "utf-8")
    with pytest.raises(DocumentError):
        read_corpus("toxic", tmp_path)

"""The reader of tables of texts and labels, clean and dirty."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, DocumentError
from core.paths import PROJECT_ROOT
from training.corpora.corpus import Corpus
from training.corpora.readers import read_corpus

MESSAGES = PROJECT_ROOT / "docs" / "examples" / "patient-messages.csv"


def write_csv(path: Path, *rows: dict[str, str], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return path


def write_jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    return path


def letters(number: int, **more: str) -> list[dict[str, str]]:
    kinds = ("praise", "complaint")
    return [
        {"text": f"Letter, no. {n}\n“yours”", "label": kinds[n % 2], **more} for n in range(number)
    ]


def read(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    splits = (*corpus.train, *corpus.dev, *corpus.test)
    return {row.document_id: row.assigned for row in splits}


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_one_file_is_split_at_random_by_class(tmp_path: Path, suffix: str, delimiter: str) -> None:
    path = write_csv(tmp_path / f"letters.{suffix}", *letters(50), delimiter=delimiter)
    corpus = read_corpus("table", path)

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (32, 8, 10)
    assert sum(row.assigned == ("praise",) for row in corpus.test) == 5
    assert corpus.train[0].document.text.endswith("\n“yours”")
    assert dict(corpus.labels) == {"complaint": "complaint", "praise": "praise"}
    assert (corpus.name, corpus.problems) == ("letters", ())
    assert corpus.remarks
    assert read_corpus("table", path) == corpus


def test_a_folder_of_three_files_is_taken_as_it_is(tmp_path: Path) -> None:
    write_csv(tmp_path / "train.csv", *letters(4))
    write_jsonl(tmp_path / "valid.jsonl", *letters(2))
    write_csv(tmp_path / "test.tsv", *letters(3), delimiter="\t")
    corpus = read_corpus("table", tmp_path)

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (4, 2, 3)
    assert corpus.train[0].document_id == "train-1"
    assert set(corpus.sha256) == {"train.csv", "valid.jsonl", "test.tsv"}
    assert corpus.remarks == ()


def test_a_column_may_name_the_split(tmp_path: Path) -> None:
    rows = [
        {**row, "split": split}
        for split, n in (("Train", 4), ("dev", 2), ("validation", 1), ("test", 2))
        for row in letters(n)
    ]
    corpus = read_corpus("table", write_csv(tmp_path / "a.csv", *rows, {**rows[0], "split": "x"}))

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (4, 3, 2)
    assert "there is no split 'x'" in corpus.problems[0]


def test_several_labels_are_a_list_or_separated(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "text": "a", "labels": ["x", " y", "x", ""]},
        {"id": "2", "text": "b", "labels": "y; z ;;y"},
        {"id": "3", "text": "c", "labels": []},
        {"id": "4", "text": "d", "labels": None},
        {"id": "5", "text": "e", "labels": [3, True]},
    ]
    corpus = read_corpus("table", write_jsonl(tmp_path / "notes.jsonl", *rows))

    assert {key: set(labels) for key, labels in read(corpus).items()} == {
        "1": {"x", "y"},
        "2": {"y", "z"},
        "3": set(),
        "4": set(),
        "5": {"3", "true"},
    }


def test_a_single_label_is_never_taken_apart(tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": "a", "label": "up; down"} for n in range(3)]
    corpus = read_corpus("table", write_csv(tmp_path / "a.csv", *rows))
    assert set(read(corpus).values()) == {("up; down",)}


def test_the_task_names_the_column_of_the_labels(tmp_path: Path) -> None:
    rows = [{"text": "a", "label": "x", "mood": "glad", "tags": "b;c"} for _ in range(4)]
    path = write_csv(tmp_path / "a.csv", *rows)

    assert set(read_corpus("table", path, "mood").labels) == {"glad"}
    assert set(read_corpus("table", path, "tags").labels) == {"b", "c"}
    with pytest.raises(DocumentError, match="no column tone among text, label, mood, tags"):
        read_corpus("table", path, "tone")


def test_a_row_without_its_one_label_is_skipped(tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": "a", "mood": "glad" if n else ""} for n in range(5)]
    corpus = read_corpus("table", write_csv(tmp_path / "a.csv", *rows), "mood")
    assert "0" not in read(corpus)
    assert corpus.problems == ("0 has no label, where each row has one, so it is skipped.",)


def test_the_second_text_of_a_pair_is_the_part_and_the_first_the_title(tmp_path: Path) -> None:
    rows = [{"text": f"first {n}", "text2": "second", "label": "x"} for n in range(3)]
    corpus = read_corpus("table", write_csv(tmp_path / "pairs.csv", *rows))
    document = corpus.train[0].document
    assert (document.title[:5], document.text) == ("first", "second")


def test_a_title_is_kept_where_the_second_text_is_empty(tmp_path: Path) -> None:
    common = {"text": "They hum.", "label": "x"}
    rows = [
        {"id": "a", "title": "On bees", **common, "text2": ""},
        {"id": "b", "title": "", **common, "text2": ""},
    ]
    corpus = read_corpus("table", write_csv(tmp_path / "a.csv", *rows))
    read = {row.document_id: row.document for row in (*corpus.train, *corpus.dev, *corpus.test)}
    assert (read["a"].title, read["a"].text) == ("On bees", "They hum.")
    assert (read["b"].title, read["b"].text) == ("They hum.", "")  # half of a pair


def test_a_test_file_without_labels_is_left_out(tmp_path: Path) -> None:
    write_csv(tmp_path / "train.csv", *letters(20))
    write_csv(tmp_path / "test.csv", {"id": "q", "text": "What is this?"})
    corpus = read_corpus("table", tmp_path)

    assert len(read(corpus)) == 20


def test_bad_rows_are_skipped_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        '\ufefftext,label\n"good\nmorning",x\nno label,\n,x\none,two,three\nevening,y\n\n', "utf-8"
    )
    corpus = read_corpus("table", path)

    assert len(read(corpus)) == 2
    first, second, third = corpus.problems
    assert "line 4: the row has no label" in first
    assert "line 5: no text in the column text, among text, label" in second
    assert "line 6: the row has 3 fields for 2 columns" in third


def test_an_id_that_comes_twice_is_kept_in_test(tmp_path: Path) -> None:
    for name in ("train", "dev", "test"):
        write_csv(tmp_path / f"{name}.csv", *({"id": i, **letters(1)[0]} for i in ("1", name)))
    corpus = read_corpus("table", tmp_path)
    assert [row.document_id for row in corpus.train] == ["train"]
    assert [row.document_id for row in corpus.test] == ["1", "test"]


def numbered(split: str, number: int) -> list[dict[str, str]]:
    return [{"id": str(n), "text": f"{split} {n}", "label": "xy"[n % 2]} for n in range(number)]


def test_rows_that_are_numbered_anew_in_each_file_are_all_kept(tmp_path: Path) -> None:
    same = {"id": "leak", "text": "The same  text", "label": "x"}
    for split, number in (("train", 60), ("dev", 10), ("test", 40)):
        write_csv(tmp_path / f"{split}.csv", *numbered(split, number), same)
    corpus = read_corpus("table", tmp_path)

    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (60, 10, 41)
    assert [row.document_id for row in corpus.train][38:42] == ["train:38", "train:39", "40", "41"]
    assert corpus.train[0].document.text == "train 0"
    assert len(read(corpus)) == 111
    assert "40 ids stand for different texts" in corpus.problems[0]
    assert [p for p in corpus.problems if "A second leak is dropped" in p] == [*corpus.problems[1:]]


def test_a_text_that_was_mended_is_still_a_leak(tmp_path: Path) -> None:
    rows = numbered("act", 9)
    write_csv(tmp_path / "train.csv", *rows, {"id": "new", "text": "new", "label": "x"})
    write_csv(tmp_path / "test.csv", *rows[:8], {**rows[8], "text": "act 8, mended"})
    corpus = read_corpus("table", tmp_path)
    assert len(corpus.test) == 9
    assert set(read(corpus)) == {"new", *(row["id"] for row in rows)}


def test_gzipped_tables_are_read(tmp_path: Path) -> None:
    plain = write_csv(tmp_path / "a.csv", *letters(5))
    packed = tmp_path / "b.csv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(read_corpus("table", packed)) == read(read_corpus("table", plain))


def test_what_is_no_table_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no train\.csv, train\.tsv, train\.jsonl"):
        read_corpus("table", tmp_path)
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(ConfigError, match=r"none of \.csv, \.tsv, \.jsonl"):
        read_corpus("table", tmp_path / "a.xlsx")
    (tmp_path / "a.csv").write_bytes(f"text,label\n{'ä' * 30},x\n".encode() + b"caf\xe9,x\n" * 20)
    with pytest.raises(DocumentError, match="line 3: not text in UTF-8"):
        read_corpus("table", tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("text,label\n", "utf-8")
    with pytest.raises(DocumentError, match="0 usable records"):
        read_corpus("table", tmp_path / "b.csv")


def test_the_invented_patient_messages_have_the_shape_of_the_paper() -> None:
    urgency = read_corpus("table", MESSAGES, "urgency")
    acknowledgment = read_corpus("table", MESSAGES, "acknowledgment")

    assert set(urgency.labels) == {"non-urgent", "medium", "urgent"}
    assert set(acknowledgment.labels) == {"0", "1"}
    for corpus in (urgency, acknowledgment):
        assert (len(read(corpus)), corpus.problems) == (60, ())
        assert corpus.has_single_labels
        for name in ("train", "dev", "test"):
            assert {row.assigned[0] for row in corpus.split(name)} == set(corpus.labels)

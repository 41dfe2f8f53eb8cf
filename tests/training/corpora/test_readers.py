"""Readers of corpora, on invented rows, clean and dirty."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, DocumentError
from training.corpora.corpus import sha256_of
from training.corpora.readers import read_corpus

Row = dict[str, Any]


def row(number: int, **changes: Any) -> Row:
    act = {"celex_id": f"3{number:04}", "title": f"Regulation {number}", "text": ""}
    return {**act, "eurovoc_concepts": ["12", "34"], "date": "2015-01-31", **changes}


def write_jsonl(folder: Path, **lines: list[Row | str]) -> Path:
    for name, of_split in {"train": [row(1)], "dev": [row(2)], "test": [row(3)], **lines}.items():
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in of_split)
        (folder / f"{name}.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder


def write_release(folder: Path, **files: dict[str, Row | str]) -> Path:
    split = {name: {f"{name}.json": release_row(name)} for name in ("train", "dev", "test")}
    for name, contents in {**split, **files}.items():
        (folder / name).mkdir()
        for file, content in contents.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / name / file).write_text(text, encoding="utf-8")
    return folder


def release_row(document_id: str, **changes: Any) -> Row:
    sections = {
        "header": "THE COUNCIL,",
        "recitals": "Having regard",
        "main_body": ["Article 1", "Article 2"],
    }
    return {"celex_id": document_id, "title": "On vines", "concepts": ["12"], **sections, **changes}


def test_acts_are_read_with_title_text_concepts_and_date(tmp_path: Path) -> None:
    corpus = read_corpus("acts_jsonl", write_jsonl(tmp_path, train=[row(1, text=" Article 1 ")]))

    (first,) = corpus.train
    assert (first.document_id, first.document.title) == ("30001", "Regulation 1")
    assert first.document.text.strip() == "Article 1"
    assert first.is_full_text
    assert not first.title_alone().is_full_text
    assert first.assigned == ("12", "34")
    assert first.date == "2015-01-31"
    assert not corpus.dev[0].is_full_text
    assert corpus.problems == ()


def test_short_names_of_keys_and_gzip_are_read(tmp_path: Path) -> None:
    write_jsonl(tmp_path)
    (tmp_path / "train.jsonl").unlink()
    line = {"id": 7, "title": "Vines", "concepts": [12, "12", "34"]}
    with gzip.open(tmp_path / "train.jsonl.gz", "wt") as file:
        file.write(json.dumps(line) + "\n\n")

    corpus = read_corpus("acts_jsonl", tmp_path)

    assert corpus.train[0].document_id == "7"
    assert corpus.train[0].assigned == ("12", "34")
    assert corpus.sha256["train.jsonl.gz"] == sha256_of([tmp_path / "train.jsonl.gz"])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{broken", "not JSON"),
        ("[1, 2]", "not a JSON object"),
        (row(9, celex_id=" "), "no id"),
        (row(9, title="", text=" "), "neither a title nor a text"),
        (row(9, title=5), "title must be text"),
        (row(9, eurovoc_concepts="12"), "must be a list"),
        (row(9, eurovoc_concepts=[{"id": 12}]), "concept ids only"),
        ({"celex_id": "39", "title": "x"}, "no concepts"),
    ],
)
def test_a_bad_line_is_skipped_with_a_sentence_naming_file_and_line(
    tmp_path: Path, line: Row | str, complaint: str
) -> None:
    corpus = read_corpus("acts_jsonl", write_jsonl(tmp_path, train=[row(1), line, row(4)]))

    assert [act.document_id for act in corpus.train] == ["30001", "30004"]
    (problem,) = corpus.problems
    assert "train.jsonl, line 2" in problem
    assert complaint in problem


def test_a_line_that_is_not_utf8_is_skipped(tmp_path: Path) -> None:
    write_jsonl(tmp_path)
    good = json.dumps(row(1)).encode()
    (tmp_path / "train.jsonl").write_bytes(b'{"title": "caf\xe9"}\n' + good + b"\n")

    corpus = read_corpus("acts_jsonl", tmp_path)

    assert len(corpus.train) == 1
    assert "not text in UTF-8" in corpus.problems[0]


def test_an_act_of_two_splits_stays_in_the_later_one_only(tmp_path: Path) -> None:
    corpus = read_corpus("acts_jsonl", write_jsonl(tmp_path, train=[row(1), row(3), row(1)]))

    assert [act.document_id for act in corpus.train] == ["30001"]
    assert [act.document_id for act in corpus.test] == ["30003"]
    assert len(corpus.problems) == 2
    assert "30003 is dropped from train: test has it" in " ".join(corpus.problems)


def test_a_file_of_mostly_bad_lines_is_refused(tmp_path: Path) -> None:
    lines: list[Row | str] = [row(1), *(["not an act"] * 30)]
    with pytest.raises(DocumentError, match=r"1 usable records and 30 unusable"):
        read_corpus("acts_jsonl", write_jsonl(tmp_path, train=lines))


def test_an_empty_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"dev\.jsonl has 0 usable"):
        read_corpus("acts_jsonl", write_jsonl(tmp_path, dev=[]))


def test_a_damaged_gzip_is_refused(tmp_path: Path) -> None:
    write_jsonl(tmp_path)
    (tmp_path / "train.jsonl").unlink()
    (tmp_path / "train.jsonl.gz").write_bytes(gzip.compress(b"{}\n" * 500)[:-20])
    with pytest.raises(DocumentError, match="cannot be unpacked"):
        read_corpus("acts_jsonl", tmp_path)


def test_missing_files_folders_and_formats_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="no reader for 'xml'"):
        read_corpus("xml", tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=f"no corpus folder {re.escape(str(tmp_path))}/nowhere:"):
        read_corpus("acts_jsonl", Path("nowhere"))
    with pytest.raises(ConfigError, match=f"no file or folder {re.escape(str(tmp_path))}/no.csv:"):
        read_corpus("table", Path("no.csv"))
    with pytest.raises(ConfigError, match=r"neither .*train\.jsonl nor its \.gz"):
        read_corpus("acts_jsonl", tmp_path)
    with pytest.raises(ConfigError, match=r"holds no \.json file"):
        read_corpus("eurlex57k", tmp_path)


def test_the_release_keeps_its_sections_as_parts_in_reading_order(tmp_path: Path) -> None:
    act = release_row("31", attachments="ANNEX")
    corpus = read_corpus("eurlex57k", write_release(tmp_path, train={"31.json": act}))

    (read,) = corpus.train
    assert [part.kind for part in read.document.parts] == [
        "header",
        "recitals",
        "body",
        "attachments",
    ]
    assert read.document.text == "THE COUNCIL,\n\nHaving regard\n\nArticle 1\nArticle 2\n\nANNEX"
    assert read.assigned == ("12",)
    assert set(corpus.sha256) == {"train", "dev", "test"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "not JSON"),
        (release_row("32", main_body=[1]), "main_body must be a list of texts"),
        (release_row("32", header=["a"], concepts=None), "concepts must be a list"),
        ({"celex_id": "32", "concepts": []}, "neither a title nor a text"),
    ],
)
def test_a_bad_file_of_the_release_is_skipped_by_name(
    tmp_path: Path, content: Row | str, complaint: str
) -> None:
    files = {"31.json": release_row("31"), "32.json": content}
    corpus = read_corpus("eurlex57k", write_release(tmp_path, train=files))

    assert [act.document_id for act in corpus.train] == ["31"]
    (problem,) = corpus.problems
    assert "32.json" in problem
    assert complaint in problem


def test_the_acts_for_development_are_read(shared_data: Path) -> None:
    corpus = read_corpus("acts_jsonl", shared_data / "eurlex")
    assert (len(corpus.train), len(corpus.dev), len(corpus.test)) == (27_460, 1_962, 1_950)
    assert sum(act.is_full_text for act in corpus.test) == 123
    assert corpus.problems == ()

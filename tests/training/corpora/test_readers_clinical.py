"""Readers of CMC 2007 and CodiEsp, on invented reports and on the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, DocumentError
from training.corpora.readers import read_corpus


def report(number: int, *codes: str, impression: str = "Clear lungs &amp; heart.") -> str:
    gold = "".join(f'<code origin="CMC_MAJORITY" type="ICD-9-CM">{c}</code>' for c in codes)
    return (
        f'<doc id="{number}" type="RADIOLOGY_REPORT"><codes>{gold}'
        '<code origin="COMPANY1" type="ICD-9-CM">999.9</code></codes><texts>'
        '<text origin="X" type="CLINICAL_HISTORY">Cough.</text>'
        f'<text origin="X" type="IMPRESSION"> {impression} </text></texts></doc>'
    )


def write_reports(folder: Path, *reports: str) -> Path:
    (folder / "reports.xml").write_text(f"<docs>{''.join(reports)}</docs>", "utf-8")
    return folder


def test_a_report_keeps_its_parts_and_the_codes_of_the_majority(tmp_path: Path) -> None:
    reports = [report(n, "786.2", "780.6", "786.2") for n in range(10)]
    corpus = read_corpus("cmc2007", write_reports(tmp_path, *reports))

    row = corpus.train[0]
    assert [(part.kind, part.text) for part in row.document.parts] == [
        ("history", "Cough."),
        ("impression", "Clear lungs & heart."),
    ]
    assert row.assigned == ("786.2", "780.6")
    assert set(corpus.labels) == {"780.6", "786.2"}
    assert len(corpus.train) + len(corpus.dev) + len(corpus.test) == 10
    assert read_corpus("cmc2007", tmp_path / "reports.xml") == corpus


def test_reports_without_majority_or_text_are_skipped(tmp_path: Path) -> None:
    empty = report(3, "486", impression="").replace("Cough.", "")
    reports = [report(1, "486"), report(2), empty, report(4, "486"), report(4, "486")]
    corpus = read_corpus("cmc2007", write_reports(tmp_path, *reports))

    assert "report 2: 2 has no code of CMC_MAJORITY" in corpus.problems[0]
    assert "report 3: 3 has no text" in corpus.problems[1]
    assert "second 4 is dropped" in corpus.problems[2]
    assert len(corpus.train) + len(corpus.dev) + len(corpus.test) == 2


def test_what_is_no_file_of_reports_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds 0 XML files"):
        read_corpus("cmc2007", tmp_path)
    (tmp_path / "a.xml").write_text("<docs><doc>", "utf-8")
    with pytest.raises(DocumentError, match="cannot be read as XML"):
        read_corpus("cmc2007", tmp_path)
    write_reports(tmp_path)
    with pytest.raises(ConfigError, match="holds 2 XML files"):
        read_corpus("cmc2007", tmp_path)


def write_cases(folder: Path, **splits: list[dict[str, Any]]) -> Path:
    for name, rows in splits.items():
        text = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


def case(name: str, **changes: Any) -> dict[str, Any]:
    codes = {"icd10cm": ["N20.0", "k26.9"], "icd10pcs": ["CT13"]}
    return {"id": name, "text": "A case of stones.", **codes, **changes}


def test_a_case_has_its_diagnoses_or_its_procedures(tmp_path: Path) -> None:
    folder = write_cases(tmp_path, train=[case("a"), case("b", icd10cm=[])], dev=[case("c")])
    corpus = read_corpus("codiesp", folder)

    assert [row.assigned for row in corpus.train] == [("N20.0", "K26.9"), ()]
    assert set(corpus.labels) == {"K26.9", "N20.0"}
    assert read_corpus("codiesp", folder, "pcs").train[0].assigned == ("CT13",)


def test_dev_stands_for_a_test_set_that_is_kept_out(tmp_path: Path) -> None:
    corpus = read_corpus("codiesp", write_cases(tmp_path, train=[case("a")], dev=[case("b")]))
    assert corpus.test == corpus.dev
    assert "Test is dev itself" in corpus.remarks[0]

    write_cases(tmp_path, test=[case("c")])
    assert [row.document_id for row in read_corpus("codiesp", tmp_path).test] == ["c"]


def test_bad_cases_and_missing_files_are_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no train\.jsonl and dev\.jsonl"):
        read_corpus("codiesp", tmp_path)
    rows = [case("a"), case("b", text=""), case("c", icd10cm=None)]
    corpus = read_corpus("codiesp", write_cases(tmp_path, train=rows, dev=[case("d")]))
    assert [row.document_id for row in corpus.train] == ["a"]
    assert "b has no text" in corpus.problems[0]
    assert "icd10cm must be a list" in corpus.problems[1]


def test_the_real_reports_and_cases_are_counted(shared_data: Path) -> None:
    corpus = read_corpus("cmc2007", shared_data / "cmc2007")
    rows = [*corpus.train, *corpus.dev, *corpus.test]
    assert (len(rows), corpus.problems) == (782, ())
    # The challenge has 45 codes; the majority of its coders used 44 of them in these reports.
    assert len(corpus.labels) == 44
    assert sum(len(row.assigned) for row in rows) == 973

    cases = read_corpus("codiesp", shared_data / "codiesp")
    assert (len(cases.train), len(cases.dev), cases.problems) == (500, 250, ())

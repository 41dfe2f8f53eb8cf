"""What is learned of newer documents, and by which of them bundles are judged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.model.bundle.cards import read_card
from tests.support.labelled import act
from tests.support.models.tiny_ranker import write_ranked_bundle
from tests.support.stores import suggesting
from training.__main__ import main
from training.studies.newer_study import coverage_of, halves, newer_table, promised_table

ACTS = [
    *(act(f"3{2018 + n % 2}R{n:04}", "106", title="Fish") for n in range(9)),
    *(act(f"3{2018 + n}R{n + 100}", "203", title="Bay", text="honey") for n in range(4)),
]
"""Nine titles, and a text of each year from 2018 to 2021."""


def test_later_texts_and_a_third_of_the_titles_are_judged() -> None:
    learned, judged = halves(ACTS)
    assert [row.document_id[1:5] for row in judged if row.is_full_text] == ["2020", "2021"]
    assert sum(not row.is_full_text for row in judged) == 3
    assert {row.document_id for row in (*learned, *judged)} == {row.document_id for row in ACTS}
    again, _ = halves(ACTS[::-1])
    assert {row.document_id for row in again} == {row.document_id for row in learned}


def test_the_table_has_years_and_differences_by_hand() -> None:
    documents = [ACTS[0], ACTS[1], ACTS[9]]
    values = {"old": np.array([0.5, 0.5, 0.0]), "new": np.array([1.0, 0.5, 1.0])}
    lines = newer_table(values, documents).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert ["old", "titles (2)", "50.0", ""] in rows
    assert ["new", "titles of 2018 (1)", "100.0", "+50.0 (+50.0 to +50.0)"] in rows
    assert ["new", "full texts (1)", "100.0", "+100.0 (+100.0 to +100.0)"] in rows


def test_what_is_listed_and_what_is_promised_by_hand() -> None:
    """Of two titles with two concepts each three are listed; the first shown has two thirds of the mass."""
    documents = [
        act("32018R0001", "a", "b", title="Fish"),
        act("32019R0001", "a", "c", title="Bay"),
    ]
    predictions = {
        "32018R0001": suggesting("a", "b"),
        "32019R0001": suggesting("a", "d"),
    }
    coverage = coverage_of(predictions, documents, 2017, least=2)
    assert coverage.titles == (1.0, 0.5)
    assert coverage_of(predictions, documents, 2017, least=3).titles == (1.0,)
    rows = promised_table(predictions, documents, coverage, 1).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells[0] == ["titles (2)", "50.0", "50.0"]
    assert cells[1] == ["titles of 2018 (1)", "66.7", "50.0"]


def test_the_command_parts_and_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ranked_bundle(tmp_path / "bundle")
    rows = [
        {"id": row.document_id, "title": row.document.title, "text": row.document.text}
        | {"concepts": list(row.assigned)}
        for row in ACTS
    ]
    file = tmp_path / "acts.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    ids = tmp_path / "ids.txt"
    asked = ["measure", "newer", str(file), str(tmp_path / "bundle")]
    assert main([*asked, "--learned", str(ids)]) == 0
    assert len(ids.read_text("utf-8").split()) == 8
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "titles (3)" in shown
    assert "full texts of 2021 (1)" in shown
    assert main([*asked, "--in-turn", "--every"]) == 0
    assert "full texts (4)" in capsys.readouterr().out
    assert main([*asked, "--into", str(tmp_path / "bundle")]) == 0
    coverage = read_card(tmp_path / "bundle").coverage
    assert coverage is not None
    assert (coverage.learned_to, len(coverage.titles), len(coverage.full_texts)) == (2017, 1, 1)

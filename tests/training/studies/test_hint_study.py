"""How good hints are, by hand, and the command on a small bundle."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.review import hints
from core.suggest.suggestions import Prediction, Suggestion
from tests.support.fakes import hierarchy
from tests.support.places import TINY_SKOS
from tests.support.tables import unpadded
from training.__main__ import main
from training.studies.hint_study import (
    ForeignConcepts,
    ReadDocumentWithGold,
    missed_shares,
    odd_shares,
    points_of,
)

TINY = hierarchy()


def read(*gold: str, **chances: float) -> ReadDocumentWithGold:
    """A document with its concepts, and suggestions named c101 and so on."""
    best = sorted(((p, name[1:]) for name, p in chances.items()), reverse=True)
    rows = tuple(Suggestion(i, "", None, i, p, p, n) for n, (p, i) in enumerate(best, start=1))
    return ReadDocumentWithGold(Prediction(rows, {}, 1, 1, 1, "h", "1", 0.0), gold)


def test_every_concept_is_taken_away_in_turn() -> None:
    rows = [
        read("101", "102", "201", "202", c101=0.9, c102=0.3, c201=0.2),  # 201 and 202 not found
        read("101", "302", c101=0.9, c102=0.8, c201=0.7, c202=0.6, c302=0.5),  # 302 is the fourth
        read("101", c101=0.9),  # nothing else was assigned
    ]
    found = missed_shares(rows, TINY)
    assert found[:2].tolist() == [2 / 4, 1 / 2]
    assert np.isnan(found[2])


def test_a_foreign_concept_is_odd_unless_it_is_probable() -> None:
    rows = [read("101", c101=0.9, c102=0.5), read("101", c101=0.9), read("101", c101=0.9)]
    foreign = {0: ["102", "302"], 1: ["302"], 2: []}
    given = iter(foreign.values())
    found = odd_shares(rows, lambda row: next(given))
    assert found[:2].tolist() == [1 / 2, 1]
    assert np.isnan(found[2])


def test_foreign_concepts_are_of_other_documents_and_alike_of_the_same_branch() -> None:
    rows = [read("101"), read("102"), read("302"), read("101", "102", "302")]
    drawing = ForeignConcepts(rows, TINY)
    drawn = {concept for _ in range(20) for concept in drawing.any(rows[0])}
    assert drawn == {"102", "302"}
    assert set(drawing.alike(rows[0])) == {"102"}
    assert drawing.alike(rows[2]) == drawing.any(rows[3]) == []
    assert ForeignConcepts(rows, TINY).any(rows[0]) == ForeignConcepts(rows, TINY).any(rows[0])


def test_needless_hints_are_those_on_documents_as_they_are() -> None:
    rows = [read("101", "302", c101=0.9, c102=0.8), read("201", "302", c201=0.9, c302=0.4)]
    missed, odd = points_of("titles", rows, TINY)
    assert (missed.hint, missed.needless, missed.found) == ("missed", 1 / 2, 3 / 4)
    assert (odd.hint, odd.needless) == ("odd", 1 / 2), "302 was not suggested for the first"
    assert missed.low <= missed.found <= missed.high


def test_the_command_keeps_what_it_finds_for_the_app(
    corpus: Path,
    tiny_bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("STRATA_HOME", str(tmp_path / "home"))
    record, out = tmp_path / "measured.json", tmp_path / "hints"
    monkeypatch.setattr(hints, "MEASURED", record)
    record.write_text('{"other": {}}')
    data = ["--data", str(corpus), "--vocabulary", str(TINY_SKOS)]
    words = [str(tiny_bundle), *data, "--out", str(out), "--record"]
    for split in ("dev", "test", "test"):  # a measurement takes the place of the one before
        assert main(["measure", "hints", *words, "--split", split]) == 0
    kept = [json.loads(line) for line in (out / "points.jsonl").read_text("utf-8").splitlines()]
    assert [row["split"] for row in kept] == ["dev", "test"]
    page = unpadded((out / "README.md").read_text("utf-8"))
    assert "| titles | missed |" in page and "| odd beside its like |" in page
    assert "| titles | missed |" in unpadded(capsys.readouterr().out)
    known = json.loads(record.read_text("utf-8"))
    (vocabulary,) = known.keys() - {"other"}
    assert known[vocabulary]["titles"].keys() == {"missed", "odd"}
    assert main(["measure", "hints", *data, "--finished", "3", "--record"]) == 0
    assert hints.NO_MODEL in json.loads(record.read_text("utf-8"))

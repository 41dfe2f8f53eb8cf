"""The program does what was recorded: see `tests.golden`."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.review.store.schema import examine
from tests.golden import decided_store, subject
from tests.golden.results import (
    BACKUP,
    DATABASE,
    commands,
    contents,
    exports,
    golden,
    golden_exports,
    predictions,
)

TOLERANCE = 1e-5
# A tree of a ranker may jump where processors differ by the last bit.
RANKED_TOLERANCE = 0.1
# Shares are quotients of probabilities, and may differ by more.
SHARE_TOLERANCE = 1e-3


# Of codes, a ranker turns differences of int8 between processors into some thousandths.
CODES_TOLERANCE = 5e-3


def same_values(
    found: dict[str, float], recorded: dict[str, float], tolerance: float = TOLERANCE
) -> None:
    """Probabilities of the concepts that both have, which are nearly all."""
    both = found.keys() & recorded.keys()
    assert len(both) >= 0.8 * max(len(found), len(recorded))
    for concept_id in both:
        assert found[concept_id] == pytest.approx(recorded[concept_id], abs=tolerance)


def same_suggestions(
    found: list[list[Any]], recorded: list[list[Any]], at: int, tolerance: float = TOLERANCE
) -> None:
    """The same order except between ties, and the same values; a tie may end the list.

    Args:
        at: the place of the probability in a suggestion, which begins with its concept id.
    """
    assert len(found) == len(recorded)
    values = [suggestion[at] for suggestion in found]
    assert values == pytest.approx([suggestion[at] for suggestion in recorded], abs=tolerance)
    by_id = {suggestion[0]: suggestion for suggestion in recorded}
    for suggestion in found:
        if suggestion[0] not in by_id:
            assert suggestion[at] == pytest.approx(recorded[-1][at], abs=tolerance)
            continue
        for value, was in zip(suggestion, by_id[suggestion[0]], strict=True):
            is_number = isinstance(was, float)
            assert value == (pytest.approx(was, abs=tolerance) if is_number else was), suggestion


def same_prediction(found: dict[str, Any], recorded: dict[str, Any], tolerance: float) -> None:
    assert found["n_tokens"] == recorded["n_tokens"]
    same_suggestions(found["suggestions"], recorded["suggestions"], 1, tolerance)
    same_values(found["branch"], recorded["branch"], tolerance)
    same_values(found["own"], recorded["own"], tolerance)


def same_evidence(found: dict[str, Any], recorded: dict[str, Any]) -> None:
    for concept_id in found.keys() & recorded.keys():
        here, there = found[concept_id], recorded[concept_id]
        assert here["sources"] == pytest.approx(there["sources"], abs=TOLERANCE)
        shares = [share for _, share, _ in here["passages"]]
        assert shares == pytest.approx(
            [share for _, share, _ in there["passages"]], abs=SHARE_TOLERANCE
        )
        texts = {text for text, *_ in here["passages"]}
        assert texts == {text for text, *_ in there["passages"]}


@pytest.mark.parametrize("bundle", subject.BUNDLES)
def test_a_shipped_bundle_suggests_what_it_did(bundle: str, tmp_path: Path) -> None:
    found, recorded = predictions(bundle, tmp_path), golden(f"predictions-{bundle}")
    assert found.keys() == recorded.keys()
    tolerance = TOLERANCE if bundle == "eurovoc" else CODES_TOLERANCE
    for way in found.keys() - {"evidence"}:
        for here, there in zip(found[way], recorded[way], strict=True):
            same_prediction(here, there, tolerance)
    for here, there in zip(found["evidence"], recorded["evidence"], strict=True):
        same_evidence(here, there)


def test_the_command_line_prints_what_it_did(tmp_path: Path) -> None:
    found, recorded = commands(tmp_path), golden("commands")
    assert found["vocabulary"] == recorded["vocabulary"]
    assert found["suggest"].keys() == recorded["suggest"].keys()
    for name, lines in found["suggest"].items():
        tolerance = RANKED_TOLERANCE if name == "eurovoc" else CODES_TOLERANCE
        for line, there in zip(lines, recorded["suggest"][name], strict=True):
            assert line["id"] == there["id"]
            same_suggestions(line["suggestions"], there["suggestions"], 2, tolerance)


def recorded_database(folder: Path) -> Path:
    """A database as it was when it was recorded."""
    file = folder / "recorded.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(gzip.decompress(DATABASE.read_bytes()).decode())
    return file


def agrees_with_records(url: str) -> None:
    found, recorded = exports(url), golden_exports()
    assert found.keys() == recorded.keys()
    for name, content in recorded.items():
        assert found[name] == content, name
    held, before = contents(url), golden("contents")
    # A column that came later says nothing of what was recorded.
    for project, there in zip(held.pop("projects"), before.pop("projects"), strict=True):
        assert {name: project[name] for name in there} == there
    assert without_later_fields(held) == before


LATER_FIELDS = (
    "model_probability",
    "elsewhere",
    "cited",
    "denied",
    "judged",
    "is_urgent",
    "annotation_of",
    "annotator_id",
    "person_id",
    "shown",
)


def without_later_fields(content: object) -> object:
    """Return what was read of a store as it was before predictions had these columns."""
    if isinstance(content, dict):
        kept = {k: v for k, v in content.items() if k not in LATER_FIELDS}
        return {key: without_later_fields(value) for key, value in kept.items()}
    if isinstance(content, list):
        return [without_later_fields(value) for value in content]
    return content


def test_what_is_decided_now_is_exported_as_it_was(tmp_path: Path) -> None:
    agrees_with_records(decided_store.write_store(tmp_path / "new.sqlite"))


def test_a_recorded_database_opens_with_the_same_content(tmp_path: Path) -> None:
    file = recorded_database(tmp_path)
    assert examine(file)[0] == []
    before = decided_store.rows(file)
    agrees_with_records(f"sqlite:///{file}")
    assert decided_store.rows(file) == before


def test_the_rows_of_a_new_database_are_those_of_the_recorded_one(tmp_path: Path) -> None:
    decided_store.write_store(tmp_path / "new.sqlite")
    recorded = decided_store.rows(recorded_database(tmp_path))
    assert decided_store.rows(tmp_path / "new.sqlite") == recorded


def test_a_recorded_backup_is_restored(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    url = f"sqlite:///{home}/strata.sqlite"
    subject.restore_backup(BACKUP, url, home)
    agrees_with_records(url)
    assert [path.name for path in (home / "vocabularies").iterdir()] == ["ward"]

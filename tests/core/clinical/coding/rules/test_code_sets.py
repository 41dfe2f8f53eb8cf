"""The check on the table of code sets that was written before the rules."""

from __future__ import annotations

from pathlib import Path

from core.vocabulary.concepts import Hierarchy
from tests.core.clinical.coding.score import read_rows

TABLE = Path(__file__).parents[1] / "code_sets.jsonl"
# Decided by the guideline against the table; docs/clinical.md says why.
MISSED = {("set-148", "use_additional"), ("set-168", "invalid_or_incomplete")}
FALSE = {("set-046", "order"), ("set-055", "first"), ("set-117", "combined")}


def test_what_the_table_expects_is_found_and_nothing_else(tree: Hierarchy) -> None:
    rows = list(read_rows(TABLE, tree))
    assert len(rows) == 200
    assert {(row.row_id, one["rule"]) for row in rows for one in row.missed()} == MISSED
    assert {(row.row_id, one.kind) for row in rows for one in row.false()} == FALSE


def test_a_code_has_one_note_at_most(tree: Hierarchy) -> None:
    for row in read_rows(TABLE, tree):
        noted = [c for one in row.found if one.severity == "note" for c in one.concept_ids]
        assert len(noted) == len(set(noted)), row.row_id


def test_a_remedy_leaves_codes_in_one_order(tree: Hierarchy) -> None:
    for row in read_rows(TABLE, tree):
        for finding in row.found:
            remedy = finding.remedy
            if remedy is not None and remedy.order:
                assert len(set(remedy.order)) == len(remedy.order), finding
                assert set(remedy.add) <= set(remedy.order), finding
                assert not set(remedy.remove) & set(remedy.order), finding

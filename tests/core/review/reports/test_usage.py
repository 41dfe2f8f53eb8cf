from __future__ import annotations

import pytest

from core.review.reports.usage import Usage, touched, usage
from core.review.store.store import Store

pytestmark = pytest.mark.usefixtures("on_both")


def test_usage_counts_what_holds_on_the_list_of_one_project(used_store: Store) -> None:
    found = usage(used_store, 1, "c1")
    assert (found.n_accepted, found.n_rejected) == (2, 1)
    assert [(one.document_id, one.title, one.state) for one in found.documents] == [
        ("three", "three", "accepted"),
        ("two", "two", "rejected"),
        ("one", "one", "accepted"),
    ]
    assert found.documents[0].decided_at >= found.documents[1].decided_at
    assert len(usage(used_store, 1, "c1", limit=2).documents) == 2


def test_a_concept_that_nobody_decided_has_no_usage(used_store: Store) -> None:
    assert usage(used_store, 1, "c3") == usage(used_store, 1, "nowhere") == Usage(0, 0, ())


def test_what_is_excluded_or_of_another_project_counts_as_neither(used_store: Store) -> None:
    excluded = usage(used_store, 1, "c2")
    assert (excluded.n_accepted, excluded.n_rejected) == (0, 0)
    assert usage(used_store, 99, "c1") == Usage(0, 0, ())


def test_what_a_new_version_touches_is_told_by_concept(used_store: Store) -> None:
    many = [f"x{number}" for number in range(1200)]
    found = touched(used_store, 1, [*many, "c1", "c2", "c3", "c1"])
    assert {key: [one.document_id for one in theirs] for key, theirs in found.items()} == {
        "c1": ["one", "two", "three"],
        "c2": ["one"],
    }
    assert found["c2"][0].state == "excluded"
    assert touched(used_store, 1, []) == {}

"""What learning has brought, against values by hand, and when it is worse than none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.reports import finished
from core.review.reports.finished import count_finished, finished_documents, taught_versions
from core.review.reports.learning import FEWEST, JudgedOrder, effect_of, learning_effect
from core.review.store.arrivals import add_document
from core.review.store.projects import Learning, keep_learning, list_projects
from core.review.store.store import Store
from tests.support.learned_runs import RIGHT, WRONG, finish
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("single_thread")


def test_both_orders_are_judged_by_what_was_assigned() -> None:
    effect = effect_of(
        [
            JudgedOrder(["a", "b"], ["a", "b", "x", "y", "z"], ["x", "y", "z", "v", "w"]),
            JudgedOrder(["a"], ["x", "y", "z", "v", "w"], ["a", "x", "y", "z", "v"]),
        ]
    )
    assert effect.n_documents == 2
    assert effect.right == pytest.approx((2 + 0) / 2)
    assert effect.right_without == pytest.approx((0 + 1) / 2)
    assert effect.gain.mean_difference == pytest.approx(0)
    assert not effect.is_worse and not effect.is_better


def test_it_is_worse_only_where_that_is_no_chance() -> None:
    good, bad = [*RIGHT, "x", "y"], list(WRONG)
    worse = [JudgedOrder(RIGHT, bad, good)] * FEWEST
    assert effect_of(worse).is_worse
    assert not effect_of(worse[:-1]).is_worse, "too few"
    assert effect_of([JudgedOrder(RIGHT, good, bad)] * FEWEST).is_better
    both = [*worse[: FEWEST // 2], *[JudgedOrder(RIGHT, good, bad)] * (FEWEST // 2)]
    assert not effect_of(both).is_worse


def test_decisions_at_random_contradict_the_model() -> None:
    wrong = [JudgedOrder(["q"], list(WRONG), [*RIGHT, "x", "y"], expected=3.0)] * FEWEST
    assert effect_of(wrong).is_contradicted and not effect_of(wrong).is_worse
    assert effect_of(wrong).expected == pytest.approx(3.0)
    assert not effect_of(wrong[:-1]).is_contradicted, "too few"
    helped = [JudgedOrder(["q"], ["q", *WRONG[:4]], [*RIGHT, "x", "y"], expected=3.0)] * FEWEST
    assert not effect_of(helped).is_contradicted, "learning knows better than the model"
    right = [JudgedOrder(RIGHT, list(RIGHT), list(RIGHT), expected=2.5)] * FEWEST
    assert not effect_of(right).is_contradicted


def test_only_documents_count_for_which_learning_took_part(store: Store, project_id: int) -> None:
    assert learning_effect(store, project_id) is None
    finish(store, project_id, 1, learned=RIGHT, alone=WRONG)
    finish(
        store, project_id, 2, learned=RIGHT, alone=WRONG, n_known=0
    )  # before anything was learned
    finish(store, project_id, 3, learned=RIGHT, alone=WRONG, assigned=())
    found = learning_effect(store, project_id)
    assert found is not None
    assert (found.n_documents, found.right, found.right_without) == (1, 3, 0)
    later = datetime.now(UTC).isoformat()
    assert learning_effect(store, project_id, since=later) is None


def test_what_the_model_expected_comes_with_a_finished_document(
    store: Store, project_id: int
) -> None:
    finish(store, project_id, 1, learned=RIGHT, alone=("a", "x"))
    versions = taught_versions(store, project_id)
    (known,) = finished_documents(store, versions, versions)
    assert known.suggested == pytest.approx({"a": 0.8, "x": 0.7})


def test_what_was_ruled_out_with_all_below_comes_with_a_finished_document(
    store: Store, project_id: int
) -> None:
    add_document(store, Document.from_text("act", "Olives", ""), project_id=project_id)
    send(
        store, Operation(1, "exclude", "a"), Operation(2, "reject", "b"), Operation(3, "finish", "")
    )
    versions = taught_versions(store, project_id)
    (known,) = finished_documents(store, versions, versions)
    assert (set(known.rejected), known.excluded) == ({"a", "b"}, ("a",))


def test_a_project_that_does_not_learn_is_taught_nothing(store: Store, project_id: int) -> None:
    finish(store, project_id, 1, learned=RIGHT, alone=WRONG)
    assert taught_versions(store, project_id).keys() == {"doc-0001"}
    off = Learning(is_on=False, since="2026-11-23T10:00:00+00:00", reason="It was worse.")
    keep_learning(store, project_id, off)
    assert taught_versions(store, project_id) == {}
    assert count_finished(store, project_id) == 1
    assert [row.learning for row in list_projects(store)] == [off]


def test_the_documents_that_were_finished_last_teach(
    store: Store, project_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finished, "MOST_TAUGHT", 2)
    for number in (3, 1, 2):
        finish(store, project_id, number, learned=RIGHT, alone=WRONG)
    assert taught_versions(store, project_id).keys() == {"doc-0001", "doc-0002"}

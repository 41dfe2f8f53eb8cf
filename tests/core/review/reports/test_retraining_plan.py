"""Whether there is enough to retrain from, and why not."""

from __future__ import annotations

import pytest

from core.review.decisions.recording import Operation
from core.review.reports import retraining_plan as module
from core.review.reports.retraining_plan import retraining_plan, why_no_encoder
from core.review.store.documents import remove_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.learned_runs import RIGHT, WRONG, finish
from tests.support.stores import send


def finished(store: Store, number: int, assigned: tuple[str, ...] = RIGHT) -> None:
    project = default_project(store, "garden")
    finish(store, project.project_id, number, learned=RIGHT, alone=WRONG, assigned=assigned)


def test_documents_count_that_are_finished_with_something_assigned(store: Store) -> None:
    for number in range(11):
        finished(store, number)
    finished(store, 11, ())
    assert retraining_plan(store, 1) == module.RetrainingPlan(11)
    send(store, Operation(9, "reopen", None), client_id="doc-0003", document_id="doc-0003")
    remove_document(store, "doc-0004")
    plan = retraining_plan(store, 1)
    assert plan.n_usable == 9
    assert plan.problem.startswith("9 finished documents of this project have a concept")
    assert retraining_plan(store, 2).n_usable == 0


def test_two_must_be_new_to_what_serves(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST_FINISHED", 3)
    for number in range(4):
        finished(store, number)
    ids = [f"doc-{number:04}" for number in range(4)]
    plan = retraining_plan(store, 1, is_known=lambda document: document.document_id in ids[:2])
    assert plan.problem == ""
    plan = retraining_plan(store, 1, is_known=lambda document: document.document_id in ids[1:])
    assert "retrained from these documents already" in plan.problem


def test_an_encoder_must_be_there_and_read_whole_documents() -> None:
    guided = {"suggesters": ["guided"], "reading": {}}
    assert why_no_encoder(guided, "garden") == ""
    assert "garden has no model" in why_no_encoder(None, "garden")
    assert "garden has no model" in why_no_encoder({**guided, "suggesters": ["linear"]}, "garden")
    for name in ("pair", "first_only"):
        assert "beginnings" in why_no_encoder({**guided, "reading": {name: True}}, "garden")

"""The figures of agreement on Insights, of annotations that were made blind."""

from __future__ import annotations

import pytest

from core.agreement.codes import AssignedCode, AuditedEncounter
from core.agreement.summary import summary
from core.review.annotations.access import annotations_to_make
from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation, record
from core.review.people.accounts import add_account
from core.review.people.memberships import give_role
from core.roles import Role
from core.serving.session import Session
from pages.figures.agreement import AgreementFigures, coders, differences, with_model
from tests.support.app_documents import add_act
from tests.support.app_insights import insights_page
from tests.support.fakes import hierarchy


def annotate(shared: Session, document_id: str, by_person: dict[int, tuple[str, ...]]) -> None:
    """Have two people annotate a document, and finish."""
    store, project_id = shared.server.store(), shared.project_id()
    ask_twice(store, project_id, [document_id], list(by_person), asked_by=1)
    for person_id, concept_ids in by_person.items():
        row = annotations_to_make(store, project_id, person_id)[document_id]
        added = [Operation(n, "add", i) for n, i in enumerate(concept_ids, start=1)]
        operations = [*added, Operation(len(added) + 1, "finish", shown=3)]
        receipt = record(
            store, document_id=row, person_id=person_id, client_id=row, operations=operations
        )
        assert not receipt.refused


def add_indexers(shared: Session) -> None:
    for name, shown in (("jo", "Jo Berg"), ("ann", "")):
        add_account(shared.server.store(), name, display_name=shown)
        give_role(shared.server.store(), name, shared.project_id(), Role.INDEXER)


def test_two_annotations_are_compared_by_pair_branch_and_concept(shared: Session) -> None:
    add_indexers(shared)
    for name in ("a", "b"):
        add_act(shared, name, f"On {name}")
    annotate(shared, "a", {2: ("101", "201"), 3: ("101", "201")})
    annotate(shared, "b", {2: ("101",), 3: ("201",)})
    page = insights_page(topic="Agreement")
    (sentence,) = (one.value for one in page.markdown if "without seeing each other" in one.value)
    assert "On 2 documents" in sentence and "**50 %** of what two assigned" in sentence
    assert "on 50 % nobody would have to change anything" in sentence
    tables = {next(iter(one.value.columns)): one.value for one in page.dataframe}
    assert tables["people"]["people"].tolist() == ["all", "ann, Jo Berg"]
    assert tables["people"]["the same %"].tolist() == [50.0, 50.0]
    assert tables["level"]["level"].tolist()[0] == "1"
    used = tables["concept"].set_index("id")["used"]
    assert (used["101"], used["201"]) == (3, 3)
    assert tables["person"]["typed though listed"].notna().all()


def test_without_annotations_it_says_how_to_come_to_some(shared: Session) -> None:
    add_indexers(shared)
    (said,) = (one.value for one in insights_page(topic="Agreement").info)
    assert "No document has two finished annotations yet" in said


def test_codings_are_audited_by_coder_and_kind() -> None:
    first, second = AssignedCode("101"), AssignedCode("201")
    encounters = [
        AuditedEncounter("a", "jo", (first, second), (first, second)),
        AuditedEncounter("b", "jo", (second, first), (first, second)),
    ]
    figures = AgreementFigures(summary([], encounters, hierarchy()), {"jo": "Jo Berg"}, {})
    audit = coders(figures)
    assert audit is not None
    assert audit.rows == [("Jo Berg", 2, 50.0, 50.0, 100.0, 1, 0, 0)]
    kinds = differences(figures)
    assert kinds is not None
    assert [(row[0], *row[2:]) for row in kinds.rows] == [
        ("Jo Berg", "other order", 1),
        ("Jo Berg", "other principal", 1),
    ]


@pytest.mark.parametrize("figure", [coders, differences])
def test_documents_that_are_no_encounters_have_no_audit(figure: object) -> None:
    figures = AgreementFigures(summary([], [], hierarchy()), {}, {})
    assert callable(figure) and figure(figures) is None
    assert "nothing to measure" in with_model(figures).sentence

"""Documents that arrive in numbers are stored together, and each once."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import event

from core.clinical.stay import Identifier, Stay
from core.documents.document import Document, Part
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import (
    ADDED,
    HERE,
    RESTORED,
    Arrival,
    add_documents,
    find_same_text,
)
from core.review.store.documents import given_concepts, remove_document
from core.review.store.projects import default_project
from core.review.store.store import Store

pytestmark = pytest.mark.usefixtures("on_both")


def arrival(document_id: str, text: str, *given: str) -> Arrival:
    return Arrival(Document.from_text(document_id, f"Title of {document_id}", text), given)


def test_what_is_new_is_added_with_its_concepts_and_batch(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    arrivals = [arrival("a", "Herring.", "101", "102"), arrival("", "Honey.")]
    outcomes = add_documents(store, arrivals, project_id=project_id, batch="acts.csv")
    assert [one.kind for one in outcomes] == [ADDED, ADDED]
    assert given_concepts(store, "a") == ("101", "102")
    assert {one.batch for one in list_documents(store, project_id)} == {"acts.csv"}


def kinds(store: Store, *arrivals: Arrival, vocabulary: str = "tiny") -> list[tuple[str, str]]:
    project_id = default_project(store, vocabulary).project_id
    outcomes = add_documents(store, arrivals, project_id=project_id, batch="x")
    return [(outcome.document_id, outcome.kind) for outcome in outcomes]


def test_the_same_text_is_added_once_and_comes_back_from_the_bin(store: Store) -> None:
    first = [arrival("a", "Herring."), arrival("b", "Honey."), arrival("", "Herring.", "101")]
    assert kinds(store, *first) == [("a", ADDED), ("b", ADDED), ("a", HERE)]
    assert given_concepts(store, "a") == ("101",)
    remove_document(store, "b")
    assert kinds(store, arrival("b", "Honey.")) == [("b", RESTORED)]
    assert kinds(store, arrival("", "Honey."), arrival("a", "Herring.")) == [
        ("b", HERE),
        ("a", HERE),
    ]


def test_the_same_text_under_another_id_is_another_document_and_pointed_out(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    ids = ["a", "b", "a-2", "0012", "12"]
    for _ in range(2):  # the second time, all of them are here
        outcomes = add_documents(
            store, [arrival(i, "Herring.") for i in ids], project_id=project_id, batch="x"
        )
        assert [outcome.document_id for outcome in outcomes] == ids
    first = [outcome.kind for outcome in outcomes]
    assert (first, find_same_text(store, "a"), find_same_text(store, "12")) == (
        [HERE] * 5,
        "b",
        "a",
    )
    assert find_same_text(store, "nothing") is None


def test_an_id_that_another_text_or_project_has_is_known_again_by_what_became_of_it(
    store: Store,
) -> None:
    kinds(store, arrival("a", "Honey."), vocabulary="other")
    for expected in (ADDED, HERE):
        assert kinds(store, arrival("a", "Herring."), arrival("a", "Sole.")) == [
            ("a-2", expected),
            ("a-3", expected),
        ]
    long = "x" * 400
    assert [kind for _ in "12" for _, kind in kinds(store, arrival(long, "Bees."))] == [ADDED, HERE]


def test_a_title_alone_is_the_document_of_that_id_and_title(store: Store) -> None:
    kinds(store, arrival("a", "Herring."))
    assert kinds(store, arrival("a", "")) == [("a", HERE)]
    assert kinds(store, Arrival(Document("a", "Another title", ()))) == [("a-2", ADDED)]


def film(document_id: str = "", day: date | None = None, **stay: object) -> Arrival:
    part = Part("Normal chest film.", "Radiology report", day)
    known = Stay(**stay) if stay else None  # type: ignore[arg-type]
    return Arrival(Document(document_id, "Radiology report", (part,), known))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (film(patient=Identifier("P1")), film(patient=Identifier("P2"))),
        (film(patient=Identifier("P1", "urn:a")), film(patient=Identifier("P1", "urn:b"))),
        (film(encounter=Identifier("E1")), film(encounter=Identifier("E2"))),
        (film(), film(patient=Identifier("P2"))),
        (film(admitted=date(2026, 1, 1)), film(admitted=date(2026, 1, 2))),
        (film(age_years=40, sex="male"), film(age_years=40, sex="female")),
        (film("a"), film("b")),
        (film(day=date(2026, 1, 1)), film(day=date(2026, 1, 2))),
        (film(), film()),
        (film(patient=Identifier("P2")), film()),
    ],
)
def test_two_patients_with_one_text_are_two_encounters(first, second, store: Store) -> None:
    outcomes = kinds(store, first, second, vocabulary="icd10cm")
    assert [kind for _, kind in outcomes] == [ADDED, ADDED]
    again = kinds(store, first, second, vocabulary="icd10cm")
    assert again == [(document_id, HERE) for document_id, _ in outcomes]


def test_an_encounter_of_which_less_is_known_is_the_one_that_is_here(store: Store) -> None:
    ((document_id, _),) = kinds(store, film("a", sex="male"), vocabulary="icd10cm")
    assert kinds(store, film("a"), vocabulary="icd10cm") == [(document_id, HERE)]


def test_a_comment_comes_along(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    kinds(store, Arrival(Document.from_text("a", "A", "Bees."), comment="look again"))
    assert [line.comment for line in list_documents(store, project_id)] == ["look again"]


def test_many_take_one_commit(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    commits: list[object] = []
    event.listen(store.engine, "commit", commits.append)
    arrivals = [arrival(str(n), f"Herring {n}.") for n in range(60)]
    add_documents(store, arrivals, project_id=project_id, batch="x")
    assert len(commits) == 1
    assert len(list_documents(store, project_id)) == 60

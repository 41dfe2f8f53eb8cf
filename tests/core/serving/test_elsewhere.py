"""A project that asks a suggester elsewhere: what is stored, what is taught, and what stays off."""

from __future__ import annotations

from pathlib import Path

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.reports.outline import outline
from core.review.store.arrivals import add_document
from core.review.store.predictions import latest_prediction
from core.review.store.projects import keep_elsewhere, list_projects, make_project
from core.serving.choosing import wait_until_loaded
from core.serving.session import Session
from core.suggest.elsewhere.choice import ANNIF, SuggesterElsewhere
from core.suggest.related import suggested_for
from core.suggest.suggestions import Prediction
from tests.support.fakes import fake_session
from tests.support.stores import send
from tests.support.suggester_host import SuggesterHost
from tests.support.waiting import PATIENCE_SECONDS


def asking(place: Session, host: SuggesterHost) -> Session:
    """The project from now on, which asks the host."""
    chosen = SuggesterElsewhere(ANNIF, host.address, "tiny-en")
    keep_elsewhere(place.server.store(), place.project_id(), chosen)
    place.server.registry.reopen(place.project_id())
    return place


def read(place: Session, name: str, title: str) -> Prediction:
    document = Document.from_text(name, title, "")
    add_document(place.server.store(), document, project_id=place.project_id())
    task = place.server.queue.submit(document, place.project_id())
    assert task.finished.wait(PATIENCE_SECONDS)
    assert task.problem is None and task.prediction is not None
    return task.prediction


def chance(prediction: Prediction, concept_id: str) -> float:
    return next(r.probability for r in prediction.suggestions if r.concept_id == concept_id)


def finish(place: Session, name: str, *concept_ids: str) -> None:
    accepted = [Operation(n, "accept", i) for n, i in enumerate(concept_ids, 1)]
    operations = [*accepted, Operation(len(accepted) + 1, "finish", None)]
    send(place.server.store(), *operations, client_id=name, document_id=name)


def test_a_project_asks_nobody_unless_somebody_says_so(place: Session, host: SuggesterHost) -> None:
    found = read(place, "a", "Honey")
    assert found.elsewhere is None
    assert place.current().elsewhere is None
    assert host.asked == []


def test_loading_sends_nothing_and_reading_the_text_of_the_document(
    place: Session, host: SuggesterHost
) -> None:
    asking(place, host)
    assert wait_until_loaded(place, PATIENCE_SECONDS) == "ready"
    assert host.asked == []
    read(place, "a", "Honey for all")
    assert host.texts == ["Honey for all\n\n"]


def test_what_is_typed_into_the_search_box_is_sent_to_nobody(
    place: Session, host: SuggesterHost
) -> None:
    asking(place, host)
    assert wait_until_loaded(place, PATIENCE_SECONDS) == "ready"
    suggester, vocabulary = place.project.suggester, place.project.vocabulary()
    assert suggester is not None and vocabulary is not None
    assert "201" in suggested_for("Janet's honey", suggester, vocabulary.index)
    assert host.asked == []


def test_what_it_said_is_kept_with_the_prediction_and_named_beside_the_suggestion(
    place: Session, host: SuggesterHost
) -> None:
    read(place, "before", "Honey")
    hash_before = place.project.suggester and place.project.suggester.bundle_hash
    found = read(asking(place, host), "a", "Honey")
    stored = latest_prediction(place.server.store(), "a")
    assert stored is not None and stored.prediction.elsewhere == found.elsewhere
    assert found.elsewhere is not None and found.elsewhere.found.keys() == {"104"}
    assert found.bundle_hash != hash_before
    nodes = {
        node["id"]: node
        for node in outline([], hierarchy=place.hierarchy(), prediction=stored.prediction)
    }
    assert nodes["104"]["elsewhere"] == f"tiny-en at {host.name}"
    assert "elsewhere" not in nodes["201"]
    (evidence,) = place.project.model.explanations.evidence(  # type: ignore[union-attr]
        Document.from_text("a", "Honey", ""), ["104"]
    ).values()
    assert f"elsewhere: tiny-en at {host.name}" in evidence.sources


def test_where_it_is_down_the_model_suggests_and_the_sentence_is_kept(
    place: Session, host: SuggesterHost
) -> None:
    alone = read(place, "alone", "Honey").suggestions
    host.failing = "status"
    found = read(asking(place, host), "a", "Honey")
    assert found.suggestions == alone
    stored = latest_prediction(place.server.store(), "a")
    assert stored is not None and stored.prediction.elsewhere is not None
    assert stored.prediction.elsewhere.problem.endswith("status 500 and is left out.")


def test_another_one_is_asked_once_the_project_is_opened_again(
    place: Session, host: SuggesterHost
) -> None:
    asking(place, host)
    first = chance(read(place, "n0", "Zero"), "104")
    assert first >= 0.45
    chosen = SuggesterElsewhere(ANNIF, host.address, "another")
    keep_elsewhere(place.server.store(), place.project_id(), chosen)
    place.server.registry.reopen(place.project_id())
    read(place, "new", "Something new")
    assert place.project.suggester is not None


def test_a_host_that_is_not_allowed_any_more_is_not_asked(
    tmp_path: Path, host: SuggesterHost
) -> None:
    session = fake_session(tmp_path / "home")
    found = read(asking(session, host), "a", "Honey")
    assert found.elsewhere is None  # no host is allowed at all: as if it were off
    session.server.close()
    other = fake_session(tmp_path / "home", suggester_hosts=("annif.example",))
    found = read(other, "b", "Honey")
    assert found.elsewhere is not None
    assert "may not be asked from here and is left out" in found.elsewhere.problem
    assert host.asked == []
    other.server.close()


def test_it_is_a_projects_own(place: Session, host: SuggesterHost) -> None:
    assert place.current().elsewhere is None
    other = place.elsewhere(make_project(place.server.store(), "Other", "tiny").project_id)
    asking(place, host)
    assert [row.elsewhere is not None for row in list_projects(place.server.store())] == [
        True,
        False,
    ]
    read(other, "b", "Honey")
    assert host.asked == []
    keep_elsewhere(place.server.store(), place.project_id(), None)
    assert place.current().elsewhere is None

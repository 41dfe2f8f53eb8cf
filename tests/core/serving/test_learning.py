"""What is decided in a project teaches what suggests there, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document, restore_document
from core.review.store.projects import make_project
from core.review.store.store import Store
from core.serving.choosing import open_project, use_version, wait_until_loaded
from core.serving.learning import AT_A_TURN, DecisionTeacher, knows_better
from core.serving.session import Session
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.protocol import FinishedDocument
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.keeping import keep
from tests.support.garden import garden, note, slimy
from tests.support.stores import send
from tests.support.waiting import PATIENCE_SECONDS, wait_until

SLIMY = note(100, "Slimy visitors ate more lettuce, new traps were set")


pytestmark = pytest.mark.usefixtures("single_thread")


def finish(project: Session, document: Document, *decisions: tuple[str, str]) -> None:
    """Decide on a document of the project, and finish it."""
    add_document(project.server.store(), document, project_id=project.project_id())
    operations = [
        *(Operation(n, action, concept) for n, (action, concept) in enumerate(decisions, 1)),
        Operation(len(decisions) + 1, "finish", None),
    ]
    name = document.document_id
    send(project.server.store(), *operations, client_id=name, document_id=name)


def suggested(project: Session, document: Document) -> dict[str, float]:
    add_document(project.server.store(), document, project_id=project.project_id())
    task = project.server.queue.submit(document, project.project_id())
    assert task.finished.wait(PATIENCE_SECONDS)
    assert task.problem is None and task.prediction is not None
    return {row.concept_id: row.probability for row in task.prediction.suggestions}


def test_the_eleventh_document_is_suggested_better_than_the_first(allotment: Session) -> None:
    assert allotment.project.suggests
    assert suggested(allotment, SLIMY) == {}
    for number in range(10):
        finish(allotment, slimy(number), ("add", "snail"))
    learned = suggested(allotment, SLIMY)
    assert next(iter(learned)) == "snail" and learned["snail"] > 0.5


def test_reopening_and_removing_take_back_what_was_taught(allotment: Session) -> None:
    finish(allotment, slimy(0), ("add", "snail"))
    one = suggested(allotment, SLIMY)
    finish(allotment, slimy(1), ("add", "snail"))
    assert suggested(allotment, SLIMY) != one
    reopen = Operation(3, "reopen", None)
    send(allotment.server.store(), reopen, client_id="note-1", document_id="note-1")
    assert suggested(allotment, SLIMY) == one
    remove_document(allotment.server.store(), "note-0")
    assert suggested(allotment, SLIMY) == {}
    restore_document(allotment.server.store(), "note-0")
    assert suggested(allotment, SLIMY) == one


def test_an_undo_teaches_as_well(allotment: Session) -> None:
    finish(allotment, note(1, "A rake for the neighbours"), ("reject", "rake"))
    rejected = suggested(allotment, note(2, "A rake"))["rake"]
    undo = Operation(3, "undo", None)
    send(allotment.server.store(), undo, client_id="note-1", document_id="note-1")  # the finish
    fresh = suggested(allotment, note(2, "A rake"))["rake"]
    assert fresh > rejected


def test_a_prediction_says_what_was_known_then(allotment: Session) -> None:
    suggested(allotment, SLIMY)
    store, project_id = allotment.server.store(), allotment.project_id()
    here = store, project_id, SLIMY.document_id
    assert not knows_better(allotment.project.suggester, *here)
    finish(allotment, slimy(0), ("add", "snail"))
    assert knows_better(allotment.project.suggester, *here)
    assert not knows_better(None, *here)


def test_what_is_learned_during_a_reading_has_no_part_in_it(
    allotment: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    suggested(allotment, note(1, "A rake"))
    model = allotment.project.suggester
    assert isinstance(model, ColdStartSuggester)
    read = model.suggest

    def learn_meanwhile(document: Document, **options: Any) -> Prediction:
        found = read(document, **options)
        finish(allotment, slimy(0), ("add", "snail"))
        DecisionTeacher(allotment.server.store).teach(model, allotment.project_id())
        return found

    monkeypatch.setattr(model, "suggest", learn_meanwhile)
    assert suggested(allotment, SLIMY) == {}
    here = allotment.server.store(), allotment.project_id(), SLIMY.document_id
    assert knows_better(model, *here)


def test_another_project_learns_nothing_of_it(allotment: Session) -> None:
    finish(allotment, slimy(0), ("add", "snail"))
    other = open_project(
        allotment, make_project(allotment.server.store(), "Next door", "garden").project_id
    )
    assert wait_until_loaded(other, PATIENCE_SECONDS) == "ready"
    assert suggested(other, note(5, SLIMY.title)) == {}
    assert "snail" in suggested(allotment, SLIMY)


def test_many_documents_are_learned_some_at_a_time(allotment: Session) -> None:
    for number in range(AT_A_TURN + 3):
        finish(allotment, slimy(number), ("add", "snail"))
    teacher = DecisionTeacher(allotment.server.store)
    learner = ColdStartSuggester.of_vocabulary(garden())
    assert teacher.teach(learner, allotment.project_id()) == 3
    assert len(learner.learned()) == AT_A_TURN
    assert teacher.teach(learner, allotment.project_id()) == 0
    assert len(learner.learned()) == AT_A_TURN + 3


def test_what_was_finished_last_is_learned_first(allotment: Session) -> None:
    for number in range(AT_A_TURN + 3):
        finish(allotment, slimy(number), ("add", "snail"))
    teacher = DecisionTeacher(allotment.server.store)
    learner = ColdStartSuggester.of_vocabulary(garden())
    teacher.teach(learner, allotment.project_id())
    last = [slimy(number).document_id for number in range(3, AT_A_TURN + 3)]
    assert sorted(learner.learned()) == sorted(last)
    finish(allotment, note(500, "A rake"), ("add", "rake"))
    teacher.teach(learner, allotment.project_id(), at_most=1)
    assert note(500, "A rake").document_id in learner.learned()


def test_a_store_that_cannot_be_read_teaches_nothing(
    allotment: Session, caplog: pytest.LogCaptureFixture
) -> None:
    def unreadable() -> Store:
        raise StoreError("The store cannot be read.")

    learner = ColdStartSuggester.of_vocabulary(garden())
    assert DecisionTeacher(unreadable).teach(learner, allotment.project_id()) == 0
    assert learner.learned() == {}
    assert "what was decided could not be learned" in caplog.text


def test_nothing_that_is_being_taught_is_known_once_learning_is_off(allotment: Session) -> None:
    teacher, project_id = DecisionTeacher(allotment.server.store), allotment.project_id()
    is_taught, is_off = threading.Event(), threading.Event()

    class Slow(ColdStartSuggester):
        def learn(self, documents: Sequence[FinishedDocument]) -> None:
            is_taught.set()
            is_off.wait(0.5)  # as long as it may: a switch that is right waits for the end of this
            super().learn(documents)

    def switch() -> None:
        assert is_taught.wait(PATIENCE_SECONDS)
        teacher.switch(learner, project_id, is_on=False)
        is_off.set()

    learner = Slow.of_vocabulary(garden())
    finish(allotment, slimy(0), ("add", "snail"))
    switching = threading.Thread(target=switch)
    switching.start()
    teacher.teach(learner, project_id)
    switching.join(PATIENCE_SECONDS)
    assert is_off.is_set()
    assert learner.learned() == {}


def test_what_does_not_learn_is_left_alone(allotment: Session) -> None:
    assert DecisionTeacher(allotment.server.store).teach(object(), allotment.project_id()) == 0


def test_a_newer_version_over_that_of_the_model(shared: Session) -> None:
    """What survives keeps its suggestions, what is new is found by its label."""
    own = shared.hierarchy()
    robot = Concept("robot", "https://example.org/robot", None, {"en": "mowing robot"})
    gone = next(i for i in own if own[i].assignable and not own.narrower(i))
    kept = [own[i] for i in own if i != gone]
    newer = Hierarchy([*kept, robot], vocabulary_id=own.vocabulary_id, version="newer")
    entry = keep(shared.server.versions, newer, file_name="n.ttl", sha256="1" * 64, report={})
    asked = note(1, "A mowing robot for the garden")
    before = suggested(shared, asked)
    assert gone in before and "robot" not in before

    use_version(shared, entry.key)
    wait_until(
        lambda: (
            isinstance(shared.project.suggester, CorrectedSuggester)
            and bool(shared.project.suggester.new)
        )
    )
    after = suggested(shared, asked)
    assert set(after) == {*before, "robot"}
    assert {i: after[i] for i in before} == before
    task = shared.server.queue.task(asked.document_id)
    assert task and task.prediction
    offered = [row.concept_id for row in task.prediction.within(shared.hierarchy()).suggestions]
    assert gone not in offered and "robot" in offered

    shared.server.registry.use_former(shared.project, person_id=shared.person_id())
    wait_until(
        lambda: (
            isinstance(shared.project.suggester, CorrectedSuggester)
            and not shared.project.suggester.new
        )
    )
    assert suggested(shared, asked) == before

"""A home with a day's work in it, for every page to have something to show.

It is made through the same store and service as the app's, so it works with the fake model and
with a real bundle: what is decided is chosen by what the model suggests.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from core.documents.document import Document
from core.documents.intake import read_pasted
from core.review.decisions.recording import Operation, record
from core.review.store.arrivals import add_document
from core.review.store.documents import set_comment
from core.review.store.predictions import latest_prediction
from core.review.store.proposed_terms import propose_term
from core.serving.choosing import wait_until_loaded
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy
from tests.support.browser.acts import HERRING, HONEY, SOLE, TICKETS, Act

LOADING_SECONDS = 180.0
READING_SECONDS = 60.0
BATCH = "Autumn session.csv"
TERM = "netting of undersized fish"


class Seeder:
    """Fills one server."""

    def __init__(self, place: Session) -> None:
        self.place = place
        vocabulary = place.vocabulary()
        assert vocabulary is not None
        self.hierarchy: Hierarchy = vocabulary.hierarchy
        self.sequence = count(1)

    def add(self, act: Act, *, given: int = 0, batch: str | None = None) -> str:
        """Keep an act with what the model suggests; its last suggestions are given."""
        intake = read_pasted(act.title, act.text)
        document = Document(act.name, intake.title, tuple(intake.parts))
        store = self.place.server.store()
        kept = add_document(store, document, project_id=self.place.project_id(), batch=batch)
        reading = self.place.server.queue.submit(
            Document(kept, document.title, document.parts), self.place.project_id()
        )
        assert reading.finished.wait(READING_SECONDS), reading
        assert reading.problem is None, reading.problem
        if given:
            ids = self.ranked(kept)[-given:]
            add_document(
                store, document, project_id=self.place.project_id(), given=ids, batch=batch
            )
        return kept

    def ranked(self, document_id: str) -> list[str]:
        """Ids of the suggestions, best first."""
        stored = latest_prediction(self.place.server.store(), document_id)
        assert stored is not None
        return [one.concept_id for one in stored.prediction.suggestions]

    def decide(self, document_id: str, *decisions: tuple[str, str]) -> None:
        """Record actions on concepts, in this order."""
        operations = [Operation(next(self.sequence), action, c) for action, c in decisions]
        self._record(document_id, operations)

    def finish(self, document_id: str, shown: int) -> None:
        """Finish a document with so many suggestions on the page."""
        self._record(document_id, [Operation(next(self.sequence), "finish", shown=shown)])

    def _record(self, document_id: str, operations: Iterable[Operation]) -> None:
        receipt = record(
            self.place.server.store(),
            document_id=document_id,
            person_id=self.place.person_id(),
            client_id=f"seeds-{self.place.project_id()}",
            operations=list(operations),
            concept_ids=self.hierarchy,
        )
        assert not receipt.refused, receipt.refused


def seed(place: Session) -> None:
    """Four documents: one with every kind of decision, one finished, one begun, one untouched."""
    place.server.start()
    assert wait_until_loaded(place, LOADING_SECONDS) == "ready", place.project.problem
    seeder = Seeder(place)
    with_every_state(seeder, seeder.add(HERRING))
    finished = seeder.add(TICKETS, batch=BATCH)
    first, second, *_ = seeder.ranked(finished)
    seeder.decide(finished, ("accept", first), ("accept", second))
    seeder.finish(finished, shown=5)
    begun = seeder.add(HONEY, given=2, batch=BATCH)
    seeder.decide(begun, ("accept", seeder.ranked(begun)[0]))
    seeder.add(SOLE, batch=BATCH)
    set_comment(place.server.store(), begun, "Ask the office about blends")


def with_every_state(seeder: Seeder, document_id: str) -> None:
    """Accepted, main topic, rejected, added, excluded, and accepted below what is excluded."""
    first, *others = seeder.ranked(document_id)
    branch, below = branch_elsewhere(seeder.hierarchy, others, spared=first)
    rejected = next(one for one in others if one not in (branch, below))
    seeder.decide(document_id, ("accept", first), ("mark", first), ("reject", rejected))
    seeder.decide(document_id, ("exclude", branch), ("accept", below))
    for sibling in siblings_not_suggested(seeder.hierarchy, first, {first, *others})[:1]:
        seeder.decide(document_id, ("add", sibling))
    store = seeder.place.server.store()
    propose_term(store, document_id, TERM, "", seeder.place.person_id())


def branch_elsewhere(
    hierarchy: Hierarchy, ranked: Iterable[str], *, spared: str
) -> tuple[str, str]:
    """The parent of a suggestion that is not above the spared one, and that suggestion."""
    kept = {spared, *hierarchy.ancestors(spared)}
    for concept_id in ranked:
        free = [parent for parent in hierarchy[concept_id].broader if parent not in kept]
        if free:
            return free[0], concept_id
    raise AssertionError("every suggestion stands below the first one's branches")


def siblings_not_suggested(hierarchy: Hierarchy, concept_id: str, suggested: set[str]) -> list[str]:
    """What stands beside a concept, and can be added."""
    parents = set(hierarchy[concept_id].broader)
    return [
        other
        for other in hierarchy
        if other not in suggested
        and hierarchy[other].assignable
        and parents & set(hierarchy[other].broader)
    ]

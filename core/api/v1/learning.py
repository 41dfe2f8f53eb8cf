"""`/v1/projects/{project_id}/learn`: documents with their concepts, kept as finished ones.

They teach as those do that people finish, and stand on the list of documents, where they can be
reopened. A text that is there already keeps what was decided on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from starlette.responses import Response
from starlette.routing import Route

from core.api.delivery import may_finish_in
from core.api.protection.program_keys import LEARN
from core.api.v1.messages import JSON, ProblemError, bad_request, held_to
from core.api.v1.named import document_of, listed_project, vocabulary_of
from core.api.v1.operations import Call, Programs
from core.review.annotations.access import document_access
from core.review.decisions.recording import Operation, record
from core.review.decisions.undo import END_OF_BROWSER
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.rules import Rules
from core.roles import Right
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Hierarchy

SOURCE = "learn"  # of the concepts, and of the upload
MAX_CONCEPTS = 900  # of one document, which are stored in one message
NOT_LEARNING = "Project {name!r} does not learn from decisions; switch it on under Models, and send this again."
NOTHING = (
    "None of these documents has both a text and a subject of the vocabulary {vocabulary_id} that "
    "may be assigned in this project."
)
TOO_MANY = (
    f"A document has {{found:,}} subjects; at most {MAX_CONCEPTS} are kept. Send fewer of them."
)


def routes(programs: Programs) -> list[Route]:
    """Return `/v1/projects/{project_id}/learn`."""
    threads = programs.server.workers.writing
    path = "/v1/projects/{project_id}/learn"
    return [programs.route(path, _learn, body=JSON, pool=threads, scope=LEARN)]


def _learn(call: Call) -> Response:
    sent: list[dict[str, Any]] = held_to("IndexedDocuments", call.content)
    session = call.session
    project = listed_project(session)
    if not project.learning.is_on:
        raise ProblemError(403, "Learning not allowed", NOT_LEARNING.format(name=project.name))
    vocabulary = vocabulary_of(session)
    hierarchy, rules = vocabulary.hierarchy, session.rules()
    arrivals = [found for line in sent if (found := _arrival(line, vocabulary, rules)) is not None]
    if sent and not arrivals:
        raise bad_request(NOTHING.format(vocabulary_id=hierarchy.vocabulary_id))
    _keep(session, arrivals, hierarchy)
    return Response(status_code=204)


def _arrival(sent: dict[str, Any], vocabulary: Vocabulary, rules: Rules) -> Arrival | None:
    if "text" not in sent or (document := document_of(sent)) is None:
        return None
    hierarchy = vocabulary.hierarchy
    named = (vocabulary.index.named(subject["uri"]) for subject in sent.get("subjects", ()))
    known = dict.fromkeys(i for i in named if i and hierarchy[i].assignable)
    # Else it would be finished without any concept, and teach that none is right.
    chosen_ids = [i for i in known if not rules.forbids(i, hierarchy)]
    if len(chosen_ids) > MAX_CONCEPTS:
        raise bad_request(TOO_MANY.format(found=len(chosen_ids)))
    return Arrival(document, tuple(chosen_ids)) if chosen_ids else None


def _keep(session: Session, arrivals: Sequence[Arrival], hierarchy: Hierarchy) -> None:
    """Store documents, and finish those on which nothing was decided yet.

    What was stored of a message that broke off is finished when it comes again.
    """
    store, rules = session.writing(Right.DOCUMENTS), session.rules()
    outcomes = add_documents(store, arrivals, project_id=session.project_id(), batch=SOURCE)
    for arrival, outcome in zip(arrivals, outcomes, strict=True):
        access = document_access(store, outcome.document_id)
        if access is not None and access.is_annotated:
            continue  # people decide on it
        _finish(session, outcome.document_id, arrival.given, hierarchy, rules)


def _finish(
    session: Session,
    document_id: str,
    concept_ids: Sequence[str],
    hierarchy: Hierarchy,
    rules: Rules,
) -> None:
    added = [
        Operation(sequence, "add", concept_id, source=SOURCE)
        for sequence, concept_id in enumerate(concept_ids, start=1)
    ]
    finish = Operation(len(added) + 1, "finish", shown=0)
    # Named like a browser, so that nobody's undo takes back what a program has sent meanwhile; each
    # time another one, as a text that was erased may be sent again under the id that it had.
    record(
        session.writing(Right.DECIDE),
        document_id=document_id,
        person_id=session.person_id(),
        client_id=f"{SOURCE}{END_OF_BROWSER}{uuid4().hex}",
        operations=[*added, finish],
        concept_ids=hierarchy,
        vocabulary=hierarchy,
        rules=rules,
        may_finish=may_finish_in(session, document_id, hierarchy),
        only_first=True,
    )

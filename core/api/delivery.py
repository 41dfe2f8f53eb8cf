"""Decisions arriving from a browser: written at once, each batch answered with its receipt."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from core.api.check import obstacle
from core.clinical.encounters import with_class
from core.errors import NotAllowedError, StoreBusyError, StoreError
from core.review.decisions.limits import MayFinish
from core.review.decisions.operations import Receipt, Refusal
from core.review.decisions.recording import Undone, record
from core.review.store.documents import fetch_document
from core.review.store.predictions import suggested_label
from core.review.store.store import Store
from core.roles import Right
from core.serving.caller import UnknownProjectError
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

_LOG = logging.getLogger(__name__)

Label = Callable[[str, str], str]  # what a concept is called in a document

NO_RIGHT = "no right"  # to decide in the project of the document
MAX_BATCHES = 100  # of one message; what is left comes again


@dataclass(slots=True)
class Delivery:
    """What became of one message.

    Attributes:
        receipts: by client id, the sequences that the browser drops, why some were refused, and
            what was undone where.
        problem: why nothing can be stored now; the browser keeps everything and tries again.
        finished: ids of the documents that this message finished.
    """

    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    problem: str | None = None
    finished: set[str] = field(default_factory=set)

    def add(self, client: str, receipt: Receipt, label: Label) -> None:
        """Take a receipt in; a client may have several, one for each of its batches."""
        answer = self.receipts.setdefault(client, {"settled": [], "refused": [], "undone": []})
        answer["settled"] += receipt.settled
        answer["refused"] += [asdict(refusal) for refusal in receipt.refused]
        answer["undone"] += [_told(undone, label) for undone in receipt.undone]


def deliver(
    message: object, *, session: Session, document_id: str | None, language: str
) -> Delivery:
    """Store the decisions of a message, in its order, each in the project of its document.

    Args:
        message: batches `{client, document_id, operations}` as the browser sends them.
        document_id: of the page. Its concepts have to be of the vocabulary in use; what an earlier
            page left behind may have others, which were found in a former version. The rules of
            codes hold for both.
        language: of the concepts' names, for what was undone.
    """
    delivery = Delivery()
    for client, here, operations in _batches(message):
        try:
            addressed = _of_document(session, here)
            session.require_decidable(here)
            vocabulary = addressed.vocabulary()
            hierarchy = vocabulary.hierarchy if vocabulary else None
            receipt = record(
                addressed.writing(Right.DECIDE),
                document_id=here,
                person_id=addressed.person_id(),
                client_id=client,
                operations=operations,
                concept_ids=hierarchy if here == document_id else None,
                vocabulary=hierarchy,
                rules=addressed.rules(),
                may_finish=may_finish_in(addressed, here, hierarchy),
                may_review=addressed.may_review(),
                approves_own=addressed.may(Right.ASSIGN),
            )
        except (NotAllowedError, UnknownProjectError) as error:
            receipt, hierarchy = _refused(operations, str(error)), None
        except StoreBusyError:
            raise  # all of the message comes again; what is stored of it is not stored twice
        except StoreError as error:
            _LOG.exception("decisions could not be stored")
            delivery.problem = str(error)
            break  # what is behind it may undo it, so it has to wait
        delivery.add(client, receipt, _labels(session.store(), hierarchy, language))
        if _finishes(operations, receipt):
            delivery.finished.add(here)
    return delivery


def _refused(operations: list[object], reason: str) -> Receipt:
    """The receipt of a batch of which nothing may be stored; the browser keeps it."""
    sent = [operation.get("sequence") for operation in operations if isinstance(operation, dict)]
    numbers = [number for number in sent if isinstance(number, int)]
    return Receipt((), tuple(Refusal(number, NO_RIGHT, reason) for number in numbers))


def _of_document(session: Session, document_id: str) -> Session:
    """The session of a document's own project, whatever project the page is in."""
    project = session.project_of(document_id)
    if project is None or project.project_id == session.project_id():
        return session
    return session.elsewhere(project.project_id)


def may_finish_in(
    session: Session, document_id: str, hierarchy: Hierarchy | None
) -> MayFinish | None:
    """Return the check before finishing a document of this vocabulary, where it has one."""
    if hierarchy is None or not conventions_of(hierarchy.vocabulary_id).checked:
        return None
    document = fetch_document(session.store(), document_id)
    stay = with_class(document.stay, document)
    return lambda decisions: obstacle(decisions, hierarchy, stay)


def _labels(store: Store, hierarchy: Hierarchy | None, language: str) -> Label:
    """Names of concepts: of the vocabulary, or as they were suggested where it has them no more."""

    def label(document_id: str, concept_id: str) -> str:
        if hierarchy is not None and concept_id in hierarchy:
            return hierarchy[concept_id].label(language)
        return suggested_label(store, document_id, concept_id) or concept_id

    return label


def _finishes(operations: list[object], receipt: Receipt) -> bool:
    """Whether the document was finished by one of these, if not reopened by a later one."""
    return any(
        isinstance(operation, dict)
        and operation.get("action") == "finish"
        and operation.get("sequence") in receipt.stored
        for operation in operations
    )


def _told(undone: Undone, label: Label) -> dict[str, Any]:
    return {
        "sequence": undone.sequence,
        "document_id": undone.document_id,
        "title": undone.title,
        "actions": [
            {
                "action": action,
                "concept_id": concept_id,
                "label": label(undone.document_id, concept_id),
            }
            for action, concept_id in undone.actions
        ],
    }


def _batches(message: object) -> Iterator[tuple[str, str, list[object]]]:
    for batch in message[:MAX_BATCHES] if isinstance(message, list) else []:
        match batch:
            case {
                "client": str(client),
                "document_id": str(document_id),
                "operations": list(operations),
            }:
                yield client, document_id, operations

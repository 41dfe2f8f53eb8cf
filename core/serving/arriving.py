"""One document taken in for a person: whether it is here already, and which others are like it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from core.documents.act_numbers import number_of
from core.documents.document import Document
from core.review.reports.summaries import named_documents
from core.review.store.arrivals import (
    ADDED,
    HERE,
    add_document,
    documents_by_number,
    find_same,
    find_same_text,
)
from core.review.store.store import Store

IN_BIN = "in bin"
SAME_TEXT, SAME_NUMBER = "has the same text", "has the same number, {number}"


@dataclass(frozen=True, slots=True)
class LikeDocument:
    """A document that is here, and in what it is like another: a predicate of a sentence."""

    document_id: str
    likeness: str


@dataclass(frozen=True, slots=True)
class TakenDocument:
    """What became of a document: ADDED, or HERE or IN_BIN where it was before.

    Attributes:
        like: of one that was added, another that has the same text or number.
        wanted_id: the id that it came with, where it got another.
    """

    document_id: str
    kind: str
    like: LikeDocument | None = None
    wanted_id: str = ""


def take_in(
    store: Store,
    document: Document,
    project_id: int,
    *,
    taken: Container[str] = (),
    proposed_id: str = "",
    is_new: bool = False,
) -> TakenDocument:
    """Store a document, unless it is here already.

    Args:
        taken: ids of what came with the same upload before.
        proposed_id: that it gets where it came with none; by it no document is another one.
        is_new: whether a person says that it is another one than those here.
    """
    here = None if is_new else find_same(store, document, project_id, taken)
    if here is not None:
        kind = HERE if named_documents(store, project_id, [here]) else IN_BIN
        return TakenDocument(here, kind)
    named = replace(document, document_id=document.document_id or proposed_id)
    number = number_of(named.document_id, named.title)
    numbers = documents_by_number(store, project_id) if number else {}
    document_id = add_document(store, named, project_id=project_id, is_new=True)
    like = like_of(find_same_text(store, document_id), number, numbers)
    wanted = document.document_id.strip()
    return TakenDocument(
        document_id, ADDED, like, wanted_id=wanted if wanted != document_id else ""
    )


def like_of(same_text: str | None, number: str, numbers: Mapping[str, str]) -> LikeDocument | None:
    """Return another document with the same text, or else one of the same act.

    Args:
        number: of the act; "" where it has none.
        numbers: documents of the project by the numbers of their acts.
    """
    if same_text is not None:
        return LikeDocument(same_text, SAME_TEXT)
    same_act = numbers.get(number) if number else None
    return LikeDocument(same_act, SAME_NUMBER.format(number=number)) if same_act else None

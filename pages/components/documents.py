"""The list of documents in the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import streamlit as st

from core.review.decisions.operations import MAX_NOTE_LENGTH
from core.review.people.assignments import Assignment
from core.review.reports.summaries import DocumentSummary
from core.suggest.suggestions import is_same_model
from pages.components import asset, register, sent_event

KEY = "documents"
SHOWN_AT_ONCE = 200
TWO_PEOPLE = "two people"  # whose a document is that is annotated twice
LARGEST = 2**31  # of a number that is typed


def document_list(
    summaries: Sequence[DocumentSummary],
    *,
    opened: str | None,
    waiting: Container[str],
    annotations: Mapping[str, str],
    removed: dict[str, str] | None,
    hides_titles: bool,
    on_open: Callable[[], None],
    on_remove: Callable[[], None],
    on_restore: Callable[[], None],
) -> None:
    """Draw the list.

    Args:
        opened: id of the document on the page.
        waiting: ids of those that the model has not read yet.
        annotations: of documents that are annotated twice, how far that is, in words.
        removed: id and title of what was removed last, to be taken back.
        hides_titles: whether documents are called by their ids.
    """
    register(
        "documents",
        folder="documents",
        entry="documents.js",
        styles=("documents.css",),
    )(
        key=KEY,
        data={
            "documents": [
                {
                    "id": document.document_id,
                    "title": document.title,
                    "status": document.status,
                    "suggested": document.n_suggested,
                    "given": document.n_given,
                    "accepted": document.n_accepted,
                    "rejected": document.n_rejected,
                    "judged": document.judged,
                    "annotation": annotations.get(document.document_id, ""),
                    "waiting": "being read …" if document.document_id in waiting else "",
                }
                for document in summaries
            ],
            "open": opened,
            "hides_titles": hides_titles,
            "removed": removed,
            "limit": SHOWN_AT_ONCE,
        },
        on_open_change=on_open,
        on_remove_change=on_remove,
        on_restore_change=on_restore,
        on_refresh_change=lambda: None,  # the run that follows draws what was done in another one
    )


def named_document(event: str) -> str:
    """Return the id of the document that an event ("open", "remove", "restore") is about."""
    value = sent_event(event)
    return str(value["id"]) if isinstance(value, dict) and "id" in value else ""


# ---------------------------------------------------------------------- the table of all documents

TABLE_KEY = "documents_table"
ACTIONS = frozenset(
    {"open", "new", "next", "predict", "export", "remove", "restore", "reopen", "comment"}
    | {"thread", "assign", "take", "give_back", "approve", "send_back", "urgent", "normal"}
    | {"twice", "once"}
)


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose documents are, where people sign in.

    Attributes:
        me: who looks at them.
        names: what is shown of each person.
        assignments: by document id.
        may_take: whether the person may take what is nobody's.
        offered: to whom the person may assign documents; none for who may not.
        may_review: whether they may approve and send back.
        skipped: who has left which document, and why, in words; for leads.
        mentioned: documents on which the person was named, and has not answered.
        annotations: of documents that are annotated twice, how far that is, in words.
        annotators: who annotates those, and their rows in a person's own list; nobody is named unless to
            leads.
        indexers: who of all is one, among whom a lead deals documents out.
    """

    me: int
    names: Mapping[int, str]
    assignments: Mapping[str, Assignment]
    may_take: bool
    offered: tuple[int, ...] = ()
    may_review: bool = False
    skipped: Mapping[str, str] = field(default_factory=dict)
    mentioned: frozenset[str] = frozenset()
    annotations: Mapping[str, str] = field(default_factory=dict)
    annotators: Mapping[str, Sequence[int]] = field(default_factory=dict)
    indexers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TypedComment:
    """A comment, and those in whose place it was typed."""

    text: str
    formers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Act:
    """What a person asked for.

    Attributes:
        action: one of `ACTIONS`.
        document_ids: of the documents that it is about.
        comments: by document id, all that the browser does not know to be stored.
        people, due_on: to whom documents are assigned in turn, and until when.
        former: in whose place, of documents that are annotated twice.
        note: to whom documents are sent back.
        share, seed: of the documents, how many in a hundred are to be annotated twice, and what
            draws them.
    """

    action: str
    document_ids: tuple[str, ...] = ()
    comments: dict[str, TypedComment] = field(default_factory=dict)
    people: tuple[int, ...] = ()
    due_on: date | None = None
    former: int | None = None
    note: str = ""
    share: float = 100.0
    seed: int = 1


def documents_table(
    documents: Sequence[DocumentSummary],
    removed: Sequence[DocumentSummary],
    *,
    waiting: Container[str],
    outdated: Container[str],
    model: str | None,
    hides_titles: bool,
    clinical: bool,
    whose: Whose | None,
    keys: Mapping[str, str],
    on_act: Callable[[], None],
) -> None:
    """Draw the table.

    Args:
        removed: what lies in the bin.
        waiting: ids of the documents that a job has before it.
        outdated: of those that another model has read than the one that is served.
        model: the identity of that one; None where there is none.
        hides_titles: whether documents are called by their ids.
        clinical: whether they are of patients, so that the browser's storage gets no text of them.
        whose: whose they are; None where nobody signs in.
        keys: the key of every action.
        on_act: called when something is to be done; `sent_act` says what.
    """
    st.html(f"<style>{asset('documents/skip.css')}</style>")
    register(
        "documents_table",
        folder="documents",
        entry="documents_table.js",
        styles=("documents_table.css",),
    )(
        key=TABLE_KEY,
        data={
            "documents": [
                _table_row(document, waiting, outdated, model) | _whose(document.document_id, whose)
                for document in documents
            ],
            "people": _people(whose),
            "removed": [_table_row(document, (), (), None) for document in removed],
            "hides_titles": hides_titles,
            "keys": dict(keys),
            "comments_url": "api/comments",
            "may_keep_text": not clinical,
        },
        on_act_change=on_act,
    )


def _people(whose: Whose | None) -> dict[str, Any] | None:
    if whose is None:
        return None
    offered = [
        {"id": number, "name": whose.names[number], "indexer": number in whose.indexers}
        for number in whose.offered
    ]
    return {"may_take": whose.may_take, "may_review": whose.may_review, "offered": offered}


def _whose(document_id: str, whose: Whose | None) -> dict[str, Any]:
    if whose is None:
        return {}
    held = whose.assignments.get(document_id)
    about: dict[str, Any] = {
        "mentioned": document_id in whose.mentioned,
        "skipped": whose.skipped.get(document_id, ""),
        "annotation": whose.annotations.get(document_id, ""),
    }
    annotators = whose.annotators.get(document_id, ())
    about["annotators"] = [{"id": number, "name": whose.names[number]} for number in annotators]
    if held is None:
        names = " and ".join(whose.names[number] for number in annotators)
        taken = TWO_PEOPLE if document_id in whose.annotators else ""
        return about | {"whose": names or taken, "mine": False, "due": ""}
    return about | {
        "whose": whose.names[held.person_id],
        "mine": held.person_id == whose.me,
        "due": str(held.due_on or ""),
    }


def _table_row(
    summary: DocumentSummary, waiting: Container[str], outdated: Container[str], model: str | None
) -> dict[str, Any]:
    return {
        "id": summary.document_id,
        "title": summary.title,
        "status": summary.status,
        "judged": summary.judged,
        "urgent": summary.is_urgent,
        "suggested": summary.n_suggested,
        "accepted": summary.n_accepted,
        "rejected": summary.n_rejected,
        "given": summary.n_given,
        "proposed": summary.n_proposed,
        "characters": summary.n_characters,
        "comment": summary.comment,
        "batch": summary.batch,
        "updated": summary.updated_at.timestamp(),
        "waiting": summary.document_id in waiting,
        "outdated": summary.document_id in outdated,
        "same_model": is_same_model(summary.read_by, model),
    }


def sent_act() -> Act | None:
    """Return what the browser asks for; None where it is nothing that can be done."""
    value = sent_event("act")
    if not isinstance(value, dict) or value.get("action") not in ACTIONS:
        return None
    ids, comments = value.get("ids"), value.get("comments")
    return Act(
        value["action"],
        tuple(str(document_id) for document_id in ids) if isinstance(ids, list) else (),
        _typed(comments) if isinstance(comments, dict) else {},
        tuple(one for one in value.get("people") or () if isinstance(one, int)),
        _day(value.get("due")),
        value["former"] if isinstance(value.get("former"), int) else None,
        str(value.get("note") or "")[:MAX_NOTE_LENGTH],
        _number(value.get("share"), 100.0),
        int(_number(value.get("seed"), 1)),
    )


def _number(value: object, otherwise: float) -> float:
    is_usable = isinstance(value, int | float) and 0 <= value <= LARGEST
    return float(value) if is_usable else otherwise  # type: ignore[arg-type]


def _day(text: object) -> date | None:
    try:
        return date.fromisoformat(str(text or ""))
    except ValueError:
        return None


def _typed(comments: Mapping[str, Any]) -> dict[str, TypedComment]:
    """Return the comments of a message; a page that was loaded before an update may send others."""
    return {
        str(document_id): TypedComment(str(typed["text"]), tuple(map(str, typed["formers"])))
        for document_id, typed in comments.items()
        if isinstance(typed, dict) and typed.keys() == {"text", "formers"}
    }

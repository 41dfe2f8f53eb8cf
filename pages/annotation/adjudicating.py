"""Documents with two annotations on the Annotate page: what is said of them, and both sides."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.agreement.codes import principal
from core.errors import NotAllowedError
from core.review.annotations.access import (
    OWN_OUTCOME,
    DocumentAccess,
    annotations_to_make,
    is_adjudicated_by,
)
from core.review.annotations.sides import Side, read_sides
from core.roles import Right
from core.serving.caller import UnknownDocumentError
from pages.components.markdown import escaped
from pages.serving import current_session

BLIND = "Somebody else annotates this document as well. Neither of you sees what the other decides."
SETTLED = "Both annotations are finished. They stay as they are; a reviewer adjudicates them."
WAITING = "Two people annotate this document. Nobody decides here until both have finished."


def own_in_place_of(document_id: str) -> str | None:
    """Return the person's annotation of a document that is hidden from them meanwhile."""
    session = current_session()
    try:
        session.project_of(document_id)
    except UnknownDocumentError:
        own = annotations_to_make(session.store(), session.project_id(), session.person_id())
        return own.get(document_id)
    return None


def render_standing(document_id: str) -> None:
    """Say of an annotation, or a document with some, how it stands."""
    access = current_session().access(document_id)
    if access is None or not access.is_annotated:
        return
    sentence = why_not_decide(document_id)
    if access.annotator_id is not None:
        sentence = BLIND if access.is_waiting else SETTLED
    elif access.is_waiting:
        sentence = WAITING
    if sentence:
        with st.container(key="annotation_standing"):
            st.markdown(f":material/group: :small[{escaped(sentence)}]")


def why_not_decide(document_id: str) -> str:
    """Return why the person does not decide on a document of which there are annotations; or ""."""
    try:
        current_session().require_decidable(document_id)
    except NotAllowedError as error:
        return str(error)
    return ""


def why_not_approve(document_id: str) -> str:
    """Return why who reviews does not approve a document: they have adjudicated it; or ""."""
    session = current_session()
    access = session.access(document_id)
    if access is None or not _shows_sides(access) or session.may(Right.ASSIGN):
        return ""
    is_own = is_adjudicated_by(session.store(), document_id, session.person_id())
    return OWN_OUTCOME if is_own else ""


def sides_of(document_id: str) -> list[Side]:
    """Return the annotations of a document for who may see them; nothing while one is unfinished."""
    session = current_session()
    access = session.access(document_id)
    if access is None or not _shows_sides(access) or not session.may(Right.REVIEW):
        return []
    return read_sides(session.store(), document_id)


def _shows_sides(access: DocumentAccess) -> bool:
    return access.annotator_id is None and bool(access.has_finished) and not access.is_waiting


def facts_of(sides: list[Side]) -> dict[str, Any] | None:
    """Return both sides as the tree reads them; None where there are none."""
    if not sides:
        return None
    session = current_session()
    others, hierarchy = session.others(), session.hierarchy()
    return {
        "names": [others.get(side.annotator, "you") for side in sides],
        "concepts": [{i: row.facts() for i, row in side.decisions.items()} for side in sides],
        "orders": [side.codes for side in sides],
        "principals": [principal(side.codes, hierarchy) for side in sides],
    }

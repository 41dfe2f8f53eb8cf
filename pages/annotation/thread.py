"""The comments on a document, over the page: read, written, changed, resolved."""

from __future__ import annotations

import streamlit as st

from core.review.people.comments import (
    LONGEST_COMMENT,
    Comment,
    add_comment,
    edit_comment,
    read_thread,
    resolve_comment,
)
from core.review.people.memberships import list_people_with
from core.review.store.store import Store
from core.roles import Right, Role
from core.serving.session import require_seen
from pages.components.markdown import escaped
from pages.messages import said_next, shown_here
from pages.serving import current_session

DRAFT_KEY = "comment_draft"
EDITED_KEY = "comment_edited"  # the comment that is being changed
PROBLEM = "the comment could not be kept"


@st.dialog("Comments", width="medium", on_dismiss="rerun")  # the page counts them
def show_thread(document_id: str) -> None:
    """Draw the thread, and a field for who may write in it."""
    session = current_session()
    with shown_here("the comments could not be shown"):
        require_seen(session, document_id)  # the browser names it, and it may be hidden by now
        thread = read_thread(session.store(), document_id)
        if not thread:
            st.markdown("Nobody has written anything yet.")
        for entry in thread:
            render_entry(entry, document_id)
        if session.may(Right.DECIDE):
            render_field(document_id)


def begin() -> None:
    """Forget what another thread left in the field."""
    st.session_state.pop(EDITED_KEY, None)
    st.session_state.pop(DRAFT_KEY, None)


def render_entry(entry: Comment, document_id: str) -> None:
    """Draw a comment with who wrote it, and what can be done with it."""
    session = current_session()
    with st.container(border=True, gap="small", key=f"comment_{entry.comment_id}"):
        st.markdown(f"**{escaped(entry.author or 'Before people signed in')}** {_when(entry)}")
        text = escaped(entry.text).replace("\n", "  \n")
        st.markdown(f":gray[{text}]" if entry.resolved_at else text)
        if entry.comment_id is None or not session.may(Right.DECIDE):
            return
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Open it again" if entry.resolved_at else "Resolve",
                key=f"resolve_{entry.comment_id}",
                type="tertiary",
                on_click=_resolve,
                args=(entry, document_id),
            )
            if entry.person_id == session.person_id():
                st.button(
                    "Change",
                    key=f"edit_{entry.comment_id}",
                    type="tertiary",
                    on_click=_edit,
                    args=(entry,),
                )


def render_field(document_id: str) -> None:
    """Draw the field for a comment, and names that can be put into it."""
    edited = st.session_state.get(EDITED_KEY)
    st.text_area(
        "Change the comment" if edited else "Comment",
        key=DRAFT_KEY,
        max_chars=LONGEST_COMMENT,
        placeholder="A name with @ puts the document on that person's list",
    )
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Save" if edited else "Add",
            key="comment_keep",
            type="primary",
            on_click=_keep,
            args=(document_id,),
        )
        for name in _names():
            st.button(
                escaped(f"@{name}"),
                key=f"mention_{name}",
                type="tertiary",
                on_click=_name,
                args=(name,),
            )


def _when(entry: Comment) -> str:
    if entry.created_at is None:
        return ""
    edited = ", changed" if entry.edited_at else ""
    resolved = ", resolved" if entry.resolved_at else ""
    return f":small[{entry.created_at:%Y-%m-%d %H:%M} UTC{edited}{resolved}]"


def _names() -> list[str]:
    """Return the others who have a role here, by the names with which they sign in."""
    session = current_session()
    people = list_people_with(session.store(), session.project_id(), Role.READER)
    return [account.name for account in people if account.person_id != session.person_id()]


def _writing(document_id: str) -> Store:
    return current_session().writing(Right.DECIDE, document_id)


def _keep(document_id: str) -> None:
    text, edited = str(st.session_state[DRAFT_KEY]), st.session_state.get(EDITED_KEY)
    with said_next(PROBLEM):
        store, person_id = _writing(document_id), current_session().person_id()
        if edited:
            edit_comment(store, edited, text, person_id)
        else:
            add_comment(store, document_id, text, person_id)
        st.session_state[DRAFT_KEY] = ""
        st.session_state.pop(EDITED_KEY, None)


def _resolve(entry: Comment, document_id: str) -> None:
    assert entry.comment_id is not None
    with said_next(PROBLEM):
        is_resolved = entry.resolved_at is None
        resolve_comment(_writing(document_id), entry.comment_id, is_resolved=is_resolved)


def _edit(entry: Comment) -> None:
    st.session_state[EDITED_KEY] = entry.comment_id
    st.session_state[DRAFT_KEY] = entry.text


def _name(name: str) -> None:
    draft = str(st.session_state.get(DRAFT_KEY) or "")
    st.session_state[DRAFT_KEY] = f"{draft}{' ' * bool(draft and not draft[-1].isspace())}@{name} "

"""The empty page: paste a text, upload files, or open an example."""

from __future__ import annotations

import streamlit as st

from core.documents.kinds import SUFFIXES
from pages import opening
from pages.components import courier
from pages.delivery import Delivery, deliver
from pages.serving import workplace

UPLOAD_KEY = "uploads"
DELIVERY_KEY = "courier_delivery"


def render_welcome() -> None:
    """Everything that a newcomer needs for the first result."""
    with st.container(key="welcome"):
        st.title("What is this act about?")
        st.markdown(
            "Strata reads a text, suggests concepts of your vocabulary on its tree, and keeps what "
            "you accept. Nothing leaves this machine."
        )
        render_messages()
        left, right = st.columns([2, 1], gap="large")
        with left:
            render_form()
        with right:
            render_upload()
            render_examples()
        courier.courier(
            st.session_state.get(DELIVERY_KEY, Delivery()),
            beside_tree=False,
            on_operations=_take_operations,
        )


def render_messages() -> None:
    """What could not be done, and why the model is not there if it is not."""
    for sentence in opening.said():
        st.error(sentence, icon=":material/error:")
    problem = workplace().service.problem
    if problem:
        st.warning(
            f"No new suggestions can be made. {problem} Documents and decisions are still here.",
            icon=":material/warning:",
        )


def render_form() -> None:
    """Title and text."""
    st.text_input("Title", key=opening.TITLE_KEY, placeholder="Regulation … on …")
    st.text_area(
        "Text",
        key=opening.TEXT_KEY,
        height=320,
        placeholder="Paste the act here. Without a title, the first line is taken for it.",
    )
    st.button("Suggest concepts", type="primary", key="suggest", on_click=opening.open_pasted)


def render_upload() -> None:
    """Text files, one or many; they are opened as soon as they are here."""
    st.file_uploader(
        "Or upload files",
        type=list(SUFFIXES),
        accept_multiple_files=True,
        key=UPLOAD_KEY,
        on_change=_take_uploads,
    )


def render_examples() -> None:
    """One click to see a result."""
    st.markdown("Or see what it does with an invented act")
    for example in opening.examples():
        st.button(
            example.subject,
            key=example.document_id,
            icon=":material/article:",
            width="stretch",
            on_click=opening.open_example,
            args=(example,),
        )


def _take_uploads() -> None:
    opening.open_uploads(st.session_state[UPLOAD_KEY])


def _take_operations() -> None:
    message = courier.sent_operations()
    st.session_state[DELIVERY_KEY] = deliver(message, shared=workplace(), known={})

"""Guidelines of the project: read by all, over the document too, and written by leads in versions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from core.review.guidance import (
    LONGEST_GUIDELINES,
    GuidelinesVersion,
    guidelines_versions,
    latest_guidelines,
    write_guidelines,
)
from core.roles import Right
from pages import messages
from pages.components.markdown import in_order
from pages.messages import said_next
from pages.serving import current_session

TEXT_KEY, VERSION_KEY = "guidelines_text", "guidelines_version"
NONE_WRITTEN = "No guidelines are written for this project."
EXAMPLE = "## Trade\n\nUse *import licence* for …, not for …"
# Streamlit reads formulas, icons and colours into Markdown; pictures would be fetched from afar.
PICTURES, DOLLARS = re.compile(r"!(?=\[)"), re.compile(r"(?<!\\)\$")
DIRECTIVES = re.compile(r":(?=[\w-]+[\[:/])")


def render_guidelines() -> None:
    """Draw the guidelines that hold, for leads the field to change them, and what held before."""
    for sentence in messages.said():
        st.error(sentence, icon=":material/error:")
    session = current_session()
    versions = guidelines_versions(session.store(), session.project_id())
    shown = _chosen(versions)
    if session.may(Right.GUIDELINES) and (not versions or shown == versions[0]):
        _render_field(versions)
    if shown is None or not shown.text:
        st.markdown(f":small[{NONE_WRITTEN}]")
        return
    with st.container(border=True, key="guidelines"):
        st.markdown(as_text(shown.text))


def _chosen(versions: Sequence[GuidelinesVersion]) -> GuidelinesVersion | None:
    if len(versions) < 2:
        return versions[0] if versions else None
    number = st.selectbox(
        "Version",
        range(len(versions)),
        format_func=lambda at: _named(versions[at], is_newest=at == 0),
        key=VERSION_KEY,
        width=420,
    )
    return versions[number]


def _named(version: GuidelinesVersion, *, is_newest: bool) -> str:
    when = f"{version.written_at.day} {version.written_at:%B %Y, %H:%M} UTC"  # Windows has no %-d
    whose = f" by {version.person}" if current_session().signed_in is not None else ""
    return f"{when}{whose}{', in force' if is_newest else ''}"


def _render_field(versions: Sequence[GuidelinesVersion]) -> None:
    newest = versions[0] if versions else None
    with st.expander(
        "Change the guidelines" if newest else "Write guidelines", icon=":material/edit:"
    ):
        st.text_area(
            "Guidelines, in Markdown",
            value=newest.text if newest else "",
            key=f"{TEXT_KEY}_{newest.version_id if newest else 0}",
            max_chars=LONGEST_GUIDELINES,
            height=360,
            placeholder=EXAMPLE,
        )
        st.button(
            "Save as a new version",
            key="guidelines_save",
            on_click=_save,
            args=(newest.version_id if newest else None,),
        )


def _save(former: int | None) -> None:
    session = current_session()
    text = st.session_state[f"{TEXT_KEY}_{former or 0}"]
    with said_next("the guidelines could not be stored"):
        store, project_id = session.writing(Right.GUIDELINES), session.project_id()
        write_guidelines(store, project_id, text, session.person_id(), former=former)
        st.session_state.pop(VERSION_KEY, None)


@st.dialog("Guidelines", width="large")
def show_guidelines() -> None:
    """Draw the guidelines that hold over the document."""
    session = current_session()
    text = latest_guidelines(session.store(), session.project_id())
    st.markdown(as_text(text) if text else NONE_WRITTEN)


def as_text(text: str) -> str:
    """Return Markdown of a person without pictures, formulas, and what Streamlit makes of colons."""
    plainer = DOLLARS.sub(r"\\$", PICTURES.sub("", in_order(text)))
    return DIRECTIVES.sub("&#58;", plainer)

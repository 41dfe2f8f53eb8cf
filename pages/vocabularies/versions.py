"""Versions of the vocabulary: importing one, what it changes, and taking it into use."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from core.errors import StrataError, VocabularyError
from core.review.reports.finished import count_finished
from core.roles import Right
from core.serving.choosing import open_project, use_version
from core.suggest.cold_start.suggester import Expected, expected
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.versions.comparison import VersionComparison, compare
from core.vocabulary.versions.identity import is_version_of
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey, VocabularyVersion
from pages.components.markdown import concepts, count, escaped, plain
from pages.messages import shown_here
from pages.serving import current_session, turn_to_project
from pages.vocabularies.changes import render_changes, render_touched_in_use
from pages.vocabularies.imports import render_import
from pages.vocabularies.names import title_of, version_name, without_model

_LOG = logging.getLogger(__name__)

CHOSEN_KEY = "vocabulary_compared"
TAKEN_KEY = "vocabulary_taken"  # what the version in use changed
COMPARED_KEY = "vocabulary_comparison"
SAID_KEY = "vocabulary_said"
SEEN_KEY = "vocabulary_import_seen"
NOTE = ":material/info:"
NEWER = "They are suggested where their labels stand in the text."


def named(hierarchy: Hierarchy) -> str:
    """Return the vocabulary as a sentence names it."""
    return title_of(hierarchy.vocabulary_id)


def render_versions() -> None:
    """Draw what is in use, what can be taken, and a place for a file."""
    message = st.session_state.pop(SAID_KEY, None)
    if message:
        kind, sentence = message
        (st.error if kind == "error" else st.success)(sentence)
    _notice_import()
    render_suggesting()
    st.markdown("#### Versions")
    render_list()
    with shown_here("what the version in use changed could not be shown"):
        render_in_use()
    chosen = _chosen()
    if chosen is not None:
        with shown_here("the version could not be shown"):
            render_comparison(chosen)
    st.markdown("#### Import a vocabulary")
    render_import()


ACTS = (
    "EuroVoc and EU acts as if nothing had been known of them",
    "titles",
    "full texts",
)
CODES = (
    "names of codes alone, for clinical cases in ICD-10-CM (11 codes each) and radiology reports in "
    "ICD-9-CM (1 or 2 codes)",
    "cases",
    "reports",
)


def render_suggesting() -> None:
    """Say what suggests without a model, and how good that is."""
    session = current_session()
    vocabulary = session.vocabulary()
    if vocabulary is None:
        return
    if session.project.card is not None:
        setup = session.project.setup
        n_new = len(session.server.vocabularies.new_concepts(setup, vocabulary.hierarchy))
        if n_new:
            st.info(f"New to the model: {count(n_new, 'concept')}. {NEWER}", icon=NOTE)
        return
    source = without_model(session.vocabulary_id())
    sentence = f"No model has learned this vocabulary. Suggestions come from {source}."
    n_finished = count_finished(session.store(), session.project_id())
    taught = f"Finished documents make them better: {n_finished:,} so far."
    if not session.current().learning.is_on:
        taught = "Learning from finished documents is switched off on the Models page."
    st.info(f"{sentence} {taught}", icon=NOTE)
    of_codes = conventions_of(session.vocabulary_id()).lexical
    if rows := expected(of_codes=of_codes):
        with st.expander("What to expect"):
            st.markdown(_expectations(rows, *(CODES if of_codes else ACTS)))


def _expectations(rows: Sequence[Expected], measured: str, first: str, second: str) -> str:
    """Return what was measured elsewhere, as a table.

    Args:
        measured: with what.
        first, second: kinds of documents.
    """
    lines = [
        f"| {row.n_decided:,} | {' | '.join(f'{right:.1f}' for right in row.right)} |"
        for row in rows
    ]
    return "\n".join(
        [
            f"Measured with {measured}, on other documents than those that were finished:",
            "",
            f"| Finished documents | Right of five, {first} | Right of five, {second} |",
            "| ---: | ---: | ---: |",
            *lines,
        ]
    )


def render_list() -> None:
    """Draw a row for each version; the one in use is marked."""
    session = current_session()
    in_use = session.project.choice
    if session.project.card is not None:
        _row(BUNDLED, "The model’s own vocabulary", _bundled_facts(), in_use)
    for entry in session.server.versions.entries():
        title = f"{title_of(entry.vocabulary_id)}, {version_name(entry.version)}"
        _row(entry.key, title, _entry_facts(entry), in_use)
    former = session.server.registry.former(session.project)
    if former is not None:
        st.button(
            f"Take back: use {plain(_title(former))} again",
            key="vocabulary_take_back",
            icon=":material/undo:",
            on_click=_take_back,
        )


def _row(choice: VersionKey, title: str, facts: str, in_use: VersionKey) -> None:
    key = f"{choice.vocabulary_id}_{choice.version}" if choice != BUNDLED else "bundled"
    with st.container(horizontal=True, vertical_alignment="center", key=f"version_{key}"):
        mark = "  :green-badge[in use]" if choice == in_use else ""
        st.markdown(f"**{escaped(title)}**{mark}  \n{escaped(facts)}")
        if choice != in_use:
            st.button("Look at it", key=f"look_{key}", on_click=_look, args=(choice,))


def render_in_use() -> None:
    """Draw the decisions that deserve another look since the version in use was taken."""
    session = current_session()
    served = session.project
    former, vocabulary = session.server.registry.former(served), served.vocabulary()
    choice = served.choice
    if former is None or vocabulary is None or former == choice:
        return
    now = vocabulary.own
    names = (now.vocabulary_id, former, choice)
    compared = st.session_state.get(TAKEN_KEY)
    if compared is None or compared[0] != names:
        try:
            compared = (names, compare(_load(former), now))
        except VocabularyError:  # it is not here any more, and nothing needs it
            _LOG.warning("the version before cannot be read", exc_info=True)
            return
        st.session_state[TAKEN_KEY] = compared
    until, entry = session.server.registry.taken_at(served), session.server.versions.entry(choice)
    if until is None and entry is not None:  # taken by a program that did not note it
        until = datetime.fromisoformat(entry.imported_at)
    render_touched_in_use(compared[1], now, before=_title(former), until=until)


def _load(choice: VersionKey) -> Hierarchy:
    session = current_session()
    return session.project.bundled() if choice == BUNDLED else session.server.versions.load(choice)


def render_comparison(choice: VersionKey) -> None:
    """Draw what this version would change, then the button that takes it."""
    session = current_session()
    vocabulary = session.vocabulary()
    new_id = choice.vocabulary_id or session.project.bundled().vocabulary_id
    is_other = vocabulary is None or vocabulary.hierarchy.vocabulary_id != new_id
    with st.container(border=True, key="comparison"):
        st.markdown(f"**What changes with {escaped(_title(choice))}**")
        if is_other or vocabulary is None:
            st.markdown(
                "This is another vocabulary than the one in use here. It is used in a project of "
                "its own, which is opened with it; this project, its documents and its vocabulary "
                f"stay as they are. {_who_suggests(new_id)}"
            )
        else:
            # Companions have versions of their own, which stay.
            old, new = vocabulary.own, _load(choice)
            render_other_scheme(old, new)
            render_changes(_compared(old, new, choice), old, new)
        with st.container(horizontal=True):
            st.button(
                "Use this vocabulary" if is_other else "Take this version into use",
                type="primary",
                key="vocabulary_take",
                on_click=_take,
                args=(choice,),
            )
            st.button("Leave it", key="vocabulary_leave", on_click=_look, args=(None,))


def render_other_scheme(old: Hierarchy, new: Hierarchy) -> None:
    """Warn of an import that has the id of the bundle's vocabulary and another scheme."""
    if not is_version_of({"scheme_uri": old.scheme_uri, "uri_base": old.uri_base}, new):
        st.warning(
            "This is probably another vocabulary: its concept scheme is "
            f"{escaped(new.scheme_uri)}, and that of the version in use is "
            f"{escaped(old.scheme_uri)}.",
            icon=":material/warning:",
        )


def _notice_import() -> None:
    entry = current_session().server.importer.state.entry
    if entry is not None and st.session_state.get(SEEN_KEY) != entry.imported_at:
        st.session_state[SEEN_KEY] = entry.imported_at
        st.session_state[CHOSEN_KEY] = entry.key


def _chosen() -> VersionKey | None:
    chosen: VersionKey | None = st.session_state.get(CHOSEN_KEY)
    return chosen if chosen != current_session().project.choice else None


def _compared(old: Hierarchy, new: Hierarchy, choice: VersionKey) -> VersionComparison:
    names = (old.vocabulary_id, old.version, current_session().project.choice, choice)
    compared = st.session_state.get(COMPARED_KEY)
    if compared is None or compared[0] != names:
        compared = (names, compare(old, new))
        st.session_state[COMPARED_KEY] = compared
    comparison: VersionComparison = compared[1]
    return comparison


def _look(choice: VersionKey | None) -> None:
    st.session_state[CHOSEN_KEY] = choice


def _take(choice: VersionKey) -> None:
    """Take a version into use; one of another vocabulary in the project of that."""
    session = current_session()

    def take() -> None:
        project_id = use_version(session, choice)
        if project_id != session.project_id():
            open_project(session, project_id)
            turn_to_project(project_id)

    _change(take)


def _take_back() -> None:
    session = current_session()

    def take_back() -> None:
        session.require(Right.VOCABULARIES)
        session.server.registry.use_former(session.project, person_id=session.person_id())

    _change(take_back)


def _change(change: Callable[[], None]) -> None:
    try:
        change()
    except StrataError as error:
        _LOG.exception("the vocabulary could not be changed")
        _say("error", str(error))
        return
    st.session_state[CHOSEN_KEY] = None
    current_session().server.importer.forget()
    _say("success", f"In use: {_title(current_session().project.choice)}.")


def _say(kind: str, sentence: str) -> None:
    st.session_state[SAID_KEY] = (kind, escaped(sentence))


def _title(choice: VersionKey) -> str:
    if choice == BUNDLED:
        return "the model’s own vocabulary"
    return f"{title_of(choice.vocabulary_id)}, {version_name(choice.version)}"


def _who_suggests(vocabulary_id: str) -> str:
    try:
        if current_session().project.bundled().vocabulary_id == vocabulary_id:
            return ""
    except StrataError:
        _LOG.warning("what the model knows cannot be read", exc_info=True)
    learned = [
        card.name
        for card in current_session().server.setups.cards()
        if card.vocabulary_id == vocabulary_id
    ]
    if learned:
        models = "models" if len(learned) > 1 else "model"
        have = "have" if len(learned) > 1 else "has"
        return f"The {models} {escaped(', '.join(learned))} {have} learned it."
    return f"No model here has learned it: suggestions come from {without_model(vocabulary_id)}."


def _bundled_facts() -> str:
    try:
        bundled = current_session().project.bundled()
    except StrataError as error:
        return str(error)
    return f"{named(bundled)}, {version_name(bundled.version)}: {concepts(len(bundled), len(bundled.deprecated))}"


def _entry_facts(entry: VocabularyVersion) -> str:
    facts = entry.report
    n_withdrawn = facts.get("deprecated", 0)
    is_built_in = entry.file_name == entry.vocabulary_id
    source = "from the program itself" if is_built_in else f"from {entry.file_name}"
    return (
        f"{concepts(facts['concepts'] - n_withdrawn, n_withdrawn)}, {count(len(facts['languages']), 'language')}, "
        f"imported on {entry.imported_at[:10]} {source}"
    )

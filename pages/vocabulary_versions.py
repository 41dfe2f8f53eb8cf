"""Versions of the vocabulary: importing one, what it changes, and taking it into use."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from core.errors import StrataError
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.versions.comparison import VersionComparison, compare
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey, VocabularyVersion
from pages.serving import workplace
from pages.vocabulary_changes import render_changes
from pages.vocabulary_import import plain, render_import
from pages.vocabulary_names import title_of

_LOG = logging.getLogger(__name__)

CHOSEN_KEY = "vocabulary_compared"
COMPARED_KEY = "vocabulary_comparison"
SAID_KEY = "vocabulary_said"
SEEN_KEY = "vocabulary_import_seen"
OTHER_VOCABULARY = (
    "The model was trained with another vocabulary than the one in use, so it suggests nothing: "
    "search, browsing and decisions work. Documents belong to the vocabulary with which they were "
    "added; those of the other one come back with it."
)


def named(hierarchy: Hierarchy) -> str:
    """The vocabulary as a sentence names it."""
    return title_of(hierarchy.vocabulary_id)


def render_versions() -> None:
    """What is in use, what can be taken, and a place for a file."""
    said = st.session_state.pop(SAID_KEY, None)
    if said:
        kind, sentence = said
        (st.error if kind == "error" else st.success)(sentence)
    _notice_import()
    if not workplace().suggests() and not workplace().projects.is_opening:
        st.info(OTHER_VOCABULARY, icon=":material/info:")
    st.markdown("#### Versions")
    render_shelf()
    chosen = _chosen()
    if chosen is not None:
        _safely(render_comparison, chosen)
    st.markdown("#### Import a vocabulary")
    render_import()


def render_shelf() -> None:
    """A row for each version; the one in use is marked."""
    shared = workplace()
    in_use = shared.shelf.in_use()
    _row(BUNDLED, "The model’s own vocabulary", _bundled_facts(), in_use)
    for entry in shared.shelf.entries():
        title = f"{title_of(entry.vocabulary_id)} {entry.version}"
        _row(entry.key, title, _entry_facts(entry), in_use)
    former = shared.shelf.before()
    if former is not None:
        st.button(
            f"Take back: use {_title(former)} again",
            key="vocabulary_take_back",
            icon=":material/undo:",
            on_click=_take_back,
        )


def _row(choice: VersionKey, title: str, facts: str, in_use: VersionKey) -> None:
    key = f"{choice.vocabulary_id}_{choice.version}" if choice != BUNDLED else "bundled"
    with st.container(horizontal=True, vertical_alignment="center", key=f"version_{key}"):
        mark = "  :green-badge[in use]" if choice == in_use else ""
        st.markdown(f"**{plain(title)}**{mark}  \n{plain(facts)}")
        if choice != in_use:
            st.button("Look at it", key=f"look_{key}", on_click=_look, args=(choice,))


def render_comparison(choice: VersionKey) -> None:
    """What this version would change, then the button that takes it."""
    shared = workplace()
    vocabulary = shared.vocabulary()
    new_id = choice.vocabulary_id or shared.bundled().vocabulary_id
    is_other = vocabulary is None or vocabulary.hierarchy.vocabulary_id != new_id
    with st.container(border=True, key="comparison"):
        st.markdown(f"**What changes with {plain(_title(choice))}**")
        if is_other or vocabulary is None:
            st.markdown(
                "This is another vocabulary than the one in use. Documents that are added from "
                "then on belong to it; those that are here stay with their own vocabulary and "
                f"come back when that is taken again. {_who_suggests(new_id)}"
            )
        else:
            new = shared.bundled() if choice == BUNDLED else shared.shelf.load(choice)
            render_changes(_compared(vocabulary.hierarchy, new, choice), vocabulary.hierarchy, new)
        with st.container(horizontal=True):
            st.button(
                "Use this vocabulary" if is_other else "Take this version into use",
                type="primary",
                key="vocabulary_take",
                on_click=_take,
                args=(choice,),
            )
            st.button("Leave it", key="vocabulary_leave", on_click=_look, args=(None,))


def _notice_import() -> None:
    """Look at the changes of what was just imported."""
    entry = workplace().importer.state.entry
    if entry is not None and st.session_state.get(SEEN_KEY) != entry.imported_at:
        st.session_state[SEEN_KEY] = entry.imported_at
        st.session_state[CHOSEN_KEY] = entry.key


def _chosen() -> VersionKey | None:
    """The version to look at: the one that was asked for, or the one that was just imported."""
    chosen: VersionKey | None = st.session_state.get(CHOSEN_KEY)
    return chosen if chosen != workplace().shelf.in_use() else None


def _compared(old: Hierarchy, new: Hierarchy, choice: VersionKey) -> VersionComparison:
    """The comparison, kept while the same two are looked at."""
    names = (old.vocabulary_id, old.version, workplace().shelf.in_use(), choice)
    kept = st.session_state.get(COMPARED_KEY)
    if kept is None or kept[0] != names:
        kept = (names, compare(old, new))
        st.session_state[COMPARED_KEY] = kept
    comparison: VersionComparison = kept[1]
    return comparison


def _look(choice: VersionKey | None) -> None:
    st.session_state[CHOSEN_KEY] = choice


def _take(choice: VersionKey) -> None:
    _change(lambda: workplace().use(choice))


def _take_back() -> None:
    _change(workplace().use_former)


def _change(change: Callable[[], None]) -> None:
    """Take another version into use, and say so."""
    try:
        change()
    except StrataError as error:
        _LOG.exception("the vocabulary could not be changed")
        _say("error", str(error))
        return
    st.session_state[CHOSEN_KEY] = None
    workplace().importer.forget()
    _say("success", f"In use: {_title(workplace().shelf.in_use())}.")


def _say(kind: str, sentence: str) -> None:
    st.session_state[SAID_KEY] = (kind, plain(sentence))


def _safely(render: Callable[[VersionKey], None], choice: VersionKey) -> None:
    try:
        render(choice)
    except StrataError as error:
        _LOG.exception("the version could not be shown")
        st.error(plain(str(error)), icon=":material/error:")


def _title(choice: VersionKey) -> str:
    if choice == BUNDLED:
        return "the model’s own vocabulary"
    return f"{title_of(choice.vocabulary_id)} {choice.version}"


def _who_suggests(vocabulary_id: str) -> str:
    """What is to be expected of a vocabulary that the model may not know."""
    try:
        if workplace().bundled().vocabulary_id == vocabulary_id:
            return ""
    except StrataError:
        _LOG.warning("what the model knows cannot be read", exc_info=True)
    if conventions_of(vocabulary_id).lexical:
        return "Where the model does not know it, names that stand in the text are suggested."
    return "The model makes no suggestions for it."


def _bundled_facts() -> str:
    try:
        own = workplace().bundled()
    except StrataError as error:
        return str(error)
    return f"{named(own)} {own.version}: {len(own):,} concepts"


def _entry_facts(entry: VocabularyVersion) -> str:
    found = entry.report
    spoken = len(found["languages"])
    is_built_in = entry.file_name == entry.vocabulary_id
    source = "as it comes with the program" if is_built_in else f"from {entry.file_name}"
    return (
        f"{found['concepts']:,} concepts, {spoken} language{'s' if spoken != 1 else ''}, "
        f"imported on {entry.imported_at[:10]} {source}"
    )

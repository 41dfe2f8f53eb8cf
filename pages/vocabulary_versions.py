"""Versions of the vocabulary: importing a SKOS file, what it changes, and taking it into use."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import StrataError
from core.vocabulary.comparison import Comparison, compare
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.shelf import BUNDLED, Choice, ShelfEntry
from pages.serving import workplace
from pages.vocabulary_changes import render_changes

_LOG = logging.getLogger(__name__)

MOST_MEGABYTES = 200
SUFFIXES = ("rdf", "xml", "ttl", "nt", "nq", "n3", "trig", "jsonld", "json", "gz", "zip")
PROGRESS_SECONDS = 0.5
MOST_MENDED = 500
UPLOAD_KEY = "vocabulary_upload"
ROUND_KEY = "vocabulary_round"
CHOSEN_KEY = "vocabulary_compared"
COMPARED_KEY = "vocabulary_comparison"
SAID_KEY = "vocabulary_said"
SEEN_KEY = "vocabulary_import_seen"
NAMES = {"eurovoc": "EuroVoc", "stw": "STW", "tiny": "Tiny"}
OTHER_VOCABULARY = (
    "The model was trained with another vocabulary than the one in use, so it suggests nothing: "
    "search, browsing and decisions work. Documents belong to the vocabulary with which they were "
    "added; those of the other one come back with it."
)


def named(hierarchy: Hierarchy) -> str:
    """The vocabulary as a sentence names it."""
    return title_of(hierarchy.vocabulary_id)


def title_of(vocabulary_id: str) -> str:
    """A vocabulary by its name, where it has one of its own."""
    return NAMES.get(vocabulary_id, vocabulary_id)


def render_versions() -> None:
    """What is in use, what can be taken, and a place for a file."""
    said = st.session_state.pop(SAID_KEY, None)
    if said:
        kind, sentence = said
        (st.error if kind == "error" else st.success)(sentence)
    _notice_import()
    if not workplace().suggests():
        st.info(OTHER_VOCABULARY, icon=":material/info:")
    st.markdown("#### Versions")
    render_shelf()
    chosen = _chosen()
    if chosen is not None:
        _safely(render_comparison, chosen)
    st.markdown("#### Import a SKOS file")
    render_import()


def render_shelf() -> None:
    """A row for each version; the one in use is marked."""
    shared = workplace()
    in_use = shared.shelf.in_use()
    _row(BUNDLED, "The model’s own vocabulary", _bundled_facts(), in_use)
    for entry in shared.shelf.entries():
        title = f"{NAMES.get(entry.vocabulary_id, entry.vocabulary_id)} {entry.version}"
        _row(entry.choice, title, _entry_facts(entry), in_use)
    former = shared.shelf.before()
    if former is not None:
        st.button(
            f"Take back: use {_title(former)} again",
            key="vocabulary_take_back",
            icon=":material/undo:",
            on_click=_take_back,
        )


def _row(choice: Choice, title: str, facts: str, in_use: Choice) -> None:
    key = f"{choice.vocabulary_id}_{choice.version}" if choice != BUNDLED else "bundled"
    with st.container(horizontal=True, vertical_alignment="center", key=f"version_{key}"):
        mark = "  :green-badge[in use]" if choice == in_use else ""
        st.markdown(f"**{_plain(title)}**{mark}  \n{_plain(facts)}")
        if choice != in_use:
            st.button("Look at it", key=f"look_{key}", on_click=_look, args=(choice,))


def render_comparison(choice: Choice) -> None:
    """What this version would change, then the button that takes it."""
    shared = workplace()
    vocabulary = shared.vocabulary()
    new = shared.bundled() if choice == BUNDLED else shared.shelf.load(choice)
    with st.container(border=True, key="comparison"):
        st.markdown(f"**What changes with {_plain(_title(choice))}**")
        is_other = vocabulary is None or vocabulary.hierarchy.vocabulary_id != new.vocabulary_id
        if is_other or vocabulary is None:
            st.markdown(
                "This is another vocabulary than the one in use. Documents that are added from "
                "then on belong to it; those that are here stay with their own vocabulary and "
                "come back when that is taken again. "
                + ("" if _is_models(new) else "The model makes no suggestions for it.")
            )
        else:
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


def render_import() -> None:
    """A place for a file, its progress, and the report of the last one."""
    importer = workplace().importer
    if importer.state.is_running:
        st.fragment(follow_import, run_every=PROGRESS_SECONDS)()
        return
    st.file_uploader(
        "RDF/XML, Turtle or N-Triples, also as .gz or .zip. What is in use changes only when "
        "you take the new version.",
        type=list(SUFFIXES),
        max_upload_size=MOST_MEGABYTES,
        key=f"{UPLOAD_KEY}_{st.session_state.get(ROUND_KEY, 0)}",
        on_change=_begin,
    )
    state = importer.state
    if state.problem:
        st.error(_plain(state.problem), icon=":material/error:")
    if state.entry is not None:
        render_report(state.entry)


def follow_import() -> None:
    """A bar while the file is read; the whole page follows when it is over."""
    state = workplace().importer.state
    if not state.is_running:
        st.rerun()
    words = "Reading" if state.stage == "reading" else "Keeping what was read from"
    st.progress(state.share, text=f"{words} {_plain(state.file_name)}")


def render_report(entry: ShelfEntry) -> None:
    """What the file holds, and what had to be mended."""
    found = entry.report
    st.success(_plain(f"{entry.file_name} was read in {found['seconds']} s."))
    levels = ", ".join(f"{count:,}" for count in found["levels"])
    languages = ", ".join(code or "none stated" for code in found["languages"])
    st.markdown(
        f"**{found['concepts']:,}** concepts, {found['deprecated']:,} of them withdrawn · "
        f"**{found['edges']:,}** links to broader concepts · {found['top_concepts']:,} at the top"
    )
    st.caption(f"By level: {levels}. Languages: {_plain(languages)}.")
    mended: list[dict[str, Any]] = found["mended"]
    if not mended:
        st.markdown("Nothing had to be mended.")
        return
    with st.expander(f"Mended: {len(mended):,}"):
        if len(mended) > MOST_MENDED:
            st.caption(f"The first {MOST_MENDED}; all with python -m core vocabulary FILE --json.")
        st.dataframe(
            [{"What": one["problem"], "Done": one["action"]} for one in mended[:MOST_MENDED]],
            hide_index=True,
        )


def _notice_import() -> None:
    """Look at the changes of what was just imported."""
    entry = workplace().importer.state.entry
    if entry is not None and st.session_state.get(SEEN_KEY) != entry.imported_at:
        st.session_state[SEEN_KEY] = entry.imported_at
        st.session_state[CHOSEN_KEY] = entry.choice


def _chosen() -> Choice | None:
    """The version to look at: the one that was asked for, or the one that was just imported."""
    chosen: Choice | None = st.session_state.get(CHOSEN_KEY)
    return chosen if chosen != workplace().shelf.in_use() else None


def _compared(old: Hierarchy, new: Hierarchy, choice: Choice) -> Comparison:
    """The comparison, kept while the same two are looked at."""
    names = (old.vocabulary_id, old.version, workplace().shelf.in_use(), choice)
    kept = st.session_state.get(COMPARED_KEY)
    if kept is None or kept[0] != names:
        kept = (names, compare(old, new))
        st.session_state[COMPARED_KEY] = kept
    comparison: Comparison = kept[1]
    return comparison


def _begin() -> None:
    """Hand the file to the importer, and empty the place for the next one."""
    number = st.session_state.get(ROUND_KEY, 0)
    upload = st.session_state.get(f"{UPLOAD_KEY}_{number}")
    if upload is None:
        return
    st.session_state[ROUND_KEY] = number + 1
    if not workplace().importer.start(upload.name, upload.getvalue()):
        _say("error", "Another file is being read; wait for it, then try again.")


def _look(choice: Choice | None) -> None:
    st.session_state[CHOSEN_KEY] = choice


def _take(choice: Choice) -> None:
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
    st.session_state[SAID_KEY] = (kind, _plain(sentence))


def _safely(render: Callable[[Choice], None], choice: Choice) -> None:
    try:
        render(choice)
    except StrataError as error:
        _LOG.exception("the version could not be shown")
        st.error(_plain(str(error)), icon=":material/error:")


def _title(choice: Choice) -> str:
    if choice == BUNDLED:
        return "the model’s own vocabulary"
    return f"{NAMES.get(choice.vocabulary_id, choice.vocabulary_id)} {choice.version}"


def _is_models(hierarchy: Hierarchy) -> bool:
    try:
        return workplace().bundled().vocabulary_id == hierarchy.vocabulary_id
    except StrataError:
        return False


def _bundled_facts() -> str:
    try:
        own = workplace().bundled()
    except StrataError as error:
        return str(error)
    return f"{named(own)} {own.version}: {len(own):,} concepts"


def _entry_facts(entry: ShelfEntry) -> str:
    found = entry.report
    spoken = len(found["languages"])
    return (
        f"{found['concepts']:,} concepts, {spoken} language{'s' if spoken != 1 else ''}, "
        f"imported on {entry.imported_at[:10]} from {entry.file_name}"
    )


def _plain(text: str) -> str:
    """The text with everything escaped that Markdown would take for a sign."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|~$:^=" else c for c in text)

"""The progress of an import, and its report."""

from __future__ import annotations

import streamlit as st

from core.documents.rows.records import BadLine
from core.serving.importing import Import
from pages import opening
from pages.components.markdown import count, escaped, plain
from pages.components.progress import Progress, follow_progress
from pages.screens import screen

IMPORT_KEY = "batch_import"
MOST_LISTED = 200


def current_import() -> Import | None:
    """Return what this session takes in, or has taken in and not put away."""
    taken: Import | None = st.session_state.get(IMPORT_KEY)
    return taken


def render_import(taken: Import) -> None:
    """Show how far it is, then the report."""
    if taken.finished.is_set():
        render_report(taken)
    else:
        with st.container(border=True, key="batch_panel"):
            follow_progress(_progress)


def _progress() -> list[Progress]:
    taken = current_import()
    if taken is None or taken.finished.is_set():
        return []
    words = f"Adding {plain(taken.name)}"
    stop = taken.stopped.set
    return [Progress(words, taken.done, taken.total, key="batch_stop", stop=stop)]


def render_report(taken: Import) -> None:
    """Draw the report, with every row that could not be read."""
    with st.container(border=True, key="batch_panel"):
        st.subheader(
            f"{plain(taken.name)}: {count(len(taken.added), 'document')} added",
            anchor=False,
        )
        if taken.problem:
            st.error(escaped(taken.problem), icon=":material/error:")
        for sentence in report(taken):
            st.markdown(f":material/info: {sentence}")
        _render_list(
            "What could not be read",
            [reason(line) for line in taken.bad],
            is_open=not taken.added,
        )
        _render_list(
            "Ids that a document of any project has already, or that are too long",
            [f"{wanted} became {kept}" for wanted, kept in taken.renamed],
        )
        unknown = [f"{name} ({count(n, 'row')})" for name, n in taken.unknown.most_common()]
        concepts = "Codes" if opening.is_clinical() else "Concepts"
        _render_list(f"{concepts} that the vocabulary does not have", unknown)
        with st.container(horizontal=True):
            if taken.first is not None:
                st.button("Open the first", type="primary", key="batch_open", on_click=_open_first)
            if st.button("See all documents", key="batch_documents"):
                _forget()
                st.switch_page(screen("documents"))
            st.button("Done", key="batch_done", on_click=_forget)


def report(taken: Import) -> list[str]:
    """Return the sentences of the report."""
    noun = "code" if opening.is_clinical() else "concept"
    were = "was" if taken.n_here == 1 else "were"
    languages = ", ".join(f"{n:,} in {language}" for language, n in taken.languages.most_common())
    said = (
        (taken.stopped.is_set(), f"It was stopped after {taken.done:,} of {taken.total:,}."),
        (taken.added or taken.restored, "The model reads them in the background, one by one."),
        (
            taken.n_given,
            f"{count(taken.n_given, f'assigned {noun}')} came with them, to be confirmed.",
        ),
        (
            taken.n_here,
            f"{count(taken.n_here, 'document')} with the same text {were} here already.",
        ),
        (taken.restored, f"{count(len(taken.restored), 'document')} came back from the bin."),
        (languages, f"Not in the language that the model learned: {languages}."),
    )
    about = [f"{count(n, 'document')}: {escaped(words)}" for words, n in taken.said.most_common()]
    return [*(sentence for holds, sentence in said if holds), *about]


def _render_list(head: str, lines: list[str], *, is_open: bool = False) -> None:
    """Draw lines as they are: what stands in them came with a file."""
    if not lines:
        return
    with st.expander(f"{head}: {len(lines):,}", icon=":material/warning:", expanded=is_open):
        st.text("\n".join(lines[:MOST_LISTED]))
        if len(lines) > MOST_LISTED:
            st.caption(f"And {len(lines) - MOST_LISTED:,} more.")


def reason(line: BadLine) -> str:
    """Return where something could not be read and why; a sentence about a file begins with it."""
    return line.reason if line.reason.startswith(line.where) else f"{line.where}: {line.reason}"


def _open_first() -> None:
    taken: Import = st.session_state[IMPORT_KEY]
    _forget()
    opening.show_document(taken.first)


def _forget() -> None:
    st.session_state.pop(IMPORT_KEY, None)

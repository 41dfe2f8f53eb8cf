"""The progress of an import, its report, and which documents are like others."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.documents.document import Document
from core.documents.rows.records import BadLine
from core.review.reports.summaries import named_documents
from core.serving.importing import Import
from pages import opening
from pages.components.markdown import count, escaped, plain
from pages.components.progress import Progress, follow_progress
from pages.screens import screen
from pages.serving import current_session, here

IMPORT_KEY = "batch_import"
MOST_LISTED = 200
MOST_LINKED = 50
MOST_OF_AN_ID = 60  # characters


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
        what = "encounter" if opening.is_clinical() else "document"
        st.subheader(
            f"{plain(taken.name)}: {count(len(taken.added), what)} added",
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
            _renamed(taken.renamed), [f"{wanted} became {given}" for wanted, given in taken.renamed]
        )
        _render_like(taken)
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
    n_here = len(taken.here)
    were = "was" if n_here == 1 else "were"
    languages = ", ".join(f"{n:,} in {language}" for language, n in taken.languages.most_common())
    parts = (
        (taken.stopped.is_set(), f"It was stopped after {taken.done:,} of {taken.total:,}."),
        (taken.added or taken.restored, "The model reads them in the background, one by one."),
        (
            taken.n_given,
            f"{count(taken.n_given, f'assigned {noun}')} came with them, to be confirmed.",
        ),
        (
            n_here,
            f"{count(n_here, 'document')} {were} here already.",
        ),
        (
            taken.like,
            f"{count(len(taken.like), 'document')} {_has(taken.like)} the text or the number of "
            "another document; both are kept.",
        ),
        (taken.restored, f"{count(len(taken.restored), 'document')} came back from the bin."),
        (languages, f"Not in the language that the model learned: {languages}."),
    )
    about = [f"{count(n, 'document')}: {escaped(words)}" for words, n in taken.said.most_common()]
    return [*(sentence for holds, sentence in parts if holds), *about]


def _has(items: Sequence[object]) -> str:
    return "has" if len(items) == 1 else "have"


def _renamed(renamed: Sequence[tuple[str, str]]) -> str:
    if not renamed:
        return ""
    example = " became ".join(plain(name, MOST_OF_AN_ID) for name in renamed[0])
    return f"Ids changed, as another document has them or they are too long ({example})"


def _render_like(taken: Import) -> None:
    """List the documents that are like others or were here already, each with a way to open it."""
    pairs = [(f"{added}:", like.document_id, like.likeness) for added, like in taken.like]
    pairs += [(f"{where}:", document_id, "is here already") for where, document_id in taken.here]
    if not pairs:
        return
    session = current_session()
    shown = pairs[:MOST_LINKED]
    named = named_documents(
        session.store(), session.project_id(), [document_id for _, document_id, _ in shown]
    )
    with st.expander(f"Documents like others: {len(pairs):,}", icon=":material/difference:"):
        for place, document_id, likeness in shown:
            line = named.get(document_id)
            title = opening.listed_title(document_id, line.title if line else document_id)
            st.page_link(
                screen("annotate"),
                label=f"{plain(place, MOST_OF_AN_ID)} “{plain(title, 80)}” "
                f"({plain(document_id, MOST_OF_AN_ID)}) {plain(likeness)}",
                query_params=here(document=document_id),
            )
        if len(pairs) > len(shown):
            st.caption(f"And {len(pairs) - len(shown):,} more.")


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


def render_alike(opened: str) -> None:
    """Draw what is to be known of the open document, as long as nothing else is added."""
    added, other, sentence = st.session_state.get(opening.LIKE_KEY, (None, "", ""))
    here, document, proposed_id = st.session_state.get(opening.NOT_ADDED_KEY, (None, None, ""))
    if opened == added:
        with st.container(horizontal=True, vertical_alignment="center", key="like"):
            st.button("Open it", key="open_like", on_click=opening.show_document, args=(other,))
            st.markdown(f":small[{escaped(sentence)}]", width="content")
            _render_dismissal(opening.LIKE_KEY)
    elif opened == here:
        with st.container(horizontal=True, vertical_alignment="center", key="not_added"):
            st.button(
                "Add it all the same",
                key="add_same",
                on_click=_add,
                args=(document, proposed_id),
                help="As another document with the same text.",
            )
            _render_dismissal(opening.NOT_ADDED_KEY)


def _render_dismissal(key: str) -> None:
    st.button(
        ":material/close:",
        key="dismiss",
        help="Dismiss",
        type="tertiary",
        on_click=lambda: st.session_state.pop(key, None),
    )


def _add(document: Document, proposed_id: str) -> None:
    opening.open_documents([document], proposed_id=proposed_id, is_new=True)

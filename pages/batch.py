"""A batch of documents: a look at it, which column is what, and the taking in with its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import streamlit as st

from core.documents.assigned import ConceptNames
from core.documents.batch import Batch, BatchDocument, documents_of, is_batch, open_batch
from core.documents.columns import ColumnMapping
from core.documents.records import BadLine
from core.documents.uploads import read_upload
from core.errors import DocumentError
from pages import opening
from pages.importing import Import, start_import
from pages.navigation import screen
from pages.serving import workplace

BATCH_KEY, IMPORT_KEY = "batch", "batch_import"
OPENED_AT_ONCE = 6  # so many files are read while the person waits
REFRESH_SECONDS = 0.5
NONE = "—"
SHOWN_CHARACTERS = 160  # of a cell of the preview
MOST_LISTED = 200
# Key of the select box, its label, and what it stands for in the mapping.
CHOICES = (
    ("batch_title", "Title", "title"),
    ("batch_text", "Text", "text"),
    ("batch_id", "Id", "document_id"),
    ("batch_concepts", "Concepts already assigned", "concepts"),
)


def take_uploads(uploads: Sequence[opening.Upload]) -> None:
    """Open a few documents, take many in, or ask about a batch."""
    batches, documents = [], []
    for upload in uploads:
        try:
            holds_many = is_batch(upload.name, upload.getvalue())
        except DocumentError as error:
            opening.say(str(error))
        else:
            (batches if holds_many else documents).append(upload)
    for upload in batches[1:]:
        opening.say(f"{upload.name} was not added: add one batch at a time.")
    if batches:
        _ask(batches[0])
    if len(documents) > OPENED_AT_ONCE:
        import_files(documents)
    elif documents:
        opening.open_uploads(documents)


def _ask(upload: opening.Upload) -> None:
    try:
        show_batch(open_batch(upload.name, upload.getvalue()))
    except DocumentError as error:
        opening.say(str(error))


def show_batch(batch: Batch) -> None:
    """Let the page ask what the columns of a batch are."""
    st.session_state[BATCH_KEY] = batch
    for key, _, field in CHOICES:
        st.session_state[key] = getattr(batch.guessed, field) or NONE


def import_files(uploads: Sequence[opening.Upload]) -> None:
    """Take many files in, each as one document."""
    files = [(upload.name, upload.getvalue()) for upload in uploads]
    name = f"{len(files)} files"
    st.session_state[IMPORT_KEY] = start_import(workplace(), name, len(files), _read(files))


def is_busy() -> bool:
    """Whether there is a batch to be asked about, or a report to be read."""
    return BATCH_KEY in st.session_state or IMPORT_KEY in st.session_state


def render_batch() -> None:
    """What is asked, how far it is, or what came of it."""
    taken: Import | None = st.session_state.get(IMPORT_KEY)
    if taken is not None and not taken.finished.is_set():
        st.fragment(follow_import, run_every=REFRESH_SECONDS)()
    elif taken is not None:
        render_report(taken)
    elif BATCH_KEY in st.session_state:
        render_questions(st.session_state[BATCH_KEY])


# ---------------------------------------------------------------------- questions


def render_questions(batch: Batch) -> None:
    """A preview of the batch, a select box for each thing that is needed, and the two ways on."""
    with st.container(border=True, key="batch_panel"):
        st.subheader(_headline(batch), anchor=False)
        if batch.columns:
            st.dataframe(_preview(batch), hide_index=True, width="stretch")
            options = [NONE, *batch.columns]
            for (key, label, _), column in zip(CHOICES, st.columns(len(CHOICES)), strict=True):
                column.selectbox(label, options, key=key)
        unusable = _unusable(batch)
        if unusable:
            st.caption(unusable)
        with st.container(horizontal=True):
            st.button(
                f"Add {_count(batch.n_rows, 'document')}",
                type="primary",
                key="batch_add",
                disabled=bool(unusable),
                on_click=_import,
                args=(batch,),
            )
            st.button("Cancel", key="batch_cancel", on_click=_forget)


def _headline(batch: Batch) -> str:
    if not batch.columns:
        return f"{batch.name}: {_count(batch.n_rows, 'file')}, each to become a document"
    return f"{batch.name}: {_count(batch.n_rows, 'row')}. Which column is what?"


def _preview(batch: Batch) -> list[dict[str, str]]:
    return [
        {column: _cell(fields.get(column)) for column in batch.columns} for fields in batch.preview
    ]


def _cell(value: object) -> str:
    text = "" if value is None else str(value).replace("\n", " ")
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} …"


def _unusable(batch: Batch) -> str | None:
    """Why the batch cannot be taken in with these columns."""
    mapping = _mapping(batch)
    if batch.columns and mapping.title is None and mapping.text is None:
        return "Choose at least a column for the title or one for the text."
    return None


def _mapping(batch: Batch) -> ColumnMapping:
    """What the select boxes say."""
    if not batch.columns:
        return batch.guessed
    chosen = {
        field: st.session_state.get(key, getattr(batch.guessed, field) or NONE)
        for key, _, field in CHOICES
    }
    return ColumnMapping(**{field: None if one == NONE else one for field, one in chosen.items()})


def _import(batch: Batch) -> None:
    shared = workplace()
    vocabulary = shared.vocabulary()
    names = ConceptNames(vocabulary.hierarchy) if vocabulary else None
    documents = documents_of(batch, _mapping(batch), names)
    st.session_state[IMPORT_KEY] = start_import(shared, batch.name, batch.n_rows, documents)
    st.session_state.pop(BATCH_KEY, None)


def _read(files: Sequence[tuple[str, bytes]]) -> Iterator[BatchDocument | BadLine]:
    for name, content in files:
        try:
            yield BatchDocument(name, read_upload(name, content).document(Path(name).stem))
        except DocumentError as error:
            yield BadLine(name, str(error))


# ---------------------------------------------------------------------- progress and report


def follow_import() -> None:
    """How far it is; the page follows when it is over."""
    taken: Import | None = st.session_state.get(IMPORT_KEY)
    if taken is None or taken.finished.is_set():
        st.rerun()
    with st.container(border=True, key="batch_panel"):
        share = min(taken.done / taken.total, 1.0) if taken.total else 0.0
        st.progress(share, text=f"Adding {taken.name}: {taken.done:,} of {taken.total:,}")
        st.button(
            "Stop", key="batch_stop", icon=":material/stop_circle:", on_click=taken.stopped.set
        )


def render_report(taken: Import) -> None:
    """What came of it, with every row that could not be read."""
    with st.container(border=True, key="batch_panel"):
        st.subheader(f"{taken.name}: {_count(len(taken.added), 'document')} added", anchor=False)
        if taken.problem:
            st.error(taken.problem, icon=":material/error:")
        for sentence in report(taken):
            st.markdown(f":material/info: {sentence}")
        _render_list("Rows that could not be read", [f"{b.where}: {b.reason}" for b in taken.bad])
        unknown = [f"{name} ({_count(n, 'row')})" for name, n in taken.unknown.most_common()]
        _render_list("Concepts that the vocabulary does not have", unknown)
        with st.container(horizontal=True):
            if taken.first is not None:
                st.button("Open the first", type="primary", key="batch_open", on_click=_open_first)
            if st.button("See all documents", key="batch_documents"):
                _forget()
                st.switch_page(screen("documents"))
            st.button("Done", key="batch_done", on_click=_forget)


def report(taken: Import) -> list[str]:
    """The sentences of the report."""
    languages = ", ".join(f"{n:,} in {language}" for language, n in taken.languages.most_common())
    said = (
        (taken.stopped.is_set(), f"It was stopped after {taken.done:,} of {taken.total:,}."),
        (taken.added or taken.restored, "The model reads them in the background, one by one."),
        (
            taken.n_given,
            f"{_count(taken.n_given, 'assigned concept')} came with them, to be confirmed.",
        ),
        (taken.n_here, f"{_count(taken.n_here, 'document')} with the same text were here already."),
        (taken.restored, f"{_count(len(taken.restored), 'document')} came back from the bin."),
        (languages, f"Not in the language that the model learned: {languages}."),
    )
    return [sentence for holds, sentence in said if holds]


def _render_list(head: str, lines: list[str]) -> None:
    """Lines as they are: what stands in them came with a file."""
    if not lines:
        return
    with st.expander(f"{head}: {len(lines):,}", icon=":material/warning:"):
        st.text("\n".join(lines[:MOST_LISTED]))
        if len(lines) > MOST_LISTED:
            st.caption(f"And {len(lines) - MOST_LISTED:,} more.")


def _open_first() -> None:
    taken: Import = st.session_state[IMPORT_KEY]
    _forget()
    opening.show_document(taken.first)


def _forget() -> None:
    st.session_state.pop(BATCH_KEY, None)
    st.session_state.pop(IMPORT_KEY, None)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

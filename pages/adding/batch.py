"""A batch of documents: a look at it, which column is what, and the taking in with its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.clinical.encounters import FIELD_NAMES, NOTES_FIELD, with_sections
from core.documents.batches.assigned_concepts import LABEL_KEYS, ConceptNames
from core.documents.batches.batch import (
    as_one_encounter,
    documents_of,
    first_problem,
    is_batch,
    open_batch,
)
from core.documents.batches.document_batch import BatchDocument, ColumnMapping, DocumentBatch
from core.documents.rows.records import BadLine
from core.documents.rows.row_documents import PARTS_FIELD
from core.documents.uploads import read_upload
from core.errors import DocumentError
from core.serving.importing import start_import
from pages import messages, opening
from pages.adding.report import IMPORT_KEY, current_import, reason, render_import
from pages.components.markdown import count, plain
from pages.serving import current_session

BATCH_KEY = "batch"
TOGETHER_KEY = "batch_together"
CHECKED_KEY = "batch_checked"  # of which batch and columns it is known whether a row can be read
OPENED_AT_ONCE = 6  # so many files are read while the person waits
NONE = "—"
SHOWN_CHARACTERS = 160  # of a cell of the preview
MOST_NAMED = 3
MOST_OF_A_REASON = 240  # characters: the name of a file, what is wrong with it, and what to do
# Key of the select box, its label, and what it stands for in the mapping.
CHOICES = (
    ("batch_title", "Title", "title"),
    ("batch_text", "Text", "text"),
    ("batch_id", "Id", "document_id"),
    ("batch_concepts", "Concepts already assigned", "concepts"),
)


def take_uploads(uploads: Sequence[UploadedFile]) -> None:
    """Open a few documents, take many in, or ask about a batch."""
    batches: list[UploadedFile] = []
    documents: list[UploadedFile] = []
    for upload in uploads:
        try:
            holds_many = is_batch(upload.name, upload.getvalue())
        except DocumentError as error:
            messages.say(str(error))
        else:
            (batches if holds_many else documents).append(upload)
    for upload in batches[1:]:
        messages.say(f"{upload.name} was not added: add one batch at a time.")
    if batches:
        _ask(batches[0])
    if len(documents) > OPENED_AT_ONCE:
        import_files(documents)
    elif documents:
        opening.open_uploads(documents)


def _ask(upload: UploadedFile) -> None:
    try:
        show_batch(open_batch(upload.name, upload.getvalue(), encounters=opening.is_clinical()))
    except DocumentError as error:
        messages.say(str(error))


def show_batch(batch: DocumentBatch) -> None:
    """Let the page ask what the columns of a batch are."""
    st.session_state[BATCH_KEY] = batch
    for key in (CHECKED_KEY, TOGETHER_KEY):
        st.session_state.pop(key, None)
    for key, _, field in CHOICES:
        st.session_state[key] = getattr(batch.guessed, field) or NONE


def import_files(uploads: Sequence[UploadedFile]) -> None:
    """Take many files in, each as one document."""
    files = [(upload.name, upload.getvalue()) for upload in uploads]
    name = f"{len(files)} files"
    documents = _read(files, clinical=opening.is_clinical())
    st.session_state[IMPORT_KEY] = start_import(current_session(), name, len(files), documents)


def is_busy() -> bool:
    """Return whether there is a batch to be asked about, or a report to be read."""
    return BATCH_KEY in st.session_state or current_import() is not None


def render_batch() -> None:
    """Draw the questions about the batch, its progress, or its report."""
    taken = current_import()
    if taken is not None:
        render_import(taken)
    elif BATCH_KEY in st.session_state:
        render_questions(st.session_state[BATCH_KEY])


def render_questions(batch: DocumentBatch) -> None:
    """Draw a preview of the batch, a select box for each field, and the two ways on."""
    with st.container(border=True, key="batch_panel"):
        may_be_one = batch.is_flat and batch.encounters
        if may_be_one and st.session_state.get(TOGETHER_KEY):
            batch = as_one_encounter(batch)
        st.subheader(_headline(batch), anchor=False)
        if may_be_one:
            st.checkbox("These texts are the notes of one encounter", key=TOGETHER_KEY)
        if batch.columns:
            st.dataframe(_preview(batch), hide_index=True, width="stretch")
        if batch.columns and not batch.is_export:
            options = [NONE, *batch.columns]
            asked = _asked(batch)
            for (key, label, _), column in zip(asked, st.columns(len(asked)), strict=True):
                column.selectbox(label, options, key=key)
        unusable = _unusable(batch)
        if unusable:
            st.warning(unusable, icon=":material/warning:")
        warnings = (
            _exported(batch) or _encounters(batch),
            None if unusable else _unread(batch),
            _known_concepts(batch),
        )
        for sentence in filter(None, warnings):
            st.markdown(f":material/info: {sentence}")
        _render_buttons(batch, usable=not unusable)


def _render_buttons(batch: DocumentBatch, *, usable: bool) -> None:
    with st.container(horizontal=True):
        st.button(
            f"Add {count(batch.n_rows, _noun(batch))}",
            type="primary",
            key="batch_add",
            disabled=not usable,
            on_click=_import,
            args=(batch,),
        )
        st.button("Cancel", key="batch_cancel", on_click=_forget)


def _n_all(batch: DocumentBatch) -> int:
    return batch.n_rows + batch.n_unread


def _noun(batch: DocumentBatch) -> str:
    return "encounter" if batch.guessed.notes or batch.encounters else "document"


def _asked(batch: DocumentBatch) -> list[tuple[str, str, str]]:
    """Return the choices that matter here: the notes of an encounter are its text."""
    if not batch.guessed.notes:
        return list(CHOICES)
    named = {"concepts": "Codes already assigned"} if opening.is_clinical() else {}
    return [
        (key, named.get(field, label), field) for key, label, field in CHOICES if field != "text"
    ]


def _headline(batch: DocumentBatch) -> str:
    if not batch.columns and batch.encounters:
        unread = f"; {count(batch.n_unread, 'file')} cannot be read" if batch.n_unread else ""
        return f"{plain(batch.name)}: {count(batch.n_rows, 'encounter')} to be added{unread}"
    if not batch.columns and batch.n_unread:
        all_files = count(_n_all(batch), "file")
        return f"{plain(batch.name)}: {batch.n_rows:,} of {all_files} can be read"
    if not batch.columns:
        return f"{plain(batch.name)}: {count(batch.n_rows, 'file')}, each to become a document"
    if batch.is_export:
        documents = count(batch.n_rows, _noun(batch))
        return f"{plain(batch.name)}: {documents} that Strata has exported"
    if batch.guessed.notes:
        return f"{plain(batch.name)}: {count(batch.n_rows, 'encounter')}, one in each row"
    return f"{plain(batch.name)}: {count(batch.n_rows, 'row')}. Which column is what?"


def _preview(batch: DocumentBatch) -> list[dict[str, str]]:
    return [
        {column: _cell(fields.get(column)) for column in batch.columns} for fields in batch.preview
    ]


def _cell(value: object) -> str:
    text = "" if value is None else _told(value).replace("\n", " ")
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} …"


def _told(value: object) -> str:
    """Return what stands in a cell; of notes, their kinds or how they begin; of concepts, labels."""
    if isinstance(value, Mapping):
        keys = (*FIELD_NAMES["kind"], *FIELD_NAMES["text"], *LABEL_KEYS)
        named = (value.get(name) for name in keys)
        return next((name for name in named if isinstance(name, str) and name.strip()), "—")
    if isinstance(value, list):
        return "; ".join(map(_told, value))
    return str(value)


def _unread(batch: DocumentBatch) -> str | None:
    """Count the unreadable encounters at the beginning, with the reason of the first."""
    if not batch.guessed.notes:
        return None
    shown = islice(documents_of(batch, _mapping(batch)), len(batch.preview))
    bad = [row for row in shown if isinstance(row, BadLine)]
    if not bad:
        return None
    first = plain(reason(bad[0]), MOST_OF_A_REASON).removesuffix(".")
    return f"Of the first {count(len(batch.preview), 'row')}, {len(bad)} cannot be read. {first}."


def _unusable(batch: DocumentBatch) -> str | None:
    mapping = _mapping(batch)
    if batch.columns and not (mapping.title or mapping.text or mapping.notes):
        return "Choose at least a column for the title or one for the text."
    if (bad := _first_bad(batch, mapping)) is None:
        return None
    all_rows = count(batch.n_rows, "row" if batch.columns else _noun(batch))
    if not batch.n_rows:
        all_rows = count(batch.n_unread, "file")
    first = f"{plain(reason(bad), MOST_OF_A_REASON).removesuffix('.')}."
    return f"Nothing can be added: {all_rows}, and none can be read. {first} {_remedy(batch)}"


def _first_bad(batch: DocumentBatch, mapping: ColumnMapping) -> BadLine | None:
    """Return why the first row cannot be read, where none can; the same columns are tried once."""
    asked = (batch.name, batch.together, mapping)
    checked = st.session_state.get(CHECKED_KEY)
    if checked is None or checked[0] != asked:
        checked = st.session_state[CHECKED_KEY] = (asked, first_problem(batch, mapping))
    bad: BadLine | None = checked[1]
    return bad


def _remedy(batch: DocumentBatch) -> str:
    if batch.guessed.notes:
        return (
            "Each row needs `notes`, a list such as "
            '`[{"kind": "Discharge summary", "date": "2026-03-31", "text": "…"}]`: '
            "mend the file, and add it again."
        )
    if batch.columns:
        return "Choose another column for the text, or mend the file and add it again."
    return "Add files with text in them: TXT, Markdown, HTML, PDF, Word or OpenDocument."


def _exported(batch: DocumentBatch) -> str | None:
    """Return how what Strata has exported comes back, and what is missing where no text came along."""
    if not batch.is_export:
        return None
    if not {"text", PARTS_FIELD, NOTES_FIELD}.intersection(batch.columns):
        return (
            "The file has no texts, so that only titles come back. To have them, export it once more "
            "*with the text of the documents*."
        )
    concepts = "codes" if opening.is_clinical() else "concepts"
    return (
        f"Texts come back as they were, and accepted {concepts} as given ones, to be confirmed. What "
        "was rejected stays out."
    )


def _encounters(batch: DocumentBatch) -> str | None:
    if batch.guessed.notes:
        return (
            "A row with `notes` is an encounter of these; a text beside them is its first note."
            if batch.guessed.text
            else "Each row is an encounter: its notes are those listed under `notes`."
        )
    if not batch.encounters or batch.columns or batch.together:
        return None
    return (
        "The texts of a folder are the notes of one encounter where there are several folders; any "
        "other text is an encounter by itself. Dates and kinds are read from names such as "
        "“2026-03-31 Discharge summary.txt”."
    )


def _known_concepts(batch: DocumentBatch) -> str | None:
    column, vocabulary = _mapping(batch).concepts, current_session().vocabulary()
    if column is None or vocabulary is None:
        return None
    names = ConceptNames(vocabulary.hierarchy, current_session().language())
    read = [names.read(fields.get(column)) for fields in batch.preview]
    n_known = sum(len(document.concept_ids) for document in read)
    unknown = [name for document in read for name in document.unknown]
    concepts = "codes" if opening.is_clinical() else "concepts"
    if not unknown:
        return (
            f"All {n_known} assigned {concepts} of the rows shown are in the vocabulary."
            if n_known
            else None
        )
    not_found = ", ".join(f"“{plain(name, 60)}”" for name in unknown[:MOST_NAMED])
    total = n_known + len(unknown)
    return (
        f"Of the {total} assigned {concepts} in the rows shown, {n_known} are in the vocabulary. "
        f"Not found: {not_found}{' …' if len(unknown) > MOST_NAMED else '.'}"
    )


def _mapping(batch: DocumentBatch) -> ColumnMapping:
    if not batch.columns or batch.is_export:
        return batch.guessed
    chosen = {
        field: st.session_state.get(key, getattr(batch.guessed, field) or NONE)
        for key, _, field in CHOICES
    }
    columns = {field: None if column == NONE else column for field, column in chosen.items()}
    return ColumnMapping(**columns, notes=batch.guessed.notes)


def _import(batch: DocumentBatch) -> None:
    session = current_session()
    vocabulary = session.vocabulary()
    names = ConceptNames(vocabulary.hierarchy, session.language()) if vocabulary else None
    documents = documents_of(batch, _mapping(batch), names)
    st.session_state[IMPORT_KEY] = start_import(session, batch.name, _n_all(batch), documents)
    _forget()


def _read(
    files: Sequence[tuple[str, bytes]], *, clinical: bool
) -> Iterator[BatchDocument | BadLine]:
    for name, content in files:
        stem = Path(name).stem
        try:
            intake = read_upload(name, content)
            document = intake.document(stem)
            if clinical:
                document = with_sections(document, stem)
            said = intake.encounter_notes if clinical else intake.notes
            yield BatchDocument(name, document, said=said)
        except DocumentError as error:
            yield BadLine(name, str(error))


def _forget() -> None:
    for key in (BATCH_KEY, CHECKED_KEY):
        st.session_state.pop(key, None)

"""Export: what, of which documents, which decisions, in which form; the file is made when asked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from itertools import islice

import streamlit as st

from core.clinical.formats import FHIR
from core.documents.rows.delimited import LONGEST_CELL
from core.documents.rows.spreadsheet_cells import LONGEST_CELL as CELL_CHARACTERS
from core.export.content import ExportFormat
from core.export.export import Preview
from core.export.formats import FORMATS, forms_of
from core.export.gathering import DECISIONS, Selection
from core.review.reports.snapshot import ACCEPTED, EXCLUDED, GIVEN, NOT_TAKEN, REJECTED
from core.review.reports.summaries import (
    APPROVED,
    FINISHED,
    STATUSES,
    DocumentSummary,
    batches,
    count_documents,
)
from core.serving.session import listed_documents
from pages import messages, opening
from pages.components.changed_table import render_changed_table
from pages.components.counting import counted, is_large, may_count
from pages.components.downloads import Wanted, render_download
from pages.components.markdown import count, escaped, shortened
from pages.components.records import render_records
from pages.messages import shown_here
from pages.serving import current_session
from pages.sidebar import render_sidebar
from pages.vocabularies.names import version_name

CHOSEN_KEY = "chosen_documents"  # left by the Documents page
UNFINISHED_KEY, SELECTED_UNFINISHED_KEY = "export_unfinished", "export_selected_unfinished"
MADE_KEY = "export_made"  # the last preview, and what it is of
SELECTED, EVERY, STATUS, BATCH = "Selected", "All", "By status", "By batch"
DECISION_WORDS = {
    ACCEPTED: "Accepted",
    REJECTED: "Rejected",
    EXCLUDED: "Ruled out",
    NOT_TAKEN: "Not taken",
    GIVEN: "Given",
}
MEANINGS = (
    "*Ruled out*: nothing in this branch. *Not taken*: suggestions that were shown and left "
    "untouched on a finished document. *Given*: came with the document, and nobody decided yet."
)
NOTHING = "Nothing fits these choices yet."
CELLS_ARE_CUT = (
    f"A spreadsheet cuts each text after {CELL_CHARACTERS:,} characters, also in the file when it saves it. For "
    "longer ones take JSONL."
)
LONG_COLUMNS = ("title", "uri", "path", "text", "labels", "concepts", "notations")
LONG_COLUMN_PIXELS = 190
PREVIEW_ROWS, PREVIEW_LINES, PREVIEW_CHARACTERS = 20, 2, 4000
MOST_WITHDRAWN = 10  # subjects that are named
LONG_LINES = 18  # that stand in the height of a preview


def main() -> None:
    """Choices on the left, the first rows on the right."""
    with st.container(key="export_page"):
        st.title("Export", anchor=False)
        for sentence in messages.said():
            st.error(sentence, icon=":material/error:")
        with shown_here("the export could not be shown"):
            # In a large project a run of the page does not look at every document.
            documents = None if is_large() else listed_documents(current_session())
            left, right = st.columns([2, 3], gap="large")
            with left:
                wanted = render_choices(documents)
            with right:
                render_result(wanted, documents)
                if FORMATS[wanted.form].is_of_records:
                    render_records(wanted.selection)
                if FORMATS[wanted.form].layout == "rows":
                    render_changed_table()


# ---------------------------------------------------------------------- choices


def render_choices(documents: list[DocumentSummary] | None) -> Wanted:
    """Return which documents, which decisions, in which form."""
    chosen = with_unfinished(render_documents(documents), documents)
    decisions = st.pills(
        "Decisions",
        DECISIONS,
        selection_mode="multi",
        wrap=True,
        default=[ACCEPTED],
        format_func=DECISION_WORDS.__getitem__,
        key="export_decisions",
    )
    st.markdown(f":small[{MEANINGS}]")
    terms = st.checkbox("Terms that were proposed for the vocabulary", key="export_terms")
    session = current_session()
    form = st.pills(
        "Form",
        forms_of(session.vocabulary_id()),
        default="csv",
        required=True,
        format_func=lambda name: FORMATS[name].label,
        help="MARC is for the subjects of a catalogue, so codes do not have it; FHIR and HL7 v2 are "
        "for codes.",
        key="export_form",
        wrap=True,
    )
    if FORMATS[form].meaning:
        st.markdown(f":small[{FORMATS[form].meaning}]")
    may_have_text = FORMATS[form].has_text
    asked = st.checkbox(
        "With the text of the documents",
        key="export_text",
        disabled=not may_have_text,
        help=CELLS_ARE_CUT if FORMATS[form].layout in ("rows", "table") else None,
    )
    with_text = asked and may_have_text
    selection = chosen(
        decisions=frozenset(decisions), proposed_terms=terms, project_id=session.project_id()
    )
    return Wanted(selection, form, with_text)


def render_documents(documents: list[DocumentSummary] | None) -> Callable[..., Selection]:
    """Return a selection of documents, still without decisions."""
    session = current_session()
    chosen: tuple[str, ...] = tuple(st.session_state.get(CHOSEN_KEY, ()))
    if documents is not None:
        here = {document.document_id for document in documents}
        chosen = tuple(document_id for document_id in chosen if document_id in here)
    n_documents = count_documents(session.store(), session.project_id())
    words = {SELECTED: f"Selected ({len(chosen):,})", EVERY: f"All ({n_documents:,})"}
    choices = [*([SELECTED] if chosen else []), EVERY, STATUS, BATCH]
    scope = st.segmented_control(
        "Documents",
        choices,
        default=choices[0],
        required=True,
        format_func=lambda choice: words.get(choice, choice),
        key="export_documents",
    )
    if scope == SELECTED:
        return partial(Selection, document_ids=chosen)
    if scope == STATUS:
        return partial(Selection, statuses=frozenset(_statuses()))
    return _of_batch() if scope == BATCH else Selection


def with_unfinished(
    chosen: Callable[..., Selection], documents: list[DocumentSummary] | None
) -> Callable[..., Selection]:
    """Return the same choice without unfinished documents, unless somebody asks for them."""
    scope = st.session_state.get("export_documents")
    is_selected = scope == SELECTED  # one by one, so whoever did it wants them
    unfinished = st.checkbox(
        "Unfinished documents too",
        value=is_selected,
        help="Without them, the file holds finished documents alone.",
        key=SELECTED_UNFINISHED_KEY if is_selected else UNFINISHED_KEY,
        disabled=scope == STATUS,
    )
    if unfinished or scope == STATUS:
        return chosen
    chosen = _approved(chosen)
    if documents is not None:
        _render_left_out(chosen(), documents)
    return partial(chosen, statuses=frozenset({FINISHED}))


def _render_left_out(wanted: Selection, documents: list[DocumentSummary]) -> None:
    """Count what is chosen and not in the file, as it is not finished, or not approved where it has to be."""
    listed = [
        document
        for document in documents
        if (wanted.document_ids is None or document.document_id in wanted.document_ids)
        and wanted.batch in (None, document.batch)
    ]
    finished = [document for document in listed if document.status == FINISHED]
    n_unfinished = len(listed) - len(finished)
    n_unapproved = sum(wanted.approved and row.judged != APPROVED for row in finished)
    numbers = {"unfinished document": n_unfinished, "unapproved document": n_unapproved}
    parts = [count(n, words) for words, n in numbers.items() if n]
    if parts:
        st.markdown(f":small[{' and '.join(parts)} left out.]")


def _approved(chosen: Callable[..., Selection]) -> Callable[..., Selection]:
    """Return the same choice of finished documents, only the approved ones where that is needed."""
    if not current_session().current().needs_approval:
        return chosen
    too = st.checkbox("Finished documents that are not approved too", key="export_unapproved")
    return chosen if too else partial(chosen, approved=True)


def _statuses() -> list[str]:
    return st.pills(
        "Status",
        STATUSES,
        selection_mode="multi",
        default=["finished"],
        format_func=str.capitalize,
        key="export_statuses",
    )


def _of_batch() -> Callable[..., Selection]:
    uploads = batches(current_session().store(), current_session().project_id())
    if not uploads:
        st.info("No document came in a batch.")
        return partial(Selection, document_ids=())
    return partial(Selection, batch=st.selectbox("Batch", uploads, key="export_batch"))


# ---------------------------------------------------------------------- the file


def render_result(wanted: Wanted, documents: list[DocumentSummary] | None) -> None:
    """Draw what will be in the file, the file, and its beginning."""
    form = FORMATS[wanted.form]
    download = partial(
        render_download,
        f"Download {form.label}",
        wanted,
        key="export_download",
        type="primary",
        icon=":material/download:",
    )
    if not may_count("export_count"):
        download()
        return
    preview = previewed(wanted, documents)
    if preview is not None:
        st.markdown(f"**{contents(preview, form)}**")
        render_withdrawn(preview)
    download()
    if preview is None:
        return
    if form.layout == "rows":
        render_rows(preview)
    elif form.layout == "table":
        render_table(wanted)
    elif form.layout == "lines":
        render_lines(preview)
    else:
        render_first(preview, wanted)


def render_withdrawn(preview: Preview) -> None:
    """Say which subjects of the file the version of the vocabulary in use does not offer."""
    if not preview.withdrawn:
        return
    noun = "code" if opening.is_clinical() else "subject"
    verb = "is" if len(preview.withdrawn) == 1 else "are"
    names = [
        f"{shortened(lost.label)} (use {shortened(', '.join(lost.instead))})"
        if lost.instead
        else shortened(lost.label)
        for lost in islice(preview.withdrawn.values(), MOST_WITHDRAWN)
    ]
    n_more = len(preview.withdrawn) - len(names)
    more = f" and {n_more:,} more" if n_more else ""
    version = current_session().hierarchy().version
    st.warning(
        escaped(
            f"{count(len(preview.withdrawn), noun)} {verb} withdrawn in {version_name(version)}: "
            f"{'; '.join(names)}{more}. The file has them as they were decided."
        ),
        icon=":material/history:",
    )


def previewed(wanted: Wanted, documents: list[DocumentSummary] | None) -> Preview | None:
    """Return the beginning of all forms; gathered anew where the choices or the list changed.

    Of a large project it is None while that is gathered in the background.

    Every decision moves its document's date on the list. A proposed term does not, so with terms
    nothing is kept.
    """
    export = wanted.export(current_session())
    look = partial(export.preview, limit=PREVIEW_ROWS)
    if documents is None:
        return counted(("export", export), look)
    made: tuple[object, Preview] | None = st.session_state.get(MADE_KEY)
    if made is not None and made[0] == (export, documents) and not export.selection.proposed_terms:
        return made[1]
    preview = look()
    st.session_state[MADE_KEY] = ((export, documents), preview)
    return preview


def contents(preview: Preview, form: ExportFormat) -> str:
    """Return how much the file will hold, in words."""
    if form is FHIR:
        return f"{count(preview.n_documents, 'encounter')} with {count(preview.n_codes, 'code')}"
    documents = count(preview.n_documents, "document")
    if form.is_history:
        return f"All events of {documents}"
    if form.has_subjects:
        return f"{documents} with {count(preview.n_subjects, 'subject')}"
    rows = count(preview.n_rows, "decision")
    n_without = preview.n_documents - preview.n_with_rows
    if form.layout == "lines":
        of_them = f" on {preview.n_with_rows:,} of them" if preview.n_rows and n_without else ""
        return f"{documents}, one a line, with {rows}{of_them}"
    others = f"; {count(n_without, 'other document')} without any" if n_without else ""
    return f"{rows} on {count(preview.n_with_rows, 'document')}{others}"


def render_rows(preview: Preview) -> None:
    """Draw the first rows of the table."""
    if not preview.rows:
        st.info(NOTHING)
        return
    columns = {
        name: [row[position] for row in preview.rows]
        for position, name in enumerate(preview.columns)
    }
    st.dataframe(
        columns,
        hide_index=True,
        height="auto",
        key="export_preview",
        column_config=dict.fromkeys(
            LONG_COLUMNS, st.column_config.TextColumn(width=LONG_COLUMN_PIXELS)
        ),
    )
    if preview.n_rows > len(preview.rows):
        st.markdown(f":small[The first {len(preview.rows)} rows; the file has all.]")


def render_table(wanted: Wanted) -> None:
    """Draw the first rows of another table than that of decisions."""
    made = _first_file(wanted, limit=PREVIEW_ROWS).decode("utf-8-sig")
    csv.field_size_limit(LONGEST_CELL)  # of all readers; a text stands in one cell
    names, *rows = csv.reader(io.StringIO(made, newline=""))
    if not rows:
        st.info(NOTHING)
        return
    shown = [dict(zip(names, row, strict=True)) for row in rows[:PREVIEW_ROWS]]
    wide = dict.fromkeys(LONG_COLUMNS, st.column_config.TextColumn(width=LONG_COLUMN_PIXELS))
    st.dataframe(shown, hide_index=True, height="auto", key="export_table", column_config=wide)
    st.markdown(":small[The first rows; the file has all.]")


def render_lines(preview: Preview) -> None:
    """Draw the first lines, spread out to be read."""
    if not preview.lines:
        st.info(NOTHING)
        return
    first = [json.dumps(json.loads(line), indent=2, ensure_ascii=False) for line in preview.lines]
    shown = "\n".join(first[:PREVIEW_LINES])
    st.code(shown[:PREVIEW_CHARACTERS], language="json", height=480)
    st.markdown(":small[The first documents, spread out to be read; in the file, each is a line.]")


def render_first(preview: Preview, wanted: Wanted) -> None:
    """Draw the file of the first document."""
    if not preview.n_documents:
        st.info(NOTHING)
        return
    form = FORMATS[wanted.form]
    text = preview.bundle if form is FHIR else form.as_text(_first_file(wanted))
    is_long = text.count("\n") > LONG_LINES
    st.code(text[:PREVIEW_CHARACTERS], language=form.syntax, height=480 if is_long else "content")
    st.markdown(f":small[{form.preview_note}]")


def _first_file(wanted: Wanted, limit: int = 1) -> bytes:
    return wanted.export(current_session()).file(wanted.form, limit=limit)


render_sidebar()
main()

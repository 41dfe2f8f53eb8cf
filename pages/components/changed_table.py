"""A table that was changed in a spreadsheet: what would change, and a button that does it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import streamlit as st

from core.errors import DocumentError
from core.export.changed_tables import (
    ACTIONS,
    AppliedChanges,
    DocumentChanges,
    TableChanges,
    apply_changes,
    read_changes,
)
from core.review.reports.snapshot import ACCEPTED, EXCLUDED, REJECTED
from core.roles import Right
from pages.annotation.adjudicating import why_not_decide
from pages.components.markdown import count, escaped, plain
from pages.messages import MOST_MEGABYTES_SENT, said_next, upload_problem
from pages.serving import current_session

UPLOAD_KEY, ROUND_KEY = "changed_table", "changed_table_round"
LOOKED_KEY, APPLIED_KEY = "changed_table_looked", "changed_table_applied"
MOST_MEGABYTES, MOST_LISTED, MOST_NAMED = 20, 200, 5
SUFFIXES = ("csv", "tsv", "txt")
WORDS = {ACCEPTED: "Accept", REJECTED: "Reject", EXCLUDED: "Rule out", "removed": "Remove"}
MEANING = (
    "Change the table in a spreadsheet: add rows (document_id, and a uri, label or notation), delete "
    "rows, or change the word under decision. Nothing is stored before you have seen what changes."
)


@dataclass(frozen=True, slots=True)
class LookedTable:
    """What a table would change, or why it cannot be read; and which table and which choice it is."""

    of: tuple[object, ...]
    changes: TableChanges | None
    problem: str = ""


def render_changed_table() -> None:
    """Draw the upload of a changed table, its preview and its outcome."""
    st.markdown("## Bring a changed file back in")
    applied: AppliedChanges | None = st.session_state.get(APPLIED_KEY)
    if applied is not None:
        _render_applied(applied)
    st.markdown(f":small[{MEANING}]")
    upload = st.file_uploader(
        "A table that was exported here",
        max_upload_size=MOST_MEGABYTES_SENT,
        help=f"Up to {MOST_MEGABYTES} MB, as .{', .'.join(SUFFIXES)}",
        key=f"{UPLOAD_KEY}_{st.session_state.get(ROUND_KEY, 0)}",
        on_change=lambda: st.session_state.pop(APPLIED_KEY, None),
    )
    if upload is None:
        return
    problem = upload_problem(upload.name, upload.size, suffixes=SUFFIXES, most_mb=MOST_MEGABYTES)
    if problem:
        st.error(escaped(problem), icon=":material/error:")
        return
    removes = st.checkbox(
        "Remove accepted concepts that are missing in the file", value=True, key="changed_removes"
    )
    hidden = current_session().hides_titles()
    looked = _looked((upload.file_id, current_session().project_id(), removes, hidden), upload)
    if looked.changes is None:
        st.error(escaped(looked.problem), icon=":material/error:")
        return
    _render_changes(looked.changes)


def _looked(
    asked: tuple[object, ...], upload: st.runtime.uploaded_file_manager.UploadedFile
) -> LookedTable:
    earlier: LookedTable | None = st.session_state.get(LOOKED_KEY)
    if earlier is not None and earlier.of == asked:
        return earlier
    session = current_session()
    try:
        changes = read_changes(
            upload.name,
            upload.getvalue(),
            session.store(),
            hierarchy=session.hierarchy(),
            language=session.language(),
            project_id=session.project_id(),
            removes=bool(asked[-2]),
            hides_titles=bool(asked[-1]),
        )
        looked = LookedTable(asked, changes)
    except DocumentError as error:
        looked = LookedTable(asked, None, str(error))
    st.session_state[LOOKED_KEY] = looked
    return looked


def _render_changes(changes: TableChanges) -> None:
    for sentence in _sentences(changes):
        st.markdown(f":material/info: {sentence}")
    if not changes.documents:
        return
    n_changes = sum(document.n_concepts for document in changes.documents)
    rows = list(islice(_rows(changes.documents), MOST_LISTED))
    st.dataframe(rows, hide_index=True, height="auto", key="changed_preview")
    if n_changes > len(rows):
        st.markdown(f":small[The first {len(rows)} of {n_changes:,} changes.]")
    with st.container(horizontal=True):
        st.button(
            f"Store {count(n_changes, 'decision')}",
            type="primary",
            key="changed_apply",
            on_click=_apply,
            args=(changes,),
        )
        st.button("Cancel", key="changed_cancel", on_click=_forget)


def _sentences(changes: TableChanges) -> list[str]:
    counted = changes.counts()
    parts = [f"{counted[what]:,} to {WORDS[what].lower()}" for what in ACTIONS if counted[what]]
    on = count(len(changes.documents), "document")
    sentences = [f"Concepts on {on}: {', '.join(parts)}." if parts else "Nothing would change."]
    if changes.n_same:
        sentences[0] += f" {count(changes.n_same, 'document')} in the file would stay as before."
    if changes.finished:
        sentences.append(
            f"{count(len(changes.finished), 'finished document')} would change too, and stay as "
            f"before: {_named(change.document_id for change in changes.finished)}. To change a "
            "finished document, reopen it first."
        )
    if changes.unknown_concepts:
        named = _named(f"{name} ({where})" for where, name in changes.unknown_concepts)
        sentences.append(
            f"{count(len(changes.unknown_concepts), 'row')} with a concept that the vocabulary does "
            f"not have: {named}. Nothing is removed from their documents."
        )
    if changes.restored:
        sentences.append(
            f"{count(len(changes.restored), 'id')} had lost zeros in the spreadsheet. The titles say "
            f"whose the rows are: {_named(changes.restored)}."
        )
    if changes.mistaken:
        named = _named((f"{row.where}: {row.reason}" for row in changes.mistaken), characters=240)
        sentences.append(
            f"{count(len(changes.mistaken), 'row')} may be of another document, and nothing is taken "
            f"of them nor removed from these documents: {named}. Give the column document_id the "
            "format Text in the spreadsheet, correct the ids or titles, and add the table again."
        )
    if changes.contradictory:
        rows = [f"{row.where}: {row.reason}" for row in changes.contradictory]
        sentences.append(
            f"{count(len(rows), 'contradiction')}, and nothing changes for these concepts: "
            f"{_named(rows, characters=160)}. Correct the table and add it again."
        )
    if changes.unknown_documents:
        named = _named(changes.unknown_documents)
        sentences.append(
            f"Not in this project: {count(len(changes.unknown_documents), 'document')}, {named}."
        )
    if changes.bad:
        named = _named(f"{row.where}: {row.reason}" for row in changes.bad)
        sentences.append(
            f"{count(len(changes.bad), 'row')} cannot be read, so nothing is removed at all: {named}."
        )
    return sentences


def _named(names: Iterable[str], *, characters: int = 60) -> str:
    listed = list(names)
    shown = ", ".join(f"“{plain(name, characters)}”" for name in listed[:MOST_NAMED])
    return f"{shown} …" if len(listed) > MOST_NAMED else shown


def _rows(documents: Iterable[DocumentChanges]) -> Iterator[dict[str, str]]:
    session = current_session()
    hierarchy, language = session.hierarchy(), session.language()
    hidden = session.hides_titles()
    for document in documents:
        for what in ACTIONS:
            for concept_id in document.concepts.get(what, ()):
                is_known = concept_id in hierarchy
                yield {
                    "document": document.document_id,
                    **({} if hidden else {"title": document.title}),
                    "change": WORDS[what],
                    "concept": hierarchy[concept_id].label(language) if is_known else concept_id,
                }


def _apply(changes: TableChanges) -> None:
    session = current_session()
    with said_next("a changed table could not be stored"):
        store = session.writing(Right.DECIDE)
        reasons = {one.document_id: why_not_decide(one.document_id) for one in changes.documents}
        allowed = [one for one in changes.documents if not reasons[one.document_id]]
        applied = apply_changes(
            replace(changes, documents=allowed),
            store,
            person_id=session.person_id(),
            hierarchy=session.hierarchy(),
            rules=session.rules(),
        )
        for one in changes.documents:
            if reason := reasons[one.document_id]:
                applied.refused[reason] += sum(map(len, one.concepts.values()))
        st.session_state[APPLIED_KEY] = applied
    _forget()


def _forget() -> None:
    """Put the file away: a field with another key is empty."""
    st.session_state.pop(LOOKED_KEY, None)
    st.session_state[ROUND_KEY] = st.session_state.get(ROUND_KEY, 0) + 1


def _render_applied(applied: AppliedChanges) -> None:
    decisions = count(applied.n_stored, "decision")
    documents = count(applied.n_documents, "document")
    st.success(
        f"{decisions} on {documents} stored. Undo takes back those of one document at a time.",
        icon=":material/check:",
    )
    if applied.overtaken:
        st.warning(
            f"{count(len(applied.overtaken), 'document')} stayed as before, because somebody decided "
            f"there since the table was compared: {_named(applied.overtaken)}. Add the table again.",
            icon=":material/warning:",
        )
    for reason, number in applied.refused.most_common(MOST_NAMED):
        st.warning(
            f"{count(number, 'decision')} refused: {escaped(reason)}", icon=":material/warning:"
        )

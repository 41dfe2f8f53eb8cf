"""Opening documents: a pasted text, an upload or an example becomes a stored document."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import streamlit as st

from core.documents.acts import FIRST_LINE_TITLE
from core.documents.clinical.encounters import encounter, note_file, with_sections
from core.documents.document import Document
from core.documents.intake import read_pasted, read_text
from core.documents.language import language_warning
from core.documents.uploads import read_upload
from core.errors import StrataError
from core.review.reports.summaries import DocumentSummary, named_documents
from core.review.store.arrivals import add_document, find_same_text
from core.review.store.documents import fetch_document, remove_document, restore_document
from core.review.store.people import HIDE_TITLES, read_preferences
from core.review.store.predictions import latest_bundle
from core.settings import PROJECT_ROOT
from core.vocabulary.conventions import conventions_of
from pages.components.markdown import escaped, in_order, plain, shortened
from pages.screens import SCREEN_KEY, screen
from pages.serving import (
    BRANCH_PARAMETER,
    DOCUMENT_PARAMETER,
    current_session,
    here,
    show_address,
)

_LOG = logging.getLogger(__name__)

# ---------------------------------------------------------------------- examples

EXAMPLES = PROJECT_ROOT / "assets" / "examples"
ENCOUNTERS = EXAMPLES / "encounters"
SUBJECTS, CODES = "subjects.json", "codes.json"


@dataclass(frozen=True, slots=True)
class Example:
    """An invented document.

    Attributes:
        path: a text file, or a folder with a file for each note of an encounter.
    """

    document_id: str
    subject: str
    path: Path

    def document(self) -> Document:
        """Return what opening it puts on the page."""
        if self.path.is_dir():
            files = sorted(self.path.glob("*.txt"))
            notes = [note_file(file.name, file.read_text("utf-8")) for file in files]
            return encounter(self.document_id, self.subject, notes)
        return read_text(self.path.name, self.path.read_bytes()).document(self.document_id)


@cache
def examples(*, clinical: bool = False) -> tuple[Example, ...]:
    """Return the examples for acts or for encounters, in the order of their file names."""
    if clinical:
        given = json.loads((ENCOUNTERS / CODES).read_text("utf-8"))
        return tuple(
            Example(f"example-{name}", given[name]["subject"], ENCOUNTERS / name)
            for name in sorted(given)
        )
    subjects = json.loads((EXAMPLES / SUBJECTS).read_text("utf-8"))
    return tuple(
        Example(f"example-{path.stem}", subjects[path.stem], path)
        for path in sorted(EXAMPLES.glob("*.txt"))
    )


LAST_OPEN_KEY = "last_open"
LEFT_FOR_KEY = "left_for"  # what another page is left for: a document, or None for the empty page
MESSAGES_KEY = "messages"
NOTES_KEY = "notes"
NOTED_KEY = "noted"  # the open document, and what was noted when it was opened
IN_BIN_KEY = "in_bin"  # the removed document whose text was added again
REMOVED_KEY = "removed"
IN_BIN = ""  # stands for the id of a document that is not to be opened
FORM_KEY = "form_number"  # the browser keeps a long text, whatever is written into its field


class Upload(Protocol):
    """What an uploaded file offers."""

    name: str

    def getvalue(self) -> bytes:
        """Return all of its bytes."""
        ...


def is_clinical() -> bool:
    """Return whether documents are encounters here: where a code system is the vocabulary."""
    return bool(conventions_of(current_session().vocabulary_id()).system)


def opened_id() -> str | None:
    """Return the document that the address names."""
    return st.query_params.get(DOCUMENT_PARAMETER)


def show_document(document_id: str | None) -> None:
    """Turn to a document, still in the branch that is worked on, or to the empty page.

    Another page is left for it by `leave_page`.
    """
    if document_id is None:
        forget_last()
    if st.session_state.get(SCREEN_KEY):
        st.session_state[LEFT_FOR_KEY] = document_id
        return
    branch = st.query_params.get(BRANCH_PARAMETER) if document_id is not None else None
    show_address(current_session().project_id(), document_id, branch=branch)


def leave_page() -> None:
    """Go to Annotate from another page, where a document or the empty page was asked for there.

    The address does not say so: on the way back, Streamlit may run a page with that of the last.
    """
    if LEFT_FOR_KEY in st.session_state:
        document_id = st.session_state.pop(LEFT_FOR_KEY)
        address = here() if document_id is None else here(document=document_id)
        st.switch_page(screen("annotate"), query_params=address)


def forget_last() -> None:
    """Have the empty page shown on the way back from another page."""
    st.session_state.pop(LAST_OPEN_KEY, None)


def opened_branch() -> str | None:
    """Return the branch that the address names, where the vocabulary has it."""
    branch = st.query_params.get(BRANCH_PARAMETER)
    return branch if branch and branch in current_session().hierarchy() else None


def show_branch(branch: str | None) -> None:
    """Write the branch that is worked on into the address, so that it survives a reload; or none."""
    if branch:
        st.query_params[BRANCH_PARAMETER] = branch
    else:
        st.query_params.pop(BRANCH_PARAMETER, None)


def return_to_last(*, from_elsewhere: bool) -> None:
    """Keep in mind which document is open, and on the way back from another page, open it again.

    Args:
        from_elsewhere: whether the person was on another page before; on this one, an address
            without a document is meant.
    """
    opened = opened_id()
    last = st.session_state.get(LAST_OPEN_KEY)
    if opened is None and last is not None and from_elsewhere:
        show_document(last)
    elif opened is not None:
        st.session_state[LAST_OPEN_KEY] = opened


def open_example(example: Example) -> None:
    """Open an example; the second time, it is there with what was decided."""
    open_documents([example.document()], again=True)


def form_key(field: str) -> str:
    """Return the key of a field of the form; each form is another, and so is empty at first."""
    return f"new_{field}_{st.session_state.get(FORM_KEY, 0)}"


def open_pasted(title_key: str, text_key: str) -> None:
    """Open what stands in these fields; the form keeps it where that does not work."""
    typed = st.session_state
    try:
        intake = read_pasted(typed.get(title_key, ""), typed.get(text_key, ""))
    except StrataError as error:
        say(str(error))
        return
    for sentence in intake.notes:
        note(sentence)
    if open_documents([intake.document()]):
        clear_form(title_key, text_key)


def clear_form(*keys: str) -> None:
    """Forget what stands in these fields, and have others drawn the next time."""
    st.session_state[FORM_KEY] = st.session_state.get(FORM_KEY, 0) + 1
    for key in keys:
        st.session_state[key] = ""


def open_uploads(uploads: Iterable[Upload]) -> None:
    """Open files: the first comes on the page, and all are read in their order."""
    taken, clinical = [], is_clinical()
    for upload in uploads:
        try:
            intake = read_upload(upload.name, upload.getvalue())
        except StrataError as error:
            say(str(error))
            continue
        for sentence in intake.notes:
            if not (clinical and sentence == FIRST_LINE_TITLE):  # encounters are called by files
                note(f"{upload.name}: {sentence}")
        name = Path(upload.name).stem
        # The names of patients stand in those of files; an encounter gets an id of its own.
        document = intake.document("" if clinical else name)
        taken.append(with_sections(document, name) if clinical else document)
    for document in taken[1:]:  # of the first, the page says it beside the text
        if warning := language_warning(document.text or document.title):
            note(f"{shortened(document.title)}: {warning}")
    if taken:
        open_documents(taken)


def hides_titles() -> bool:
    """Return whether lists name documents by their ids, because the person has asked for it."""
    session = current_session()
    return read_preferences(session.store(), session.person_id()).get(HIDE_TITLES) is True


def listed_title(document_id: str, title: str) -> str:
    """Return what a list calls a document."""
    return f"Document {document_id}" if hides_titles() else title


def without_titles(summaries: list[DocumentSummary]) -> list[DocumentSummary]:
    """Return the lines of a list as the person wants them: with titles, or with ids alone."""
    if not hides_titles():
        return summaries
    return [replace(line, title=f"Document {line.document_id}", batch=None) for line in summaries]


def remove(document_id: str) -> None:
    """Take a document off the list, and remember it for `restore`."""
    try:
        store = current_session().store()
        title = fetch_document(store, document_id).title
        remove_document(store, document_id)
    except StrataError as error:
        say(str(error))
        return
    st.session_state[REMOVED_KEY] = {
        "id": document_id,
        "title": listed_title(document_id, title),
    }
    if opened_id() == document_id:
        show_document(None)


def restore(document_id: str) -> None:
    """Put a removed document back on the list, and open it."""
    try:
        restore_document(current_session().store(), document_id)
    except StrataError as error:
        say(str(error))
        return
    st.session_state.pop(REMOVED_KEY, None)
    show_document(document_id)


def say(sentence: str) -> None:
    """Keep a sentence on what went wrong for the page to show at its next run."""
    st.session_state.setdefault(MESSAGES_KEY, []).append(escaped(sentence))


def said() -> list[str]:
    """Return the sentences to show now; each is shown until the next thing is done."""
    messages: list[str] = st.session_state.pop(MESSAGES_KEY, [])
    return messages


def note(sentence: str) -> None:
    """The same for a sentence that nobody needs to act on; in the reader, it is plain text."""
    st.session_state.setdefault(NOTES_KEY, []).append(in_order(sentence))


def render_said() -> None:
    """Draw all that was said and noted, and the way back of what lies in the bin.

    It has a place of its own, so that what stands below is not drawn anew when it is gone.
    """
    with st.container(gap="small"):
        for sentence in said():
            st.error(sentence, icon=":material/error:")
        _render_notes()
        _render_in_bin()


def _render_notes() -> None:
    """Draw what was noted; what is about the open document stands beside its text, and stays."""
    fresh: list[str] = st.session_state.pop(NOTES_KEY, [])
    here = opened_id()
    if fresh and here is not None:
        st.session_state[NOTED_KEY] = (here, fresh)
        return
    for sentence in fresh:
        st.info(escaped(sentence), icon=":material/info:")


def noted(document_id: str) -> list[str]:
    """Return what was noted when a document was opened, until others are."""
    about, sentences = st.session_state.get(NOTED_KEY, ("", []))
    return list(sentences) if about == document_id else []


def _render_in_bin() -> None:
    in_bin = st.session_state.get(IN_BIN_KEY)
    if in_bin is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="in_bin"):
            st.info(f"“{plain(in_bin['title'])}” has the same text, and lies in the bin.")
            st.button("Bring it back", key="bring_back", on_click=_bring_back, type="primary")
            st.button("Leave it there", key="leave_in_bin", on_click=_leave_in_bin)


def _bring_back() -> None:
    restore(st.session_state.pop(IN_BIN_KEY)["id"])


def _leave_in_bin() -> None:
    st.session_state.pop(IN_BIN_KEY, None)


def open_documents(documents: list[Document], *, again: bool = False) -> bool:
    """Store documents, queue them for the model, and show the first; False if that failed.

    Args:
        again: the same id is the same document, whatever was done with it.
    """
    st.session_state.pop(IN_BIN_KEY, None)
    stored: list[str] = []
    try:
        for document in documents:
            here = None if again else _here(document)
            kept = _added(document) if here is None else here
            if kept != IN_BIN:
                stored.append(kept)
                _have_read(kept)
    except StrataError as error:
        _LOG.exception("a document could not be stored")
        say(str(error))
    if stored:
        show_document(stored[0])
    return len(stored) == len(documents)


def _added(document: Document) -> str:
    session = current_session()
    return add_document(session.store(), document, project_id=session.project_id())


def _here(document: Document) -> str | None:
    """Return the document of the same text, and say that it is here; IN_BIN if it was removed."""
    session = current_session()
    store, project_id = session.store(), session.project_id()
    found = find_same_text(store, document, project_id)
    if found is None:
        return None
    here = named_documents(store, project_id, [found]).get(found)
    if here is None:
        title = listed_title(found, fetch_document(store, found).title)
        st.session_state[IN_BIN_KEY] = {"id": found, "title": title}
        return IN_BIN
    note(
        f"“{shortened(listed_title(found, here.title))}” is here already ({here.status}), so nothing was added."
    )
    return found


def _have_read(document_id: str) -> None:
    """Queue a document that no model has read yet."""
    session = current_session()
    if session.suggests() and latest_bundle(session.store(), document_id) is None:
        session.submit(fetch_document(session.store(), document_id))

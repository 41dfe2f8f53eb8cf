"""Opening documents: a pasted text, an upload or an example becomes a stored document."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.clinical.encounters import Note, encounter, with_sections
from core.documents.act_numbers import proposed_id
from core.documents.document import Document
from core.documents.intake import read_id, read_pasted
from core.documents.language import language_warning
from core.documents.uploads import read_upload
from core.errors import StrataError
from core.review.reports.summaries import DocumentSummary, named_documents
from core.review.store.arrivals import HERE, add_document
from core.review.store.documents import fetch_document, remove_document, restore_document
from core.review.store.predictions import latest_bundle
from core.roles import Right
from core.serving.importing import IN_BIN, TakenDocument, language_read, take_in
from core.vocabulary.conventions import conventions_of
from pages import messages
from pages.components import sent_event
from pages.components.markdown import escaped, shortened
from pages.components.removal import IN_BIN_KEY, REMOVED_KEY, is_in_bin, place, render_in_bin
from pages.screens import SCREEN_KEY, screen
from pages.serving import (
    BRANCH_PARAMETER,
    DOCUMENT_PARAMETER,
    current_session,
    here,
    show_address,
)

_LOG = logging.getLogger(__name__)

LAST_OPEN_KEY = "last_open"
REMOVED_OPEN_KEY = "removed_open"  # the document that was removed while it was open
LEFT_FOR_KEY = "left_for"  # what another page is left for: a document, or None for the empty page
NOTED_KEY = "noted"  # the open document, and what was noted when it was opened
LIKE_KEY = "like"  # a document that was added, another that is like it, and in what
NOT_ADDED_KEY = "not_added"  # a document that is here already, and the one that came
FORM_KEY = "form_number"  # the browser keeps a long text, whatever is written into its field


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
    if from_elsewhere:
        st.session_state.pop(REMOVED_OPEN_KEY, None)
    opened = opened_id()
    last = st.session_state.get(LAST_OPEN_KEY)
    if opened is None and last is not None and from_elsewhere:
        show_document(last)
    elif opened is not None:
        st.session_state[LAST_OPEN_KEY] = opened


def turn_from_removed() -> None:
    """Go to the empty page where the address names a document that was removed while it was open.

    Clicks that were made before the page turned come with the address of then.
    """
    document_id = st.session_state.get(REMOVED_OPEN_KEY)
    if document_id is not None and opened_id() == document_id and is_in_bin(document_id):
        show_document(None)


def form_key(field: str) -> str:
    """Return the key of a field of the form; each form is another, and so is empty at first."""
    return f"new_{field}_{st.session_state.get(FORM_KEY, 0)}"


def open_pasted(title_key: str, text_key: str, id_key: str) -> None:
    """Open what stands in these fields; the form keeps it where that does not work."""
    typed = [st.session_state.get(key, "") for key in (title_key, text_key, id_key)]
    if open_text(*typed):
        clear_form(title_key, text_key, id_key)


def open_text(title: str, text: str, document_id: str = "") -> bool:
    """Open a pasted text; False, with a sentence on the page, where that does not work.

    Args:
        document_id: "" for the number of the act, where it has one.
    """
    try:
        intake, own_id = read_pasted(title, text), read_id(document_id)
    except StrataError as error:
        messages.say(str(error))
        return False
    for sentence in intake.notes:
        messages.note(sentence)
    proposed = "" if own_id else proposed_id(intake.title, text or title)
    return open_documents([intake.document(own_id)], proposed_id=proposed)


def open_note(text: str) -> bool:
    """Open a pasted note as an encounter; False, with a sentence, where that does not work."""
    try:
        return open_documents([encounter("", "", [Note(text)])])
    except StrataError as error:
        messages.say(str(error))
        return False


def take_pasted() -> None:
    """Open a text that was pasted in the place of a title as a document of its own."""
    match sent_event("pasted"):
        case {"text": str(text)} if is_clinical():
            open_note(text)
        case {"text": str(text)}:
            open_text("", text)


def clear_form(*keys: str) -> None:
    """Forget what stands in these fields, and have others drawn the next time."""
    st.session_state[FORM_KEY] = st.session_state.get(FORM_KEY, 0) + 1
    for key in keys:
        st.session_state[key] = ""


def open_uploads(uploads: Iterable[UploadedFile]) -> None:
    """Open files: the first comes on the page, and all are read in their order."""
    taken, clinical = [], is_clinical()
    for upload in uploads:
        try:
            intake = read_upload(upload.name, upload.getvalue())
        except StrataError as error:
            messages.say(str(error))
            continue
        for sentence in intake.encounter_notes if clinical else intake.notes:
            messages.note(f"{upload.name}: {sentence}")
        name = Path(upload.name).stem
        # The names of patients stand in those of files; an encounter gets an id of its own.
        document = intake.document("" if clinical else name)
        taken.append(with_sections(document, name) if clinical else document)
    learned = language_read(current_session())
    for document in taken[1:]:  # of the first, the page says it beside the text
        warning = learned and language_warning(document.text or document.title, learned)
        if warning:
            messages.note(f"{shortened(document.title)}: {warning}")
    if taken:
        open_documents(taken)


def hides_titles() -> bool:
    """Return whether lists name documents by their ids, because the person has asked for it."""
    return current_session().hides_titles()


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
        store = current_session().writing(Right.DOCUMENTS, document_id)
        title = fetch_document(store, document_id).title
        remove_document(store, document_id)
    except StrataError as error:
        messages.say(str(error))
        return
    if opened_id() == document_id:
        st.session_state[REMOVED_OPEN_KEY] = document_id
    turn_from_removed()
    st.session_state[REMOVED_KEY] = {
        "id": document_id,
        "title": listed_title(document_id, title),
        "place": place(),
    }


def restore(document_id: str) -> None:
    """Put a removed document back on the list, and open it."""
    try:
        restore_document(current_session().writing(Right.DOCUMENTS, document_id), document_id)
    except StrataError as error:
        messages.say(str(error))
        return
    st.session_state.pop(REMOVED_KEY, None)
    show_document(document_id)


def render_said() -> None:
    """Draw all that was said and noted, and the way back of what lies in the bin.

    It has a place of its own, so that what stands below is not drawn anew when it is gone.
    """
    with st.container(gap="small"):
        if sentences := messages.said():
            with st.container(gap="small", key="said"):
                for sentence in sentences:
                    st.error(sentence, icon=":material/error:")
                if opened_id() is not None:
                    st.button("Close", key="close_said")  # they go with the run that follows
        _render_notes()
        render_in_bin(restore)


def _render_notes() -> None:
    """Draw what was noted; what is about the open document stands beside its text, and stays."""
    fresh: list[str] = st.session_state.pop(messages.NOTES_KEY, [])
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


def open_documents(
    documents: list[Document], *, again: bool = False, proposed_id: str = "", is_new: bool = False
) -> bool:
    """Store documents, queue them for the model, and show the first; False if that failed.

    Args:
        again: the same id is the same document, whatever was done with it.
        proposed_id: of a document that comes without one.
        is_new: whether a person says that they are others than those here.
    """
    for key in (IN_BIN_KEY, LIKE_KEY, NOT_ADDED_KEY):
        st.session_state.pop(key, None)
    stored_ids: list[str] = []
    n_taken = 0
    try:
        store, project_id = current_session().writing(Right.ADD), current_session().project_id()
        for document in documents:
            if again:
                stored_ids.append(add_document(store, document, project_id=project_id))
            else:
                taken = take_in(
                    store, document, project_id,
                    taken=set(stored_ids), proposed_id=proposed_id, is_new=is_new,
                )  # fmt: skip
                _note_taken(taken, document, proposed_id=proposed_id, is_first=not stored_ids)
                stored_ids += [taken.document_id] if taken.kind != IN_BIN else []
            n_taken += 1
        for document_id in stored_ids:
            _have_read(document_id)
    except StrataError as error:
        _LOG.exception("a document could not be stored")
        messages.say(str(error))
    if stored_ids:
        show_document(stored_ids[0])
    if IN_BIN_KEY in st.session_state:
        st.session_state[IN_BIN_KEY]["place"] = place()
    return n_taken == len(documents) and bool(stored_ids)


def _note_taken(
    taken: TakenDocument, document: Document, *, proposed_id: str, is_first: bool
) -> None:
    """Say what a person should know: where a document is here already, and which are like it."""
    title, status = _title_and_status(taken.like.document_id if taken.like else taken.document_id)
    if taken.kind == IN_BIN:
        st.session_state[IN_BIN_KEY] = {"id": taken.document_id, "title": title}
    elif taken.kind == HERE:
        messages.note(f"“{shortened(title)}” is here already ({status}), so nothing was added.")
        st.session_state[NOT_ADDED_KEY] = (taken.document_id, document, proposed_id)
    elif taken.like is not None:
        sentence = f"“{shortened(title, 80)}” ({status}) {taken.like.likeness}; both are kept."
        if is_first:
            st.session_state[LIKE_KEY] = (taken.document_id, taken.like.document_id, sentence)
        else:
            messages.note(f"{taken.document_id}: {sentence}")
    if taken.wanted_id:
        messages.note(
            f"The id {taken.wanted_id} is taken or too long: the document is {taken.document_id}."
        )


def _title_and_status(document_id: str) -> tuple[str, str]:
    session = current_session()
    store, project_id = session.store(), session.project_id()
    line = named_documents(store, project_id, [document_id]).get(document_id)
    title = line.title if line else fetch_document(store, document_id).title
    return listed_title(document_id, title), line.status if line else "in the bin"


def _have_read(document_id: str) -> None:
    session, store = current_session(), current_session().store()
    if session.project.suggests and latest_bundle(store, document_id) is None:
        session.server.queue.submit(fetch_document(store, document_id), session.project_id())

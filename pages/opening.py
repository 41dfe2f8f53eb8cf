"""Opening documents: what was pasted, uploaded or chosen as an example becomes a stored document."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import streamlit as st

from core.documents.document import Document
from core.documents.intake import Intake, read_pasted, read_text
from core.documents.uploads import read_upload
from core.errors import StrataError
from core.settings import PROJECT_ROOT
from pages.serving import workplace

_LOG = logging.getLogger(__name__)

EXAMPLES = PROJECT_ROOT / "assets" / "examples"
OPEN_PARAMETER = "document"
MESSAGES_KEY = "messages"
REMOVED_KEY = "removed"
TITLE_KEY = "new_title"
TEXT_KEY = "new_text"


@dataclass(frozen=True, slots=True)
class Example:
    """A hand-written act that shows a newcomer what Strata does."""

    document_id: str
    subject: str
    path: Path


class Upload(Protocol):
    """What an uploaded file offers."""

    name: str

    def getvalue(self) -> bytes:
        """All of its bytes."""
        ...


@cache
def examples() -> tuple[Example, ...]:
    """The examples, in the order of their file names."""
    subjects = json.loads((EXAMPLES / "subjects.json").read_text("utf-8"))
    return tuple(
        Example(f"example-{path.stem}", subjects[path.stem], path)
        for path in sorted(EXAMPLES.glob("*.txt"))
    )


def opened_id() -> str | None:
    """The document that the address names."""
    return st.query_params.get(OPEN_PARAMETER)


def show_document(document_id: str | None) -> None:
    """Turn to a document, or to the empty page."""
    if document_id is None:
        st.query_params.pop(OPEN_PARAMETER, None)
    else:
        st.query_params[OPEN_PARAMETER] = document_id


def open_example(example: Example) -> None:
    """Open an example; the second time, it is there with what was decided."""
    intake = read_text(example.path.name, example.path.read_bytes())
    _open([(example.document_id, intake)])


def open_pasted() -> None:
    """Open what stands in the form; the form keeps it where that does not work."""
    typed = st.session_state
    try:
        intake = read_pasted(typed.get(TITLE_KEY, ""), typed.get(TEXT_KEY, ""))
    except StrataError as error:
        say(str(error))
        return
    if _open([("", intake)]):
        typed[TITLE_KEY] = typed[TEXT_KEY] = ""


def open_uploads(uploads: Iterable[Upload]) -> None:
    """Open files: the first comes on the page, and all are read in their order."""
    taken = []
    for upload in uploads:
        try:
            taken.append((Path(upload.name).stem, read_upload(upload.name, upload.getvalue())))
        except StrataError as error:
            say(str(error))
    if taken:
        _open(taken)


def remove(document_id: str) -> None:
    """Take a document off the list, and remember it for `restore`."""
    try:
        store = workplace().store()
        title = store.document(document_id).title
        store.remove_document(document_id)
    except StrataError as error:
        say(str(error))
        return
    st.session_state[REMOVED_KEY] = {"id": document_id, "title": title}
    if opened_id() == document_id:
        show_document(None)


def restore(document_id: str) -> None:
    """Put a removed document back on the list, and open it."""
    try:
        workplace().store().restore_document(document_id)
    except StrataError as error:
        say(str(error))
        return
    st.session_state.pop(REMOVED_KEY, None)
    show_document(document_id)


def say(sentence: str) -> None:
    """Keep a sentence for the page to show at its next run."""
    _LOG.info("said: %s", sentence)
    st.session_state.setdefault(MESSAGES_KEY, []).append(sentence)


def said() -> list[str]:
    """The sentences to show now; each is shown until the next thing is done."""
    messages: list[str] = st.session_state.pop(MESSAGES_KEY, [])
    return messages


def _open(taken: list[tuple[str, Intake]]) -> bool:
    """Store documents, queue them for the model, and show the first; False if that failed."""
    shared = workplace()
    stored = []
    try:
        store, project_id = shared.store(), shared.project_id()
        for document_id, intake in taken:
            document = intake.document(document_id)
            kept = store.add_document(document, project_id=project_id)
            stored.append(kept)
            if store.latest_prediction(kept) is None:
                shared.service.submit(Document(kept, document.title, document.parts))
    except StrataError as error:
        _LOG.exception("a document could not be stored")
        say(str(error))
    if stored:
        show_document(stored[0])
    return len(stored) == len(taken)

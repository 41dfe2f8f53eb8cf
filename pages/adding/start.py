"""The Start page: what this is, a text or files to begin with, three examples, and the keys."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st

from core.clinical.encounters import encounter, note_file
from core.clinical.notation import ICD9CM, ICD10CM
from core.documents.act_numbers import proposed_id
from core.documents.document import Document
from core.documents.intake import MAX_ID_CHARACTERS, read_text
from core.errors import StrataError
from core.paths import PROJECT_ROOT
from core.review.keys import key_table, shortcuts, spoken_key
from core.review.reports.summaries import count_documents
from core.review.store.arrivals import add_document
from core.review.store.people import read_preferences
from core.review.store.projects import make_project
from core.roles import Right
from core.serving.choosing import known_vocabularies, listed_projects
from core.vocabulary.conventions import conventions_of
from pages import opening, project_menu
from pages.adding import batch
from pages.adding.encounter_form import newest_note, render_encounter_form
from pages.adding.fetch import fetch_policy, render_fetch
from pages.components import asset, register
from pages.components.markdown import plain
from pages.messages import said_next
from pages.preferences.elsewhere import asked_here
from pages.serving import current_session
from pages.vocabularies.names import title_of

_LOG = logging.getLogger(__name__)

UPLOAD_KEY = "uploads"
TAKEN_KEY = "taken_uploads"  # ids of the files of this session that were taken in
TEXT_HEIGHT = 250
MOST_MEGABYTES = 20  # of one file
# By whether documents are encounters: the vocabularies that the examples are of.
OFFERED = {False: ("eurovoc",), True: (ICD10CM, ICD9CM)}
EXAMPLES = PROJECT_ROOT / "assets" / "examples"
ENCOUNTER_EXAMPLES = EXAMPLES / "encounters"
SUBJECTS, CODES = "subjects.json", "codes.json"
NOTHING_LEAVES = "Nothing leaves this machine."
NO_TEXT_LEAVES = "No text leaves this machine; numbers and addresses to be fetched go to {hosts}."
TEXTS_LEAVE = "Texts are sent to {said}, which suggests as well."


@dataclass(frozen=True, slots=True)
class Words:
    """What the page says; acts and encounters have their own."""

    question: str
    lead: str
    formats: str
    example: str


ACTS = Words(
    "What is this act about?",
    "Strata reads a text, suggests concepts of your vocabulary on its tree, and keeps what you "
    f"accept. {NOTHING_LEAVES}",
    "Text, PDF, Word, OpenDocument or HTML, one or many, up to 20 MB each; or a whole batch as "
    "CSV, JSON lines or ZIP.",
    "Or see what it does with an invented act",
)
ENCOUNTERS = Words(
    "Which codes does this encounter need?",
    "Strata reads the notes of an encounter, suggests codes on their tree, and keeps what you "
    f"accept. {NOTHING_LEAVES}",
    "Text, PDF, Word, OpenDocument or HTML: each file an encounter of one note. Many at once as "
    "CSV or JSON lines (`notes` with `kind`, `date`, `text`), or as a ZIP with a folder for each "
    "encounter.",
    "Or see what it does with an invented patient",
)


KINDS_OF_USER = (
    (
        "Librarian",
        "Paste or drop acts, accept what fits, and finish each with one key, which opens the next.",
    ),
    (
        "Clinical coder",
        "Add the notes of an encounter: every code comes with the words that speak for "
        "it, and is checked before export.",
    ),
    (
        "Lead",
        "*Documents* has what is left to do, *Insights* what was decided, and the rules on "
        "*Vocabulary* hold for all.",
    ),
    (
        "Researcher",
        "*Models* says how good each model is, *Insights* where it errs, and *Export* gives "
        "every decision as data.",
    ),
)


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
        given = json.loads((ENCOUNTER_EXAMPLES / CODES).read_text("utf-8"))
        return tuple(
            Example(f"example-{name}", given[name]["subject"], ENCOUNTER_EXAMPLES / name)
            for name in sorted(given)
        )
    subjects = json.loads((EXAMPLES / SUBJECTS).read_text("utf-8"))
    return tuple(
        Example(f"example-{path.stem}", subjects[path.stem], path)
        for path in sorted(EXAMPLES.glob("*.txt"))
    )


def render_welcome() -> None:
    """Draw everything that a newcomer needs for the first result."""
    st.html(f"<style>{asset('shared/welcome.css')}</style>")
    with st.container(key="welcome"):
        if batch.is_busy():
            st.title("Add documents", anchor=False)
            render_messages()
            batch.render_batch()
            _mount({"asks": True})
        else:
            clinical = opening.is_clinical()
            words = ENCOUNTERS if clinical else ACTS
            st.title(words.question, anchor=False)
            st.markdown(_lead(words, clinical=clinical))
            render_messages()
            render_ways_in(clinical=clinical)
            _mount({"newest_note": newest_note() if clinical else None})


def _mount(data: dict[str, object]) -> None:
    register("welcome", folder="shared", entry="welcome.js")(key="ways_in", data=data)


def render_ways_in(*, clinical: bool) -> None:
    """Draw a text, files or an example; and what comes next."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        if clinical:
            render_encounter_form()
        else:
            render_form()
    with right:
        render_upload(clinical=clinical)
        if not clinical:
            render_fetch()
        render_examples(clinical=clinical)
    render_kinds_of_user()
    render_keys()


def render_messages() -> None:
    """Draw what could not be done, and why the model is not there if it is not."""
    opening.render_said()
    problem = current_session().project.problem
    if problem:
        st.warning(
            f"No new suggestions can be made. {problem} Documents and decisions are still here.",
            icon=":material/warning:",
        )


def render_form() -> None:
    """Draw fields for title and text, which keep what was typed when another page is opened."""
    keys = tuple(opening.form_key(name) for name in ("title", "text", "id"))
    title_key, text_key, id_key = keys
    with st.container(key="new_title"):
        st.text_input(
            "Title", key=title_key, placeholder="Regulation … on …", persist_state="session"
        )
    with st.container(key="new_text"):
        st.text_area(
            "Text",
            key=text_key,
            height=TEXT_HEIGHT,
            placeholder="Paste the act here, or anywhere on this page. Without a title, that of its "
            "heading is taken. Ctrl+Enter suggests.",
            persist_state="session",
        )
    with st.container(horizontal=True, vertical_alignment="center", key="new_act"):
        st.button(
            "Suggest concepts",
            type="primary",
            key="suggest",
            on_click=opening.open_pasted,
            args=keys,
        )
        _render_id(id_key, st.session_state.get(title_key, ""), st.session_state.get(text_key, ""))


def _render_id(id_key: str, title: str, text: str) -> None:
    """Draw the field for an id behind the button, where it costs nobody a key."""
    proposed = proposed_id(title, text)
    st.text_input(
        "Id",
        key=id_key,
        placeholder=f"Id: {proposed}" if proposed else "Id: the number of the act, if it has one",
        label_visibility="collapsed",
        max_chars=MAX_ID_CHARACTERS,
        help="What the document is called in exports and in field 001 of MARC.",
        persist_state="session",
    )


def render_upload(*, clinical: bool) -> None:
    """Draw the place for files, which are read as soon as they are here.

    It takes files of any kind: what cannot be read is refused here, with what to do instead.
    """
    st.file_uploader(
        "Or add files: choose them, or drop them anywhere",
        accept_multiple_files=True,
        max_upload_size=MOST_MEGABYTES,
        key=UPLOAD_KEY,
        on_change=_take_uploads,
    )
    words = ENCOUNTERS if clinical else ACTS
    st.html(f'<p class="formats">{_with_code(words.formats)}</p>')


def render_examples(*, clinical: bool) -> None:
    """One click to see a result."""
    st.markdown((ENCOUNTERS if clinical else ACTS).example)
    with st.container(key="examples", gap="small"):
        for example in examples(clinical=clinical):
            st.button(
                example.subject,
                key=example.document_id,
                icon=":material/article:",
                width="stretch",
                on_click=open_example,
                args=(example,),
            )
    render_other_example(clinical=clinical)


def open_example(example: Example) -> None:
    """Open an example; the second time, it is there with what was decided."""
    opening.open_documents([example.document()], again=True)


def render_other_example(*, clinical: bool) -> None:
    """One click to see what those see who work with documents of the other kind."""
    vocabulary_id = other_vocabulary(clinical=clinical)
    if vocabulary_id is None:
        return
    if _is_new_here():
        current_session().server.registry.load_ahead(vocabulary_id)
    example = examples(clinical=not clinical)[0]
    st.button(
        f"{'For librarians' if clinical else 'For coders'}: {example.subject}",
        key=f"other_{example.document_id}",
        icon=":material/article:" if clinical else ":material/clinical_notes:",
        width="stretch",
        help=f"Opens in a project of its own, with {plain(title_of(vocabulary_id))}.",
        on_click=open_elsewhere,
        args=(example, vocabulary_id),
    )


def _is_new_here() -> bool:
    """Return whether nothing was added yet, so that the first example may be what comes next."""
    session = current_session()
    is_alone = len(listed_projects(session)) == 1
    return is_alone and not count_documents(session.store(), session.project_id())


def other_vocabulary(*, clinical: bool) -> str | None:
    """Return a vocabulary for documents of the other kind; None where the person can open none."""
    session = current_session()
    in_use = [project.vocabulary_id for project in listed_projects(session)]
    others = known_vocabularies(session) if session.may(Right.PROJECTS) else []
    for vocabulary_id in (*in_use, *others):
        if vocabulary_id in OFFERED[not clinical]:
            return vocabulary_id
    return None


def open_elsewhere(example: Example, vocabulary_id: str) -> None:
    """Open an example in a project of its vocabulary, which is made where there is none."""
    session = current_session()
    with said_next("the example could not be opened"):
        same = (row for row in listed_projects(session) if row.vocabulary_id == vocabulary_id)
        project = next(same, None)
        if project is None:
            store = session.writing(Right.PROJECTS)
            project = make_project(store, title_of(vocabulary_id), vocabulary_id)
        document = example.document()
        store = session.elsewhere(project.project_id).writing(Right.ADD)
        document_id = add_document(store, document, project_id=project.project_id)
        project_menu.open_project(project.project_id, document_id=document_id)


def render_kinds_of_user() -> None:
    """Draw a sentence for each kind of user."""
    rows = "".join(
        f"<div><dt>{escape(kind)}</dt><dd>{_with_emphasis(sentence)}</dd></div>"
        for kind, sentence in KINDS_OF_USER
    )
    st.html(f'<section class="kinds"><h2>What it does for you</h2><dl>{rows}</dl></section>')


def render_keys() -> None:
    """Draw the keys that decide, as this person has them."""
    conventions = conventions_of(current_session().vocabulary_id())
    keys = key_table(_chosen_keys(), conventions)
    rows = "".join(
        f"<div><dt><kbd>{escape(spoken_key(keys[shortcut.action]))}</kbd></dt>"
        f"<dd>{escape(shortcut.words)}</dd></div>"
        for shortcut in shortcuts(conventions)
    )
    st.html(f'<section class="keys"><h2>Then decide by keyboard</h2><dl>{rows}</dl></section>')


def _with_emphasis(sentence: str) -> str:
    return re.sub(r"\*([^*]*)\*", r"<em>\1</em>", escape(sentence))


def _lead(words: Words, *, clinical: bool) -> str:
    asked = asked_here()
    if asked is not None:
        return words.lead.replace(NOTHING_LEAVES, TEXTS_LEAVE.format(said=plain(asked.said)))
    policy = fetch_policy(current_session().settings)
    if clinical or not policy.is_on:
        return words.lead
    return words.lead.replace(NOTHING_LEAVES, NO_TEXT_LEAVES.format(hosts=plain(policy.named)))


def _with_code(sentence: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(sentence))


def _chosen_keys() -> dict[str, object]:
    session = current_session()
    try:
        chosen = read_preferences(session.store(), session.person_id()).get("keys")
    except StrataError:
        _LOG.exception("the keys that were chosen could not be read")
        return {}
    return chosen if isinstance(chosen, dict) else {}


def _take_uploads() -> None:
    """Take what is new; the browser names files again that were taken before."""
    taken: set[str] = st.session_state.setdefault(TAKEN_KEY, set())
    fresh = [upload for upload in st.session_state[UPLOAD_KEY] if upload.file_id not in taken]
    taken.update(upload.file_id for upload in fresh)
    if fresh:
        batch.take_uploads(fresh)

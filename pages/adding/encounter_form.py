"""The form of an encounter: a title, and notes to add, each with its kind, date and text."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from core.clinical.encounters import Note, cut_names, encounter
from core.clinical.kinds import NOTE_KINDS, complete_kind
from core.errors import StrataError
from pages import messages, opening
from pages.adding.stay_form import EARLIEST, render_stay_fields, typed_stay

NUMBERS_KEY = "note_numbers"  # of the notes in the form, in their order
FIRST_HEIGHT, NEXT_HEIGHT = 240, 150
MOST_NOTES = 30  # in the form; a file may bring more


def render_encounter_form() -> None:
    """Draw fields for title and notes, which keep what was typed when another page is opened."""
    title_key = opening.form_key("title")
    with st.container(key="new_title"):
        st.text_input(
            "Encounter",
            key=title_key,
            placeholder="A name for the list; exports carry the number under Stay",
            persist_state="session",
        )
    with st.expander("Stay: admission, age, sex", key="stay_fields", icon=":material/event:"):
        render_stay_fields(_stay_prefix())
    numbers = _numbers()
    for place, number in enumerate(numbers):
        _render_note(number, place, is_alone=len(numbers) == 1)
    with st.container(horizontal=True, key="encounter_buttons"):
        st.button("Suggest codes", type="primary", key="suggest", on_click=_open, args=(title_key,))
        st.button(
            "Add a note",
            key="note_add",
            icon=":material/note_add:",
            on_click=_add,
            disabled=len(numbers) >= MOST_NOTES,
        )


def newest_note() -> int:
    """Return the number of the note that was added last, to which the cursor goes."""
    return max(_numbers())


def _render_note(number: int, place: int, *, is_alone: bool) -> None:
    with st.container(key=f"note_{number}", gap="small"):
        _render_note_head(number, place, is_alone=is_alone)
        st.text_area(
            f"Text of note {place + 1}",
            key=_key("text", number),
            height=FIRST_HEIGHT if is_alone else NEXT_HEIGHT,
            placeholder="Paste the note here, with its section headings.",
            label_visibility="collapsed",
            persist_state="session",
        )


def _render_note_head(number: int, place: int, *, is_alone: bool) -> None:
    kind, day, remove = st.columns([5, 4, 1], vertical_alignment="bottom")
    kind.selectbox(
        f"Note {place + 1}",
        NOTE_KINDS,
        key=_key("kind", number),
        index=None,
        placeholder="Kind of note",
        accept_new_options=True,
        persist_state="session",
    )
    day.date_input(
        f"Date of note {place + 1}",
        value=None,
        min_value=EARLIEST,
        max_value=datetime.now(UTC).astimezone().date(),
        format="YYYY-MM-DD",
        key=_key("date", number),
        persist_state="session",
    )
    remove.button(
        "",
        key=_key("remove", number),
        icon=":material/delete:",
        help=f"Take note {place + 1} out",
        disabled=is_alone,
        on_click=_remove,
        args=(number,),
    )


def _numbers() -> list[int]:
    numbers: list[int] = st.session_state.setdefault(NUMBERS_KEY, [0])
    return numbers


def _key(field: str, number: int) -> str:
    return f"note_{field}_{number}"


def _add() -> None:
    numbers = _numbers()
    st.session_state[NUMBERS_KEY] = [*numbers, newest_note() + 1]


def _remove(number: int) -> None:
    st.session_state[NUMBERS_KEY] = [shown for shown in _numbers() if shown != number]


def _stay_prefix() -> str:
    """Return what the keys of the stay begin with; each form has its own."""
    return opening.form_key("stay_")


def _note(number: int) -> Note:
    typed = st.session_state
    return Note(
        typed.get(_key("text", number)) or "",
        complete_kind(typed.get(_key("kind", number)) or ""),
        typed.get(_key("date", number)),
    )


def _open(title_key: str) -> None:
    """Open what stands in the form; the form keeps it where that does not work."""
    title, notes = st.session_state.get(title_key, ""), list(map(_note, _numbers()))
    try:
        stay = typed_stay(_stay_prefix())
        document = encounter("", title, notes, stay=stay)
    except StrataError as error:
        messages.say(str(error))
        return
    for sentence in cut_names(title, notes):
        messages.note(sentence)
    if opening.open_documents([document]):
        # Notes of new numbers are empty, whatever the browser still has of the old ones.
        opening.clear_form(title_key)
        st.session_state[NUMBERS_KEY] = [newest_note() + 1]

"""The stay of an encounter: its fields, and the open one's in a line that opens them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import streamlit as st

from core.clinical.encounters import guessed_class, name_of_date
from core.clinical.stay import (
    CLASSES,
    DISPOSITIONS,
    FEMALE,
    MALE,
    MAX_IDENTIFIER_CHARACTERS,
    OLDEST_YEARS,
    Identifier,
    Stay,
    disposition_name,
    printable,
)
from core.documents.document import Document
from core.errors import StoreError, StrataError
from core.review.store.documents import read_stay, set_stay
from core.roles import Right
from pages import messages
from pages.serving import current_session

EARLIEST = date(1900, 1, 1)
FIELDS = ("admitted", "discharged", "age", "sex", "disposition", "class", "patient", "encounter")


def render_stay_fields(prefix: str, stay: Stay | None = None) -> None:
    """Draw the fields, each of which may stay empty.

    Args:
        prefix: what the keys of the fields begin with.
        stay: what they show at first.
    """
    stay = stay or Stay()
    admitted, discharged = st.columns(2)
    _day(admitted, "Admitted", f"{prefix}admitted", stay.admitted)
    _day(discharged, "Discharged", f"{prefix}discharged", stay.discharged)
    age, sex, disposition = st.columns([2, 3, 5])
    age.number_input(
        "Age",
        min_value=0,
        max_value=OLDEST_YEARS,
        value=stay.age_years,
        step=1,
        key=f"{prefix}age",
        help="Whole years at admission",
        persist_state="session",
    )
    _choice(sex, "Sex", f"{prefix}sex", (FEMALE, MALE), stay.sex, str)
    _choice(
        disposition,
        "Discharged to",
        f"{prefix}disposition",
        (*DISPOSITIONS, *({stay.disposition} - {"", *DISPOSITIONS})),
        stay.disposition,
        disposition_name,
    )
    _choice(
        st, "Class", f"{prefix}class", CLASSES, stay.encounter_class, str,
        "As the notes say"
    )  # fmt: skip
    patient, encounter = st.columns(2)
    _number(patient, "Patient number", f"{prefix}patient", stay.patient)
    _number(encounter, "Encounter number", f"{prefix}encounter", stay.encounter)


def typed_stay(prefix: str, former: Stay | None = None) -> Stay:
    """Return what stands in the fields; a number that stays keeps the system that it is unique in.

    Raises:
        DocumentError: the discharge is before the admission.
    """
    values = {field: st.session_state.get(f"{prefix}{field}") for field in FIELDS}
    former = former or Stay()
    return replace(
        former,
        admitted=values["admitted"],
        discharged=values["discharged"],
        age_years=values["age"],
        sex=values["sex"] or "",
        disposition=values["disposition"] or "",
        encounter_class=values["class"] or "",
        patient=_identifier(values["patient"], former.patient),
        encounter=_identifier(values["encounter"], former.encounter),
    ).checked()


def _identifier(typed: str | None, former: Identifier | None) -> Identifier | None:
    value = printable(typed or "")
    return former if former and former.value == value else Identifier(value) if value else None


def said_of(stay: Stay) -> str:
    """Return a stay in a line: "3 March 2026 to 8 March 2026, 72 years, male, 01 home"; or ""."""
    first, last = (name_of_date(day) for day in (stay.admitted, stay.discharged))
    days = f"{first} to {last}" if first and last else (f"until {last}" if last else first)
    age = "" if stay.age_years is None else f"{stay.age_years} years"
    where = disposition_name(stay.disposition)
    return ", ".join(filter(None, (days, age, stay.sex, where, stay.encounter_class)))


def _day(place: Any, label: str, key: str, value: date | None) -> None:
    """Draw a date, which is not to come; one that came with a file may be."""
    today = datetime.now(UTC).astimezone().date()
    place.date_input(
        label,
        value=value,
        min_value=min(EARLIEST, value or EARLIEST),
        max_value=max(today, value or today),
        format="YYYY-MM-DD",
        key=key,
        persist_state="session",
    )


def _number(place: Any, label: str, key: str, identifier: Identifier | None) -> None:
    place.text_input(
        label,
        value=identifier.value if identifier else "",
        max_chars=MAX_IDENTIFIER_CHARACTERS,
        key=key,
        help="As the hospital writes it; FHIR and HL7 name the encounter by it",
        persist_state="session",
    )


def _choice(
    place: Any,
    label: str,
    key: str,
    options: tuple[str, ...],
    value: str,
    words: Any,
    placeholder: str = "",
) -> None:
    place.selectbox(
        label,
        options,
        key=key,
        index=options.index(value) if value else None,
        format_func=words,
        placeholder=placeholder,
        persist_state="session",
    )


# ---------------------------------------------------------------------- of the open encounter

FORMER_KEY = "stay_former"  # the document, its stay before it was saved the last time, and since
CLASS_KEY = "Alt+K"
ROUND_KEY = "stay_round"  # counts what was stored, so that the fields show what is
CHANGED_CLASS = "Somebody has changed the class since it was shown here; press again for the next."
NAMES = {
    "admitted": "Admitted",
    "discharged": "Discharged",
    "age_years": "Age",
    "sex": "Sex",
    "disposition": "Discharged to",
    "encounter_class": "Class",
    "patient": "Patient number",
    "encounter": "Encounter number",
}


def render_stay(document: Document, *, is_closed: bool) -> None:
    """Draw the stay as a button that opens its fields, unless the document is finished."""
    document_id, stay = document.document_id, document.stay or Stay()
    words = said_of(stay) or "Add admission, age and sex"
    # What the fields began from, and what they showed: both stay while others store something.
    began, shown = st.session_state.setdefault(f"{_prefix(document_id)}began", (stay, stay))
    with st.popover(
        words, icon=":material/event:", key="stay", type="tertiary", disabled=is_closed
    ):
        with st.form("stay_form", border=False):
            render_stay_fields(_prefix(document_id), shown)
            st.form_submit_button(
                "Save", key="stay_save", on_click=_save, args=(document_id, began)
            )
        about, *stays = st.session_state.get(FORMER_KEY, ("",))
        if about == document_id:
            st.button("Undo", key="stay_undo", on_click=_undo, args=(about, *stays))


def render_class(document: Document, *, is_closed: bool) -> None:
    """Draw the class of the encounter as a button that goes to the next one, likewise."""
    stay, guessed = document.stay or Stay(), guessed_class(document)
    name = stay.encounter_class or guessed.name
    if stay.encounter_class:
        help_words = "Chosen by a person."
    elif guessed.name:
        help_words = f"By the notes: {guessed.reason}."
    else:
        help_words = "The notes do not say it; rules for inpatients hold."
    st.button(
        name or "Class not known",
        key="stay_class",
        type="tertiary",
        icon=":material/local_hospital:",
        shortcut=None if is_closed else CLASS_KEY,
        disabled=is_closed,
        help=f"{help_words} The next class: {CLASS_KEY}",
        on_click=_take_class,
        args=(document.document_id, next_class(name), stay.encounter_class),
    )


def next_class(name: str) -> str:
    """Return the class behind another one, in a circle."""
    return CLASSES[(CLASSES.index(name) + 1) % len(CLASSES)] if name else CLASSES[0]


def unsaved(typed: Stay, began: Stay, stored: Stay) -> tuple[Stay, str]:
    """Return what is stored with what was typed where nobody else changed it, and say what is not.

    Args:
        typed: what stood in the fields when somebody else had stored something meanwhile.
        began: what the fields had begun from.
    """
    own = [name for name in NAMES if getattr(typed, name) != getattr(began, name)]
    kept = [name for name in own if getattr(stored, name) == getattr(began, name)]
    lost = [
        f"{NAMES[name]} (you typed {_words(getattr(typed, name))})"
        for name in own
        if name not in kept and getattr(stored, name) != getattr(typed, name)
    ]
    said = []
    if kept:
        said.append(f"Still in the fields, not yet saved: {', '.join(NAMES[one] for one in kept)}.")
    if lost:
        said.append(f"Theirs is shown where both of you changed it: {', '.join(lost)}.")
    return replace(stored, **{name: getattr(typed, name) for name in kept}), " ".join(said)


def _words(value: date | int | str | Identifier | None) -> str:
    if isinstance(value, Identifier):
        return value.value
    return "nothing" if value in (None, "") else str(value)


def _prefix(document_id: str) -> str:
    return f"stay_{st.session_state.get(ROUND_KEY, 0)}_{document_id}_"


def _save(document_id: str, began: Stay) -> None:
    try:
        typed = typed_stay(_prefix(document_id), began)
    except StrataError as error:
        messages.say(f"{error} It was not stored.")
        return
    try:
        _store(document_id, typed, former=began)
    except StrataError as error:
        stored = read_stay(current_session().store(), document_id)
        if stored == began:  # refused for another reason, such as that the document is finished
            messages.say(str(error))
            return
        shown, rest = unsaved(typed, began, stored)
        _begin_anew()
        st.session_state[f"{_prefix(document_id)}began"] = (stored, shown)
        messages.say(f"{error} {rest}")


def _take_class(document_id: str, name: str, former: str) -> None:
    """Replace the class alone: what else is known of the stay may be newer than the page."""
    with messages.said_next("the class could not be stored"):
        stored = read_stay(current_session().store(), document_id)
        if stored.encounter_class == name:  # pressed twice before the page was drawn
            return
        if stored.encounter_class != former:
            _begin_anew()
            raise StoreError(CHANGED_CLASS)
        _store(document_id, replace(stored, encounter_class=name), former=stored)


def _undo(document_id: str, stay: Stay, saved: Stay) -> None:
    with messages.said_next("the stay could not be set back"):
        _begin_anew()
        set_stay(
            current_session().writing(Right.DECIDE, document_id), document_id, stay, former=saved
        )


def _store(document_id: str, stay: Stay, *, former: Stay) -> None:
    store = current_session().writing(Right.DECIDE, document_id)
    set_stay(store, document_id, stay, former=former)
    _begin_anew()
    st.session_state[FORMER_KEY] = (document_id, former, stay)


def _begin_anew() -> None:
    """Have the fields show what is stored, of which nothing is to be undone."""
    st.session_state[ROUND_KEY] = st.session_state.get(ROUND_KEY, 0) + 1
    st.session_state.pop(FORMER_KEY, None)

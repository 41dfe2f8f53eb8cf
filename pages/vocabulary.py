"""Vocabulary: the whole tree, its search and cards, rules of the project, and versions."""

from __future__ import annotations

import streamlit as st

from core.review.guidance import read_notes, set_note
from core.review.store.rules import NEVER_SUGGESTED, lift_rule, read_rules, set_rule
from core.roles import Right
from core.serving.vocabularies import Vocabulary
from pages.components import register, sent_event
from pages.components.markdown import concepts
from pages.messages import said_next, shown_here
from pages.screens import screen
from pages.serving import current_session, here
from pages.sidebar import render_sidebar
from pages.vocabularies.guidelines import render_guidelines
from pages.vocabularies.overview import in_force, overview
from pages.vocabularies.versions import named, render_versions

COMPONENT = "vocabulary"
STYLES = ("shared/search.css", "shared/card.css", "vocabulary.css")
CONCEPT_PARAMETER = "concept"
ANSWERED_KEY = "vocabulary_answered"
PROBLEM_KEY = "vocabulary_problem"
DOCUMENT_KEY = "vocabulary_document"
BROWSE, GUIDELINES, VERSIONS = "Browse", "Guidelines", "Versions and import"
NOTHING = "There is no vocabulary to browse: import a SKOS file, or mend the model bundle."


def main() -> None:
    """Draw a tab each for the tree, the guidelines, and the versions that are there."""
    document_id = st.session_state.pop(DOCUMENT_KEY, None)
    if document_id is not None:
        st.switch_page(screen("annotate"), query_params=here(document=document_id))
    with st.container(key="vocabulary_page"):
        st.title("Vocabulary", anchor=False)
        names = [BROWSE, GUIDELINES, VERSIONS]
        browse, written, versions = st.tabs(names, key="vocabulary_tabs")
        with browse:
            render_browser()
        with written, shown_here("the guidelines could not be shown"):
            render_guidelines()
        with versions:
            render_versions()


def render_browser() -> None:
    """Draw the tree with the card; a sentence where there is none."""
    vocabulary = current_session().vocabulary()
    if vocabulary is None:
        st.info(NOTHING, icon=":material/info:")
        return
    with shown_here("the vocabulary could not be shown"):
        draw(vocabulary)


def draw(vocabulary: Vocabulary) -> None:
    """Draw the tree of the whole vocabulary with its search, the concept card, and rules to set."""
    session, hierarchy = current_session(), vocabulary.hierarchy
    language = session.language()
    choice = session.project.choice
    register(COMPONENT, folder="vocabulary", entry="vocabulary.js", styles=STYLES)(
        key=COMPONENT,
        data={
            # Changes where another vocabulary is to be fetched.
            "version": f"{session.project_id()} {hierarchy.vocabulary_id} {choice.version} "
            f"{hierarchy.version} {language}",
            "facts": facts(vocabulary),
            "language": language,
            "search_url": "api/search",
            "rules": in_force(
                read_rules(session.store(), session.project_id()), hierarchy, language
            ),
            "advice": read_notes(session.store(), session.project_id()),
            "may_advise": session.may(Right.GUIDELINES),
            # Lists that stand in place of a concept until one is chosen.
            "overview": overview(session.store(), session.project_id(), hierarchy, language),
            "concept": st.query_params.get(CONCEPT_PARAMETER),
            # Number of the last wish for a rule that was dealt with.
            "answered": st.session_state.get(ANSWERED_KEY, 0),
            "problem": st.session_state.get(PROBLEM_KEY, ""),
        },
        on_rule_change=_take_rule,
        on_advice_change=_take_advice,
        on_document_change=_take_document,
    )


def facts(vocabulary: Vocabulary) -> str:
    """Return name, size and languages in one line."""
    languages = vocabulary.index.languages
    spoken = f", {len(languages)} languages" if len(languages) > 1 else ""
    session = current_session()
    silent = "" if session.project.card else " · no model here has learned it"
    hierarchy = vocabulary.hierarchy
    size = concepts(len(hierarchy), len(hierarchy.deprecated))
    return f"{named(hierarchy)}: {size}{spoken}{silent}"


def _take_rule() -> None:
    wish, session = _wish("rule"), current_session()
    concept_id, kind = str(wish.get("concept_id", "")), str(wish.get("kind", ""))
    vocabulary = session.vocabulary()
    if vocabulary is None or concept_id not in vocabulary.hierarchy:
        _say("There is no such concept in the vocabulary.")
        return
    is_heading = not vocabulary.hierarchy[concept_id].assignable
    if is_heading and kind == NEVER_SUGGESTED and wish.get("on"):
        _say("It is a heading: it is not assigned, and never suggested.")
        return
    with said_next("a rule could not be changed", _say):
        store = session.writing(Right.RULES)
        if wish.get("on"):
            set_rule(store, session.project_id(), concept_id, kind, session.person_id())
        else:
            lift_rule(store, session.project_id(), concept_id, kind)


def _take_advice() -> None:
    wish, session = _wish("advice"), current_session()
    vocabulary = session.vocabulary()
    match wish:
        case {"concept_id": str(concept_id), "text": str(text)} if (
            vocabulary is not None and concept_id in vocabulary.hierarchy
        ):
            with said_next("a note could not be stored", _say):
                store = session.writing(Right.GUIDELINES)
                set_note(store, session.project_id(), concept_id, text, session.person_id())


def _wish(event: str) -> dict[str, object]:
    """Return what a person wants to be changed, and note that it was dealt with."""
    wish = _sent(event)
    number = wish.get("number", 0)
    st.session_state[ANSWERED_KEY] = number if isinstance(number, int) else 0
    _say("")
    return wish


def _say(problem: str) -> None:
    st.session_state[PROBLEM_KEY] = problem


def _sent(event: str) -> dict[str, object]:
    """Return what the browser sent with an event; empty if malformed."""
    value = sent_event(event)
    return dict(value) if isinstance(value, dict) else {}


def _take_document() -> None:
    st.session_state[DOCUMENT_KEY] = str(_sent("document").get("id", ""))


render_sidebar()
main()

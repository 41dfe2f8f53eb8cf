"""Settings: keys, label language, colours, a backup, precision, and where everything lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from core.documents.language import EU_LANGUAGES
from core.review.audit.search import has_log
from core.review.keys import (
    CODES_KEYS,
    TREE_KEYS,
    Shortcut,
    key_table,
    normal_key,
    shortcuts,
    validate,
)
from core.review.reports.summaries import count_kept
from core.review.store.people import read_preferences, set_preference
from core.roles import Right
from core.suggest.protocol import Computing, find_part
from core.version import __version__
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import Conventions, conventions_of
from pages import messages
from pages.adding.fetch import what_is_sent
from pages.bundles.card import one_line, table
from pages.components.settings import keys_table, sent_keys
from pages.messages import said_next, shown_here
from pages.preferences.appearance import render_appearance, render_next_order
from pages.preferences.audit import render_audit
from pages.preferences.backup import render_backup, render_health
from pages.preferences.elsewhere import projects_asking, what_goes_elsewhere
from pages.preferences.erasure import render_erasure
from pages.preferences.people import render_people
from pages.preferences.programs import how_they_ask, render_programs
from pages.preferences.projects import render_projects
from pages.serving import current_session
from pages.sidebar import render_sidebar
from pages.vocabularies.names import without_model

PROBLEMS_KEY = "keys_problems"
LANGUAGE_KEY = "label_language"
PRECISIONS = {
    "fp32": "**fp32**: 32-bit numbers throughout",
    "bf16": "**bf16**: 16-bit numbers in the large products of the encoder, which are faster here",
    "int8": "**int8**: 8-bit numbers in the large products of the encoder, which are faster here",
}
AUDIT = "Audit"
TAB_KEY, OPEN_TAB_KEY = "settings_tab", "settings_open_tab"
LONGEST_KEY = 40  # characters of what somebody may type for a key
# Name of a tab -> the right that it takes; who does not have it does not see the tab.
TABS = {
    "Keys": Right.OWN,
    "Labels": Right.OWN,
    "Projects": Right.READ,
    "People": Right.MEMBERS,
    "Appearance": Right.OWN,
    "Programs": Right.PROGRAMS,
    AUDIT: Right.AUDIT,
    "Erasure": Right.ERASE,
    "Backup": Right.BACKUP,
    "Health": Right.BACKUP,
    "Precision": Right.READ,
    "Privacy": Right.READ,
}


def main() -> None:
    """Draw a tab for each topic."""
    with st.container(key="settings_page"):
        st.title("Settings", anchor=False)
        for sentence in messages.said():
            st.error(sentence, icon=":material/error:")
        with shown_here("the settings could not be shown"):
            tabs = _tabs()
            for name, tab in tabs.items():
                with tab:
                    _renderers()[name]()
        st.markdown(f":small[Strata {__version__}]")


def _tabs() -> dict[str, TabContainer]:
    """Return the tabs of the person by name, with that in front which was open last.

    A choice that opens the project anew has a run draw its progress in the place of this page, and
    Streamlit forgets the state of what a run leaves out, and of tabs of which there are others now.
    """
    session = current_session()
    names = [name for name, right in TABS.items() if session.may(right)]
    if AUDIT in names and not has_log(session.store()):  # as where a person is alone
        names.remove(AUDIT)
    st.session_state[TAB_KEY] = st.session_state.get(
        TAB_KEY, st.session_state.get(OPEN_TAB_KEY, names[0])
    )
    tabs = st.tabs(names, key=TAB_KEY, on_change="rerun")
    st.session_state[OPEN_TAB_KEY] = st.session_state[TAB_KEY]
    return dict(zip(names, tabs, strict=True))


def _renderers() -> dict[str, Callable[[], None]]:
    return {
        "Keys": render_keys,
        "Labels": render_language,
        "Projects": render_projects,
        "People": render_people,
        "Appearance": render_appearance,
        "Programs": render_programs,
        AUDIT: render_audit,
        "Erasure": render_erasure,
        "Backup": render_backup,
        "Health": render_health,
        "Precision": render_precision,
        "Privacy": render_privacy,
    }


# ---------------------------------------------------------------------- keys


def render_keys() -> None:
    """Draw a row for each action, and what cannot be changed."""
    st.markdown("Go to a field and press the key that you want, or type its name. Tab goes on.")
    conventions = _conventions()
    keys = _keys(conventions)
    keys_table(
        keys,
        shortcuts=shortcuts(conventions),
        problems=st.session_state.pop(PROBLEMS_KEY, []),
        on_keys=_take_keys,
    )
    moving = TREE_KEYS | (CODES_KEYS if conventions.sequenced else {})
    fixed = " · ".join(f"`{name.strip() or 'Space'}` {words}" for name, words in moving.items())
    st.markdown(f":small[These stay as they are, as in every tree: {fixed}]")
    st.divider()
    render_next_order(keys["next"])


def _conventions() -> Conventions:
    return conventions_of(current_session().vocabulary_id())


def _keys(conventions: Conventions) -> dict[str, str]:
    return key_table(_chosen_keys(), conventions)


def _chosen_keys() -> dict[str, str]:
    """Return what the person has chosen, also for actions that this vocabulary does not have."""
    session = current_session()
    chosen = read_preferences(session.store(), session.person_id()).get("keys")
    return chosen if isinstance(chosen, dict) else {}


def _take_keys() -> None:
    with said_next("the keys could not be stored"):
        _change_keys(sent_keys())


def _change_keys(wanted: dict[str, object]) -> None:
    session = current_session()
    if wanted.get("reset") is True:
        set_preference(session.writing(Right.OWN), session.person_id(), "keys", None)
        return
    action, key = wanted.get("action"), wanted.get("key")
    if not isinstance(action, str) or not isinstance(key, str) or len(key) > LONGEST_KEY:
        return
    conventions = _conventions()
    keys = _keys(conventions) | {action: normal_key(key)}
    problems = validate(keys, conventions)
    if problems:
        st.session_state[PROBLEMS_KEY] = problems
        return
    chosen = _own_keys(keys, shortcuts(conventions))
    set_preference(session.writing(Right.OWN), session.person_id(), "keys", chosen or None)


def _own_keys(keys: Mapping[str, str], offered: Sequence[Shortcut]) -> dict[str, str]:
    """Return what differs from the table, and choices for actions of other vocabularies."""
    standard = {shortcut.action: shortcut.key for shortcut in offered}
    elsewhere = {name: key for name, key in _chosen_keys().items() if name not in standard}
    return elsewhere | {name: key for name, key in keys.items() if key != standard[name]}


# ---------------------------------------------------------------------- labels


def render_language() -> None:
    """Draw the languages that the vocabulary has labels in."""
    session = current_session()
    vocabulary = session.vocabulary()
    if vocabulary is None:
        st.info("The vocabulary could not be loaded, so its languages are not known.")
        return
    counts = languages_of(vocabulary.hierarchy)
    chosen = session.language()
    st.session_state[LANGUAGE_KEY] = chosen if chosen in counts else next(iter(counts))
    st.selectbox(
        "Show labels in",
        list(counts),
        format_func=lambda code: f"{language_name(code)} ({counts[code]:,} concepts)",
        key=LANGUAGE_KEY,
        on_change=_take_language,
        width=420,
    )
    st.markdown(
        ":small[In trees, cards, charts and exports. A concept that has no label in this language "
        "is shown in English, or else in another that it has. The search finds all of them.]"
    )


def languages_of(hierarchy: Hierarchy) -> dict[str, int]:
    """Return how many concepts have a preferred label in each language; most first."""
    counted = Counter(
        language for concept_id in hierarchy for language in hierarchy[concept_id].pref_label
    )
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def language_name(code: str) -> str:
    """Return a language by its name, where it is one of the EU's; else by its code."""
    if not code:
        return "No language stated"
    return EU_LANGUAGES.get(code.split("-")[0].lower(), code)


def _take_language() -> None:
    session = current_session()
    with said_next("the language could not be stored"):
        language = st.session_state[LANGUAGE_KEY]
        set_preference(session.writing(Right.OWN), session.person_id(), "label_language", language)


# ---------------------------------------------------------------------- precision


def render_precision() -> None:
    """Draw what the model computes in, and why."""
    computing = find_part(current_session().project.suggester, Computing)  # type: ignore[type-abstract]
    precision = computing.number_format if computing else None
    if precision is None:
        st.info("No model with a choice of precision is loaded.")
        return
    facts = {
        "Suggestions are computed in": PRECISIONS[precision.name],
        "Why": precision.reason,
        "Computed by": precision.engine,
    }
    st.markdown(table(("", ""), facts.items(), are_numbers=False))
    st.markdown(
        "The same text gets the same numbers after a restart. On another machine, or in another "
        "precision, a probability may differ by one percentage point; where a ranker decides, in rare "
        "cases by five points (twenty in int8). "
        "To compare two servers digit by digit, set `STRATA_PRECISION=fp32` on both. Small "
        "networks compute in fp32 on a processor whatever is chosen here."
    )


# ---------------------------------------------------------------------- privacy


def render_privacy() -> None:
    """Draw where the data lies, and what leaves this machine."""
    session = current_session()
    settings = session.settings
    n_listed, n_removed = count_kept(session.store())
    url = session.store().engine.url
    facts = {
        "Documents, decisions": f"`{url.database or url.render_as_string()}`",
        "Imported vocabularies, search index": f"`{settings.home}`",
        "Model": _model_facts(),
        "Kept now": f"{n_listed:,} documents of all projects, and {n_removed:,} in bins",
        "In this browser": "ids of what is open and of decisions on their way; no text",
    }
    st.markdown(table(("What", "Where"), facts.items(), are_numbers=False))
    st.markdown(what_is_sent(settings.fetch_hosts, asks_elsewhere=bool(projects_asking())))
    st.markdown(what_goes_elsewhere())
    if settings.rest:
        st.markdown(how_they_ask(settings))


def _model_facts() -> str:
    session = current_session()
    model, card = session.project.suggester, session.project.card
    if card is None:
        return f"none; {without_model(session.vocabulary_id())}"
    return f"`{card.directory}`" + (f", {one_line(model.name)}" if model else "")


render_sidebar()
main()

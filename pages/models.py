"""Models: the bundles, two of them compared, and the choice of the serving one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.api.downloads import HASH
from core.model.bundle.cards import BundleCard
from core.review.reports.finished import count_finished
from core.review.reports.learning import learning_effect
from core.review.reports.summaries import count_unfinished
from core.review.store.projects import Project, document_counts
from core.roles import Right
from core.serving.choosing import serve_model, visible_projects
from core.serving.models import LOADING, READY, TAKEN
from core.serving.session import Session
from core.vocabulary.conventions import conventions_of
from pages import messages
from pages.bundles.card import (
    facts,
    facts_table,
    figures,
    how_good,
    judged_by,
    licence,
    one_line,
    ranked_by,
    served_sentence,
    splits,
    tab_name,
    table,
    vocabulary_note,
)
from pages.bundles.comparison import label, render_comparison
from pages.bundles.retraining import render_changes, render_retraining
from pages.components import asset, outdated
from pages.components.markdown import count, escaped, plain
from pages.components.progress import Progress, follow_progress
from pages.messages import said_next, shown_here
from pages.project_menu import open_project, title
from pages.serving import current_session
from pages.sidebar import render_sidebar
from pages.vocabularies.names import title_of, without_model

SEEN_KEY = "models_seen"  # the end of a change that this session has looked away
ASKED_KEY = "models_asked"  # the bundle about which it is asked whether it is to serve
ELSEWHERE_KEY = "models_elsewhere"  # the other project for which one was chosen
SHORT_FACTS = frozenset({"Vocabulary", "Languages", "Trained on", "Retrained on", "Trained"})
FEWEST_SHOWN = 10  # documents; what fewer say is chance
TABS = ("Models", "Side by side")


def main() -> None:
    """Draw what is going on, then the cards and the comparison."""
    with st.container(key="models_page"):
        st.html(f"<style>{asset('shared/models.css')}</style>")
        st.title("Models", anchor=False)
        for sentence in messages.said():
            st.error(sentence, icon=":material/error:")
        with shown_here("the models could not be shown"):
            render_change()
            render_elsewhere()
            outdated.render_outdated()
            render_served(current_session().project.card)
            render_learning()
            render_retraining()
            render_changes()
            cards = current_session().server.setups.cards()
            served = current_session().project.card
            models, side_by_side = st.tabs(TABS, key="models_tab")
            with models:
                render_cards(cards, served)
            with side_by_side:
                render_comparison(cards, served)


# ---------------------------------------------------------------------- what is going on


def render_change() -> None:
    """Draw the model that is being loaded for this project, or how the last change ended."""
    served = current_session().project
    if served.fallback:
        instead = f" {_name(served.card)} is served instead." if served.card else ""
        st.warning(f"{escaped(served.fallback)}{instead}", icon=":material/warning:")
    change = served.change
    if SEEN_KEY not in st.session_state:  # what ended before somebody came is no news
        st.session_state[SEEN_KEY] = change if change and change.state != LOADING else None
    if change is None or st.session_state[SEEN_KEY] == change:
        return
    if change.state == LOADING:
        follow_progress(_progress)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="change_over"):
        if change.state == TAKEN:
            done = "is served now" if change.card else "suggest from now on"
            st.success(f"{_name(change.card)} {done}.", icon=":material/check:")
        else:
            before = f"{_name(served.card)} {'goes' if served.card else 'go'} on"
            st.error(
                f"{_name(change.card)} could not be taken; {before}. {escaped(change.problem)}",
                icon=":material/error:",
            )
        st.button("Dismiss", key="dismiss_change", on_click=_dismiss)


def _progress() -> list[Progress]:
    served = current_session().project
    change = served.change
    if change is None or change.state != LOADING:
        return []
    rest = f" {_name(served.card)} serves until it is ready." if served.card else ""
    return [Progress(f"Loading {_name(change.card)}", note=rest)]


def _name(card: BundleCard | None) -> str:
    """Return a model as a sentence names it, and its card: two may have one name."""
    if card is not None:
        return one_line(label(card, current_session().server.setups.cards()))
    lexical = conventions_of(current_session().vocabulary_id()).lexical
    return "Names of codes alone" if lexical else "Labels and decisions alone"


def _dismiss() -> None:
    st.session_state[SEEN_KEY] = current_session().project.change


# ---------------------------------------------------------------------- learning


def render_learning() -> None:
    """Draw the switch, and what learning from decisions has brought here."""
    session = current_session()
    if not session.project.suggests:
        return
    learning = session.current().learning
    key = f"learning_{session.project_id()}_{learning.since}"
    with st.container(border=True, key="learning"):
        st.toggle(
            "Learn from finished documents",
            value=learning.is_on,
            key=key,
            on_change=_switch_learning,
            args=(not learning.is_on,),
            help="Finished documents of this project make its next suggestions better. The model "
            "itself stays as it is; reopening a document takes back what it has taught.",
        )
        if learning.reason:
            st.warning(
                f"Strata has switched this off. {learning.reason} No decision is lost, and you can "
                "switch it on again.",
                icon=":material/school:",
            )
        elif learning.is_on:
            st.markdown(f":small[{_learned()}]")


def _learned() -> str:
    session = current_session()
    n_finished = count_finished(session.store(), session.project_id())
    parts = f"{count(n_finished, 'finished document')} in this project."
    effect = learning_effect(
        session.store(), session.project_id(), since=session.current().learning.since
    )
    if effect is None or effect.n_documents < FEWEST_SHOWN:
        return parts
    return (
        f"{parts} In the last {effect.n_documents}, {effect.right:.1f} of the first five suggestions "
        f"were right; without learning it would have been {effect.right_without:.1f}."
    )


def _switch_learning(is_on: bool) -> None:
    with said_next("learning could not be switched"):
        current_session().require(Right.MODELS)
        current_session().project.switch_learning(is_on=is_on)


# ---------------------------------------------------------------------- cards


def render_served(served: BundleCard | None) -> None:
    """Draw the project's model, its vocabulary and its quality."""
    if served is None:
        rest = without_model(current_session().vocabulary_id())
        st.info(f"The open project has no model. Its suggestions come from {rest}.")
    else:
        st.markdown(served_sentence(served, _name(served)))


def render_cards(cards: Sequence[BundleCard], served: BundleCard | None) -> None:
    """Draw a card for each bundle, the one that serves in this project first."""
    directory = served.directory if served else None
    ordered = sorted(cards, key=lambda card: (card.directory != directory, bool(card.problem)))
    here = current_session().vocabulary_id()
    here_cards = [card for card in ordered if card.problem or card.vocabulary_id == here]
    others = [card for card in ordered if card not in here_cards]
    for group in (here_cards, others):
        if group is others and others:
            st.header("Of other vocabularies", anchor=False)
        for start in range(0, len(group), 2):
            columns = st.columns(2)
            for column, card in zip(columns, group[start : start + 2], strict=False):
                with column:
                    render_card(card, label(card, cards), is_served=card.directory == directory)
    folder = current_session().settings.own_models
    st.markdown(f":small[A bundle that is copied into `{folder}` stands here at the next visit.]")


def render_card(card: BundleCard, name: str, *, is_served: bool) -> None:
    """One bundle: the essentials, its figures, everything else folded, and the button.

    Of one that cannot be served, only what is wrong stands open.
    """
    with st.container(border=True, key=f"model_{_key(card.directory)}"):
        st.markdown(f"## {one_line(name)}{_badge(card, is_served)}")
        if card.problem:
            st.error(escaped(card.problem), icon=":material/error:")
            return
        if sentence := how_good(card):
            st.markdown(f"**{one_line(sentence)}**")
        rows = facts(card)
        st.markdown(facts_table([row for row in rows if row[0] in SHORT_FACTS]))
        render_figures(card)
        with st.expander("Details: layers and units, licence, attribution"):
            rest = [row for row in rows if row[0] not in SHORT_FACTS]
            st.markdown(facts_table(rest + licence(card) + ranked_by(card)))
            if card.held:
                st.markdown(f":small[{card.held}]")
            address = escape(f"api/bundle?{urlencode({HASH: card.bundle_hash})}")
            st.html(f'<a href="{address}" class="strata-download" download>Download the bundle</a>')
        if not is_served:
            render_serve(card, name)


def render_figures(card: BundleCard) -> None:
    """Draw the figures of each split, titles and full texts apart, and what they are of."""
    if not (there := splits(card)):
        st.markdown(":small[It holds no figures that say how good it is.]")
        return
    for split, tab in zip(there, st.tabs([tab_name(name) for name in there]), strict=True):
        with tab:
            head, rows = figures(card, split)
            st.markdown(table([escaped(name) for name in head], rows))
            if split in card.judged:
                words, commands = judged_by(card, split)
                st.markdown(f":small[{one_line(words)}]", help=commands)


def render_serve(card: BundleCard, name: str) -> None:
    """Draw what to know before, and the button; it acts when the question was answered."""
    session = current_session()
    note = vocabulary_note(card, session)
    if note:
        st.warning(escaped(note), icon=":material/account_tree:")
    if st.session_state.get(ASKED_KEY) == str(card.directory):
        render_question(card, name)
        return
    st.button(
        "Serve this model",
        key=f"serve_{_key(card.directory)}",
        type="primary",
        disabled=session.project.is_changing,
        on_click=_ask,
        args=(card.directory,),
    )


def render_question(card: BundleCard, name: str) -> None:
    """Ask for confirmation before a model serves, with the consequences for the project."""
    project = _project_for(card)
    place = plain(title(project) if project else title_of(card.vocabulary_id))
    with st.container(border=True, key="serve_question"):
        st.markdown(f"**Serve {one_line(name)} in the project “{place}”?**")
        st.markdown("\n".join(f"- {line}" for line in _meaning(card, project)))
        with st.container(horizontal=True):
            st.button(
                f"Serve it in “{place}”",
                key="serve_confirmed",
                type="primary",
                on_click=_serve,
                args=(card.directory,),
            )
            st.button("Cancel", key="serve_cancelled", on_click=_ask, args=(None,))


def _meaning(card: BundleCard, project: Project | None) -> list[str]:
    session = current_session()
    if project is None:
        name = plain(title_of(card.vocabulary_id))
        lines = [f"There is no project of {name} yet: one is made for it."]
    else:
        n_documents = document_counts(session.store()).get(project.project_id, 0)
        n_unfinished = count_unfinished(session.store(), project.project_id)
        lines = [
            "Everybody who works in this project gets its suggestions from now on.",
            f"{count(n_documents, 'document')}, {n_unfinished:,} of them unfinished: each keeps its "
            "decisions, and its present suggestions until somebody has it read again.",
        ]
    if project is None or project.project_id != session.project_id():
        here = plain(title(session.current()))
        lines.append(f"Nothing changes in “{here}”, the project in which you are and stay.")
    else:
        lines.append("What serves now goes on until it is loaded. *Go back to …* undoes it.")
    return lines


def _project_for(card: BundleCard) -> Project | None:
    session = current_session()
    if card.vocabulary_id == session.vocabulary_id():
        return session.current()
    rows = sorted(visible_projects(session), key=lambda row: row.is_archived)
    return next((row for row in rows if row.vocabulary_id == card.vocabulary_id), None)


def _ask(directory: Path | None) -> None:
    st.session_state[ASKED_KEY] = None if directory is None else str(directory)


def _serve(directory: Path) -> None:
    st.session_state[SEEN_KEY] = None
    _ask(None)
    session = current_session()
    with said_next("the model could not be changed"):
        project_id = serve_model(session, directory)
        if project_id != session.project_id():
            st.session_state[ELSEWHERE_KEY] = project_id


def render_elsewhere() -> None:
    """Draw in which other project a model was chosen to serve, and the way there."""
    session = current_session()
    project_id = st.session_state.get(ELSEWHERE_KEY)
    if project_id is None:
        return
    served = session.elsewhere(project_id)
    name = plain(title(served.current()))
    with st.container(horizontal=True, vertical_alignment="center", key="served_elsewhere"):
        st.success(
            f"{_name(_chosen(served))} was chosen for the project “{name}”.",
            icon=":material/check:",
        )
        st.button(
            f"Open “{name}”",
            key="open_elsewhere",
            icon=":material/folder_open:",
            on_click=_open_elsewhere,
            args=(project_id,),
        )
        st.button("Dismiss", key="dismiss_elsewhere", on_click=_open_elsewhere, args=(None,))


def _chosen(served: Session) -> BundleCard | None:
    change = served.project.change
    return change.card if change is not None and change.state == LOADING else served.project.card


def _open_elsewhere(project_id: int | None) -> None:
    st.session_state.pop(ELSEWHERE_KEY, None)
    if project_id is not None:
        open_project(project_id)


def _badge(card: BundleCard, is_served: bool) -> str:
    badge = ""
    if is_served:
        ready = current_session().project.state == READY
        badge = "  :green-badge[served now]" if ready else "  :gray-badge[chosen]"
    return badge + ("  :red-badge[cannot be served]" if card.problem else "")


def _key(directory: Path) -> str:
    """Return a name for a widget, the same as long as the folder is, and no other folder's."""
    place = hashlib.sha256(str(directory).encode(errors="surrogateescape")).hexdigest()[:12]
    return f"{place}_" + "".join(c if c.isalnum() else "_" for c in directory.name)


render_sidebar()
main()

"""Retraining from what was decided: how far it is, the model that is offered, and who has
changed the model of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from core.model.bundle.manifest import read_manifest
from core.review.reports.retraining_plan import retraining_plan, why_no_encoder
from core.review.store.projects import model_changes
from core.roles import Right
from core.serving.choosing import serve_model
from core.serving.retraining import (
    FAILED,
    OFFERED,
    RUNNING,
    GroupComparison,
    ModelComparison,
    Retraining,
    discard_retraining,
    retraining_of,
    start_retraining,
    stop_retraining,
    take_retrained,
)
from core.serving.setup import WITHOUT
from core.suggest.opening import decisions_of
from pages.bundles.card import percent, table
from pages.components.markdown import count, escaped
from pages.components.progress import Progress, follow_progress
from pages.messages import said_next
from pages.serving import current_session

ENOUGH = 30  # judged documents, from which on a difference says something
SHOWN_CHANGES = 20
ENCODER_KEY = "retrain_encoder"
TRAINS_ENCODERS = "accelerate"  # which the image leaves out


def render_retraining() -> None:
    """Draw what can be done now: begin, stop, go on, or take what is offered."""
    session = current_session()
    if not session.project.suggests:
        return
    with st.container(border=True, key="retraining"):
        retraining = retraining_of(session.settings, session.current())
        if retraining is None:
            _render_start()
        elif retraining.state == RUNNING:
            follow_progress(_progress)
        elif retraining.state == OFFERED and retraining.comparison is not None:
            _render_offer(retraining, retraining.comparison)
        else:
            _render_broken_off(retraining)


def _render_start() -> None:
    session = current_session()
    bundled = decisions_of(_directory(), session.settings.home)
    is_known = bundled.knowing() if bundled else None
    plan = retraining_plan(session.store(), session.project_id(), is_known=is_known)
    st.markdown(
        "**Retrain from decisions**  \n:small[Makes a model of what was decided in "
        f"{count(plan.n_usable, 'finished document')}, in the background, in minutes. It is compared "
        "with what serves on the newest fifth, which it has not seen, and offered to you.]"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Retrain",
            key="retrain",
            icon=":material/model_training:",
            disabled=bool(plan.problem),
            on_click=_do,
            args=(_start,),
        )
        if plan.problem:  # beside it: what a disabled button explains, a mouse alone can read
            st.markdown(f":small[{escaped(plan.problem)}]", width="content")
        elif _trains_encoder():
            st.checkbox(
                "The encoder, too",
                key=ENCODER_KEY,
                help="Trains the model's encoder on the decisions as well: minutes with a graphics "
                "card, and up to an hour or more without.",
            )


def _trains_encoder() -> bool:
    directory = _directory()
    manifest = read_manifest(directory) if directory else None
    return not why_no_encoder(manifest, "") and find_spec(TRAINS_ENCODERS) is not None


def _directory() -> Path | None:
    card = current_session().project.card
    return card.directory if card and card.problem is None else None


def _progress() -> list[Progress]:
    session = current_session()
    retraining = retraining_of(session.settings, session.current())
    if retraining is None or retraining.state != RUNNING:
        return []
    words = f"Retraining. {retraining.stage}" if retraining.stage else "Retraining"
    return [
        Progress(
            words,
            retraining.done,
            retraining.total,
            note=" · you can go on working meanwhile",
            key="stop_retraining",
            stop=lambda: _do(_stop),
        )
    ]


def _render_broken_off(retraining: Retraining) -> None:
    """What was stopped, killed, or has failed: go on, or let it be."""
    if retraining.state == FAILED:
        st.error(f"Retraining failed. {escaped(retraining.problem)}", icon=":material/error:")
    else:
        st.warning(
            "Retraining was stopped before it was done. What was fitted so far is kept.",
            icon=":material/pause_circle:",
        )
    with st.container(horizontal=True):
        again = "Try again" if retraining.state == FAILED else "Go on"
        st.button(again, key="retrain_again", type="primary", on_click=_do, args=(_start,))
        st.button("Discard", key="discard_retraining", on_click=_do, args=(_discard,))


# ---------------------------------------------------------------------- the offer


def _render_offer(retraining: Retraining, compared: ModelComparison) -> None:
    st.markdown(f"**A retrained model is offered**  \n{verdict(compared)}")
    st.markdown(f":small[{basis(compared)}]")
    if not serves_still(retraining):
        st.warning(
            "Another model serves now than the one that it was compared with.",
            icon=":material/compare_arrows:",
        )
    if compared.by_frequency:
        with st.expander("Where they differ"):
            for head, groups in (
                ("How often concepts were assigned before", compared.by_frequency),
                ("Branch", compared.by_branch),
            ):
                st.markdown(table([head, *COLUMNS], group_rows(groups)))
    is_changing = current_session().project.is_changing
    with st.container(horizontal=True):
        st.button(
            "Take this model",
            key="take_retrained",
            type="primary" if compared.is_better else "secondary",
            disabled=is_changing,
            on_click=_do,
            args=(_take,),
        )
        st.button("Discard", key="discard_retraining", on_click=_do, args=(_discard,))


def serves_still(retraining: Retraining) -> bool:
    """Return whether that serves with which the retrained model was compared."""
    card = current_session().project.card
    return retraining.serving == (card.bundle_hash if card else "")


COLUMNS = ("Assigned", "Found by the retrained model", "Found by what serves")


def verdict(compared: ModelComparison) -> str:
    """Return which of the two is better, as a sentence in Markdown."""
    numbers = (
        f"nDCG@5 is {percent(compared.ndcg)} %, and {percent(compared.ndcg_serving)} % of what serves; "
        f"{compared.right:.2f} and {compared.right_serving:.2f} of the first five right"
    )
    if compared.n_judged < ENOUGH:
        return f"Too few documents to say which is better: {numbers}."
    if compared.is_better:
        return f":green[It is better than what serves]: {numbers}."
    if compared.is_worse:
        return f":red[It is worse than what serves]: {numbers}."
    return f"It is about as good as what serves: {numbers}. The difference may be chance."


def basis(compared: ModelComparison) -> str:
    """Return on what the comparison stands."""
    return (
        f"Learned from {count(compared.n_learned, 'finished document')}, and judged on the "
        f"{compared.n_judged:,} that were finished last, which neither has learned from "
        f"(difference {100 * compared.low:+.1f} to {100 * compared.high:+.1f} points, 95 %). People saw "
        "what serves when they decided, which is kinder to that."
    )


def group_rows(groups: Iterable[GroupComparison]) -> list[list[str]]:
    """Return a row for each group: how many concepts were assigned, and how many found."""
    return [
        [
            escaped(group.name),
            f"{group.n_assigned:,}",
            f"{group.n_found:,}",
            f"{group.n_found_serving:,}",
        ]
        for group in groups
    ]


# ---------------------------------------------------------------------- changes


def render_changes() -> None:
    """Draw who has chosen which model when and why, and the way back."""
    session = current_session()
    changes = model_changes(session.store(), session.project_id())
    if not changes:
        return
    with st.expander("Changes of the model"):
        rows = [
            [
                f"{change.changed_at:%Y-%m-%d %H:%M}",
                escaped(change.person),
                model_words(change.bundle),
                model_words(change.former),
                escaped(change.reason or "chosen on a page"),
            ]
            for change in changes[:SHOWN_CHANGES]
        ]
        st.markdown(
            table(["When (UTC)", "Who", "Model", "Instead of", "Why"], rows, are_numbers=False)
        )
        st.button(
            f"Go back to {model_words(changes[0].former)}",
            key="former_model",
            icon=":material/undo:",
            disabled=session.project.is_changing,
            on_click=_do,
            args=(_go_back,),
        )


def model_words(row_value: str | None) -> str:
    """Return a model as a project's row names it, in words."""
    if row_value is None:
        return "the standard model"
    if row_value == WITHOUT:
        return "no model"
    return escaped(row_value.rpartition("@")[0])


# ---------------------------------------------------------------------- actions


def _do(action: Callable[[], None]) -> None:
    with said_next("retraining: what was asked for could not be done"):
        current_session().require(Right.MODELS)
        action()


def _start() -> None:
    session = current_session()
    before = retraining_of(session.settings, session.current())
    encoder = before.encoder if before else bool(st.session_state.get(ENCODER_KEY))
    start_retraining(session.settings, session.current(), encoder=encoder)


def _stop() -> None:
    session = current_session()
    stop_retraining(session.settings, session.current())


def _discard() -> None:
    session = current_session()
    discard_retraining(session.settings, session.current())


def _take() -> None:
    session = current_session()
    retraining = retraining_of(session.settings, session.current())
    if retraining is None or retraining.comparison is None:
        return
    compared = retraining.comparison
    reason = f"retrained from {count(compared.n_learned, 'finished document')}"
    if serves_still(retraining):
        reason += f": nDCG@5 {percent(compared.ndcg)} %, before {percent(compared.ndcg_serving)} %"
    place = take_retrained(session.settings, session.current())
    discard_retraining(session.settings, session.current())
    serve_model(session, place, reason=reason)


def _go_back() -> None:
    current_session().server.registry.use_former_model(
        current_session().project, person_id=current_session().person_id()
    )

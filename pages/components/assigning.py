"""Whose documents are, on the Documents page: shown, taken, given back, and assigned by leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from core.errors import NotAllowedError
from core.review.annotations.access import (
    WAITING,
    annotation_states,
    annotations_to_make,
    list_annotators,
)
from core.review.annotations.asking import ask_once, ask_twice, drawn_share, hand_over
from core.review.people.accounts import list_accounts
from core.review.people.assignments import assign, give_back, list_assignments, take
from core.review.people.comments import mentions_of
from core.review.people.memberships import list_members, list_people_with
from core.review.people.skips import list_skips
from core.review.reports.branch_work import documents_in_branch
from core.review.reports.summaries import named_documents
from core.roles import Right, Role
from core.serving.vocabularies import Vocabulary
from pages import messages
from pages.components import counting
from pages.components.documents import Act, Whose
from pages.components.markdown import count, escaped
from pages.components.tree import SHOWN_AT_FIRST
from pages.messages import said_next
from pages.serving import current_session

OWN = "your annotation"
LEFT_OUT = (
    "{0} left out: annotated twice already, begun by somebody, or decided on by several people."
)
BEGUN = (
    "{0} not taken back, as somebody has decided on an annotation. To withdraw these, too, loses that work: "
    "what was decided there stays in the ledger, counts nowhere, and cannot be gone on with."
)
ALL_FINISHED = "{0} left as it was, as all annotations are finished; adjudicate instead."
BEGUN_KEY = "documents_begun"  # on whose annotations somebody had decided when they were taken back
NO_DECIDER = "Somebody who was named may not decide in this project; choose again."
NOTE_KEY = "documents_note"  # a sentence that is shown once
HANDED = (
    "{0} handed over in place of {1}. Who takes over begins anew; what {1} has decided there stays in the "
    "ledger under their name, and counts nowhere."
)
NOT_HANDED = (
    "{0} not handed over: the annotation is begun or finished, or the person makes the other one. What "
    "somebody has begun is handed over *in place of* them."
)


def whose_they_are() -> Whose | None:
    """Return whose the documents are; None where nobody signs in."""
    session = current_session()
    if session.signed_in is None:
        return None
    store, project_id = session.store(), session.project_id()
    members, annotators = list_members(store, project_id), list_annotators(store, project_id)
    own = annotations_to_make(store, project_id, session.person_id())
    leads = session.may(Right.ASSIGN)
    named = annotators | {row: annotators[document_id] for document_id, row in own.items()}
    names = {account.person_id: account.shown for account in list_accounts(store)}
    return Whose(
        me=session.person_id(),
        names=names,
        assignments=list_assignments(store, project_id),
        may_take=session.may(Right.DECIDE),
        may_review=session.may_review(),
        skipped=_skipped(names) if leads else {},
        mentioned=mentions_of(store, project_id, session.person_id()),
        offered=_deciders() if leads else (),
        annotations=annotation_states(store, project_id) | dict.fromkeys(own.values(), OWN),
        annotators=named if leads else dict.fromkeys(annotators, ()),
        indexers=frozenset(i for i, role in members.items() if role is Role.INDEXER),
    )


def _deciders() -> tuple[int, ...]:
    session = current_session()
    deciders = list_people_with(session.store(), session.project_id(), Right.DECIDE.least)
    return tuple(account.person_id for account in deciders)


def _people_of(act: Act) -> tuple[int, ...]:
    """Return whom an act names.

    Raises:
        NotAllowedError: somebody among them may not decide here, or not any more.
    """
    if not set(act.people) <= set(_deciders()):
        raise NotAllowedError(NO_DECIDER)
    return act.people


def _skipped(names: Mapping[int, str]) -> dict[str, str]:
    session = current_session()
    return {
        document_id: f"skipped by {names[skip.person_id]}{skip.reason and f': {skip.reason}'}"
        for document_id, skip in list_skips(session.store(), session.project_id()).items()
    }


def _documents_of(act: Act) -> list[str]:
    """The documents that are meant, where the person's own annotations stand in their place."""
    session = current_session()
    own = annotations_to_make(session.store(), session.project_id(), session.person_id())
    documents = {row: document_id for document_id, row in own.items()}
    return [documents.get(document_id, document_id) for document_id in act.document_ids]


def _assign(act: Act) -> None:
    session = current_session()
    store = session.writing(Right.ASSIGN)
    people = _people_of(act)
    ids = list(named_documents(store, session.project_id(), _documents_of(act)))
    states = annotation_states(store, session.project_id())
    me = session.person_id()
    waiting = [i for i in ids if states.get(i) == WAITING]
    if waiting and len(people) == 1:
        project_id, former = session.project_id(), act.former
        left = hand_over(store, project_id, waiting, people[0], asked_by=me, former=former)
        if left:
            messages.say(NOT_HANDED.format(count(len(left), "document")))
        if former and len(left) < len(waiting):
            names = {account.person_id: account.shown for account in list_accounts(store)}
            n_handed = count(len(waiting) - len(left), "annotation")
            st.session_state[NOTE_KEY] = HANDED.format(n_handed, names[former])
    if act.former is None:
        ids = [i for i in ids if i not in states]  # those are in nobody's queue
        assign(store, ids, people, assigned_by=me, due_on=act.due_on)


def _take(act: Act) -> None:
    session = current_session()
    store = session.writing(Right.DECIDE)
    named = named_documents(store, session.project_id(), act.document_ids)
    states = annotation_states(store, session.project_id())
    ids = [i for i in named if i not in states]  # those are in nobody's queue
    refused = take(store, ids, session.person_id())
    if refused:
        messages.say(f"{count(len(refused), 'document')} had become somebody else's meanwhile.")


def _give_back(act: Act) -> None:
    session = current_session()
    store = session.writing(Right.DECIDE)
    ids = named_documents(store, session.project_id(), act.document_ids)  # no annotations
    give_back(store, ids, session.person_id())


def _twice(act: Act) -> None:
    session = current_session()
    store, project_id = session.writing(Right.ASSIGN), session.project_id()
    ids = list(named_documents(store, project_id, act.document_ids))
    if ids and act.share < 100:
        ids = drawn_share(ids, act.share, seed=act.seed)
    me = session.person_id()
    left_out = ask_twice(store, project_id, ids, _people_of(act), asked_by=me, due_on=act.due_on)
    if left_out:
        messages.say(LEFT_OUT.format(count(len(left_out), "document")))


def _once(act: Act) -> None:
    session = current_session()
    store, project_id = session.writing(Right.ASSIGN), session.project_id()
    wanted = named_documents(store, project_id, _documents_of(act))
    st.session_state[BEGUN_KEY] = ask_once(store, project_id, wanted)


def render_branch() -> list[str] | None:
    """Draw a choice of a branch, for leads, and return the documents in it; None where none is chosen."""
    session = current_session()
    vocabulary = session.vocabulary()
    if session.signed_in is None or not session.may(Right.ASSIGN) or vocabulary is None:
        return None
    hierarchy, language = vocabulary.hierarchy, session.language()
    with st.container(horizontal=True, vertical_alignment="center"):
        typed = st.selectbox(
            "Branch",
            hierarchy.top_concepts,
            index=None,
            format_func=lambda name: hierarchy[name].label(language) if name in hierarchy else name,
            accept_new_options=True,
            placeholder="Any branch; choose one, or type a concept",
            key="documents_branch",
            label_visibility="collapsed",
            width=420,
        )
        if not typed:
            return None
        branch = typed if typed in hierarchy else _branch_named(typed, vocabulary, language)
        if branch is None:
            st.markdown(":small[The vocabulary has no such concept.]")
            return []
        found = documents_in_branch(
            session.store(),
            session.project_id(),
            hierarchy,
            branch,
            rules=session.rules(),
            shown=SHOWN_AT_FIRST,
        )
        label = escaped(hierarchy[branch].label(language))
        sentence = f"Something of *{label}* is accepted, or suggested and undecided."
        if len(found) > counting.MOST_ROWS:
            sentence += f" The table has the newest {counting.MOST_ROWS:,} of {len(found):,}."
        st.markdown(f":small[{sentence}]")
    return found


def _branch_named(typed: str, vocabulary: Vocabulary, language: str) -> str | None:
    """Return the concept of a name or code, or else the first hit with something below it."""
    hits = vocabulary.index.search(typed, language=language, divisions=True)
    name, narrower = typed.strip().casefold(), vocabulary.hierarchy.narrower
    named = (hit for hit in hits if name in ((hit.notation or "").casefold(), hit.label.casefold()))
    wider = (hit for hit in hits if narrower(hit.concept_id))  # everyday names are those of codes
    return next((hit.concept_id for hit in (*named, *wider, *hits)), None)


def render_begun() -> None:
    """Ask whether begun annotations are to be withdrawn, which "Ask once again" has left."""
    begun: list[str] = st.session_state.get(BEGUN_KEY, [])
    if begun:
        with st.container(horizontal=True, vertical_alignment="center", key="begun"):
            st.markdown(BEGUN.format(count(len(begun), "document")), width="stretch")
            st.button(
                "Withdraw begun annotations", key="withdraw", on_click=_withdraw, args=(begun,)
            )


def _withdraw(begun: list[str]) -> None:
    st.session_state.pop(BEGUN_KEY, None)
    with said_next("annotations could not be withdrawn"):
        session = current_session()
        store, project_id = session.writing(Right.ASSIGN), session.project_id()
        stays = ask_once(
            store, project_id, named_documents(store, project_id, begun), withdraws=True
        )
        if stays:
            messages.say(ALL_FINISHED.format(count(len(stays), "document")))


ASSIGNING: dict[str, Callable[[Act], None]] = {
    "assign": _assign,
    "take": _take,
    "give_back": _give_back,
    "twice": _twice,
    "once": _once,
}
"""What the table asks for -> what does it."""

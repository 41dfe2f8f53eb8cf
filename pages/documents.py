"""Documents: all of them in one table, what is being read, and the bin."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

import streamlit as st

from core.errors import StrataError
from core.review.jobs import CANCELLED, Job, cancel_job, latest_job, running_jobs, waiting_documents
from core.review.keys import key_table
from core.review.people.comments import keep_comment
from core.review.reports.summaries import (
    count_documents,
    count_unfinished,
    list_documents,
    unread,
)
from core.review.store.documents import remove_document, restore_document
from core.review.store.people import read_preferences
from core.review.store.store import Store
from core.roles import Right
from core.serving.models import LOADING
from core.serving.session import (
    listed_documents,
    next_document,
    read_by_another,
    read_in_background,
)
from core.vocabulary.conventions import conventions_of
from pages import messages, opening
from pages.annotation import thread
from pages.annotation.tree_requests import NOT_YOURS
from pages.charts.branches import render_branches
from pages.components import counting, outdated
from pages.components.assigning import (
    ASSIGNING,
    BEGUN_KEY,
    NOTE_KEY,
    render_begun,
    render_branch,
    whose_they_are,
)
from pages.components.documents import Act, documents_table, sent_act
from pages.components.markdown import count, escaped, in_order
from pages.components.progress import Pace, Progress, follow_progress
from pages.components.removal import is_in_bin
from pages.components.states import STATES, turn
from pages.messages import said_next, shown_here
from pages.screens import came_from_elsewhere, screen
from pages.serving import current_session, here
from pages.sidebar import render_sidebar

_LOG = logging.getLogger(__name__)

JOBS_REFRESH_SECONDS = 1.0
TABLE_REFRESH_SECONDS = 2.0
LARGE_TABLE, LARGE_REFRESH_SECONDS = 1000, 6.0  # a row is 200 bytes or so, sent every time
CHOSEN_KEY = "chosen_documents"  # what the Export page finds selected
OPEN_KEY = "documents_open"  # what the next run turns to
THREAD_KEY = "documents_thread"  # the document whose comments the next run shows
TURNED_KEY = "documents_turned"  # whether the last act concerns the rest of the page
REMOVED_KEY = "documents_removed"  # what was moved to the bin last, to be taken back
SEEN_KEY = "documents_seen_job"
PACES_KEY = "documents_paces"  # of jobs, by their ids, as this session has seen them go on
MOST_FAILURES = 20
ALL_FINISHED = "Every document on the list is finished."
NO_MODEL = "The vocabulary cannot be opened. These documents are read when it can."


def main() -> None:
    """Draw the table under what is going on, and a picture of the decisions below it."""
    st.session_state.pop(TURNED_KEY, None)  # this is the run that it asks for
    with shown_here("the documents could not be shown"):
        running = running_jobs(current_session().store(), current_session().project_id())
        with st.container(key="documents_page"):
            st.title("Documents", anchor=False)
            # Places of their own: the table stays where it is, and keeps the focus, when one fills.
            for render in (render_said, render_running, render_over, render_rest, render_outdated):
                with st.container():
                    render(running)
            render_table(following=bool(running))
            render_branches()
        if document_id := st.session_state.pop(THREAD_KEY, None):
            thread.begin()
            thread.show_thread(document_id)


def render_said(_: list[Job]) -> None:
    """Draw what went wrong, and how to take the last removal back."""
    for sentence in messages.said():
        st.error(sentence, icon=":material/error:")
    if note := st.session_state.pop(NOTE_KEY, ""):
        st.info(note, icon=":material/info:")
    if came_from_elsewhere():
        st.session_state.pop(REMOVED_KEY, None)
        st.session_state.pop(BEGUN_KEY, None)
    render_begun()
    removed: tuple[str, ...] = st.session_state.get(REMOVED_KEY, ())
    if removed and is_in_bin(removed[0]):
        with st.container(horizontal=True, vertical_alignment="center", key="undo_removal"):
            moved = count(len(removed), "document")
            st.markdown(f"{moved} moved to the bin.", width="content")
            st.button("Undo", key="undo_remove", on_click=_restore, args=(removed,))


# ---------------------------------------------------------------------- jobs


def render_running(running: list[Job]) -> None:
    """Show how far the jobs are, each with a button that stops it."""
    if running:
        follow_progress(_progress, refresh_seconds=JOBS_REFRESH_SECONDS)


def _progress() -> list[Progress]:
    session = current_session()
    running = running_jobs(session.store(), session.project_id())
    if running and session.project.problem:
        st.warning(
            f"Nothing can be read now. {escaped(session.project.problem)} It goes on after a restart.",
            icon=":material/warning:",
        )
    elif running and not session.project.suggests:
        st.info(NO_MODEL, icon=":material/info:")
    return [_progress_of(job) for job in running]


def _progress_of(job: Job) -> Progress:
    session = current_session()
    done = job.n_documents - job.n_waiting
    failed = f" · {len(job.failures)} could not be read" if job.failures else ""
    paces: dict[int, Pace] = st.session_state.setdefault(PACES_KEY, {})
    pace = paces.setdefault(job.job_id, Pace())
    return Progress(
        "Loading the model"
        if session.project.state == LOADING
        else "Reading documents in the background",
        done,
        job.n_documents,
        note=failed,
        key=f"cancel_{job.job_id}",
        stop=partial(_cancel, job.job_id),
        seconds_left=pace.seconds_left(done, job.n_documents),
    )


def render_over(_: list[Job]) -> None:
    """Draw what the last job could not do, until it was seen."""
    session = current_session()
    job = latest_job(session.store(), session.project_id())
    if job is None or not job.failures or st.session_state.get(SEEN_KEY) == job.job_id:
        return
    n_failed = len(job.failures)
    head = "1 document could not be read" if n_failed == 1 else f"{n_failed} could not be read"
    with st.container(border=True, key="job_over"):
        with st.expander(head, icon=":material/warning:"):
            hidden = opening.hides_titles()
            for failure in job.failures[:MOST_FAILURES]:
                name = in_order("" if hidden else failure.title) or failure.document_id
                st.text(f"{name}: {failure.problem}")
        with st.container(horizontal=True):
            ids = [failure.document_id for failure in job.failures]
            st.button("Try these again", key="retry", on_click=_predict, args=(ids,))
            st.button("Dismiss", key="dismiss", on_click=_dismiss, args=(job.job_id,))


def render_rest(running: list[Job]) -> None:
    """Draw how many documents nothing has read, as after a stop, and the offer to read them."""
    rest = [] if running else to_read()
    if not rest:
        return
    job = latest_job(current_session().store(), current_session().project_id())
    is_stopped = job is not None and job.state == CANCELLED
    stopped = "Reading was stopped: " if is_stopped else ""
    are = "is" if len(rest) == 1 else "are"
    with st.container(horizontal=True, vertical_alignment="center", key="rest"):
        words = f"{stopped}{count(len(rest), 'document')} {are} not read yet."
        st.markdown(words, width="content")
        st.button(
            "Read the rest" if is_stopped else "Have suggestions made",
            key="read_rest",
            icon=":material/play_arrow:",
            on_click=_read_rest,
            help="In the background. What was read is not read again.",
        )


def to_read() -> list[str]:
    """Return ids of the unfinished documents that nothing has read, and that do not wait for it.

    Those that the last job could not read are left out: they are offered by themselves.
    """
    session = current_session()
    if not session.project.suggests:
        return []
    store, project_id = session.store(), session.project_id()
    rest = unread(store, project_id)
    if not rest:
        return []
    job = latest_job(store, project_id)
    failed = {failure.document_id for failure in job.failures} if job else set()
    waiting = (
        waiting_documents(store, project_id)
        | session.server.queue.unfinished(session.project_id())
        | failed
    )
    return [document_id for document_id in rest if document_id not in waiting]


def _read_rest() -> None:
    with said_next("documents could not be queued"):
        _predict(to_read())


def render_outdated(running: list[Job]) -> None:
    """Draw what another model has read; while something is being read, it may well be just that."""
    if not running:
        outdated.render_outdated()


def _dismiss(job_id: int) -> None:
    st.session_state[SEEN_KEY] = job_id


# ---------------------------------------------------------------------- table


def render_table(*, following: bool) -> None:
    """Draw the table; while documents are being read, it follows."""
    every = None
    if following:
        session = current_session()
        large = count_documents(session.store(), session.project_id()) > LARGE_TABLE
        every = LARGE_REFRESH_SECONDS if large else TABLE_REFRESH_SECONDS
    st.fragment(draw_table, run_every=every)()


def draw_table() -> None:
    """Fetch and draw; a run of its own follows what concerns the rest of the page."""
    opened = st.session_state.pop(OPEN_KEY, None)
    if opened is not None:
        page, parameters = opened
        st.switch_page(screen(page), query_params=here(**parameters))
    session = current_session()
    store, project_id = session.store(), session.project_id()
    chosen = read_preferences(store, session.person_id())
    among = render_branch()
    title = render_find() if among is None else ""
    listed = listed_documents(session, limit=counting.MOST_ROWS, title=title, among=among)
    in_bin = list_documents(store, project_id, removed=True, limit=counting.MOST_ROWS)
    documents_table(
        opening.without_titles(listed),
        opening.without_titles(in_bin),
        waiting=waiting_documents(store, project_id),
        outdated=frozenset(read_by_another(session, listed)),
        model=session.project.suggester.bundle_hash if session.project.suggester else None,
        hides_titles=opening.hides_titles(),
        clinical=opening.is_clinical(),
        whose=whose_they_are(),
        keys=key_table(chosen.get("keys") or {}, conventions_of(session.vocabulary_id())),
        on_act=_act,
    )
    if st.session_state.pop(TURNED_KEY, False):  # last: what was not drawn is taken off the page
        st.rerun()


def render_find() -> str:
    """Draw a search where there are more documents than the table takes, and return its words."""
    session = current_session()
    n_documents = count_documents(session.store(), session.project_id())
    if n_documents <= counting.MOST_ROWS:
        return ""
    words = st.text_input(
        "Find in titles", key="documents_find", placeholder="Words in the title", width=420
    )
    st.markdown(
        f":small[The table has the newest {counting.MOST_ROWS:,} of {n_documents:,} documents, or the "
        "newest of those that are found.]"
    )
    return words


def _act() -> None:
    act = sent_act()
    if act is None:
        return
    if act.action != "comment":
        st.session_state.pop(BEGUN_KEY, None)
    try:
        _keep_comments(act)
        OF_TEAMS.get(act.action, _do)(act)
        if act.action in OF_TEAMS:  # the sidebar shows them, and the page what was left out
            st.session_state[TURNED_KEY] = True
    except StrataError as error:
        _LOG.exception("%s did not work", act.action)
        messages.say(str(error))
        st.session_state[TURNED_KEY] = True


def _keep_comments(act: Act) -> None:
    session = current_session()
    for document_id, comment in act.comments.items():
        with said_next("a comment could not be kept"):  # which keeps nothing else from being done
            store = session.writing(Right.DECIDE, document_id)
            keep_comment(
                store,
                document_id,
                comment.text,
                person_id=session.signed_in,
                formers=comment.formers,
            )


def _do(act: Act) -> None:
    """Do what the table asks for; each of these can be taken back."""
    st.session_state[TURNED_KEY] = act.action not in {"comment", "open", "new", "export"}
    if act.action != "comment":
        st.session_state.pop(REMOVED_KEY, None)  # it was the last thing done until now
    match act.action:
        case "open" if act.document_ids:
            st.session_state[OPEN_KEY] = ("annotate", {"document": act.document_ids[0]})
        case "new":
            opening.forget_last()
            st.session_state[OPEN_KEY] = ("annotate", {})
        case "next":
            _open_next()
        case "export":
            st.session_state[CHOSEN_KEY] = act.document_ids
            st.session_state[OPEN_KEY] = ("export", {})
        case "predict":
            _predict(act.document_ids)
        case "remove":
            _remove(act.document_ids)
        case "restore":
            _restore(act.document_ids)
        case "reopen":
            turn("reopen", act.document_ids)


def _open_next() -> None:
    """Turn to the first unfinished document of the list, or say that there is none."""
    session = current_session()
    following = next_document(session, None)
    if following is None:
        n_left = count_unfinished(session.store(), session.project_id())
        st.session_state[NOTE_KEY] = NOT_YOURS if n_left else ALL_FINISHED
    else:
        st.session_state[OPEN_KEY] = ("annotate", {"document": following})


def _cancel(job_id: int) -> None:
    with said_next("the work could not be ended"):
        cancel_job(current_session().writing(Right.ADD), job_id)


def _predict(document_ids: Iterable[str]) -> None:
    read_in_background(current_session(), document_ids)


def _writing(document_id: str) -> Store:
    return current_session().writing(Right.DOCUMENTS, document_id)


def _remove(document_ids: tuple[str, ...]) -> None:
    for document_id in document_ids:
        remove_document(_writing(document_id), document_id)
    st.session_state[REMOVED_KEY] = document_ids


def _restore(document_ids: tuple[str, ...]) -> None:
    for document_id in document_ids:
        restore_document(_writing(document_id), document_id)
    st.session_state.pop(REMOVED_KEY, None)


def _show_thread(act: Act) -> None:
    st.session_state[THREAD_KEY] = next(iter(act.document_ids), None)


OF_TEAMS = {**ASSIGNING, **STATES, "thread": _show_thread}

render_sidebar()
main()

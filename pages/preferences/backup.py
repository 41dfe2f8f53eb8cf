"""A backup of everything to one file, the way back from it, and whether everything is whole."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from datetime import datetime
from typing import TYPE_CHECKING

import streamlit as st

from core.commands.doctor import HealthFinding, examine
from core.errors import StrataError
from core.home import staging
from core.review.reports.summaries import count_kept
from core.review.store.backup_file import Manifest, unpack
from core.roles import Right
from core.serving.workers import give_way
from pages import messages
from pages.bundles.card import table
from pages.components.markdown import count, escaped
from pages.components.progress import awaited
from pages.serving import CALLER_KEY, current_session, running_server

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_LOG = logging.getLogger(__name__)

MOST_MEGABYTES = 2048  # of an uploaded backup; documents have a limit of their own
UPLOAD_KEY = "restore_upload"
ROUND_KEY = "restore_round"  # counts restores, so that the upload is empty after one
SURE_KEY = "restore_sure"
DONE_KEY = "restored"
FINDINGS_KEY = "health_findings"


def render_backup() -> None:
    """Download and upload."""
    render_download()
    st.divider()
    render_restore()


def render_download() -> None:
    """Draw the button that makes a backup, one file with everything."""
    st.markdown(
        "**Back up.** One file with all documents, suggestions, decisions, preferences and "
        "imported vocabularies. The model is not in it. Whoever has the file can read the texts."
    )
    # By a route, which sends a file in pieces; Streamlit's own button holds it in memory.
    link = '<a href="api/backup" class="strata-download" download>Download the backup</a>'
    st.html(link)


def render_restore() -> None:
    """Upload a backup, describe it, ask for confirmation, restore."""
    st.markdown(
        "**Restore.** Puts a backup in the place of everything that is here now. What is here is "
        "kept aside in a backup of its own. The server holds a file from this page in memory as a "
        "whole; restore one of more than 200 MB with `python -m core restore FILE`."
    )
    done = st.session_state.pop(DONE_KEY, None)
    if done:
        st.success(done, icon=":material/check:")
    upload = st.file_uploader(
        "A backup that this page made",
        type=["zip"],
        max_upload_size=MOST_MEGABYTES,
        key=f"{UPLOAD_KEY}_{st.session_state.get(ROUND_KEY, 0)}",
    )
    if upload is None:
        return
    try:
        manifest = _checked(upload)
    except (StrataError, OSError) as error:
        _LOG.exception("the backup was refused")
        st.error(escaped(str(error)), icon=":material/error:")
        return
    _render_sure(manifest, upload)


def _checked(upload: UploadedFile) -> Manifest:
    """Return what is in a backup that is whole; the same upload is checked once."""
    key = f"restore_checked_{upload.file_id}"
    if key not in st.session_state:
        with staging(running_server().settings.home) as folder:
            st.session_state[key] = unpack(upload, folder)
    manifest: Manifest = st.session_state[key]
    return manifest


def _render_sure(manifest: Manifest, upload: UploadedFile) -> None:
    here = sum(count_kept(current_session().store()))  # a backup has those of the bins, too
    made = datetime.fromisoformat(manifest.created_at)
    st.markdown(
        f"The file is whole. It was made on {made:%d %B %Y at %H:%M} (UTC) and has "
        f"**{count(manifest.n_documents, 'document')}** with {manifest.n_events:,} decision steps."
    )
    sure = st.checkbox(
        f"Put it in the place of what is here: {count(here, 'document')} of all projects",
        key=SURE_KEY,
    )
    st.button(
        "Restore",
        key="restore",
        type="primary",
        icon=":material/settings_backup_restore:",
        disabled=not sure,
        on_click=_restore,
        args=(upload,),
    )


def _restore(upload: UploadedFile) -> None:
    session = current_session()
    upload.seek(0)
    try:
        session.require(Right.BACKUP)
        restored = session.server.restore(upload, person_id=session.person_id())
    except StrataError as error:
        _LOG.exception("the backup could not be restored")
        messages.say(str(error))
        return
    st.session_state.pop(CALLER_KEY, None)  # projects may have other numbers there
    st.session_state[SURE_KEY] = False
    st.session_state[ROUND_KEY] = st.session_state.get(ROUND_KEY, 0) + 1
    st.session_state[DONE_KEY] = (
        f"Restored: {count(restored.n_documents, 'document')}. What was here before lies in "
        f"`{restored.kept}`."
    )


# ---------------------------------------------------------------------- health


def render_health() -> None:
    """Draw the button for the health check, and its findings."""
    st.markdown(
        "Looks whether database, models, vocabularies, rights and disk are in order. Nothing is "
        "changed, and nothing is sent anywhere. With large models this takes some seconds."
    )
    st.button("Look now", icon=":material/health_and_safety:", key="health_look", on_click=_look)
    looked: Future[list[HealthFinding]] | None = st.session_state.get(FINDINGS_KEY)
    try:
        findings = None if looked is None else awaited(looked, "Looking")
    except StrataError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        return
    if findings is None:
        return
    wrong = [finding for finding in findings if not finding.is_well]
    if not wrong:
        st.success("Everything is whole.", icon=":material/check:")
    for finding in wrong:
        sentence = f"**{finding.subject}.** {escaped(finding.sentence)} {escaped(finding.remedy)}"
        st.error(sentence, icon=":material/error:")
    well = [(one.subject, escaped(one.sentence)) for one in findings if one.is_well]
    st.markdown(table(("", ""), well, are_numbers=False))


def _look() -> None:
    """Begin to look, in a thread of its own: a large database takes a minute."""
    looked: Future[list[HealthFinding]] = Future()
    settings = running_server().settings

    def run() -> None:
        give_way()
        try:
            looked.set_result(examine(settings))
        # Whatever it is, the page raises it again.
        except Exception as error:  # noqa: BLE001
            looked.set_exception(error)

    st.session_state[FINDINGS_KEY] = looked
    threading.Thread(target=run, name="look", daemon=True).start()

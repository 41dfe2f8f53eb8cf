"""Files that browsers upload: only those that a page asks for, and for no longer than its tab is open.

Streamlit takes a file under any name that a tab makes up, writes large ones to the disk on the way,
and keeps them where a tab ends without a word. It has no settings for this.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec, UploadFileUrlInfo

from core.api.protection.guard import UPLOADS

MEGABYTE = 1_000_000
MOST_OF_TAB, MOST_OF_ALL = 450 * MEGABYTE, 1_500 * MEGABYTE
MOST_ASKED = 2_000  # files of one tab
UPLOADER = "file_uploader_state_value"
LOOK_SECONDS = 5.0
# A connection that broke is there again in seconds; a tab that was closed is not.
FILES_SECONDS, TAB_SECONDS = 30.0, 100.0

NOT_ASKED = "No page has asked for this file; add it again."
TOO_MANY_BYTES = (
    "The files that were added take too much memory; take some away, then add this again."
)
NO_CHARSET = "Files are sent without a character set."
SENDS_FILE = frozenset({"PUT", "POST"})
NEVER_SPOOLED = 1_000 * MEGABYTE  # into a file; more than any file that is taken


class Uploads:
    """Which files may come, and how long they are kept; used by the event loop alone."""

    def __init__(self) -> None:
        self._asked: dict[str, dict[str, None]] = {}  # session -> ids of files
        self._gone_since: dict[str, float] = {}

    def install(self, manager: MemoryUploadedFileManager) -> None:
        """Note what a manager of files gives names to."""
        named = manager.get_upload_urls

        def get_upload_urls(session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
            if not has_uploader(session_id):
                return []
            urls = named(session_id, file_names[:MOST_ASKED])
            asked = self._asked.setdefault(session_id, {})
            asked.update(dict.fromkeys(file.file_id for file in urls))
            while len(asked) > MOST_ASKED:
                del asked[next(iter(asked))]
            return urls

        manager.get_upload_urls = get_upload_urls  # type: ignore[method-assign]

    def problem(self, session_id: str, file_id: str, n_bytes: int) -> tuple[str, int] | None:
        """Return why a file is not taken, and the status; None where it is.

        Args:
            n_bytes: that it is said to have.
        """
        if file_id not in self._asked.get(session_id, {}):
            return NOT_ASKED, 403
        held = {i: sum(len(file.data) for file in files) for i, files in _files().items()}
        of_tab = held.get(session_id, 0)
        if of_tab + n_bytes > MOST_OF_TAB or sum(held.values()) + n_bytes > MOST_OF_ALL:
            return TOO_MANY_BYTES, 413
        return None

    def took(self, session_id: str, file_id: str) -> None:
        """Let a name be used once."""
        self._asked.get(session_id, {}).pop(file_id, None)

    def look(self, running: Runtime) -> None:
        """Free what belongs to tabs that are not there any more."""
        now = time.monotonic()
        stored = [info.session.id for info in running._session_mgr.list_sessions()]
        for session_id in {*stored, *_files(), *self._asked}:
            if running.is_active_session(session_id):
                self._gone_since.pop(session_id, None)
                continue
            gone = now - self._gone_since.setdefault(session_id, now)
            if gone >= FILES_SECONDS:
                running.uploaded_file_mgr.remove_session_files(session_id)
                self._asked.pop(session_id, None)
            if gone >= TAB_SECONDS:
                running._session_mgr.close_session(session_id)
        present = {*stored, *_files(), *self._asked}
        self._gone_since = {i: since for i, since in self._gone_since.items() if i in present}


class UploadGate:
    """Refuses files that no page has asked for, before their content is read.

    Args:
        base_path: what stands before every address, as "strata".
    """

    def __init__(self, app: ASGIApp, *, uploads: Uploads, base_path: str = "") -> None:
        self.app, self._uploads = app, uploads
        self._below = f"/{base_path}/{UPLOADS}/".replace("//", "/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_upload = scope["type"] == "http" and scope["path"].startswith(self._below)
        if is_upload and scope["method"] in SENDS_FILE:
            session_id, _, file_id = scope["path"].removeprefix(self._below).partition("/")
            if problem := self._problem(session_id, file_id, Headers(scope=scope)):
                sentence, status = problem
                refusal = JSONResponse({"problem": sentence}, status_code=status)
                await refusal(scope, receive, send)
                return
            self._uploads.took(session_id, file_id)
        await self.app(scope, receive, send)

    def _problem(self, session_id: str, file_id: str, headers: Headers) -> tuple[str, int] | None:
        # Browsers name none, and Python's decoders of some fail in ways of their own.
        if "charset" in headers.get("content-type", "").lower():
            return NO_CHARSET, 415
        stated = headers.get("content-length", "")
        n_bytes = int(stated) if stated.isdecimal() and stated.isascii() else 0
        return self._uploads.problem(session_id, file_id, n_bytes)


@asynccontextmanager
async def kept_in_bounds(uploads: Uploads) -> AsyncIterator[None]:
    """While the server runs, hold files in memory alone and free those of tabs that were closed."""
    MultiPartParser.spool_max_size = NEVER_SPOOLED
    if not runtime.exists():  # as in tests of routes
        yield
        return
    running = runtime.get_instance()
    assert isinstance(running.uploaded_file_mgr, MemoryUploadedFileManager)
    uploads.install(running.uploaded_file_mgr)

    async def look_again() -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            uploads.look(running)

    looking = asyncio.create_task(look_again())
    try:
        yield
    finally:
        looking.cancel()


def has_uploader(session_id: str) -> bool:
    """Return whether a page that a tab has drawn has a place for files."""
    listed = runtime.get_instance()._session_mgr.list_active_sessions()
    session = next((info.session for info in listed if info.session.id == session_id), None)
    if session is None:
        return False
    widgets = session.session_state._new_widget_state.widget_metadata
    return any(widget.value_type == UPLOADER for widget in list(widgets.values()))


def _files() -> dict[str, list[UploadedFileRec]]:
    manager: Any = runtime.get_instance().uploaded_file_mgr
    return {i: list(files.values()) for i, files in list(manager.file_storage.items())}

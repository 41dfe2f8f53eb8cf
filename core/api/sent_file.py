"""A file that is made for one answer, sent in pieces, and removed here when it is sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse
from starlette.types import Receive, Scope, Send

from core.home import staging


class SentFile(FileResponse):
    """A file that is sent, and then removed with its folder, also where the browser goes away.

    Args:
        home: the settings' folder, in which the file lies meanwhile.
        name: that the browser gives the file.
        write: makes the file, at a path where there is none yet.
    """

    def __init__(
        self, home: Path, name: str, media_type: str, write: Callable[[Path], object]
    ) -> None:
        with ExitStack() as opened:
            path = opened.enter_context(staging(home)) / "sent"
            write(path)
            super().__init__(path, media_type=media_type, filename=name)
            self._folder = opened.pop_all()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and remove it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await run_in_threadpool(self._folder.close)

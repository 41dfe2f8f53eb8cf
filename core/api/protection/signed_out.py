"""The cookies that were signed out, kept in the home folder until they would have expired."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from threading import Lock

from core.home import file_version, written_whole

SIGNED_IN_SECONDS = 7 * 24 * 3600
SIGNED_OUT_FILE = "signed-out.json"
MOST_SIGNED_OUT = 10_000

_LOG = logging.getLogger(__name__)


class SignedOutCookies:
    """What was signed out here, before a restart, or by another server of the same home.

    Of more than `MOST_SIGNED_OUT` cookies, those that expire first are forgotten; whatever expires
    no later than these is taken for signed out.

    Args:
        file: holds them; None to keep them in memory alone.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._lock = Lock()
        self._version: tuple[int, int] | None = None  # of the file that was read last
        self._contents: frozenset[str] = frozenset()
        self._until = 0

    def __contains__(self, content: str) -> bool:
        self._read()
        return content in self._contents or expires(content) <= self._until

    def add(self, content: str) -> None:
        """Sign a cookie out; where the file cannot be written, until this program ends."""
        with self._lock:
            self._read()
            unexpired = {left for left in self._contents | {content} if expires(left) > time.time()}
            newest_first = sorted(unexpired, key=expires, reverse=True)
            forgotten = newest_first[MOST_SIGNED_OUT:]
            self._until = max([self._until, *map(expires, forgotten)])
            self._contents = frozenset(newest_first[:MOST_SIGNED_OUT])
            self._write()

    def _read(self) -> None:
        """Take over what the file holds, where it has changed; a damaged one ends all cookies."""
        version = file_version(self._file)
        if self._file is None or version is None or version == self._version:
            return
        try:
            noted = json.loads(self._file.read_text("utf-8"))
            contents = {content: expires(content) for content in noted["contents"]}
            until = int(noted["until"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            _LOG.warning("cookies that were signed out cannot be read (%s)", type(error).__name__)
            contents, until = {}, int(time.time()) + SIGNED_IN_SECONDS - 1
        self._contents |= contents.keys()
        self._until = max(self._until, until)
        self._version = version

    def _write(self) -> None:
        if self._file is None:
            return
        noted = json.dumps({"until": self._until, "contents": sorted(self._contents)})
        try:
            with written_whole(self._file) as part:
                part.write_text(noted, "utf-8")
            self._version = file_version(self._file)
        except OSError as error:
            _LOG.warning("a cookie that was signed out could not be noted (%s)", error.strerror)


def expires(content: str) -> int:
    """Return when a cookie ends, in seconds since 1970."""
    return int(content.partition("-")[0])

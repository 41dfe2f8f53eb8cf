"""What goes to the log: place and kind of a failure, never the content it failed on.

Errors quote what they stumbled over: a line of a document, the name of a file, a row of the
database. So a record keeps the classes of an error and of its causes, and the lines of the program
that it came through, and not one word of theirs. This holds for the libraries' records as well. What
somebody may not do is no failure, and one line.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from traceback import format_tb
from types import TracebackType

from core.errors import StrataError

MOST_CAUSES = 10

_LOG = logging.getLogger(__name__)

ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def install() -> None:
    """Have every record of this process made without values, also of errors that end a thread."""
    logging.setLogRecordFactory(without_values)
    threading.excepthook = _thread_failed


def without_values(
    name: str,
    level: int,
    pathname: str,
    lineno: int,
    msg: object,
    args: Sequence[object],
    exc_info: ErrorInfo | None,
    func: str | None = None,
    sinfo: str | None = None,
    **_: object,
) -> logging.LogRecord:
    """Return a record as `logging.LogRecord` does, with classes in place of errors."""
    error = exc_info[1] if exc_info is not None else None
    if isinstance(error, StrataError) and error.is_refusal:
        level, msg, error = logging.WARNING, f"{msg} ({type(error).__name__})", None
    if error is not None and isinstance(msg, str):
        msg = msg.partition("\n")[0]  # asyncio quotes the error behind it
    record = logging.LogRecord(
        *(name, level, pathname, lineno, _plain(msg)),
        args=tuple(_plain(value) for value in args),
        exc_info=None,
        func=func,
        sinfo=sinfo,
    )
    if error is not None:
        record.exc_text = trace(error)
    return record


def trace(error: BaseException) -> str:
    """Return the classes of an error and of its causes, and the lines that they came through."""
    parts = [
        "".join(["Traceback (most recent call last):\n", *format_tb(cause.__traceback__)])
        + f"{type(cause).__module__}.{type(cause).__qualname__}"
        for cause in _chain(error)
    ]
    return "\n\nwhich led to:\n\n".join(reversed(parts))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    cause: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if cause is None:
            return
        yield cause
        hidden = None if cause.__suppress_context__ else cause.__context__
        cause = cause.__cause__ or hidden


def _plain(value: object) -> object:
    """A value of a record: of an error its class, of an address nothing behind its path."""
    if isinstance(value, BaseException):
        return type(value).__name__
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, str) and value.startswith("/"):
        return value.partition("?")[0]
    return value


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    """Log what ended a thread, which Python would print with its words."""
    if failure.exc_value is not None:
        about = (failure.exc_type, failure.exc_value, failure.exc_traceback)
        _LOG.error("a thread has ended with an error", exc_info=about)

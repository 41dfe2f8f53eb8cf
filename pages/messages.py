"""What a page tells a person: that something failed, is worth knowing, or why a file is not read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from core.errors import StrataError
from pages.components.markdown import escaped, in_order

_LOG = logging.getLogger(__name__)

MESSAGES_KEY = "messages"
NOTES_KEY = "notes"

# Of what the browser sends. An uploader with a lower limit, or with a list of types, refuses in
# words of Streamlit's, which stand in a tooltip and say nothing of what to do.
MOST_MEGABYTES_SENT = 200
BYTES_PER_MEGABYTE = 1_000_000


def say(sentence: str) -> None:
    """Keep a sentence on what went wrong for the page to show at its next run."""
    st.session_state.setdefault(MESSAGES_KEY, []).append(escaped(sentence))


def said() -> list[str]:
    """Return the sentences to show now; each is shown until the next thing is done."""
    messages: list[str] = st.session_state.pop(MESSAGES_KEY, [])
    return messages


def note(sentence: str) -> None:
    """The same for a sentence that nobody needs to act on; in the reader, it is plain text."""
    st.session_state.setdefault(NOTES_KEY, []).append(in_order(sentence))


@contextmanager
def shown_here(what: str) -> Iterator[None]:
    """Draw an error where the block would have gone on.

    Args:
        what: for the log, such as "the models could not be shown".
    """
    try:
        yield
    except StrataError as error:
        _LOG.exception("%s", what)
        st.error(escaped(str(error)), icon=":material/error:")


@contextmanager
def said_next(what: str, say: Callable[[str], None] = say) -> Iterator[None]:
    """Keep an error for the page to show at its next run, as a callback has to.

    Args:
        what: for the log, such as "the project could not be renamed".
        say: keeps the sentence, where a part of the page shows it.
    """
    try:
        yield
    except StrataError as error:
        _LOG.exception("%s", what)
        say(str(error))


def upload_problem(name: str, size_bytes: int, *, suffixes: Sequence[str], most_mb: int) -> str:
    """Return why an uploaded file is not read, and what to do; "" where it is."""
    if not name.lower().endswith(tuple(f".{suffix}" for suffix in suffixes)):
        *others, last = (f".{suffix}" for suffix in suffixes)
        return (
            f"{name} was not read: it is of another type. Choose a file whose name ends in "
            f"{', '.join(others)} or {last}."
        )
    if not size_bytes:
        return f"{name} was not read: it is empty. Save it again, then choose it once more."
    if size_bytes > most_mb * BYTES_PER_MEGABYTE:
        megabytes = size_bytes / BYTES_PER_MEGABYTE
        return (
            f"{name} was not read: it has {megabytes:,.1f} MB, and at most {most_mb} MB are read. "
            "Split it, and add the parts one after the other."
        )
    return ""

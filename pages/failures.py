"""What a page does where Strata raises an error: it says the sentence, and the log has the rest."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import StrataError
from pages import opening
from pages.components.markdown import escaped

_LOG = logging.getLogger(__name__)


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
def said_next(what: str) -> Iterator[None]:
    """Keep an error for the page to show at its next run, as a callback has to.

    Args:
        what: for the log, such as "the project could not be renamed".
    """
    try:
        yield
    except StrataError as error:
        _LOG.exception("%s", what)
        opening.say(str(error))

"""Files that are made when somebody clicks, of what holds then."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from core.errors import StrataError
from core.export.export import Form, export
from core.export.selection import Selection
from pages.serving import workplace

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks for."""

    selection: Selection
    form: Form
    with_text: bool


def make_file(wanted: Wanted) -> bytes:
    """The file, or its reason not to be as its only line."""
    shared = workplace()
    try:
        return export(
            shared.store(),
            wanted.selection,
            wanted.form,
            hierarchy=shared.hierarchy(),
            language=shared.language(),
            with_text=wanted.with_text,
        )
    except StrataError as error:
        _LOG.exception("the export could not be made")
        return f"{error}\n".encode()

"""Files that are made when somebody clicks, of what holds then."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from core.errors import StrataError
from core.export.export import export
from core.export.gathering import Selection
from core.serving.session import Session

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks for."""

    selection: Selection
    form: str
    with_text: bool


def make_file(session: Session, wanted: Wanted, *, limit: int | None = None) -> bytes:
    """Return the file, or as its only line the reason why there is none.

    Args:
        limit: documents that it holds at most.
    """
    try:
        return export(
            session.store(),
            wanted.selection,
            wanted.form,
            hierarchy=session.hierarchy(),
            language=session.language(),
            with_text=wanted.with_text,
            limit=limit,
        )
    except StrataError as error:
        _LOG.exception("the export could not be made")
        return f"{error}\n".encode()

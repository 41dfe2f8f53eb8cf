"""Decisions as a CSV file: those of one document, or of all on the list."""

from __future__ import annotations

from core.export.export import export
from core.export.selection import ACCEPTED, EXCLUDED, REJECTED, Selection
from core.export.tables import COLUMNS
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy

__all__ = ["COLUMNS", "export_csv"]


def export_csv(
    store: Store,
    *,
    document_id: str | None,
    accepted_only: bool,
    hierarchy: Hierarchy,
    language: str = "en",
    project_id: int | None = None,
) -> bytes:
    """The decisions of one document, or of all on the list of this vocabulary's project.

    Args:
        document_id: None for all documents that were not removed.
        accepted_only: leave the rejected and excluded out; otherwise all, but nothing undecided.
        language: of labels and paths.
        project_id: None for the vocabulary's oldest project.
    Returns:
        UTF-8 with a byte order mark, lines ended by CRLF, first line the names in `COLUMNS`.
        `rank` and `probability` are as the person saw them, empty for what was added without being
        suggested (then `source` says where it was found, or "person"); `decided_at` is in UTC.
    """
    decisions = {ACCEPTED} if accepted_only else {ACCEPTED, REJECTED, EXCLUDED}
    ids = None if document_id is None else (document_id,)
    chosen = Selection(document_ids=ids, decisions=frozenset(decisions), project_id=project_id)
    return export(store, chosen, "csv", hierarchy=hierarchy, language=language)

"""The finished documents of a project, and what retraining needs to know of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError, StoreError
from core.review.reports.finished import finished_documents, finished_versions
from core.review.store.store import Store
from core.suggest.protocol import FinishedDocument
from training.corpora.corpus import LabelledDocument

FEWEST = 10
"""Finished documents with something assigned, without which nothing is fitted."""
MOST = 10_000
"""The newest are learned from and judged by."""
JUDGED_SHARE, MOST_JUDGED = 0.2, 200


@dataclass(frozen=True, slots=True)
class Material:
    """Finished documents, the oldest first.

    Attributes:
        learned: to fit on.
        judged: the newest with something assigned, which nothing is fitted on.
    """

    learned: tuple[FinishedDocument, ...]
    judged: tuple[FinishedDocument, ...]


def read_material(store: Store, project_id: int, plan: Path) -> Material:
    """Read the finished documents of a project as they were when its retraining began.

    Args:
        plan: a file that holds which documents these are, with what was decided; written at the
            first time, so that what people decide meanwhile changes nothing. No text is in it.
    Raises:
        ConfigError: too few documents are finished.
    """
    if not plan.is_file():
        _write_plan(store, project_id, plan)
    kept = json.loads(plan.read_text("utf-8"))
    learned, judged = (_documents(store, kept[part]) for part in ("learned", "judged"))
    return Material(learned, judged)


def labelled(finished: Sequence[FinishedDocument]) -> list[LabelledDocument]:
    """Return documents as what is fitted on takes them."""
    return [LabelledDocument(row.document, row.assigned) for row in finished]


def _write_plan(store: Store, project_id: int, plan: Path) -> None:
    versions = finished_versions(store, project_id, at_most=MOST)
    oldest_first = [
        {"id": row.document.document_id, "version": row.version}
        | {"assigned": row.assigned, "rejected": row.rejected}
        for row in finished_documents(store, versions, reversed(versions))
    ]
    n_usable = sum(bool(row["assigned"]) for row in oldest_first)
    if n_usable < FEWEST:
        raise ConfigError(
            f"{n_usable} finished document{'' if n_usable == 1 else 's'} of this project "
            f"{'has' if n_usable == 1 else 'have'} a concept; retraining needs {FEWEST}."
        )
    n_judged = min(max(int(n_usable * JUDGED_SHARE), 2), MOST_JUDGED)
    judged = [row for row in oldest_first if row["assigned"]][-n_judged:]
    first = oldest_first.index(judged[0])
    kept = {"learned": oldest_first[:first], "judged": judged}
    part = plan.with_suffix(".part")
    part.write_text(json.dumps(kept), encoding="utf-8")
    part.replace(plan)


def _documents(store: Store, kept: Sequence[Mapping[str, object]]) -> tuple[FinishedDocument, ...]:
    """Read documents with what was decided on them then; those that are gone are left out."""
    found = []
    for row in kept:
        document_id, version = str(row["id"]), int(str(row["version"]))
        try:
            (now,) = finished_documents(store, {document_id: version}, [document_id])
        except StoreError:
            continue
        assigned, rejected = (tuple(map(str, _listed(row[part]))) for part in _DECIDED)
        found.append(FinishedDocument(now.document, version, assigned, rejected, now.suggested))
    return tuple(found)


_DECIDED = ("assigned", "rejected")


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []

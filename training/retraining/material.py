"""The finished documents of a project, and what retraining needs to know of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.documents.document import Document
from core.errors import ConfigError
from core.review.reports.finished import finished_documents, finished_versions
from core.review.reports.retraining_plan import FEWEST_JUDGED, MOST, why_not
from core.review.store.documents import vocabulary_of
from core.review.store.store import Store
from core.suggest.protocol import FinishedDocument
from training.corpora.corpus import LabelledDocument

IsKnown = Callable[[Document], bool]

JUDGED_SHARE, MOST_JUDGED = 0.2, 200
_DECIDED = ("assigned", "rejected", "excluded")


@dataclass(frozen=True, slots=True)
class Material:
    """Finished documents, the oldest first.

    Attributes:
        learned: to fit on.
        judged: the newest with something assigned, which nothing is fitted on, and which what serves
            has not learned from.
        is_whole: whether all of those that were there at the first time are there now.
    """

    learned: tuple[FinishedDocument, ...]
    judged: tuple[FinishedDocument, ...]
    is_whole: bool = True


def read_material(
    store: Store, project_id: int, plan: Path, *, is_known: IsKnown | None = None
) -> Material:
    """Read the finished documents of a project as they were when its retraining began.

    Args:
        plan: a file that holds which documents these are, with what was decided; written at the
            first time, so that what people decide meanwhile changes nothing. No text is in it.
        is_known: whether what serves has learned from a document; None where it has from none.
    Raises:
        ConfigError: too few documents are finished, or too few of them since the last time.
    """
    if not plan.is_file():
        _write_plan(store, project_id, plan, is_known or (lambda _: False))
    plan_rows = json.loads(plan.read_text("utf-8"))
    learned, judged = (_documents(store, plan_rows[part]) for part in ("learned", "judged"))
    n_planned = len(plan_rows["learned"]) + len(plan_rows["judged"])
    return Material(learned, judged, is_whole=len(learned) + len(judged) == n_planned)


def labelled(finished: Sequence[FinishedDocument]) -> list[LabelledDocument]:
    """Return documents as what is fitted on takes them."""
    return [LabelledDocument(row.document, row.assigned) for row in finished]


def _write_plan(store: Store, project_id: int, plan: Path, is_known: IsKnown) -> None:
    versions = finished_versions(store, project_id, at_most=MOST)
    oldest_first: list[dict[str, Any]] = []
    is_new: dict[str, bool] = {}
    for document_id in reversed(versions):  # one by one, since texts are long
        (row,) = finished_documents(store, versions, [document_id])
        facts = {name: getattr(row, name) for name in _DECIDED}
        oldest_first.append({"id": document_id, "version": row.version, **facts})
        is_new[document_id] = not is_known(row.document)
    usable = [row for row in oldest_first if row["assigned"]]
    new = [row for row in usable if is_new[row["id"]]]
    if problem := why_not(len(usable), len(new)):
        raise ConfigError(problem)
    n_judged = min(max(int(len(usable) * JUDGED_SHARE), FEWEST_JUDGED), MOST_JUDGED)
    judged = new[-n_judged:]
    first = oldest_first.index(judged[0])
    later = [row for row in oldest_first[first:] if not is_new[row["id"]]]
    plan_rows = {"learned": oldest_first[:first] + later, "judged": judged}
    part = plan.with_suffix(".part")
    part.write_text(json.dumps(plan_rows), encoding="utf-8")
    part.replace(plan)


def _documents(store: Store, rows: Sequence[Mapping[str, Any]]) -> tuple[FinishedDocument, ...]:
    documents = []
    for row in rows:
        document_id, version = row["id"], row["version"]
        if vocabulary_of(store, document_id) is None:
            continue
        (now,) = finished_documents(store, {document_id: version}, [document_id])
        assigned, rejected, excluded = (tuple(row.get(name, ())) for name in _DECIDED)
        decided = replace(now, assigned=assigned, rejected=rejected, excluded=excluded)
        documents.append(decided)
    return tuple(documents)

"""What the page showed of concepts when they were decided, to be kept with the decision."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from core.review.decisions.operations import Operation
from core.review.store.tables import given_concept, prediction_run, suggestion

GIVEN = "given"

HERE: BindParameter[str] = bindparam("here")
THESE: BindParameter[str] = bindparam("these", expanding=True)
LATEST_RUN = select(func.max(prediction_run.c.run_id)).where(prediction_run.c.document_id == HERE)
THIS_RUN = LATEST_RUN.where(prediction_run.c.run_id == bindparam("run"))
SUGGESTED = select(
    suggestion.c.concept_id, suggestion.c.probability, suggestion.c.rank, suggestion.c.source
).where(suggestion.c.run_id == bindparam("run"), suggestion.c.concept_id.in_(THESE))
GIVEN_THERE = select(given_concept.c.concept_id).where(
    given_concept.c.document_id == HERE, given_concept.c.concept_id.in_(THESE)
)


class SeenSuggestions:
    """The prediction run that was on the page, and its suggestions of the decided concepts.

    Args:
        run_id: of the run on the page; the document's latest where it is none of this document.
    """

    def __init__(
        self,
        connection: Connection,
        document_id: str,
        run_id: int | None,
        operations: Sequence[Operation],
    ) -> None:
        self.connection = connection
        self.document_id = document_id
        self.run_id = self._choose(run_id)
        concept_ids = {operation.concept_id for operation in operations if operation.concept_id}
        self._suggested = self._suggestions(concept_ids)
        self._given = self._given_of(concept_ids - self._suggested.keys())

    def of(self, operation: Operation) -> dict[str, object]:
        """Return the columns `run_id`, `probability`, `rank` and `source` of an event."""
        seen = self._suggested.get(operation.concept_id, {})
        found = operation.source if operation.action == "add" else None
        given = GIVEN if operation.concept_id in self._given else None
        source = found or seen.get("source") or given or operation.source
        return {"run_id": self.run_id, "source": source, "probability": None, "rank": None} | {
            name: seen[name] for name in ("probability", "rank") if seen
        }

    def _choose(self, run_id: int | None) -> int | None:
        """The run of this id if it is one of this document, or else its latest."""
        if run_id is not None:
            values = {"here": self.document_id, "run": run_id}
            if self.connection.scalar(THIS_RUN, values) is not None:
                return run_id
        latest: int | None = self.connection.scalar(LATEST_RUN, {"here": self.document_id})
        return latest

    def _suggestions(self, concept_ids: set[str]) -> dict[str, dict[str, object]]:
        if self.run_id is None or not concept_ids:
            return {}
        values = {"run": self.run_id, "these": list(concept_ids)}
        rows = self.connection.execute(SUGGESTED, values).mappings()
        return {row["concept_id"]: dict(row) for row in rows}

    def _given_of(self, concept_ids: set[str]) -> frozenset[str]:
        if not concept_ids:
            return frozenset()
        values = {"here": self.document_id, "these": list(concept_ids)}
        return frozenset(self.connection.scalars(GIVEN_THERE, values))

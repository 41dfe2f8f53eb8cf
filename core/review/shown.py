"""What the page showed of concepts when they were decided, to be kept with the decision."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from core.review.operations import Operation
from core.review.tables import given_concept, prediction_run, suggestion

GIVEN = "given"


class Shown:
    """The prediction run that was shown, and what it said of the decided concepts.

    Args:
        run_id: as the page tells it; the document's latest where it is none of this document.
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
        concept_ids = {one.concept_id for one in operations if one.concept_id}
        self._suggested = self._suggestions(concept_ids)
        self._given = self._given_of(concept_ids - self._suggested.keys())

    def of(self, operation: Operation) -> dict[str, object]:
        """The columns `run_id`, `probability`, `rank` and `source` of an event."""
        seen = self._suggested.get(operation.concept_id, {})
        found = operation.source if operation.action == "add" else None
        given = GIVEN if operation.concept_id in self._given else None
        source = found or seen.get("source") or given or operation.source
        return {"run_id": self.run_id, "source": source, "probability": None, "rank": None} | {
            name: seen[name] for name in ("probability", "rank") if seen
        }

    def _choose(self, run_id: int | None) -> int | None:
        runs = select(func.max(prediction_run.c.run_id)).where(
            prediction_run.c.document_id == self.document_id
        )
        if run_id is not None:
            shown = self.connection.scalar(runs.where(prediction_run.c.run_id == run_id))
            if shown is not None:
                return int(shown)
        latest: int | None = self.connection.scalar(runs)
        return latest

    def _suggestions(self, concept_ids: set[str]) -> dict[str, dict[str, object]]:
        if self.run_id is None or not concept_ids:
            return {}
        columns = suggestion.c
        query = select(columns.concept_id, columns.probability, columns.rank, columns.source).where(
            columns.run_id == self.run_id, columns.concept_id.in_(concept_ids)
        )
        return {row["concept_id"]: dict(row) for row in self.connection.execute(query).mappings()}

    def _given_of(self, concept_ids: set[str]) -> frozenset[str]:
        if not concept_ids:
            return frozenset()
        query = select(given_concept.c.concept_id).where(
            given_concept.c.document_id == self.document_id,
            given_concept.c.concept_id.in_(concept_ids),
        )
        return frozenset(self.connection.scalars(query))

"""Predictions: the run of a model over a document, and every suggestion that it made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, Select, insert, select, update

from core.review.store.store import Store
from core.review.store.tables import document, prediction_run, suggestion
from core.suggest.suggestions import FromElsewhere, Prediction, Suggestion

# What a run keeps of its prediction, by the same names.
RUN_FIELDS = (
    "n_tokens",
    "n_tokens_read",
    "n_windows",
    "bundle_hash",
    "vocabulary_version",
    "seconds",
)
SUGGESTION_FIELDS = tuple(field.name for field in fields(Suggestion))


@dataclass(frozen=True, slots=True)
class StoredPrediction:
    """A prediction as it was saved."""

    run_id: int
    prediction: Prediction
    created_at: datetime
    bundle_hash: str
    vocabulary_version: str


def save_prediction(
    store: Store, document_id: str, prediction: Prediction, *, settings: Mapping[str, object]
) -> int:
    """Keep a prediction with all its suggestions, and return the id of its run.

    Args:
        settings: how it was asked for (limit, threshold …); must be representable in JSON. What was
            said elsewhere is kept with them.
    """
    with store.write() as connection:
        return insert_prediction(connection, document_id, prediction, settings)


def latest_prediction(store: Store, document_id: str) -> StoredPrediction | None:
    """Return the newest prediction of a document, as it was saved."""
    with store.read() as connection:
        return _latest(connection, document_id)


def suggested_concepts(store: Store, document_id: str) -> list[str]:
    """Return what the newest run suggests for a document, the likeliest first."""
    newest = _of_newest(prediction_run.c.run_id, document_id).scalar_subquery()
    query = select(suggestion.c.concept_id).where(suggestion.c.run_id == newest)
    with store.read() as connection:
        return list(connection.scalars(query.order_by(suggestion.c.rank)))


def suggested_label(store: Store, document_id: str, concept_id: str) -> str | None:
    """Return what a concept was called when it was last suggested for a document, if it was."""
    query = (
        select(suggestion.c.pref_label)
        .join(prediction_run, prediction_run.c.run_id == suggestion.c.run_id)
        .where(prediction_run.c.document_id == document_id, suggestion.c.concept_id == concept_id)
        .order_by(suggestion.c.run_id.desc())
    )
    with store.read() as connection:
        label: str | None = connection.scalar(query.limit(1))
        return label


def latest_bundle(store: Store, document_id: str) -> str | None:
    """Return the hash of the bundle that read a document last; None where none has."""
    with store.read() as connection:
        bundle_hash: str | None = connection.scalar(
            _of_newest(prediction_run.c.bundle_hash, document_id)
        )
        return bundle_hash


def latest_settings(store: Store, document_id: str) -> Mapping[str, object]:
    """Return how the newest prediction of a document was asked for; nothing where there is none."""
    with store.read() as connection:
        return connection.scalar(_of_newest(prediction_run.c.settings, document_id)) or {}


def from_elsewhere(settings: Mapping[str, Any]) -> FromElsewhere | None:
    """Return what a suggester elsewhere said, as a run's settings keep it; None where none did."""
    stored = settings.get("elsewhere")
    if not stored:
        return None
    scores = {i: (float(score), float(beside)) for i, (score, beside) in stored["found"].items()}
    return FromElsewhere(**(stored | {"found": scores}))


def _with_elsewhere(prediction: Prediction) -> dict[str, object]:
    return {"elsewhere": asdict(prediction.elsewhere)} if prediction.elsewhere else {}


def _of_newest(column: Column[Any], document_id: str) -> Select[tuple[Any]]:
    here = prediction_run.c.document_id == document_id
    return select(column).where(here).order_by(prediction_run.c.run_id.desc()).limit(1)


def insert_prediction(
    connection: Connection,
    document_id: str,
    prediction: Prediction,
    settings: Mapping[str, object],
) -> int:
    """Write a prediction run with all its suggestions, and return its id."""
    now = datetime.now(UTC)
    values: dict[str, object] = {name: getattr(prediction, name) for name in RUN_FIELDS}
    values |= {
        "document_id": document_id,
        "created_at": now,
        "settings": dict(settings) | _with_elsewhere(prediction),
        "branch_probability": dict(prediction.branch_probability),
        "own_probability": dict(prediction.own_probability),
        "model_probability": prediction.model_probability,
        "n_suggestions": len(prediction.wanting),
    }
    written = insert(prediction_run).values(values).returning(prediction_run.c.run_id)
    run_id: int = connection.execute(written).scalar_one()
    rows = [_of_run(run_id, row) for row in prediction.suggestions]
    if rows:
        connection.execute(insert(suggestion), rows)
    here = document.c.document_id == document_id
    connection.execute(update(document).where(here).values(updated_at=now))
    return run_id


def _of_run(run_id: int, row: Suggestion) -> dict[str, object]:
    """Return the values of a suggestion; `asdict` takes eight times as long."""
    return {"run_id": run_id} | {name: getattr(row, name) for name in SUGGESTION_FIELDS}


def _latest(connection: Connection, document_id: str) -> StoredPrediction | None:
    newest = (
        select(prediction_run)
        .where(prediction_run.c.document_id == document_id)
        .order_by(prediction_run.c.run_id.desc())
        .limit(1)
    )
    run = connection.execute(newest).first()
    if run is None:
        return None
    prediction = Prediction(
        suggestions=_suggestions(connection, run.run_id),
        branch_probability=run.branch_probability,
        own_probability=run.own_probability,
        model_probability=run.model_probability,
        elsewhere=from_elsewhere(run.settings),
        **{name: getattr(run, name) for name in RUN_FIELDS},
    )
    return StoredPrediction(
        run.run_id, prediction, run.created_at, run.bundle_hash, run.vocabulary_version
    )


def _suggestions(connection: Connection, run_id: int) -> tuple[Suggestion, ...]:
    columns = [suggestion.c[name] for name in SUGGESTION_FIELDS]
    query = select(*columns).where(suggestion.c.run_id == run_id)
    ordered = query.order_by(suggestion.c.rank, suggestion.c.concept_id)
    return tuple(Suggestion(*row) for row in connection.execute(ordered))

"""All tables of release 1.0: owners, documents, predictions, decisions, settings, jobs.

Columns stand in the order in which databases of before the release have them, since a database
from outside is compared with what this makes.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = None

MOMENT = sa.DateTime(timezone=True)
NAME = sa.String(255)


def upgrade() -> None:
    """Create all tables; those that others refer to come first."""
    _create_owners()
    _create_documents()
    _create_predictions()
    _create_decisions()
    _create_settings()
    _create_jobs()


def _create_owners() -> None:
    op.create_table(
        "vocabulary",
        sa.Column("vocabulary_id", NAME, primary_key=True),
        _required("created_at", MOMENT),
    )
    op.create_table(
        "project",
        sa.Column("project_id", sa.Integer, primary_key=True),
        _required("name", NAME),
        _reference("vocabulary_id", NAME, "vocabulary.vocabulary_id"),
        _required("created_at", MOMENT),
        sa.Column("bundle", NAME),
        sa.Column("vocabulary_choice", NAME),
        sa.Column("archived_at", MOMENT),
        sa.Column("former_choices", sa.JSON),
        sa.Column("learning", sa.JSON),
        sa.Column("companions", sa.JSON),
        sa.Column("elsewhere", sa.JSON),
        _required("groups_stays", sa.Boolean, sa.false()),
    )
    op.create_table(
        "person",
        sa.Column("person_id", sa.Integer, primary_key=True),
        sa.Column("name", NAME, nullable=False, unique=True),
        _required("created_at", MOMENT),
    )


def _create_documents() -> None:
    op.create_table(
        "document",
        sa.Column("document_id", NAME, primary_key=True),
        _reference("project_id", sa.Integer, "project.project_id", index=True),
        _required("title", sa.Text),
        _required("fingerprint", sa.String(64)),
        _required("created_at", MOMENT),
        _required("updated_at", MOMENT),
        sa.Column("removed_at", MOMENT),
        _required("text_fingerprint", sa.String(64), "", index=True),
        _required("n_characters", sa.Integer, "0"),
        sa.Column("batch", sa.Text),
        _required("comment", sa.Text, ""),
        sa.Column("finished_at", MOMENT),
        _required("version", sa.Integer, "0"),
    )
    newest_first: list[str | sa.TextClause] = [
        "project_id",
        "removed_at",
        sa.text("created_at DESC"),
        "document_id",
    ]
    op.create_index("ix_document_newest", "document", newest_first)
    op.create_table(
        "document_part",
        _of_document(primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        _required("kind", NAME),
        sa.Column("part_date", sa.Date),
        _required("text", sa.Text),
        _required("title", sa.Text, ""),
        _required("headings", sa.JSON, "[]"),
    )
    op.create_table(
        "given_concept",
        _of_document(primary_key=True),
        sa.Column("concept_id", NAME, primary_key=True),
        _required("position", sa.Integer),
    )
    op.create_table(
        "proposed_term",
        sa.Column("term_id", sa.Integer, primary_key=True),
        _of_document(index=True),
        _by_person(),
        _required("text", sa.Text),
        _required("note", sa.Text),
        _required("created_at", MOMENT),
        sa.Column("withdrawn_at", MOMENT),
    )
    op.create_table(
        "stay",
        _of_document(primary_key=True),
        sa.Column("admitted", sa.Date),
        sa.Column("discharged", sa.Date),
        sa.Column("age_years", sa.Integer),
        _required("sex", sa.String(16), ""),
        _required("disposition", sa.String(2), ""),
        sa.Column("patient", NAME),
        sa.Column("patient_system", NAME),
        sa.Column("encounter", NAME),
        sa.Column("encounter_system", NAME),
    )


def _create_predictions() -> None:
    op.create_table(
        "prediction_run",
        sa.Column("run_id", sa.Integer, primary_key=True),
        _of_document(index=True),
        _required("created_at", MOMENT),
        _required("bundle_hash", NAME),
        _required("vocabulary_version", NAME),
        _required("settings", sa.JSON),
        _required("branch_probability", sa.JSON),
        _required("n_suggestions", sa.Integer),
        _required("n_tokens", sa.Integer),
        _required("n_tokens_read", sa.Integer),
        _required("n_windows", sa.Integer),
        _required("seconds", sa.Float),
        _required("own_probability", sa.JSON, "{}"),
        sa.Column("model_probability", sa.JSON),
    )
    op.create_table(
        "suggestion",
        _reference("run_id", sa.Integer, "prediction_run.run_id", primary_key=True),
        sa.Column("concept_id", NAME, primary_key=True),
        _required("rank", sa.Integer),
        _required("probability", sa.Float),
        _required("branch_probability", sa.Float),
        _required("source", NAME),
        _required("uri", sa.Text),
        sa.Column("notation", sa.Text),
        _required("pref_label", sa.Text),
    )
    op.create_index("ix_suggestion_concept", "suggestion", ["concept_id", "rank", "run_id"])


def _create_decisions() -> None:
    op.create_table(
        "decision_event",
        sa.Column("event_id", sa.Integer, primary_key=True),
        _required("client_id", sa.String(64)),
        _required("sequence", sa.BigInteger),
        sa.Column("group_id", sa.String(64), index=True),
        _of_document(),
        _by_person(),
        _required("action", sa.String(16)),
        sa.Column("concept_id", NAME),
        _required("decided_at", MOMENT),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("prediction_run.run_id")),
        sa.Column("probability", sa.Float),
        sa.Column("rank", sa.Integer),
        sa.Column("source", NAME),
        sa.Column("undone_event_id", sa.Integer, sa.ForeignKey("decision_event.event_id")),
        _required("position", sa.BigInteger, "0"),
        sa.Column("shown", sa.Integer),
        sa.Column("value", sa.JSON),
        sa.UniqueConstraint("client_id", "sequence"),
    )
    op.create_index("ix_decision_event_concept", "decision_event", ["document_id", "concept_id"])
    op.create_index("ix_decision_event_person", "decision_event", ["person_id", "position"])
    op.create_table(
        "undone_event",
        _of_event("event_id", primary_key=True),
        _of_event("undo_event_id", index=True),
    )
    op.create_table(
        "decision",
        _of_document(primary_key=True),
        sa.Column("concept_id", NAME, primary_key=True, index=True),
        _of_event("event_id"),
        _required("state", sa.String(16)),
        _required("added", sa.Boolean),
        _required("main", sa.Boolean, sa.false()),
        sa.Column("present", sa.String(1)),
        sa.Column("performed_on", sa.Date),
        sa.Column("place", sa.Integer),
    )


def _create_settings() -> None:
    op.create_table(
        "rule",
        sa.Column("rule_id", sa.Integer, primary_key=True),
        _of_project(),
        _required("concept_id", NAME),
        _required("kind", sa.String(32)),
        _by_person(),
        _required("created_at", MOMENT),
        sa.Column("lifted_at", MOMENT),
    )
    op.create_table(
        "model_change",
        sa.Column("change_id", sa.Integer, primary_key=True),
        _of_project(),
        _by_person(),
        _required("changed_at", MOMENT),
        sa.Column("bundle", NAME),
        sa.Column("former", NAME),
        _required("reason", sa.Text, ""),
    )
    op.create_table(
        "preference",
        _by_person(primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        _required("value", sa.JSON),
    )


def _create_jobs() -> None:
    op.create_table(
        "job",
        sa.Column("job_id", sa.Integer, primary_key=True),
        _required("kind", sa.String(32)),
        _of_project(),
        _required("created_at", MOMENT),
        _required("state", sa.String(16)),
        _required("settings", sa.JSON),
    )
    op.create_table(
        "job_document",
        _reference("job_id", sa.Integer, "job.job_id", primary_key=True),
        _of_document(primary_key=True, index=True),
        _required("position", sa.Integer),
        _required("state", sa.String(16)),
        sa.Column("problem", sa.Text),
    )


def _required(
    name: str,
    kind: sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]],
    default: str | sa.sql.elements.False_ | None = None,
    *,
    index: bool = False,
) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False, server_default=default, index=index)


def _reference(
    name: str,
    kind: sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]],
    target: str,
    *,
    primary_key: bool = False,
    index: bool = False,
) -> sa.Column[Any]:
    key = sa.ForeignKey(target)
    return sa.Column(name, kind, key, nullable=False, primary_key=primary_key, index=index)


def _of_document(*, primary_key: bool = False, index: bool = False) -> sa.Column[Any]:
    target = "document.document_id"
    return _reference("document_id", NAME, target, primary_key=primary_key, index=index)


def _of_project() -> sa.Column[Any]:
    return _reference("project_id", sa.Integer, "project.project_id", index=True)


def _by_person(*, primary_key: bool = False) -> sa.Column[Any]:
    return _reference("person_id", sa.Integer, "person.person_id", primary_key=primary_key)


def _of_event(name: str, *, primary_key: bool = False, index: bool = False) -> sa.Column[Any]:
    target = "decision_event.event_id"
    return _reference(name, sa.Integer, target, primary_key=primary_key, index=index)

"""The first tables: documents, predictions, decisions."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
NAME = sa.String(255)


def upgrade() -> None:
    """Create all tables; those that others refer to come first."""
    _create_owners()
    _create_documents()
    _create_predictions()
    _create_decisions()


def _create_owners() -> None:
    op.create_table(
        "vocabulary",
        sa.Column("vocabulary_id", NAME, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("vocabulary_id", name="pk_vocabulary"),
    )
    op.create_table(
        "project",
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("name", NAME, nullable=False),
        sa.Column("vocabulary_id", NAME, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_project"),
        _refers("project", "vocabulary_id", "vocabulary"),
    )
    op.create_table(
        "person",
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("name", NAME, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("person_id", name="pk_person"),
        sa.UniqueConstraint("name", name="uq_person_name"),
    )


def _create_documents() -> None:
    op.create_table(
        "document",
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("removed_at", MOMENT),
        sa.PrimaryKeyConstraint("document_id", name="pk_document"),
        _refers("document", "project_id", "project"),
    )
    op.create_index("ix_document_project_id", "document", ["project_id"])
    op.create_table(
        "document_part",
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", NAME, nullable=False),
        sa.Column("part_date", sa.Date),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("document_id", "position", name="pk_document_part"),
        _refers("document_part", "document_id", "document"),
    )


def _create_predictions() -> None:
    op.create_table(
        "prediction_run",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("bundle_hash", NAME, nullable=False),
        sa.Column("vocabulary_version", NAME, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("branch_probability", sa.JSON, nullable=False),
        sa.Column("n_suggestions", sa.Integer, nullable=False),
        sa.Column("n_tokens", sa.Integer, nullable=False),
        sa.Column("n_tokens_read", sa.Integer, nullable=False),
        sa.Column("n_windows", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_prediction_run"),
        _refers("prediction_run", "document_id", "document"),
    )
    op.create_index("ix_prediction_run_document_id", "prediction_run", ["document_id"])
    op.create_table(
        "suggestion",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("concept_id", NAME, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("probability", sa.Float, nullable=False),
        sa.Column("branch_probability", sa.Float, nullable=False),
        sa.Column("source", NAME, nullable=False),
        sa.Column("uri", sa.Text, nullable=False),
        sa.Column("notation", sa.Text),
        sa.Column("pref_label", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "concept_id", name="pk_suggestion"),
        _refers("suggestion", "run_id", "prediction_run"),
    )


def _create_decisions() -> None:
    op.create_table(
        "decision_event",
        sa.Column("event_id", sa.Integer, nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("group_id", sa.String(64)),
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("concept_id", NAME),
        sa.Column("decided_at", MOMENT, nullable=False),
        sa.Column("run_id", sa.Integer),
        sa.Column("probability", sa.Float),
        sa.Column("rank", sa.Integer),
        sa.Column("source", NAME),
        sa.Column("undone_event_id", sa.Integer),
        sa.PrimaryKeyConstraint("event_id", name="pk_decision_event"),
        sa.UniqueConstraint("client_id", "sequence", name="uq_decision_event_client_id"),
        _refers("decision_event", "document_id", "document"),
        _refers("decision_event", "person_id", "person"),
        _refers("decision_event", "run_id", "prediction_run"),
        _refers("decision_event", "undone_event_id", "decision_event", "event_id"),
    )
    op.create_index("ix_decision_event_document_id", "decision_event", ["document_id"])
    op.create_table(
        "decision",
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("concept_id", NAME, nullable=False),
        sa.Column("event_id", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("added", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("document_id", "concept_id", name="pk_decision"),
        _refers("decision", "document_id", "document"),
        _refers("decision", "event_id", "decision_event"),
    )


def _refers(
    table: str, column: str, other: str, other_column: str | None = None
) -> sa.ForeignKeyConstraint:
    """A foreign key, named as `core.review.store.tables` names its own."""
    name = f"fk_{table}_{column}_{other}"
    return sa.ForeignKeyConstraint([column], [f"{other}.{other_column or column}"], name=name)


def downgrade() -> None:
    """Drop everything."""
    for table in (
        "decision",
        "decision_event",
        "suggestion",
        "prediction_run",
        "document_part",
        "document",
        "person",
        "project",
        "vocabulary",
    ):
        op.drop_table(table)

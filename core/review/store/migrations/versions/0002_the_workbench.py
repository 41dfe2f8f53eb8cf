"""Finishing, main topics, undo across documents; given concepts, rules, jobs, preferences."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
NAME = sa.String(255)


def upgrade() -> None:
    """Widen the old tables, add the new ones, and fill in what can be told of old rows."""
    _widen_documents()
    _widen_decisions()
    _create_beside_documents()
    _create_settings()
    _create_jobs()
    _measure_texts()
    _place_events()


def _widen_documents() -> None:
    for column in (
        sa.Column("text_fingerprint", sa.String(64), nullable=False, server_default=""),
        sa.Column("n_characters", sa.Integer, nullable=False, server_default="0"),
        sa.Column("batch", sa.Text),
        sa.Column("comment", sa.Text, nullable=False, server_default=""),
        sa.Column("finished_at", MOMENT),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
    ):
        op.add_column("document", column)
    op.create_index("ix_document_text_fingerprint", "document", ["text_fingerprint"])
    for column in (
        sa.Column("title", sa.Text, nullable=False, server_default=""),
        sa.Column("headings", sa.JSON, nullable=False, server_default="[]"),
    ):
        op.add_column("document_part", column)
    own = sa.Column("own_probability", sa.JSON, nullable=False, server_default="{}")
    op.add_column("prediction_run", own)


def _widen_decisions() -> None:
    position = sa.Column("position", sa.BigInteger, nullable=False, server_default="0")
    op.add_column("decision_event", position)
    op.add_column("decision_event", sa.Column("shown", sa.Integer))
    op.drop_index("ix_decision_event_document_id", "decision_event")
    op.create_index("ix_decision_event_concept", "decision_event", ["document_id", "concept_id"])
    op.create_index("ix_decision_event_person", "decision_event", ["person_id", "position"])
    op.create_index("ix_decision_event_group_id", "decision_event", ["group_id"])
    main = sa.Column("main", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("decision", main)
    op.create_index("ix_decision_concept_id", "decision", ["concept_id"])
    op.create_table(
        "undone_event",
        sa.Column("event_id", sa.Integer, nullable=False),
        sa.Column("undo_event_id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_undone_event"),
        _refers("undone_event", "event_id", "decision_event"),
        _refers("undone_event", "undo_event_id", "decision_event", "event_id"),
    )
    op.create_index("ix_undone_event_undo_event_id", "undone_event", ["undo_event_id"])


def _create_beside_documents() -> None:
    op.create_table(
        "given_concept",
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("concept_id", NAME, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("document_id", "concept_id", name="pk_given_concept"),
        _refers("given_concept", "document_id", "document"),
    )
    op.create_table(
        "proposed_term",
        sa.Column("term_id", sa.Integer, nullable=False),
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("withdrawn_at", MOMENT),
        sa.PrimaryKeyConstraint("term_id", name="pk_proposed_term"),
        _refers("proposed_term", "document_id", "document"),
        _refers("proposed_term", "person_id", "person"),
    )
    op.create_index("ix_proposed_term_document_id", "proposed_term", ["document_id"])


def _create_settings() -> None:
    op.create_table(
        "rule",
        sa.Column("rule_id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("concept_id", NAME, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("lifted_at", MOMENT),
        sa.PrimaryKeyConstraint("rule_id", name="pk_rule"),
        _refers("rule", "project_id", "project"),
        _refers("rule", "person_id", "person"),
    )
    op.create_index("ix_rule_project_id", "rule", ["project_id"])
    op.create_table(
        "preference",
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("person_id", "name", name="pk_preference"),
        _refers("preference", "person_id", "person"),
    )


def _create_jobs() -> None:
    op.create_table(
        "job",
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_job"),
        _refers("job", "project_id", "project"),
    )
    op.create_index("ix_job_project_id", "job", ["project_id"])
    op.create_table(
        "job_document",
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("document_id", NAME, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("problem", sa.Text),
        sa.PrimaryKeyConstraint("job_id", "document_id", name="pk_job_document"),
        _refers("job_document", "job_id", "job"),
        _refers("job_document", "document_id", "document"),
    )
    op.create_index("ix_job_document_document_id", "job_document", ["document_id"])


def _measure_texts() -> None:
    """Length and checksum of every text, as `core.review.store.arrivals` writes them."""
    connection = op.get_bind()
    documents = connection.execute(sa.text("SELECT document_id, title FROM document")).all()
    parts = sa.text("SELECT text FROM document_part WHERE document_id = :id ORDER BY position")
    change = sa.text(
        "UPDATE document SET n_characters = :length, text_fingerprint = :sum"
        " WHERE document_id = :id"
    )
    for document_id, title in documents:
        text = "\n\n".join(connection.scalars(parts, {"id": document_id}))
        words = " ".join(text.split()) or " ".join(title.split())
        checksum = hashlib.sha256(words.encode("utf-8")).hexdigest()
        connection.execute(change, {"length": len(text), "sum": checksum, "id": document_id})


def _place_events() -> None:
    """Give each event its position: its arrival, or before its client's first later operation."""
    op.execute(
        "UPDATE decision_event SET position = (SELECT min(other.event_id)"
        " FROM decision_event AS other WHERE other.client_id = decision_event.client_id"
        " AND other.sequence >= decision_event.sequence)"
    )


def _refers(
    table: str, column: str, other: str, other_column: str | None = None
) -> sa.ForeignKeyConstraint:
    """A foreign key, named as `core.review.store.tables` names its own."""
    name = f"fk_{table}_{column}_{other}"
    return sa.ForeignKeyConstraint([column], [f"{other}.{other_column or column}"], name=name)


def downgrade() -> None:
    """Refused: what was decided since cannot be said in the old tables."""
    raise NotImplementedError("There is no way back to schema 0001; restore a backup.")

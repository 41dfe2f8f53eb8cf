"""The tables of the store: documents, what models suggested, and what people decided.

`decision_event` only ever grows; `decision` is derived from it and can be rebuilt at any time.
A change here needs a migration beside it in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

ID_LENGTH = 255

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment with its zone, kept in UTC; SQLite itself forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; a moment without a zone is a mistake of the caller."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs its time zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


vocabulary = Table(
    "vocabulary",
    metadata,
    Column("vocabulary_id", String(ID_LENGTH), primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
)

project = Table(
    "project",
    metadata,
    Column("project_id", Integer, primary_key=True),
    Column("name", String(ID_LENGTH), nullable=False),
    Column("vocabulary_id", ForeignKey("vocabulary.vocabulary_id"), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

person = Table(
    "person",
    metadata,
    Column("person_id", Integer, primary_key=True),
    Column("name", String(ID_LENGTH), nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("document_id", String(ID_LENGTH), primary_key=True),
    Column("project_id", ForeignKey("project.project_id"), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("fingerprint", String(64), nullable=False),  # SHA-256 of title and parts
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("removed_at", UtcDateTime),  # removed from the list; restoring empties it again
)

document_part = Table(
    "document_part",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", String(ID_LENGTH), nullable=False),
    Column("part_date", Date),
    Column("text", Text, nullable=False),
)

prediction_run = Table(
    "prediction_run",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("document_id", ForeignKey("document.document_id"), nullable=False, index=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("bundle_hash", String(ID_LENGTH), nullable=False),
    Column("vocabulary_version", String(ID_LENGTH), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("branch_probability", JSON, nullable=False),  # of the broader concepts
    Column("n_suggestions", Integer, nullable=False),
    Column("n_tokens", Integer, nullable=False),
    Column("n_tokens_read", Integer, nullable=False),
    Column("n_windows", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
)

suggestion = Table(
    "suggestion",
    metadata,
    Column("run_id", ForeignKey("prediction_run.run_id"), primary_key=True),
    Column("concept_id", String(ID_LENGTH), primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("probability", Float, nullable=False),
    Column("branch_probability", Float, nullable=False),
    Column("source", String(ID_LENGTH), nullable=False),
    Column("uri", Text, nullable=False),
    Column("notation", Text),
    Column("pref_label", Text, nullable=False),
)

decision_event = Table(
    "decision_event",
    metadata,
    Column("event_id", Integer, primary_key=True),
    Column("client_id", String(64), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("group_id", String(64)),
    Column("document_id", ForeignKey("document.document_id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("action", String(16), nullable=False),
    Column("concept_id", String(ID_LENGTH)),  # none for an undo
    Column("decided_at", UtcDateTime, nullable=False),
    Column("run_id", ForeignKey("prediction_run.run_id")),
    Column("probability", Float),  # this and the next two: as the person saw them,
    Column("rank", Integer),  # none where the concept was not suggested
    Column("source", String(ID_LENGTH)),
    Column("undone_event_id", ForeignKey("decision_event.event_id")),
    UniqueConstraint("client_id", "sequence"),
)

decision = Table(
    "decision",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("concept_id", String(ID_LENGTH), primary_key=True),
    Column("event_id", ForeignKey("decision_event.event_id"), nullable=False),
    Column("state", String(16), nullable=False),
    Column("added", Boolean, nullable=False),
)

"""The tables of people: accounts, roles, whose documents are, what they write to each other, the log."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    false,
)

from core.review.columns import ID_LENGTH, UtcDateTime, metadata

person = Table(
    "person",
    metadata,
    Column("person_id", Integer, primary_key=True),
    Column("name", String(ID_LENGTH), nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("display_name", Text, nullable=False, server_default=""),
    Column("password", Text),  # as Argon2 keeps it; none while none was chosen
    Column("is_administrator", Boolean, nullable=False, server_default=false()),
    Column("closed_at", UtcDateTime),  # signs in no more; what was decided keeps its name
)

membership = Table(
    "membership",
    metadata,
    Column("person_id", ForeignKey("person.person_id"), primary_key=True),
    Column("project_id", ForeignKey("project.project_id"), primary_key=True, index=True),
    Column("role", String(16), nullable=False),
)

assignment = Table(
    "assignment",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False, index=True),
    Column("assigned_by", ForeignKey("person.person_id"), nullable=False),
    Column("assigned_at", UtcDateTime, nullable=False),
    Column("due_on", Date),
    Column("lease_ends_at", UtcDateTime),  # of who was sent to it; none of who was assigned it
)

sign_in = Table(
    "sign_in",
    metadata,
    Column("digest", String(64), primary_key=True),  # SHA-256 of what the cookie holds
    Column("person_id", ForeignKey("person.person_id"), nullable=False, index=True),
    Column("ends_at", UtcDateTime, nullable=False),
)

invitation = Table(
    "invitation",
    metadata,
    Column("digest", String(64), primary_key=True),  # SHA-256 of what the link holds
    Column("person_id", ForeignKey("person.person_id"), nullable=False, index=True),
    Column("ends_at", UtcDateTime, nullable=False),
)

comment = Table(
    "comment",
    metadata,
    Column("comment_id", Integer, primary_key=True),
    Column("document_id", ForeignKey("document.document_id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.person_id")),  # none of what stood there before people
    Column("text", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("edited_at", UtcDateTime),
    Column("resolved_at", UtcDateTime),
    Column("mentions", JSON(none_as_null=True)),  # person ids; none where it names nobody
)

skip = Table(
    "skip",
    metadata,
    Column("skip_id", Integer, primary_key=True),
    Column("document_id", ForeignKey("document.document_id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("skipped_at", UtcDateTime, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
)

preference = Table(
    "preference",
    metadata,
    Column("person_id", ForeignKey("person.person_id"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
)

guidelines = Table(
    "guidelines",
    metadata,
    Column("version_id", Integer, primary_key=True),
    Column("project_id", ForeignKey("project.project_id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("written_at", UtcDateTime, nullable=False),
    Column("text", Text, nullable=False),  # in Markdown; "" takes them back
)

concept_note = Table(
    "concept_note",
    metadata,
    Column("project_id", ForeignKey("project.project_id"), primary_key=True),
    Column("concept_id", String(ID_LENGTH), primary_key=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("written_at", UtcDateTime, nullable=False),
    Column("text", Text, nullable=False),
)

# Its numbers may be of people and projects that a restore has replaced, so they refer to nothing.
audit_event = Table(
    "audit_event",
    metadata,
    Column("event_id", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("person_id", Integer),
    Column("kind", String(32), nullable=False),
    Column("project_id", Integer),
    Column("document_id", String(ID_LENGTH)),
    Column("detail", JSON(none_as_null=True)),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),  # SHA-256 over the previous one and the content
    Index("ix_audit_event_document", "document_id", "at"),
)

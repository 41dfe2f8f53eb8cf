"""The tables of the store: documents, what models suggested, and what people decided.

`decision_event` only ever grows. Derived from it, and rebuilt at any time, are `undone_event`,
`decision`, and a document's `version` and `finished_at`. A change here needs a migration beside
it in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

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
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    desc,
    false,
)

ID_LENGTH = 255
IDS_AT_ONCE = 500  # in one query; databases bound how many values it may have

Id = TypeVar("Id", int, str)

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
    Column("bundle", String(ID_LENGTH)),  # the model that reads its documents, if one was chosen
    Column("vocabulary_choice", String(ID_LENGTH)),  # the file of its vocabulary, likewise
    Column("former_choices", JSON(none_as_null=True)),  # those of before, the last one last
    Column("archived_at", UtcDateTime),  # put aside with all that is in it; none while it is listed
    Column("learning", JSON(none_as_null=True)),  # whether decisions teach; none: they do
    Column("companions", JSON(none_as_null=True)),  # further code systems, [id, version] each
    Column("elsewhere", JSON(none_as_null=True)),  # a suggester on another machine, if one is asked
    Column("groups_stays", Boolean, nullable=False, server_default=false()),  # shows the MS-DRG
    Column("hides_times", Boolean, nullable=False, server_default=false()),  # of people, from leads
    Column(
        "retention_days", Integer
    ),  # from the finish of a document until it is erased; none: never
)

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

document = Table(
    "document",
    metadata,
    Column("document_id", String(ID_LENGTH), primary_key=True),
    Column("project_id", ForeignKey("project.project_id"), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("fingerprint", String(64), nullable=False),  # SHA-256 of title and parts
    Column("text_fingerprint", String(64), nullable=False, server_default="", index=True),
    Column("n_characters", Integer, nullable=False, server_default="0"),  # of the whole text
    Column("batch", Text),  # the upload that it came with, if it came with others
    Column("comment", Text, nullable=False, server_default=""),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("removed_at", UtcDateTime),  # removed from the list; restoring empties it again
    Column("finished_at", UtcDateTime),  # derived: when the finish that stands was recorded
    Column("version", Integer, nullable=False, server_default="0"),  # derived: the last event here
    Column("erased_at", UtcDateTime),  # when its text, title and stay were erased
    Index("ix_document_newest", "project_id", "removed_at", desc("created_at"), "document_id"),
)

document_part = Table(
    "document_part",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", String(ID_LENGTH), nullable=False),
    Column("part_date", Date),
    Column("title", Text, nullable=False, server_default=""),
    Column("headings", JSON, nullable=False, server_default="[]"),  # [start, end, level] each
    Column("text", Text, nullable=False),
)

given_concept = Table(
    "given_concept",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("concept_id", String(ID_LENGTH), primary_key=True),
    Column("position", Integer, nullable=False),
)

stay = Table(
    "stay",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("admitted", Date),
    Column("discharged", Date),
    Column("age_years", Integer),
    Column("sex", String(16), nullable=False, server_default=""),
    Column("disposition", String(2), nullable=False, server_default=""),
    Column("patient", String(ID_LENGTH)),  # how the hospital identifies them, and the URI of that
    Column("patient_system", String(ID_LENGTH)),
    Column("encounter", String(ID_LENGTH)),
    Column("encounter_system", String(ID_LENGTH)),
    Column("encounter_class", String(16), nullable=False, server_default=""),
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
    Column("own_probability", JSON, nullable=False, server_default="{}"),  # of being assigned
    Column("model_probability", JSON(none_as_null=True)),  # before what was learned took part
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
    Column("denied", String(16), nullable=False, server_default=""),
    Index("ix_suggestion_concept", "concept_id", "rank", "run_id"),
)

decision_event = Table(
    "decision_event",
    metadata,
    Column("event_id", Integer, primary_key=True),
    Column("client_id", String(64), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("position", BigInteger, nullable=False, server_default="0"),  # `ledger` says of what
    Column("group_id", String(64), index=True),
    Column("document_id", ForeignKey("document.document_id"), nullable=False),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("action", String(16), nullable=False),
    Column("concept_id", String(ID_LENGTH)),  # none for an undo, a finish and a reopening
    Column("decided_at", UtcDateTime, nullable=False),
    Column("run_id", ForeignKey("prediction_run.run_id")),
    Column("shown", Integer),  # with a finish: how many suggestions, by rank, were on the page
    Column("probability", Float),  # this and the next two: as the person saw them,
    Column("rank", Integer),  # none where the concept was not suggested
    Column("source", String(ID_LENGTH)),
    Column("undone_event_id", ForeignKey("decision_event.event_id")),
    Column("value", JSON(none_as_null=True)),  # of "present", "performed", "cite", "order", …
    UniqueConstraint("client_id", "sequence"),
    Index("ix_decision_event_concept", "document_id", "concept_id"),
    Index("ix_decision_event_person", "person_id", "position"),
)

undone_event = Table(
    "undone_event",
    metadata,
    Column("event_id", ForeignKey("decision_event.event_id"), primary_key=True),
    Column(
        "undo_event_id", ForeignKey("decision_event.event_id"), nullable=False, index=True
    ),  # the first undo that took it back
)

decision = Table(
    "decision",
    metadata,
    Column("document_id", ForeignKey("document.document_id"), primary_key=True),
    Column("concept_id", String(ID_LENGTH), primary_key=True, index=True),
    Column("event_id", ForeignKey("decision_event.event_id"), nullable=False),
    Column("state", String(16), nullable=False),
    Column("added", Boolean, nullable=False),
    Column("main", Boolean, nullable=False, server_default=false()),  # a main topic
    Column("present", String(1)),  # on admission; none while nobody said so
    Column("performed_on", Date),  # the day of a procedure
    Column("place", Integer),  # in the last order that names it, from 1 on
    Column("cited", Text),  # places of the text that a person attached: "10-25 40-52"
)

proposed_term = Table(
    "proposed_term",
    metadata,
    Column("term_id", Integer, primary_key=True),
    Column("document_id", ForeignKey("document.document_id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("text", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("withdrawn_at", UtcDateTime),
)

rule = Table(
    "rule",
    metadata,
    Column("rule_id", Integer, primary_key=True),
    Column("project_id", ForeignKey("project.project_id"), nullable=False, index=True),
    Column("concept_id", String(ID_LENGTH), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("lifted_at", UtcDateTime),
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

model_change = Table(
    "model_change",
    metadata,
    Column("change_id", Integer, primary_key=True),
    Column("project_id", ForeignKey("project.project_id"), nullable=False, index=True),
    Column("person_id", ForeignKey("person.person_id"), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    Column("bundle", String(ID_LENGTH)),  # as in the project's row
    Column("former", String(ID_LENGTH)),  # what it took the place of, likewise
    Column("reason", Text, nullable=False, server_default=""),
)

preference = Table(
    "preference",
    metadata,
    Column("person_id", ForeignKey("person.person_id"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
)

job = Table(
    "job",
    metadata,
    Column("job_id", Integer, primary_key=True),
    Column("kind", String(32), nullable=False),
    Column("project_id", ForeignKey("project.project_id"), nullable=False, index=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("state", String(16), nullable=False),
    Column("settings", JSON, nullable=False),
)

job_document = Table(
    "job_document",
    metadata,
    Column("job_id", ForeignKey("job.job_id"), primary_key=True),
    Column("document_id", ForeignKey("document.document_id"), primary_key=True, index=True),
    Column("position", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("problem", Text),
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


def in_groups(ids: Sequence[Id]) -> Iterator[list[Id]]:
    """Yield ids in groups of as many as one query asks for."""
    for start in range(0, len(ids), IDS_AT_ONCE):
        yield list(ids[start : start + IDS_AT_ONCE])

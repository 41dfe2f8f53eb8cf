"""The tables of the store: documents, what models suggested, and what people decided.

`decision_event` only ever grows. Derived from it are `undone_event`, `decision`, and a document's
`version` and the moments of its turns. A change here needs a migration beside it in
`migrations/versions`, and its number as `HEAD` in `database.py`; tests compare them. A new column is named in
`LATER_COLUMNS` of `tests/golden/decided_store.py`, and in `LATER_FIELDS` of `test_golden.py` where it is read.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    desc,
    false,
)

from core.review.columns import ID_LENGTH as ID_LENGTH
from core.review.columns import UtcDateTime as UtcDateTime
from core.review.columns import in_groups as in_groups
from core.review.columns import metadata as metadata
from core.review.people.tables import assignment as assignment
from core.review.people.tables import audit_event as audit_event
from core.review.people.tables import comment as comment
from core.review.people.tables import concept_note as concept_note
from core.review.people.tables import guidelines as guidelines
from core.review.people.tables import invitation as invitation
from core.review.people.tables import membership as membership
from core.review.people.tables import person as person
from core.review.people.tables import preference as preference
from core.review.people.tables import sign_in as sign_in
from core.review.people.tables import skip as skip

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
    Column("needs_approval", Boolean, nullable=False, server_default=false()),  # to count as done
    Column("names_people", Boolean, nullable=False, server_default=false()),  # in records
    Column("retention_days", Integer),  # from a finish until erasure; none: never
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
    Column("approved_at", UtcDateTime),  # derived, likewise; so is the next
    Column("sent_back_at", UtcDateTime),
    Column("is_urgent", Boolean, nullable=False, server_default=false()),
    Column("version", Integer, nullable=False, server_default="0"),  # derived: the last event here
    Column("erased_at", UtcDateTime),  # when its text, title and stay were erased
    # Of a row that is one person's annotation of another document, see `listed`. It refers to nothing,
    # so that rows can be copied in whatever order.
    Column("annotation_of", String(ID_LENGTH), index=True),
    Column("annotator_id", ForeignKey("person.person_id"), index=True),
    Index(
        "ix_document_newest",
        "project_id",
        "removed_at",
        "annotation_of",
        desc("created_at"),
        "document_id",
    ),
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

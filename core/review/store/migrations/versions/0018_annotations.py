"""Annotations: documents that two people annotate, each in a row of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

ANNOTATIONS = "SELECT document_id FROM document WHERE annotation_of IS NOT NULL"
OF_DOCUMENTS = (
    *("prediction_run", "given_concept", "stay", "proposed_term", "assignment", "job_document"),
    *("comment", "skip"),
)
NEWEST = "ix_document_newest"
NEW, FORMER = ("project_id", "removed_at", "annotation_of"), ("project_id", "removed_at")


def upgrade() -> None:
    """Add the columns; no document that is there has two annotations."""
    op.add_column("document", sa.Column("annotation_of", sa.String(255)))
    # In one statement, which SQLite takes without writing the table anew.
    op.execute(
        "ALTER TABLE document ADD COLUMN annotator_id INTEGER "
        "CONSTRAINT fk_document_annotator_id_person REFERENCES person (person_id)"
    )
    for column in ("annotation_of", "annotator_id"):
        op.create_index(f"ix_document_{column}", "document", [column])
    _index(NEW)


def downgrade() -> None:
    """Drop annotations with the columns; documents that nobody adjudicated lose what was decided."""
    _drop_rows()
    _index(FORMER)
    for column in ("annotation_of", "annotator_id"):
        op.drop_index(f"ix_document_{column}", "document")
    with op.batch_alter_table("document") as table:
        table.drop_column("annotator_id")
        table.drop_column("annotation_of")


def _drop_rows() -> None:
    """Delete annotations with all that is theirs; they would be documents without a text."""
    theirs = f"document_id IN ({ANNOTATIONS})"
    events = f"SELECT event_id FROM decision_event WHERE {theirs}"
    runs = f"SELECT run_id FROM prediction_run WHERE {theirs}"
    # What an undo took back in another document stays taken back, and the other way round.
    op.execute(
        "UPDATE decision_event SET document_id = (SELECT target.document_id FROM decision_event AS target "
        f"WHERE target.event_id = decision_event.undone_event_id) WHERE {theirs} "
        f"AND undone_event_id NOT IN ({events})"
    )
    op.execute(
        f"UPDATE decision_event SET undone_event_id = NULL WHERE NOT ({theirs}) "
        f"AND undone_event_id IN ({events})"
    )
    op.execute(f"DELETE FROM undone_event WHERE event_id IN ({events})")
    op.execute(f"DELETE FROM decision WHERE {theirs}")
    op.execute(f"DELETE FROM decision_event WHERE {theirs}")
    op.execute(f"DELETE FROM suggestion WHERE run_id IN ({runs})")
    for table in OF_DOCUMENTS:
        op.execute(f"DELETE FROM {table} WHERE {theirs}")
    op.execute("DELETE FROM document WHERE annotation_of IS NOT NULL")


def _index(columns: tuple[str, ...]) -> None:
    op.drop_index(NEWEST, "document")
    ordered: list[str | sa.TextClause] = [*columns, sa.text("created_at DESC"), "document_id"]
    op.create_index(NEWEST, "document", ordered)

"""Annotations: documents that two people annotate, each in a row of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *map(sa.column, ("document_id", *columns)))


DOCUMENT = _table("document", "annotation_of")
EVENT = _table("decision_event", "event_id", "undone_event_id")
ANNOTATIONS = sa.select(DOCUMENT.c.document_id).where(DOCUMENT.c.annotation_of.is_not(None))
OF_DOCUMENTS = (  # in an order in which none is referred to by one that is left
    *("decision", "decision_event", "prediction_run", "given_concept", "stay", "proposed_term"),
    *("assignment", "job_document", "comment", "skip"),
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
    theirs = EVENT.c.document_id.in_(ANNOTATIONS)
    events = sa.select(EVENT.c.event_id).where(theirs).scalar_subquery()
    # What an undo took back in another document stays taken back, and the other way round.
    target = EVENT.alias()
    taken_back = target.c.event_id == EVENT.c.undone_event_id
    elsewhere = sa.select(target.c.document_id).where(taken_back).scalar_subquery()
    moved = sa.update(EVENT).where(theirs, EVENT.c.undone_event_id.not_in(events))
    op.execute(moved.values(document_id=elsewhere))
    left = sa.update(EVENT).where(sa.not_(theirs), EVENT.c.undone_event_id.in_(events))
    op.execute(left.values(undone_event_id=None))
    undone = sa.table("undone_event", sa.column("event_id"))
    op.execute(sa.delete(undone).where(undone.c.event_id.in_(events)))
    run, suggested = (_table(name, "run_id") for name in ("prediction_run", "suggestion"))
    runs = sa.select(run.c.run_id).where(run.c.document_id.in_(ANNOTATIONS))
    op.execute(sa.delete(suggested).where(suggested.c.run_id.in_(runs)))
    for table in map(_table, OF_DOCUMENTS):
        op.execute(sa.delete(table).where(table.c.document_id.in_(ANNOTATIONS)))
    op.execute(sa.delete(DOCUMENT).where(DOCUMENT.c.annotation_of.is_not(None)))


def _index(columns: tuple[str, ...]) -> None:
    op.drop_index(NEWEST, "document")
    ordered: list[str | sa.TextClause] = [*columns, sa.text("created_at DESC"), "document_id"]
    op.create_index(NEWEST, "document", ordered)

"""Annotations: documents that two people annotate, each in a row of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

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
    _index(FORMER)
    for column in ("annotation_of", "annotator_id"):
        op.drop_index(f"ix_document_{column}", "document")
    with op.batch_alter_table("document") as table:
        table.drop_constraint("fk_document_annotator_id_person", type_="foreignkey")
        table.drop_column("annotator_id")
        table.drop_column("annotation_of")


def _index(columns: tuple[str, ...]) -> None:
    op.drop_index(NEWEST, "document")
    ordered: list[str | sa.TextClause] = [*columns, sa.text("created_at DESC"), "document_id"]
    op.create_index(NEWEST, "document", ordered)

"""Annotations: documents that two people annotate, each in a row of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


NEWEST = "ix_document_newest"
NEWEST_FIRST: list[str | sa.TextClause] = [
    *("project_id", "removed_at", "annotation_of"),
    sa.text("created_at DESC"),
    "document_id",
]


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
    op.drop_index(NEWEST, "document")
    op.create_index(NEWEST, "document", NEWEST_FIRST)

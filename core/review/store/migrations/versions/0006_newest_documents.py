"""An index of the documents of a project, newest first."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

NEWEST: list[str | sa.TextClause] = [
    "project_id",
    "removed_at",
    sa.text("created_at DESC"),
    "document_id",
]


def upgrade() -> None:
    """Make the index; lists are in this order, and nobody wants to sort 100,000 documents."""
    op.create_index("ix_document_newest", "document", NEWEST)


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_document_newest", "document")

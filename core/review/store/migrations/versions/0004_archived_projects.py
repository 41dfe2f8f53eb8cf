"""Projects that were put aside, with all that is in them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no project is archived yet."""
    op.add_column("project", sa.Column("archived_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Drop the column: every project is on the list again."""
    op.drop_column("project", "archived_at")

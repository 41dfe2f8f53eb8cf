"""Whether the diagnosis related groups of stays are shown in a project."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nothing is shown unless somebody switches it on."""
    column = sa.Column("groups_stays", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("project", column)


def downgrade() -> None:
    """Drop it."""
    op.drop_column("project", "groups_stays")

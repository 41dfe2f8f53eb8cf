"""The versions of its vocabulary that a project was worked on with before."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; that it is empty says that one project was open for all until now."""
    op.add_column("project", sa.Column("former_choices", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    """Drop the column: what was in use before is forgotten."""
    op.drop_column("project", "former_choices")

"""Which suggester on another machine a project asks as well."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; no project asks one unless somebody says so."""
    op.add_column("project", sa.Column("elsewhere", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("project", "elsewhere")

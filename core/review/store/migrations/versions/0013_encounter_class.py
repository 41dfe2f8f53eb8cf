"""The class of an encounter: inpatient, emergency …; "" where nobody has said it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    column = sa.Column("encounter_class", sa.String(16), nullable=False, server_default="")
    op.add_column("stay", column)


def downgrade() -> None:
    """Drop the column; what was said of classes is lost."""
    with op.batch_alter_table("stay") as table:
        table.drop_column("encounter_class")

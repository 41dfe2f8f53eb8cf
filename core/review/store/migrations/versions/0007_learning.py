"""What a model suggests before it is corrected, and whether a project learns from decisions."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; nothing was corrected before, and a project learns unless it says otherwise."""
    op.add_column("prediction_run", sa.Column("model_probability", sa.JSON(none_as_null=True)))
    op.add_column("project", sa.Column("learning", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    """Drop both."""
    op.drop_column("project", "learning")
    op.drop_column("prediction_run", "model_probability")

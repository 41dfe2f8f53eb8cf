"""Codes: open categories, marks, days and an order; a project's own model and vocabulary."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NAME = sa.String(255)
NEWER = (
    "SELECT count(*) FROM decision_event WHERE action IN ('hold', 'present', 'performed', 'order')"
)


def upgrade() -> None:
    """Add columns; those of old rows stay empty."""
    op.add_column("decision_event", sa.Column("value", sa.JSON))
    op.add_column("decision", sa.Column("present", sa.String(1)))
    op.add_column("decision", sa.Column("performed_on", sa.Date))
    op.add_column("decision", sa.Column("place", sa.Integer))
    op.add_column("project", sa.Column("bundle", NAME))
    op.add_column("project", sa.Column("vocabulary_choice", NAME))


def downgrade() -> None:
    """Drop the columns, unless something was decided that cannot be said without them."""
    if op.get_bind().scalar(sa.text(NEWER)):
        raise NotImplementedError("There is no way back for what coders decided; restore a backup.")
    for table, column in (
        ("project", "vocabulary_choice"),
        ("project", "bundle"),
        ("decision", "place"),
        ("decision", "performed_on"),
        ("decision", "present"),
        ("decision_event", "value"),
    ):
        op.drop_column(table, column)

"""The class of an encounter, and the words of a note that a person attached to a code."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the columns."""
    column = sa.Column("encounter_class", sa.String(16), nullable=False, server_default="")
    op.add_column("stay", column)
    op.add_column("decision", sa.Column("cited", sa.Text))

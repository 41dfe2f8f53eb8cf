"""How a note denies a suggested code."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the column; of suggestions that are there already, nothing is known."""
    column = sa.Column("denied", sa.String(16), nullable=False, server_default="")
    op.add_column("suggestion", column)

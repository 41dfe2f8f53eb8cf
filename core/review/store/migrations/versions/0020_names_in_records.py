"""Whether exported records of a project name people."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column; no project names anybody yet."""
    column = sa.Column("names_people", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("project", column)

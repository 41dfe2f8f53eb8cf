"""The audit log, and the switch of a project that hides from leads how long people took.

The numbers of the log name people and projects that a restore may replace, so they refer to none.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Create the table, and add the column."""
    op.add_column(
        "project", sa.Column("hides_times", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_table(
        "audit_event",
        sa.Column("event_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person_id", sa.Integer),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("project_id", sa.Integer),
        sa.Column("document_id", sa.String(255)),
        sa.Column("detail", sa.JSON),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("ix_audit_event_document", "audit_event", ["document_id", "at"])

"""States after finishing, threads of comments, skips and priorities."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

SWITCHES = (("project", "needs_approval"), ("document", "is_urgent"))
MOMENTS = ("approved_at", "sent_back_at")  # of documents


def upgrade() -> None:
    """Add the columns and create the tables; nothing is approved, urgent or skipped yet."""
    for table, name in SWITCHES:
        column = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column(table, column)
    for name in MOMENTS:
        op.add_column("document", sa.Column(name, sa.DateTime(timezone=True)))
    op.create_table(
        "comment",
        sa.Column("comment_id", sa.Integer, primary_key=True),
        _document(),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.person_id")),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edited_at", sa.DateTime(timezone=True)),
        sa.Column("resolved_at", sa.DateTime(timezone=True)),
        sa.Column("mentions", sa.JSON),
    )
    op.create_table(
        "skip",
        sa.Column("skip_id", sa.Integer, primary_key=True),
        _document(),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.person_id"), nullable=False),
        sa.Column("skipped_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
    )
    for table in ("comment", "skip"):
        op.create_index(f"ix_{table}_document_id", table, ["document_id"])


def _document() -> sa.Column[str]:
    return sa.Column(
        "document_id", sa.String(255), sa.ForeignKey("document.document_id"), nullable=False
    )

"""People: accounts, roles in projects, sign-ins, links that work once, and whose a document is."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add columns and tables; whoever was alone here before administers."""
    for column in (
        sa.Column("display_name", sa.Text, nullable=False, server_default=""),
        sa.Column("password", sa.Text),
        sa.Column("is_administrator", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("closed_at", MOMENT),
    ):
        op.add_column("person", column)
    op.execute(sa.text("UPDATE person SET is_administrator = true"))
    op.create_table(
        "membership",
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.person_id"), primary_key=True),
        sa.Column(
            "project_id",
            sa.Integer,
            sa.ForeignKey("project.project_id"),
            primary_key=True,
            index=True,
        ),
        sa.Column("role", sa.String(16), nullable=False),
    )
    op.create_table(
        "assignment",
        sa.Column(
            "document_id", sa.String(255), sa.ForeignKey("document.document_id"), primary_key=True
        ),
        sa.Column(
            "person_id",
            sa.Integer,
            sa.ForeignKey("person.person_id"),
            nullable=False,
            index=True,
        ),
        sa.Column("assigned_by", sa.Integer, sa.ForeignKey("person.person_id"), nullable=False),
        sa.Column("assigned_at", MOMENT, nullable=False),
        sa.Column("due_on", sa.Date),
        sa.Column("lease_ends_at", MOMENT),
    )
    for name in ("sign_in", "invitation"):
        op.create_table(
            name,
            sa.Column("digest", sa.String(64), primary_key=True),
            sa.Column(
                "person_id",
                sa.Integer,
                sa.ForeignKey("person.person_id"),
                nullable=False,
                index=True,
            ),
            sa.Column("ends_at", MOMENT, nullable=False),
        )

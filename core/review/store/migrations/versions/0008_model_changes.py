"""Who has had another model suggest in a project, when, and why."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nobody knows who has chosen the models of before."""
    op.create_table(
        "model_change",
        sa.Column("change_id", sa.Integer, primary_key=True),
        sa.Column(
            "project_id",
            sa.Integer,
            sa.ForeignKey("project.project_id"),
            nullable=False,
            index=True,
        ),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("person.person_id"), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bundle", sa.String(255)),
        sa.Column("former", sa.String(255)),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("model_change")

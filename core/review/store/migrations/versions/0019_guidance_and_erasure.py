"""Guidelines of a project, notes on concepts, and what is erased."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the tables, and the columns; nothing is erased until somebody says so."""
    op.create_table(
        "guidelines",
        sa.Column("version_id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.project_id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.person_id"), nullable=False),
        sa.Column("written_at", MOMENT, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
    )
    op.create_index("ix_guidelines_project_id", "guidelines", ["project_id"])
    op.create_table(
        "concept_note",
        sa.Column(
            "project_id", sa.Integer(), sa.ForeignKey("project.project_id"), primary_key=True
        ),
        sa.Column("concept_id", sa.String(255), primary_key=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.person_id"), nullable=False),
        sa.Column("written_at", MOMENT, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
    )
    op.add_column("project", sa.Column("retention_days", sa.Integer()))
    op.add_column("document", sa.Column("erased_at", MOMENT))

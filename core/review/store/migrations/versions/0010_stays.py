"""When a stay was and of whom, and further code systems of a project."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the column; nothing is known of the stays of before."""
    op.create_table(
        "stay",
        sa.Column(
            "document_id",
            sa.String(255),
            sa.ForeignKey("document.document_id"),
            primary_key=True,
        ),
        sa.Column("admitted", sa.Date),
        sa.Column("discharged", sa.Date),
        sa.Column("age_years", sa.Integer),
        sa.Column("sex", sa.String(16), nullable=False, server_default=""),
        sa.Column("disposition", sa.String(2), nullable=False, server_default=""),
        sa.Column("patient", sa.String(255)),
        sa.Column("patient_system", sa.String(255)),
        sa.Column("encounter", sa.String(255)),
        sa.Column("encounter_system", sa.String(255)),
    )
    op.add_column("project", sa.Column("companions", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    """Drop them, where nobody has described a stay.

    Raises:
        NotImplementedError: somebody has; what was typed is not thrown away.
    """
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM stay")):
        raise NotImplementedError("Stays are described here; restore a backup instead.")
    op.drop_column("project", "companions")
    op.drop_table("stay")

"""An index of suggestions by concept."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index: work on one branch looks for its concepts in thousands of documents."""
    op.create_index("ix_suggestion_concept", "suggestion", ["concept_id", "rank", "run_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_suggestion_concept", "suggestion")

"""Alembic's environment; the store runs it when it opens."""

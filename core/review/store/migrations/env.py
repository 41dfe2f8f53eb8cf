"""Run by Alembic with the connection that `core.review.store.database.migrate` opened."""

from alembic import context

from core.review.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,  # SQLite can, once transactions are begun explicitly
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()

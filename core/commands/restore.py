"""`python -m core restore FILE`: a backup in the place of what is there, which is kept aside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Typer

from core.commands.options import PLAIN
from core.review.store.restore import finish_restores, read_backup
from core.settings import Settings

app = Typer(**PLAIN)


@app.command()
def restore(
    file: Annotated[Path, Argument(metavar="FILE", help="a backup of SQLite or PostgreSQL")],
) -> None:
    """Put a backup in the place of the database and the imported vocabularies of STRATA_HOME and
    STRATA_DATABASE_URL. What is there is kept in a backup of its own before. Servers may go on
    working: who decides something meanwhile is told to come again.
    """
    settings = Settings.from_env()
    finish_restores(settings.database_url, settings.home)
    restored = read_backup(file, database_url=settings.database_url, home=settings.home)
    print(
        f"Restored {restored.n_documents:,} documents and {restored.n_events:,} decision steps "
        f"of {restored.created_at}. What was here before lies in {restored.kept}."
    )

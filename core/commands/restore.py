"""`python -m core restore FILE`: a backup in the place of what is there, which is kept aside."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.review.store.restore import finish_restores, read_backup
from core.settings import Settings

DESCRIPTION = """\
Put a backup in the place of the database and the imported vocabularies of STRATA_HOME and
STRATA_DATABASE_URL. What is there is kept in a backup of its own before. Servers may go on working:
who decides something meanwhile is told to come again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.description = DESCRIPTION
    parser.add_argument("file", type=Path, metavar="FILE", help="a backup of SQLite or PostgreSQL")


def run(arguments: argparse.Namespace) -> int:
    """Restore the backup.

    Raises:
        StoreError: it is no whole backup, or something cannot be written; nothing was changed then.
    """
    settings = Settings.from_env()
    finish_restores(settings.database_url, settings.home)
    restored = read_backup(arguments.file, database_url=settings.database_url, home=settings.home)
    print(
        f"Restored {restored.n_documents:,} documents and {restored.n_events:,} decision steps "
        f"of {restored.created_at}. What was here before lies in {restored.kept}."
    )
    return 0

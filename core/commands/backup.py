"""`python -m core backup FILE`: everything of an installation in one file, also while it serves."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from core.review.store.backup import write_backup
from core.review.store.restore import finish_restores
from core.review.store.store import Store
from core.settings import Settings

DESCRIPTION = """\
Write the database and the imported vocabularies of STRATA_HOME and STRATA_DATABASE_URL into one
file. Servers go on working. Whoever has the file can read the texts; only its owner can at first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.description = DESCRIPTION
    parser.add_argument("file", type=Path, metavar="FILE", help="a new file, such as strata.zip")


def run(arguments: argparse.Namespace) -> int:
    """Write the backup.

    Raises:
        StoreError: the file is there, or something cannot be read or written.
    """
    settings = Settings.from_env()
    finish_restores(settings.database_url, settings.home)
    with closing(Store.open(settings.database_url)) as store:
        manifest = write_backup(store, settings.home, arguments.file.resolve())
    print(
        f"{arguments.file}: {manifest.n_documents:,} documents, "
        f"{manifest.n_events:,} decision steps, schema {manifest.schema}"
    )
    return 0

"""`python -m core backup FILE`: everything of an installation in one file, also while it serves."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

from typer import Argument, Typer

from core.commands.options import PLAIN
from core.review.audit.log import AuditKind, record_alone
from core.review.store.backup import write_backup
from core.review.store.restore import finish_restores
from core.review.store.store import Store
from core.settings import Settings

app = Typer(**PLAIN)


@app.command()
def backup(
    file: Annotated[Path, Argument(metavar="FILE", help="a new file, such as strata.zip")],
) -> None:
    """Write the database and the imported vocabularies of STRATA_HOME and STRATA_DATABASE_URL into
    one file. Servers go on working. Whoever has the file can read the texts; only its owner can at
    first.
    """
    settings = Settings.from_env()
    finish_restores(settings.database_url, settings.home)
    with closing(Store.open(settings.database_url)) as store:
        record_alone(store, AuditKind.BACKUP)  # first, so that it is in the backup, too
        manifest = write_backup(store, settings.home, file.resolve())
    print(
        f"{file}: {manifest.n_documents:,} documents, "
        f"{manifest.n_events:,} decision steps, schema {manifest.schema}"
    )

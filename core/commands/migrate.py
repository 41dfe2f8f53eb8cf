"""`python -m core migrate FROM TO`: all rows of one database in another, SQLite or PostgreSQL."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Typer

from core.commands.options import PLAIN
from core.review.store.copying import copy_store

EXAMPLE = "sqlite:////srv/strata/strata.sqlite"
EXAMPLE_SERVER = "postgresql+psycopg://strata@localhost/strata"

app = Typer(**PLAIN)


@app.command()
def migrate(
    source: Annotated[str, Argument(metavar="FROM", help=f"a URL, such as {EXAMPLE}")],
    target: Annotated[str, Argument(metavar="TO", help=f"another, such as {EXAMPLE_SERVER}")],
) -> None:
    """Copy all rows of a database to an empty one of the same or of the other kind, and compare
    counts and checksums of every table in both. Nobody writes to the first one meanwhile; stop the
    servers before, and name the second one in STRATA_DATABASE_URL afterwards. The vocabularies stay
    in STRATA_HOME.
    """
    for name, copied in copy_store(source, target).items():
        print(f"{name:16} {copied.n_rows:>10,} rows  {copied.checksum}")
    print("Both databases hold the same.")

"""`python -m core migrate FROM TO`: all rows of one database in another, SQLite or PostgreSQL."""

from __future__ import annotations

import argparse

from core.review.store.copying import copy_store

DESCRIPTION = """\
Copy all rows of a database to an empty one of the same or of the other kind, and compare counts and
checksums of every table in both. Nobody writes to the first one meanwhile; stop the servers before,
and name the second one in STRATA_DATABASE_URL afterwards. The vocabularies stay in STRATA_HOME."""
EXAMPLE = "sqlite:////srv/strata/strata.sqlite"
EXAMPLE_SERVER = "postgresql+psycopg://strata@localhost/strata"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.description = DESCRIPTION
    parser.add_argument("source", metavar="FROM", help=f"a URL, such as {EXAMPLE}")
    parser.add_argument("target", metavar="TO", help=f"another, such as {EXAMPLE_SERVER}")


def run(arguments: argparse.Namespace) -> int:
    """Copy, compare, and print what every table holds.

    Raises:
        StoreError: the second database is not empty, or does not hold the same afterwards.
    """
    copied = copy_store(arguments.source, arguments.target)
    for name, found in copied.items():
        print(f"{name:16} {found.n_rows:>10,} rows  {found.checksum}")
    print("Both databases hold the same.")
    return 0

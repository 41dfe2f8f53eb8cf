"""A store as the first Strata wrote it, and as the schemas after it were released.

`tests/data/schemas` has a file of each schema, which no later change of a migration alters; that
of a new one is written by `python -m tests.support.first_store`, once.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from core.review.decisions.derivation import derive_all
from core.review.store import database

SCHEMAS = Path(__file__).parents[1] / "data" / "schemas"
MOMENT = "2026-05-04 09:08:07.000006"


FIRST_ROWS = {
    "vocabulary": [("eurovoc", MOMENT)],
    "project": [(1, "eurovoc", "eurovoc", MOMENT)],
    "person": [(1, "me", MOMENT), (2, "colleague", MOMENT)],
    "document": [
        ("act", 1, "Olives", "f1", MOMENT, MOMENT, None),
        ("bare", 1, "Only a\ttitle", "f2", MOMENT, MOMENT, MOMENT),
    ],
    "document_part": [
        ("act", 0, "body", None, "On olives 🫒."),
        ("act", 1, "annex", "2017-03-01", "A list."),
    ],
    "prediction_run": [
        (1, "act", MOMENT, "hash", "4.9", '{"limit": 2}', '{"top": 0.9}', 2, 12, 12, 1, 0.5),
    ],
    "suggestion": [
        (1, "c1", 1, 0.8, 0.85, "guided", "u1", None, "one"),
        (1, "c2", 2, 0.4, 0.45, "linear", "u2", "N2", "two"),
    ],
    "decision_event": [
        (1, "tab", 1, None, "act", 1, "accept", "c1", MOMENT, 1, 0.8, 1, "guided", None),
        (2, "tab", 2, "g", "act", 1, "reject", "c2", MOMENT, 1, 0.4, 2, "linear", None),
        (3, "tab", 3, "g", "act", 1, "reject", "c3", MOMENT, 1, None, None, None, None),
        (4, "tab", 4, None, "act", 1, "undo", None, MOMENT, 1, None, None, None, 3),
        (5, "theirs", 2, None, "act", 2, "add", "c9", MOMENT, 1, None, None, None, None),
        (6, "theirs", 1, None, "act", 2, "reject", "c9", MOMENT, 1, None, None, None, None),
    ],
    "decision": [("act", "c1", 1, "accepted", 0), ("act", "c9", 5, "accepted", 1)],
}


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    return config


def write_first_store(file: Path) -> str:
    """A store of schema 0001 with rows in every table, and its URL."""
    url = f"sqlite:///{file}"
    engine = database.connect(url, busy_timeout_seconds=1)
    config = configuration()
    with engine.execution_options(writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    with sqlite3.connect(file) as old:
        for table, rows in FIRST_ROWS.items():
            marks = ", ".join("?" * len(rows[0]))
            old.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    old.close()
    return url


def read_schema(dump: Path, file: Path) -> str:
    """The store of a released schema in a file, and its URL."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(dump.read_text("utf-8"))
    return f"sqlite:///{file}"


def write_schemas(folder: Path) -> None:
    """Write the first store as each schema has it, unless that was done before."""
    config = configuration()
    folder.mkdir(exist_ok=True)
    for script in ScriptDirectory.from_config(config).walk_revisions():
        dump = folder / f"{script.revision}.sql"
        if dump.exists():
            continue
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "strata.sqlite"
            engine = database.connect(write_first_store(file), busy_timeout_seconds=1)
            with engine.execution_options(writes=True).begin() as connection:
                database.upgrade(connection, script.revision)
                if (
                    script.revision == database.HEAD
                ):  # of an older one that is done when it is opened
                    derive_all(connection)
            engine.dispose()
            with closing(sqlite3.connect(file)) as connection:
                dump.write_text("\n".join(connection.iterdump()) + "\n", "utf-8")


if __name__ == "__main__":
    write_schemas(SCHEMAS)

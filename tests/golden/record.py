"""Record the results anew: `python -m tests.golden.record [NAME ...]`, by default all.

Recorded results hold whatever is moved or rewritten, so record them only where one is meant to
change. `subject` names what is tested, and `decided_store` fills a database; nothing else here
knows the program. The database and the backup are those of the schema that was current when they
were recorded, so `database` is recorded only where it is named.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tests.golden import decided_store, subject
from tests.golden.results import BACKUP, DATABASE, RESULTS, environment, file_of, write_exports
from tests.support.files.code_files import write_list


def main(names: Sequence[str]) -> None:
    """Record results by name."""
    for name in names or RESULTS:
        with tempfile.TemporaryDirectory() as folder:
            if name == "database":
                record_database(Path(folder))
            elif name == "exports":
                write_exports(RESULTS[name](Path(folder)))
            else:
                content = json.dumps(RESULTS[name](Path(folder)), separators=(",", ":"))
                file_of(name).write_bytes(gzip.compress(content.encode(), mtime=0))
        sys.stdout.write(f"{name}\n")


def record_database(folder: Path) -> None:
    """Write a database as SQL, and a backup with a vocabulary, both of the schema of today."""
    url = decided_store.write_store(folder / "strata.sqlite")
    with closing(sqlite3.connect(folder / "strata.sqlite")) as connection:
        dump = "\n".join(connection.iterdump())
    DATABASE.write_bytes(gzip.compress(dump.encode(), mtime=0))
    home = folder / "home"
    home.mkdir()
    with environment(home):
        subject.command("vocabulary", write_list(folder), "--id", "ward", "--import")
    BACKUP.unlink(missing_ok=True)
    subject.write_backup_file(url, home, BACKUP)


if __name__ == "__main__":
    main(sys.argv[1:])

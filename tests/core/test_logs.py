"""No word of a document, no title, label or file name goes to the log, whatever fails."""

from __future__ import annotations

import ast
import asyncio
import io
import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from core.documents.batches.batch import BatchDocument, open_batch
from core.documents.document import Document
from core.documents.intake import read_text
from core.documents.worker import READERS, read
from core.errors import StrataError
from core.paths import PROJECT_ROOT
from core.review.store.proposed_terms import propose_term
from core.review.store.restore import read_backup
from core.review.store.store import Store
from core.serving.importing import start_import
from core.vocabulary.versions.importing import Importer
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support import asgi
from tests.support.fakes import fake_session
from tests.support.logs import log as log
from tests.support.stores import add, send

MARKER = "Haemochromatosis-of-Mr-Smith"
NOTE = Document.from_text(MARKER, MARKER, f"{MARKER} was seen. " * 50)
_LOG = logging.getLogger("core.test_logs")


def fill(store: Store) -> None:
    with store.engine.connect() as connection:
        pages = connection.scalar(text("PRAGMA page_count"))
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))


def make_read_only(store: Store) -> None:
    with store.engine.connect() as connection:
        connection.execute(text("PRAGMA query_only = ON"))


def damage(store: Store) -> None:
    store.close()
    file = Path(store.engine.url.database or "")
    file.write_bytes(MARKER.encode() * 1000)
    for end in ("-wal", "-shm"):
        Path(f"{file}{end}").unlink(missing_ok=True)


def lose_a_table(store: Store) -> None:
    with store.write() as connection:
        connection.execute(text("DROP TABLE document_part"))


def add_large(store: Store) -> None:
    add(store, Document.from_text(MARKER, MARKER, MARKER * 40_000))


def break_a_reference(store: Store) -> None:
    propose_term(store, MARKER, MARKER, MARKER, 99)


@pytest.mark.parametrize("harm", [fill, make_read_only, damage, lose_a_table, lambda _: None])
@pytest.mark.parametrize("work", [add_large, break_a_reference])
def test_no_error_of_the_store_brings_a_text_to_the_log(
    store: Store,
    log: io.StringIO,
    harm: Callable[[Store], None],
    work: Callable[[Store], None],
) -> None:
    harm(store)
    found: list[StrataError] = []
    try:
        work(store)
    except StrataError as error:
        _LOG.exception("it could not be stored")
        found.append(error)
    assert len(found) == 1 or (work, harm.__name__) == (add_large, "<lambda>")
    assert not any("was seen" in str(error) or MARKER in str(error.__cause__) for error in found)
    assert log.getvalue().count("core.errors.StoreError") == len(found)
    assert MARKER not in log.getvalue()


@pytest.mark.parametrize("kind", sorted(READERS))
def test_no_error_of_a_reader_brings_a_text_to_the_log(kind: str, log: io.StringIO) -> None:
    for content in (MARKER.encode(), b"PK\x03\x04" + MARKER.encode(), b"%PDF-1.7 " * 9, b"\0"):
        try:
            read(kind, f"{MARKER}.{kind}", content)
        except (StrataError, ValueError):
            _LOG.exception("it could not be read")
    assert MARKER not in log.getvalue()


def test_no_error_of_plain_text_and_batches_brings_one(log: io.StringIO) -> None:
    name = f"{MARKER}.csv"
    for content in (b"\0" + MARKER.encode(), MARKER.encode(), f'"{MARKER}\n'.encode()):
        for reader in (read_text, open_batch):
            try:
                reader(name, content)
            except StrataError:
                _LOG.exception("it could not be read")
    assert MARKER not in log.getvalue()


def test_no_file_name_of_an_upload_goes_to_the_log(tmp_path: Path, log: io.StringIO) -> None:
    session = fake_session(tmp_path)
    session.project_id()
    lose_a_table(session.server.store())
    arrivals = [BatchDocument(MARKER, NOTE) for _ in range(40)]
    taken = start_import(session, MARKER, len(arrivals), arrivals)
    assert taken.finished.wait(30) and taken.problem
    importer = Importer(VocabularyVersions(tmp_path / "vocabularies"))
    importer.start_files({f"{MARKER}.rdf": MARKER.encode()})
    importer.wait(30)
    with pytest.raises(StrataError) as refused:
        read_backup(
            tmp_path / MARKER,
            database_url=session.settings.database_url,
            home=session.settings.home,
        )
    _LOG.error("refused", exc_info=refused.value)
    session.server.close()
    assert log.getvalue().count("Traceback") >= 3
    assert MARKER not in log.getvalue()


def test_a_statement_that_the_database_refuses_hides_its_values(
    store: Store, log: io.StringIO, tmp_path: Path
) -> None:
    add(store)
    with closing(sqlite3.connect(tmp_path / "strata.sqlite")) as another_program:
        another_program.execute("DROP TABLE decision")
    with pytest.raises(StrataError) as failed:
        send(store, {"sequence": 1, "action": "accept", "concept_id": MARKER})
    _LOG.error("failed", exc_info=failed.value)
    assert "sqlalchemy" in log.getvalue() and MARKER not in log.getvalue()
    assert MARKER not in f"{failed.value} {failed.value.__cause__}"


def test_records_of_libraries_and_ends_of_threads_bring_no_values(log: io.StringIO) -> None:
    async def forgotten() -> None:
        async def fail() -> None:
            raise ValueError(MARKER)

        task = asyncio.create_task(fail())
        await asyncio.wait([task])
        del task

    asgi.run(forgotten())

    def fail() -> None:
        raise ValueError(MARKER)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    logging.getLogger("library").error('"WebSocket %s" [accepted]', f"/stream?q={MARKER}")
    logging.getLogger("library").warning("cannot read: %(why)s", {"why": OSError(MARKER)})
    found = log.getvalue()
    assert MARKER not in found
    assert found.count("builtins.ValueError") == 2 and "/stream" in found and "OSError" in found


# What records of ours may name: paths of the home, routes, ids of the program, its own sentences.
HARMLESS = {
    "n_erased",
    *("path", "path.name", "place", "name", "status", "segment", "what", "act.action"),
    *("NOT_LOADED", "project_id", "vocabulary_id", "type(error).__name__", "error.strerror"),
    "opened and opened.project_id",
}


def test_no_record_of_ours_names_anything_else() -> None:
    calls = [
        (path, call)
        for folder in ("core", "pages")
        for path in (PROJECT_ROOT / folder).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("_LOG.")
    ]
    named = {(path.name, ast.unparse(value)) for path, call in calls for value in call.args[1:]}
    assert {value for _, value in named} <= HARMLESS, named
    assert all(isinstance(call.args[0], ast.Constant) for _, call in calls)

"""A database with annotations taken back to the schema before them, and forward again."""

from __future__ import annotations

from contextlib import closing

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation, current, rebuild
from core.review.erasure import erase_document
from core.review.people.comments import add_comment
from core.review.reports.summaries import list_documents
from core.review.store import database
from core.review.store.store import Store
from tests.support.erasure import is_erased
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("on_both")
JO, ANN = 2, 3


def decide(store: Store, document_id: str, *steps: Operation, client_id: str) -> None:
    send(store, *steps, document_id=document_id, person_id=JO, client_id=client_id)


def move(url: str, direction: str, version: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        getattr(command, direction)(config, version)
        if connection.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    engine.dispose()


def test_annotations_go_and_what_else_was_decided_stays(shelf: Store) -> None:
    decide(shelf, "b", Operation(1, "add", "c1"), Operation(2, "add", "c2"), client_id="x:b")
    ask_twice(shelf, 1, ["a"], [JO, ANN], asked_by=1)
    decide(shelf, "a~1", Operation(1, "undo"), client_id="x:a")  # takes c2 back in the other one
    decide(shelf, "a~1", Operation(2, "add", "c1"), client_id="x:a")
    decide(shelf, "b", Operation(3, "undo"), client_id="x:b")
    decide(shelf, "a~1", Operation(4, "add", "c2"), Operation(5, "finish"), client_id="x:a")
    add_comment(shelf, "a~1", "a word of Jo", JO)
    erase_document(shelf, "c")
    url = shelf.engine.url.render_as_string(hide_password=False)
    shelf.close()
    move(url, "downgrade", "0016")
    move(url, "upgrade", "head")
    with closing(Store.open(url)) as store:
        listed = {row.document_id: row.status for row in list_documents(store, 1)}
        assert listed == {"a": "new", "b": "in progress", "d": "new", "e": "new"}
        assert current(store, "b").keys() == {"c1"}
        rebuild(store)
        assert current(store, "b").keys() == {"c1"} and not is_erased(store, "erased-1")

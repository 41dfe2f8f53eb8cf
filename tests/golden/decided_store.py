"""A store with decisions of every kind, made by the program of today, with times fixed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from core.documents.document import Document, Heading, Part
from core.review.decisions.operations import Operation
from core.review.decisions.recording import record
from core.review.jobs import cancel_job, start_job
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document, set_comment
from core.review.store.people import default_person, set_preference
from core.review.store.predictions import save_prediction
from core.review.store.projects import archive_project, default_project, keep_choices, make_project
from core.review.store.proposed_terms import propose_term, withdraw_term
from core.review.store.rules import NEVER_ASSIGNED, NEVER_SUGGESTED, lift_rule, set_rule
from core.review.store.store import Store
from core.review.store.tables import person
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Concept, Hierarchy

THESAURUS = Hierarchy(
    [
        Concept("food", "http://x/food", "10", {"en": "food", "de": "Lebensmittel"}),
        Concept("trade", "http://x/trade", None, {"en": "trade"}),
        Concept("oil", "http://x/oil", "-7", {"en": "olive, oil"}, broader=("food", "trade")),
        Concept("sum", "http://x/sum", None, {"en": "=SUM(A1)"}, broader=("food",)),
        Concept("tax", "http://x/tax", "T", {"en": "tax", "de": "Steuer"}),
        Concept("duty", "http://x/duty", "T1", {"en": "duty"}, broader=("tax",)),
        Concept("old", "http://x/old", None, {"en": "old term"}, deprecated=True),
    ],
    vocabulary_id="tiny",
    version="2",
)
CODES = Hierarchy(
    (
        Concept(code, f"http://x/{code}", code, {"en": label}, broader=above, assignable=leaf)
        for code, label, above, leaf in (
            ("780-789.99", "Symptoms", (), False),
            ("786", "Symptoms of the chest", ("780-789.99",), False),
            ("786.2", "Cough", ("786",), True),
            ("786.3", "Hemoptysis", ("786",), True),
            ("991.5", "Chilblains", (), True),
            ("99", "Other procedures", (), False),
            ("99.15", "Parenteral nutrition", ("99",), True),
        )
    ),
    vocabulary_id="icd9cm",
    version="v32",
)
VOCABULARIES = (THESAURUS, CODES)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
Step = tuple[Any, ...]


def write_store(file: Path) -> str:
    """A store in a new file, and its URL."""
    url = f"sqlite:///{file}"
    store = Store.open(url)
    _fill_thesaurus(store)
    _fill_codes(store)
    set_preference(store, _me(store), "label_language", "de")
    set_preference(store, _me(store), "keys", {"accept": "y"})
    store.close()
    fix_times(file)
    return url


def _me(store: Store) -> int:
    return default_person(store).person_id


def _predicted(rows: Sequence[Sequence[Any]], branch: dict[str, float]) -> Prediction:
    suggestions = tuple(
        Suggestion(i, f"http://x/{i}", i.upper(), f"label {i}", p, max(p, 0.5), rank, source)
        for rank, (i, p, source) in enumerate(rows, start=1)
    )
    return Prediction(suggestions, branch, 40, 38, 2, "hash123", "1.9", 0.25, {"food": 0.125})


def _fill_thesaurus(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    parts = (
        Part("Title\nBody on olives.", headings=(Heading(0, 5, 1),)),
        Part("A list.", "annex", date(2017, 3, 1), "Annex I"),
    )
    for number, title in enumerate(("=1+1, olives", "Ölivenöl 🫒", "On duty", "Removed"), start=1):
        document = Document(f"act-{number}", title, (*parts, Part(f"Number {number}.", "note")))
        batch = "first batch" if number < 3 else None
        given = ("trade", "duty") if number in (1, 3) else ()
        add_document(store, document, project_id=project_id, given=given, batch=batch)
        rows = (("oil", 0.93, "guided"), ("food", 0.4, "linear"), ("trade", 0.3, "guided"))
        found = _predicted((*rows, ("gone", 0.2, "lexical")), {"food": 0.96, "trade": 0.5})
        save_prediction(store, document.document_id, found, settings={"limit": 4})
    add_document(store, Document("title-only", "Only a title", ()), project_id=project_id)
    _decide_acts(store)
    remove_document(store, "act-4")
    set_comment(store, "act-1", "-seen twice")
    propose_term(store, "act-1", "olive stone", "is missing", _me(store))
    withdraw_term(store, "act-2", propose_term(store, "act-2", "withdrawn", "", _me(store)))
    _add_rules_and_jobs(store, project_id)


def _decide_acts(store: Store) -> None:
    add = {"group": "g", "source": "search"}
    _decide(
        store,
        "act-1",
        ("accept", "oil"),
        ("reject", "food"),
        ("add", "sum", {"source": "search"}),
        ("add", "old"),
        ("mark", "oil"),
        ("accept", "trade"),
        ("clear", "trade"),
        ("exclude", "tax"),
        ("finish", "", {"shown": 4}),
    )
    _decide(
        store,
        "act-2",
        ("back_off", "oil", {"group": "up"}),
        ("accept", "food", {"group": "up"}),
        ("reject", "trade", {"group": "bulk"}),
        ("reject", "gone", {"group": "bulk"}),
        ("undo", ""),
        ("finish", "", {"shown": 2}),
        ("reopen", ""),
        ("add", "duty", add),
    )
    _decide(store, "act-2", ("reject", "duty"), ("accept", "oil"), person_id=_colleague(store))
    _decide(store, "act-3", ("accept", "oil"), ("undo", ""), ("exclude", "food"), ("add", "oil"))
    _decide(store, "act-4", ("accept", "oil"))


def _add_rules_and_jobs(store: Store, project_id: int) -> None:
    set_rule(store, project_id, "old", NEVER_SUGGESTED, _me(store))
    set_rule(store, project_id, "tax", NEVER_ASSIGNED, _me(store))
    set_rule(store, project_id, "sum", NEVER_ASSIGNED, _me(store))
    lift_rule(store, project_id, "sum", NEVER_ASSIGNED)
    cancelled = start_job(store, ["act-1", "act-2"], project_id=project_id)
    assert cancelled is not None
    cancel_job(store, cancelled)
    start_job(store, ["act-3", "title-only"], project_id=project_id)
    keep_choices(store, project_id, bundle="eurovoc", vocabulary_choice="tiny/2")
    second = make_project(store, "Second project", "tiny")
    document = Document.from_text("second-1", "Elsewhere", "Olives.")
    add_document(store, document, project_id=second.project_id)
    _decide(store, "second-1", ("add", "oil"))
    archive_project(store, second.project_id)


def _fill_codes(store: Store) -> None:
    project_id = default_project(store, "icd9cm").project_id
    notes = (
        Part("Cough for three days.", "Discharge summary", date(2026, 2, 4)),
        Part("Lungs clear.", "Radiology", date(2026, 2, 2)),
    )
    add_document(store, Document("enc-1", "Cough <b>", notes), project_id=project_id, given=["786"])
    found = _predicted((("786.2", 0.8, "guided"), ("786.3", 0.2, "lexical")), {"786": 0.9})
    save_prediction(store, "enc-1", found, settings={})
    _decide(
        store,
        "enc-1",
        ("accept", "786.2"),
        ("add", "99.15", {"source": "similar"}),
        ("add", "991.5"),
        ("reject", "786.3"),
        ("hold", "786"),
        ("order", "", {"value": ("991.5", "786.2")}),
        ("present", "991.5", {"value": "N"}),
        ("performed", "99.15", {"value": "2026-02-03"}),
    )
    later = Document.from_text("enc-2", "Later", "Chilblains.")
    add_document(store, later, project_id=project_id, given=["991.5", "786"])
    third = Document.from_text("enc-3", "Finished", "Cough.")
    add_document(store, third, project_id=project_id, batch="first batch")
    _decide(store, "enc-3", ("add", "786.2"), ("present", "786.2", {"value": "Y"}), ("finish", ""))


def _decide(store: Store, document_id: str, *steps: Step, person_id: int | None = None) -> None:
    operations = [
        Operation(n, action, concept_id, **(more[0] if more else {}))
        for n, (action, concept_id, *more) in enumerate(steps, start=1)
    ]
    person_id = person_id or _me(store)
    receipt = record(
        store,
        document_id=document_id,
        person_id=person_id,
        client_id=f"tab {document_id} {person_id}",
        operations=operations,
    )
    assert receipt.refused == (), receipt.refused


def _colleague(store: Store) -> int:
    row = {"name": "colleague", "created_at": NOON}
    with store.write() as connection:
        written = person.insert().values(row).returning(person.c.person_id)
        return int(connection.execute(written).scalar_one())


# ---------------------------------------------------------------------- times


def fix_times(file: Path) -> None:
    """Put every moment at a minute that follows from its row, events in their order."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for table, column in _moments(connection):
            connection.execute(
                f'UPDATE "{table}" SET "{column}" = '
                "strftime('%Y-%m-%d %H:%M:%S.000000', '2026-05-04 12:00', "
                f"(_rowid_ || ' minutes')) WHERE \"{column}\" IS NOT NULL"
            )
        connection.execute(
            "UPDATE document SET finished_at = (SELECT max(decided_at) FROM decision_event "
            "WHERE decision_event.document_id = document.document_id AND action = 'finish') "
            "WHERE finished_at IS NOT NULL"
        )
        connection.commit()


def _moments(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return [
        (table, name)
        for (table,) in tables
        for _, name, kind, *_ in connection.execute(f'PRAGMA table_info("{table}")')
        if kind.upper() == "DATETIME"
    ]


LATER_COLUMNS = (
    "encounter_class",
    "cited",
    "denied",
    "display_name",
    "password",
    "is_administrator",
    "closed_at",
    "hides_times",
    "needs_approval",
    "names_people",
    "approved_at",
    "sent_back_at",
    "is_urgent",
    "annotation_of",
    "annotator_id",
    "retention_days",
    "erased_at",
)
LATER_TABLES = (
    "membership",
    "assignment",
    "sign_in",
    "invitation",
    "audit_event",
    "comment",
    "skip",
    "guidelines",
    "concept_note",
)


def rows(file: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, by column names, without what a later schema adds."""
    with closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
        return {
            name: [
                {name: value for name, value in dict(row).items() if name not in LATER_COLUMNS}
                for row in connection.execute(f'SELECT * FROM "{name}" ORDER BY _rowid_')
            ]
            for (name,) in tables
            if name not in ("alembic_version", *LATER_TABLES)
        }

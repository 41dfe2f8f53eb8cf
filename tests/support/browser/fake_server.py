"""The fake model, as a process that serves it has to set it up."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from core.review import hints
from core.review.store.people import NEXT_ORDER, default_person, read_preferences, set_preference
from core.serving.session import Session
from pages.serving import install
from tests.support import clinical_fakes, fakes, process_faults
from tests.support.files import generated
from tests.support.measured_hints import keep_measured


def show_hints(home: Path) -> None:
    """Have hints shown for every vocabulary, as if they had been found to be right."""
    hints.MEASURED = home / "hints.json"
    keep_measured(hints.MEASURED)


def go_down_rows(place: Session) -> None:
    """Have the key for the next suggestion go down the rows: equal probabilities have no order."""
    store = place.server.store()
    person_id = default_person(store).person_id
    if NEXT_ORDER not in read_preferences(store, person_id):
        set_preference(store, person_id, NEXT_ORDER, "branch")


def prepare(home: Path) -> None:
    """Have this process serve what the environment asks for, by `STRATA_FAKE_…`."""
    if os.environ.get("STRATA_FAKE_RIGHTS") == "none":
        process_faults.keep_to_rights()
    if clock := os.environ.get("STRATA_FAKE_CLOCK"):
        process_faults.shift_clock(Path(clock))
    labels = json.loads(os.environ.get("STRATA_FAKE_LABELS", "{}"))
    seconds = float(os.environ.get("STRATA_FAKE_SECONDS", "0"))
    n_concepts = int(os.environ.get("STRATA_FAKE_CONCEPTS", "0"))
    rows = generated.rows(n_concepts) if n_concepts else fakes.ROWS
    if code_system := os.environ.get("STRATA_FAKE_VOCABULARY"):
        place = clinical_fakes.clinical_session(home, seconds=seconds, vocabulary_id=code_system)
    else:
        url = os.environ.get("STRATA_DATABASE_URL")
        place = fakes.fake_session(
            home, labels=labels, seconds=seconds, rows=rows, database_url=url
        )
    if host := os.environ.get("STRATA_FAKE_FETCH"):
        place.server.settings = replace(
            place.server.settings, fetch_hosts=(host,), fetches_loopback=True
        )
    place.server.settings = replace(
        place.server.settings,
        rest=os.environ.get("STRATA_REST") == "1",
        rest_origins=tuple(os.environ.get("STRATA_REST_ORIGINS", "").split()),
    )
    if os.environ.get("STRATA_FAKE_HINTS"):
        show_hints(home)
    if not os.environ.get("STRATA_FAKE_RIGHTS"):
        go_down_rows(place)
    queue = place.server.queue
    queue.limit = int(os.environ.get("STRATA_FAKE_LIMIT", queue.limit))
    install(place.server)

"""A home with a database, its servers, and the clients that decide there."""

from __future__ import annotations

import random
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from core.commands import doctor
from core.documents.document import Document
from core.home import leftovers, make_private
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.review.store.tables import decision, decision_event, document
from core.settings import Settings
from tests.bench.load_people import add_people
from tests.support.browser.server import Server
from tests.support.ledger import rebuild
from tests.torture.clients import Client, finish
from tests.torture.ledger import Stored

OF_THE_MACHINE = {"Access", "Disk"}  # in what the doctor finds
VOCABULARY = "tiny"  # of the fake model
N_CLIENTS = 4
ROWS = "SELECT client_id, sequence, action, concept_id, person_id FROM decision_event ORDER BY event_id"
DRAIN_SECONDS = 60.0


class Installation:
    """A home in a folder, served by the fake model.

    Args:
        url: of a database on a server; None for the usual file.
        signs_in: whether those who decide are several people who have signed in.
    """

    def __init__(
        self, home: Path, url: str | None, *, signs_in: bool = True, **environment: str
    ) -> None:
        self.home = home
        self.url = url or f"sqlite:///{home}/strata.sqlite"
        self.environment = {
            "STRATA_HOME": str(home),
            "STRATA_DATABASE_URL": self.url,
            **environment,
        }
        self.servers: list[Server] = []
        self.clients: list[Client] = []
        make_private(home)
        with closing(self.open()) as store:
            default_person(store)
            self.project_id = default_project(store, VOCABULARY).project_id
            self.people = add_people(store, self.project_id, home, N_CLIENTS) if signs_in else []

    def open(self) -> Store:
        return Store.open(self.url, busy_timeout_seconds=20.0)

    @property
    def is_file(self) -> bool:
        return self.url.startswith("sqlite")

    # ------------------------------------------------------------------ servers

    def start(self, number: int = 0) -> Server:
        """Start a server, or start one again after it was killed."""
        while len(self.servers) <= number:
            self.servers.append(Server(self.home, fake=True, **self.environment))
        self.servers[number].start()
        return self.servers[number]

    def kill(self) -> None:
        for server in self.servers:
            server.kill()

    def restart(self) -> None:
        """Kill the server and start it again, which clears what is left."""
        self.kill()
        self.start()

    def close(self) -> None:
        finish(self.clients, 0.0)
        for server in self.servers:
            server.close()

    # ------------------------------------------------------------------ clients

    def decide(self, rng: random.Random, number: int = N_CLIENTS) -> None:
        """Let clients begin, each pair of them on a document of its own."""
        names = [f"act-{n // 2}" for n in range(number)]
        self.add(*dict.fromkeys(names))
        for n, name in enumerate(names):
            port = self.servers[n % len(self.servers)].port
            chance = random.Random(rng.getrandbits(32))
            person = self.people[n % len(self.people)] if self.people else None
            client = Client(f"client-{n}", name, port, chance, person)
            self.clients.append(client)
            client.start()

    def add(self, *names: str, text: str = "On herring and sole.") -> None:
        """Keep a document of each name."""
        arrivals = [
            Arrival(Document.from_text(name, f"Act {name}", f"{text} {name}"), ()) for name in names
        ]
        with closing(self.open()) as store:
            add_documents(store, arrivals, project_id=self.project_id, batch="acts")

    def drain(self, seconds: float = DRAIN_SECONDS) -> list[str]:
        """Let clients send what they have; the names of those that could not."""
        return finish(self.clients, seconds)

    def n_saved(self) -> int:
        """How many decisions were acknowledged."""
        return sum(len(client.ledger.acknowledged) for client in self.clients)

    # ------------------------------------------------------------------ what is there

    def stored(self) -> list[Stored]:
        """All decisions, in the order of the database."""
        event = decision_event.c
        columns = (event.client_id, event.sequence, event.action, event.concept_id)
        query = select(*columns, event.person_id)
        with closing(self.open()) as store, store.read() as connection:
            rows = connection.execute(query.order_by(event.event_id)).all()
        return [Stored(*row) for row in rows]

    def damage(self) -> list[str]:
        """What is wrong with the database, the home and what the doctor looks at; no server runs."""
        found = [
            f"{finding.subject}: {finding.sentence}"
            for finding in doctor.examine(self.settings())
            if not finding.is_well and finding.subject not in OF_THE_MACHINE
        ]
        return [*found, *self._derived_anew()]

    def settings(self) -> Settings:
        """Of the installation without a model bundle, as the fake one has no manifest."""
        return Settings(self.home, self.url, self.home / "none", "en", self.home / "shipped")

    def left(self) -> list[str]:
        """What killed programs have left."""
        return [path.name for path in leftovers(self.home)]

    def _derived_anew(self) -> list[str]:
        """Whether what is derived from the events is what deriving it again gives."""
        states = select(decision.c.document_id, decision.c.concept_id, decision.c.state)
        versions = select(document.c.document_id, document.c.version)
        with closing(self.open()) as store:
            found = []
            for _ in range(2):
                with store.read() as connection:
                    rows = (connection.execute(query).all() for query in (states, versions))
                    found.append([sorted(map(tuple, some)) for some in rows])
                rebuild(store)
        return [] if found[0] == found[1] else ["What is derived is not what the events say."]


def stored_in_backup(path: Path, folder: Path) -> list[Stored]:
    """All decisions in a backup, whose database is unpacked into a folder."""
    with zipfile.ZipFile(path) as archive:
        database = Path(archive.extract("strata.sqlite", folder))
    try:
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            return [Stored(*row) for row in connection.execute(ROWS)]
    finally:
        database.unlink()

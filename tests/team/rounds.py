"""A round: sessions decide through the proxy, an app is killed and started again, and all is counted."""

from __future__ import annotations

import json
import random
import time
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select

from core.documents.document import Document
from core.review.jobs import running_jobs, start_job
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.people import default_person
from core.review.store.projects import default_project, make_project
from core.review.store.store import Store
from core.review.store.tables import decision_event, document, job_document, prediction_run
from tests.support.waiting import wait_until
from tests.team.proxied import Team, running
from tests.torture.clients import Client, finish
from tests.torture.ledger import Comparison, Stored, compare

VOCABULARY = "tiny"  # of the fake model
N_JOB_DOCUMENTS = 400
UNSEATED = ""  # the seat of a session that the proxy has not answered yet
BROKEN = ("502 ", '503 {"text"')
"""What the proxy answers for an app that has just ended; a page sends again then."""


@dataclass
class Round:
    """What a round came to.

    Attributes:
        decisions: between what clients know and the database.
        elsewhere: decisions of a session on a document of another project.
        let_in: requests for a document of another project that were answered.
        read_by_jobs: how often the model's predictions of a document of the job were kept, by how
            many documents.
        seats: how many sessions sat at each app before the kill.
        unanswered: messages whose connection broke, and were sent again.
    """

    decisions: Comparison
    elsewhere: int = 0
    let_in: int = 0
    read_by_jobs: dict[int, int] = field(default_factory=dict)
    seats: dict[str, int] = field(default_factory=dict)
    unanswered: int = 0
    problems: list[str] = field(default_factory=list)


def run_round(folder: Path, url: str, *, sessions: int, seconds: float) -> Round:
    """Let sessions of two projects decide, with a kill in the middle."""
    with closing(Store.open(url)) as store:
        projects = prepare(store, sessions)
    with running(Team(folder, url, fake=True)) as team:
        clients = begin(team, sessions)
        wait_until(lambda: UNSEATED not in _seats(clients))
        time.sleep(seconds / 3)
        seats = _seats(clients)
        team.servers[0].kill()
        time.sleep(seconds / 3)
        team.servers[0].start()
        let_in = sum(_is_let_in(team, n, projects) for n in range(2))
        time.sleep(seconds / 3)
        late = finish(clients, 120.0)
        with closing(Store.open(url)) as store:
            wait_until(lambda: not any(running_jobs(store, each) for each in projects), 300)
            found = _counted(store, clients)
    found.let_in, found.seats = let_in, seats
    answers = [problem for client in clients for problem in client.problems]
    broken = [problem for problem in answers if problem.startswith(BROKEN)]
    found.unanswered = sum(client.unanswered for client in clients) + len(broken)
    found.problems += [f"{name} could not send all" for name in late]
    found.problems += [problem for problem in answers if problem not in broken]
    return found


def prepare(store: Store, sessions: int) -> list[int]:
    """Two projects, a document for each session, and a job in each project."""
    default_person(store)
    projects = [
        default_project(store, VOCABULARY).project_id,
        make_project(store, "Other", VOCABULARY).project_id,
    ]
    for number, project_id in enumerate(projects):
        names = [f"act-{n}" for n in range(sessions) if n % 2 == number]
        jobs = [f"job-{number}-{n}" for n in range(N_JOB_DOCUMENTS // 2)]
        arrivals = [
            Arrival(Document.from_text(name, f"Act {name}", f"On herring. {name}"), ())
            for name in (*names, *jobs)
        ]
        add_documents(store, arrivals, project_id=project_id, batch="acts")
        start_job(store, jobs, project_id=project_id)
    return projects


def begin(team: Team, sessions: int) -> list[Client]:
    """Let sessions begin, each on a document of its own project."""
    clients = []
    for n in range(sessions):
        client = Client(f"client-{n}", f"act-{n}", team.port, random.Random(n))
        client.headers.update(team.headers())
        clients.append(client)
        client.start()
    return clients


def _seats(clients: list[Client]) -> dict[str, int]:
    found: dict[str, int] = {}
    for client in clients:
        seat = client.headers.get("Cookie", UNSEATED).partition("=")[2]
        found[seat] = found.get(seat, 0) + 1
    return found


def _is_let_in(team: Team, number: int, projects: list[int]) -> bool:
    """Whether a page of one project gets a document of the other."""
    other = projects[1 - number]
    message = json.dumps({"batches": [], "document": f"act-{number}", "after": -1, "lang": "en"})
    asked = urllib.request.Request(
        f"{team.url}api/decisions?project={other}",
        message.encode(),
        {"Content-Type": "application/json", **team.headers()},
    )
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return "problem" not in json.loads(answer.read())
    except urllib.error.HTTPError:
        return False


def _counted(store: Store, clients: list[Client]) -> Round:
    event = decision_event.c
    query = select(event.client_id, event.sequence, event.action, event.concept_id)
    where = select(event.client_id, event.document_id).distinct()
    kept = (
        select(prediction_run.c.document_id, func.count())
        .join(job_document, job_document.c.document_id == prediction_run.c.document_id)
        .group_by(prediction_run.c.document_id)
    )
    with store.read() as connection:
        rows = [Stored(*row) for row in connection.execute(query.order_by(event.event_id))]
        places = connection.execute(where).all()
        counts = [number for _, number in connection.execute(kept)]
        n_documents = connection.scalar(select(func.count()).select_from(document))
    found = Round(compare([client.ledger for client in clients], rows))
    found.elsewhere = sum(place.client_id[7:] != place.document_id[4:] for place in places)
    found.read_by_jobs = {number: counts.count(number) for number in sorted(set(counts))}
    if n_documents != N_JOB_DOCUMENTS + len(clients):
        found.problems.append(f"{n_documents} documents")
    return found

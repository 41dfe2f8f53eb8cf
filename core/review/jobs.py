"""Background jobs, which survive a restart: their documents and progress.

A job is rows in two tables and nothing else, so a server that was killed goes on where the rows
say. A prediction and the note that it was made are one transaction, which does nothing where the
note is there already. Of several processes on one store, one at a time reads for a project: it has
a claim, which ends with the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, func, insert, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from core.documents.document import Document
from core.review.store import database
from core.review.store.documents import select_document
from core.review.store.predictions import insert_prediction
from core.review.store.store import Store
from core.review.store.tables import document, in_groups, job, job_document, prediction_run
from core.suggest.suggestions import Prediction

PREDICT = "predict"
RUNNING, FINISHED, CANCELLED = "running", "finished", "cancelled"
WAITING, DONE, FAILED = "waiting", "done", "failed"  # of a document; CANCELLED too
# A slice is read without a break, so it bounds how long an opened document waits: with the shipped
# bundle on two cores 32 titles take 0.2 s, and 12,000 characters 0.3 s.
SLICE_DOCUMENTS = 32
SLICE_CHARACTERS = 12_000
WAITS = and_(job.c.state == RUNNING, job_document.c.state == WAITING)
IS_OVER = and_(
    document.c.finished_at.is_not(None),
    select(prediction_run.c.run_id)
    .where(prediction_run.c.document_id == document.c.document_id)
    .correlate(document)
    .exists(),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that a job could not do, and why."""

    document_id: str
    title: str
    problem: str


@dataclass(frozen=True, slots=True)
class Job:
    """How far a job is.

    Attributes:
        state: "running", "finished" or "cancelled".
        n_waiting: documents that are still to do; 0 once it is cancelled.
        failures: documents that were passed over.
    """

    job_id: int
    state: str
    created_at: datetime
    n_documents: int
    n_done: int
    n_waiting: int
    failures: tuple[Failure, ...]


def start_job(
    store: Store, document_ids: Iterable[str], *, project_id: int, joins: int | None = None
) -> int | None:
    """Queue documents to be read again or for the first time, and say under which job.

    Documents that a running job has before it already are left out. Finished ones that were read
    are settled when their turn comes: they keep the suggestions with which they were finished.

    Args:
        joins: the job that they are added to, as what comes with one upload is one job; where a
            person has ended it, they are not queued.
    Returns:
        The job's id; None where nothing was left to do.
    """
    wanted = list(dict.fromkeys(document_ids))
    with store.write() as connection:
        joined = job.c.job_id == joins
        state = connection.scalar(select(job.c.state).where(joined).with_for_update())
        fresh = _fresh(connection, wanted, project_id, joins)
        if not fresh or state == CANCELLED:
            return None
        if joins is not None and state is not None:
            job_id = joins
            connection.execute(update(job).where(joined).values(state=RUNNING))
        else:
            values = {"kind": PREDICT, "project_id": project_id, "state": RUNNING, "settings": {}}
            values["created_at"] = datetime.now(UTC)
            written = insert(job).values(values).returning(job.c.job_id)
            job_id = connection.execute(written).scalar_one()
        its = select(func.count()).where(job_document.c.job_id == job_id)
        rows = [
            {"job_id": job_id, "document_id": document_id, "position": position, "state": WAITING}
            for position, document_id in enumerate(fresh, start=connection.scalar(its) or 0)
        ]
        connection.execute(insert(job_document), rows)
        return job_id


def cancel_job(store: Store, job_id: int) -> None:
    """Stop a job: what was read stays, what waits is not read."""
    here, its = job.c.job_id == job_id, job_document.c.job_id == job_id
    with store.write() as connection:
        connection.execute(update(job).where(here, job.c.state == RUNNING).values(state=CANCELLED))
        waiting = update(job_document).where(its, job_document.c.state == WAITING)
        connection.execute(waiting.values(state=CANCELLED))


def running_jobs(store: Store, project_id: int) -> list[Job]:
    """Return the jobs of a project that are not over, oldest first."""
    query = select(job).where(job.c.project_id == project_id, job.c.state == RUNNING)
    with store.read() as connection:
        rows = connection.execute(query.order_by(job.c.job_id)).all()
        return [_job(connection, row) for row in rows]


def latest_job(store: Store, project_id: int) -> Job | None:
    """Return the newest job of a project, over or not."""
    query = select(job).where(job.c.project_id == project_id).order_by(job.c.job_id.desc())
    with store.read() as connection:
        row = connection.execute(query.limit(1)).first()
        return None if row is None else _job(connection, row)


def waiting_documents(store: Store, project_id: int) -> frozenset[str]:
    """Return ids of the documents that some running job of a project has before it."""
    with store.read() as connection:
        query = select(job_document.c.document_id).join(job)
        return frozenset(connection.scalars(query.where(WAITS, job.c.project_id == project_id)))


@dataclass(frozen=True, slots=True)
class QueuedDocument:
    """A document that a job wants read."""

    job_id: int
    document: Document


class JobClaim:
    """The jobs of a project, claimed by this process until it gives them back or ends.

    Args:
        connection: holds the claim; None where no other process can have one.
    """

    def __init__(self, project_id: int, connection: Connection | None = None) -> None:
        self.project_id = project_id
        self._connection = connection

    def release(self) -> None:
        """Give the claim back; a connection that does not answer has lost it."""
        if self._connection is None:
            return
        try:
            unlock = f"SELECT pg_advisory_unlock({database.JOBS_LOCK}, {int(self.project_id)})"
            self._connection.exec_driver_sql(unlock)
        except SQLAlchemyError:
            self._connection.invalidate()
        finally:
            self._connection.close()


def claim_jobs(store: Store, project_id: int) -> JobClaim | None:
    """Claim the jobs of a project for this process; None where another one has them.

    A claim ends with its connection, so that of a process that was killed is free at once. SQLite
    serves one process alone.

    Raises:
        StoreError: the database does not answer.
    """
    if store.engine.dialect.name != "postgresql":
        return JobClaim(project_id)
    lock = f"SELECT pg_try_advisory_lock({database.JOBS_LOCK}, {int(project_id)})"
    try:
        connection = store.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if connection.exec_driver_sql(lock).scalar():
            return JobClaim(project_id, connection)
    except SQLAlchemyError as error:
        raise database.in_plain_words(error, store.engine) from error
    connection.close()
    return None


class JobBacklog:
    """What running jobs want read, as the queue of `core.serving` takes it.

    Args:
        store: the open store, asked for each time.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._claims: dict[int, JobClaim] = {}

    def projects(self) -> list[int]:
        """Return the projects whose jobs have documents before them, the oldest job's first."""
        query = select(job.c.project_id).join(job_document).where(WAITS)
        oldest = query.group_by(job.c.project_id).order_by(func.min(job.c.job_id))
        with self._store().read() as connection:
            return list(connection.scalars(oldest))

    def take(self, project_id: int, bundle_hash: str) -> list[QueuedDocument] | None:
        """Return the next slice of a project's oldest job; None where another process reads it.

        What this model has read since the job was started is settled unread, and so is what is
        finished. The project is claimed until what was taken is kept or has failed.
        """
        if not self._claim(project_id):
            return None
        taken = self._next_slice(project_id, bundle_hash)
        if not taken:
            self._release(project_id)
        return taken

    def _claim(self, project_id: int) -> bool:
        if project_id not in self._claims:
            claim = claim_jobs(self._store(), project_id)
            if claim is None:
                return False
            self._claims[project_id] = claim
        return True

    def _release(self, project_id: int) -> None:
        if claim := self._claims.pop(project_id, None):
            claim.release()

    def _release_all(self) -> None:
        """Let another process go on; one process reads one slice at a time."""
        for project_id in list(self._claims):
            self._release(project_id)

    def _next_slice(self, project_id: int, bundle_hash: str) -> list[QueuedDocument]:
        while True:
            with self._store().read() as connection:
                rows = _next(connection, project_id)
                read = {
                    row
                    for row in rows
                    if _read_since(connection, row, bundle_hash) or _is_over(connection, row)
                }
                if len(read) < len(rows) or not rows:
                    return _slice(connection, [row for row in rows if row not in read])
            with self._store().write() as connection:
                for row in read:
                    _settle(connection, row.job_id, row.document_id, DONE)
                _finish(connection, {row.job_id for row in read})

    def keep(
        self, read: Sequence[tuple[QueuedDocument, Prediction]], settings: Mapping[str, object]
    ) -> None:
        """Store predictions; those of documents settled or cancelled meanwhile are dropped.

        Those with another title by now are dropped, too, and wait to be read with that one.

        Args:
            settings: how the predictions were asked for, as their runs note it.
        """
        with self._store().write() as connection:
            for queued, prediction in read:
                document_id = queued.document.document_id
                if _is_renamed(connection, queued.document):
                    continue
                if _settle(connection, queued.job_id, document_id, DONE):
                    insert_prediction(connection, document_id, prediction, settings)
            _finish(connection, {queued.job_id for queued, _ in read})
        self._release_all()

    def fail(self, queued: QueuedDocument, sentence: str) -> None:
        """Pass a document over, with the reason; the job goes on."""
        with self._store().write() as connection:
            _settle(connection, queued.job_id, queued.document.document_id, FAILED, sentence)
            _finish(connection, {queued.job_id})
        self._release_all()


def _fresh(
    connection: Connection, wanted: list[str], project_id: int, joins: int | None
) -> list[str]:
    """Those of the project that no running job has before it, nor the one that they join at all."""
    same = job_document.c.document_id == document.c.document_id
    queued = select(job.c.job_id).select_from(job.join(job_document))
    queued = queued.where(same, or_(WAITS, job.c.job_id == joins))
    here = (document.c.project_id == project_id, document.c.erased_at.is_(None), ~queued.exists())
    fresh: set[str] = set()
    for some in in_groups(wanted):
        query = select(document.c.document_id).where(document.c.document_id.in_(some), *here)
        fresh |= set(connection.scalars(query))
    return [document_id for document_id in wanted if document_id in fresh]


def _is_over(connection: Connection, row: Row[Any]) -> bool:
    query = select(document.c.document_id).where(document.c.document_id == row.document_id, IS_OVER)
    return connection.scalar(query) is not None


def _is_renamed(connection: Connection, read: Document) -> bool:
    """Whether a document has another title than when it was read: models read titles."""
    query = select(document.c.title).where(document.c.document_id == read.document_id)
    return connection.scalar(query) not in (None, read.title)


def _next(connection: Connection, project_id: int) -> list[Row[Any]]:
    """The documents that come next, at most a slice, all of one job of this project."""
    query: Select[Any] = (
        select(job_document.c.job_id, job_document.c.document_id, job.c.created_at)
        .join(job, job.c.job_id == job_document.c.job_id)
        .where(WAITS, job.c.project_id == project_id)
        .order_by(job.c.job_id, job_document.c.position)
        .limit(SLICE_DOCUMENTS)
    )
    rows = list(connection.execute(query).all())
    return [row for row in rows if row.job_id == rows[0].job_id]


def _read_since(connection: Connection, row: Row[Any], bundle_hash: str) -> bool:
    """Whether this model has read the document since the job was started, because it was opened."""
    run = prediction_run.c
    query = select(run.run_id).where(
        run.document_id == row.document_id,
        run.created_at >= row.created_at,
        run.bundle_hash == bundle_hash,
    )
    return connection.scalar(query.limit(1)) is not None


def _slice(connection: Connection, rows: list[Row[Any]]) -> list[QueuedDocument]:
    """The first of these documents, as many as may be read without a break, but at least one."""
    queued: list[QueuedDocument] = []
    n_characters = 0
    for row in rows:
        wanted = select_document(connection, row.document_id)
        n_characters += len(wanted.text)
        if queued and n_characters > SLICE_CHARACTERS:
            break
        queued.append(QueuedDocument(row.job_id, wanted))
    return queued


def _settle(
    connection: Connection, job_id: int, document_id: str, state: str, problem: str | None = None
) -> bool:
    """Note what became of a document; False, and nothing is noted, where it no longer waits."""
    here = job_document.c
    waiting = update(job_document).where(
        here.job_id == job_id, here.document_id == document_id, here.state == WAITING
    )
    return connection.execute(waiting.values(state=state, problem=problem)).rowcount == 1


def _finish(connection: Connection, job_ids: set[int]) -> None:
    waiting = (
        select(job_document.c.document_id)
        .where(job_document.c.job_id == job.c.job_id, job_document.c.state == WAITING)
        .exists()
    )
    over = and_(job.c.job_id.in_(job_ids), job.c.state == RUNNING, ~waiting)
    # Held first, so that what joins a job just now is seen.
    connection.execute(select(job.c.job_id).where(over).with_for_update())
    connection.execute(update(job).where(over).values(state=FINISHED))


def _job(connection: Connection, row: Row[Any]) -> Job:
    its = job_document.c.job_id == row.job_id
    counted = (
        select(job_document.c.state, func.count().label("number"))
        .where(its)
        .group_by(job_document.c.state)
    )
    counts = {row.state: row.number for row in connection.execute(counted)}
    failures = (
        select(document.c.document_id, document.c.title, job_document.c.problem)
        .join(document, document.c.document_id == job_document.c.document_id)
        .where(its, job_document.c.state == FAILED)
        .order_by(job_document.c.position)
    )
    return Job(
        job_id=row.job_id,
        state=row.state,
        created_at=row.created_at,
        n_documents=sum(counts.values()),
        n_done=counts.get(DONE, 0),
        n_waiting=counts.get(WAITING, 0),
        failures=tuple(Failure(*failure) for failure in connection.execute(failures)),
    )

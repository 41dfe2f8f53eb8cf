"""Comments on documents, where people sign in: threads of entries, and the people that they name.

`document.comment` has the whole thread as text, without what is resolved, for the list, its search and
exports. What stood there before people signed in is the first entry, of nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, Update, func, insert, or_, select, update

from core.errors import NotAllowedError, StoreError
from core.review.listed import ON_LIST
from core.review.store.documents import require_document, set_comment, storable, write_comment
from core.review.store.people import SHOWN_NAME
from core.review.store.store import Store
from core.review.store.tables import comment, document, membership, person

LONGEST_COMMENT = 2000  # characters
MENTION = re.compile(r"@([a-z0-9][a-z0-9._@-]{0,63})")  # as accounts are named
END_OF_SENTENCE = ".-_@"
NOT_OWN = "Only who wrote a comment changes it."
TOO_LONG = f"A comment holds {LONGEST_COMMENT} characters."


@dataclass(frozen=True, slots=True)
class Comment:
    """An entry of a thread.

    Attributes:
        comment_id: None of what stands in the document's one comment, and in no thread yet.
        person_id, author: who wrote it, and what is shown of them; None and "" where nobody knows.
        resolved_at: since when nobody has to do anything about it.
    """

    comment_id: int | None
    text: str
    person_id: int | None = None
    author: str = ""
    created_at: datetime | None = None
    edited_at: datetime | None = None
    resolved_at: datetime | None = None

    @property
    def line(self) -> str:
        """What stands in the list and in exports."""
        return f"{self.author}: {self.text}" if self.author else self.text


THREAD = (
    select(comment.c.comment_id, comment.c.text, comment.c.person_id)
    .add_columns(func.coalesce(SHOWN_NAME, ""))
    .add_columns(comment.c.created_at, comment.c.edited_at, comment.c.resolved_at)
    .outerjoin(person, person.c.person_id == comment.c.person_id)
    .order_by(comment.c.comment_id)
)


def read_thread(store: Store, document_id: str) -> list[Comment]:
    """Return the comments on a document, the oldest first."""
    with store.read() as connection:
        thread = _thread(connection, document_id)
        if thread:
            return thread
        text = connection.scalar(_of_document(document_id))
    return [Comment(None, text)] if text else []


def _thread(connection: Connection, document_id: str) -> list[Comment]:
    rows = connection.execute(THREAD.where(comment.c.document_id == document_id))
    return [Comment(*row) for row in rows]


def keep_comment(
    store: Store,
    document_id: str,
    text: str,
    *,
    person_id: int | None,
    formers: Collection[str] | None = None,
) -> None:
    """Keep a comment: in the thread, or, of a person alone, in place of the one that is there.

    Args:
        person_id: who has signed in; None where one person is alone.
        formers: as `set_comment` takes them.
    Raises:
        StoreError: there is no such document.
    """
    if person_id is None:
        set_comment(store, document_id, text, formers=formers)
    else:
        add_comment(store, document_id, text, person_id)


def add_comment(store: Store, document_id: str, text: str, person_id: int) -> None:
    """Append an entry to a thread; what somebody has just written is not written twice.

    Raises:
        StoreError: there is no such document, or it is too long.
    """
    with store.write() as connection:
        require_document(connection, document_id)
        last = next(reversed(_thread(connection, document_id)), None)
        if last is None or (last.person_id, last.text) != (person_id, _clean(text)):
            write_entry(connection, document_id, text, person_id)


def write_entry(connection: Connection, document_id: str, text: str, person_id: int) -> None:
    """Append an entry to a thread, in an open transaction; nothing where the text is empty."""
    clean = _clean(text)
    if not clean:
        return
    _begin(connection, document_id)
    values = {"document_id": document_id, "created_at": datetime.now(UTC), "person_id": person_id}
    mentions = _mentioned(connection, document_id, clean)
    connection.execute(insert(comment).values(values | {"text": clean, "mentions": mentions}))
    _gather(connection, document_id)


def edit_comment(store: Store, comment_id: int, text: str, person_id: int) -> None:
    """Change one's own comment.

    Raises:
        NotAllowedError: it is somebody else's.
        StoreError: it is too long, empty, or not there.
    """
    clean = _clean(text)
    if not clean:
        raise StoreError("A comment needs at least a word; resolve it instead.")
    with store.write() as connection:
        row = _entry(connection, comment_id)
        if row.person_id != person_id:
            raise NotAllowedError(NOT_OWN)
        mentions = _mentioned(connection, row.document_id, clean)
        values = {"text": clean, "edited_at": datetime.now(UTC), "mentions": mentions}
        connection.execute(_this(comment_id).values(values))
        _gather(connection, row.document_id)


def resolve_comment(store: Store, comment_id: int, *, is_resolved: bool = True) -> None:
    """Say that nobody has to do anything about a comment any more, or that somebody has.

    Raises:
        StoreError: it is not there.
    """
    with store.write() as connection:
        document_id = _entry(connection, comment_id).document_id
        moment = datetime.now(UTC) if is_resolved else None
        connection.execute(_this(comment_id).values(resolved_at=moment))
        _gather(connection, document_id)


def mentions_of(store: Store, project_id: int, person_id: int) -> frozenset[str]:
    """Return the documents on which a person was named, and has neither answered nor resolved it."""
    entry = comment.c
    listed = document.c.project_id == project_id, ON_LIST
    named = (
        select(entry.document_id, entry.comment_id, entry.mentions)
        .join(document, document.c.document_id == entry.document_id)
        .where(*listed, entry.mentions.is_not(None), entry.resolved_at.is_(None))
    )
    answered = select(entry.document_id, func.max(entry.comment_id)).where(
        entry.person_id == person_id
    )
    with store.read() as connection:
        rows = [row for row in connection.execute(named) if person_id in row.mentions]
        if not rows:
            return frozenset()
        last = dict(tuple(row) for row in connection.execute(answered.group_by(entry.document_id)))
    return frozenset(r.document_id for r in rows if r.comment_id > last.get(r.document_id, 0))


def _begin(connection: Connection, document_id: str) -> None:
    """Make an entry of what stood there before people signed in, where no thread is yet."""
    text = connection.scalar(_of_document(document_id))
    if text and not _thread(connection, document_id):
        moment = connection.scalar(
            select(document.c.created_at).where(document.c.document_id == document_id)
        )
        row = {"document_id": document_id, "text": text, "created_at": moment}
        connection.execute(insert(comment).values(row))


def _gather(connection: Connection, document_id: str) -> None:
    """Write what is not resolved of a thread where the list and exports look for it."""
    lines = [c.line for c in _thread(connection, document_id) if c.resolved_at is None]
    write_comment(connection, document_id, "\n".join(lines))


def gather_again(connection: Connection, person_id: int) -> None:
    """Write the threads anew in which a person wrote, who is called otherwise from now on."""
    theirs = select(comment.c.document_id).where(comment.c.person_id == person_id).distinct()
    for document_id in connection.scalars(theirs.order_by(comment.c.document_id)).all():
        _gather(connection, document_id)


def _mentioned(connection: Connection, document_id: str, text: str) -> list[int] | None:
    """Return who is named in a text, of those who have a role in the project of its document."""
    written = MENTION.findall(text.lower())
    names = {*written, *(name.rstrip(END_OF_SENTENCE) for name in written)}
    if not names:
        return None
    member = (
        select(membership.c.person_id)
        .join(document, document.c.project_id == membership.c.project_id)
        .where(document.c.document_id == document_id)
    )
    query = select(person.c.person_id).where(
        person.c.name.in_(names),
        person.c.closed_at.is_(None),
        or_(person.c.is_administrator, person.c.person_id.in_(member)),
    )
    return list(connection.scalars(query.order_by(person.c.person_id))) or None


def _clean(text: str) -> str:
    clean = storable(text).strip()
    if len(clean) > LONGEST_COMMENT:
        raise StoreError(TOO_LONG)
    return clean


def _entry(connection: Connection, comment_id: int) -> Row[str, int | None]:
    query = select(comment.c.document_id, comment.c.person_id)
    row = connection.execute(query.where(comment.c.comment_id == comment_id)).one_or_none()
    if row is None:
        raise StoreError("There is no such comment any more.")
    return row


def _of_document(document_id: str) -> Select[str]:
    return select(document.c.comment).where(document.c.document_id == document_id)


def _this(comment_id: int) -> Update:
    return update(comment).where(comment.c.comment_id == comment_id)

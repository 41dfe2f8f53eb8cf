"""What clients sent, what they were told is stored, and what databases hold."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Sent(NamedTuple):
    """A decision as a client sent it."""

    sequence: int
    action: str
    concept_id: str


class Stored(NamedTuple):
    """A decision as a database holds it; under nobody's name where nobody asks."""

    client: str
    sequence: int
    action: str
    concept_id: str
    person_id: int | None = None


@dataclass
class Ledger:
    """The decisions of one client, in the order in which they were made.

    Attributes:
        person_id: whose cookie they were sent with; None where nobody signs in.
    """

    client: str
    sent: list[Sent] = field(default_factory=list)
    acknowledged: set[int] = field(default_factory=set)
    person_id: int | None = None


@dataclass
class Comparison:
    """What is wrong between clients and databases; all zero where nothing is.

    Attributes:
        stored: decisions that are in at least one of the databases.
        lost: acknowledged, and in none of them.
        doubled: more than once in one database, or never sent.
        out_of_order: stored behind a later one of the same client, or with another content.
        misnamed: stored under the name of another than who sent them.
    """

    sent: int = 0
    acknowledged: int = 0
    stored: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    misnamed: int = 0

    def problems(self) -> Iterator[str]:
        """Yield a sentence for each kind of difference."""
        for name in ("lost", "doubled", "out_of_order", "misnamed"):
            if number := getattr(self, name):
                yield f"{number:,} decisions {name.replace('_', ' ')}"
        if self.sent != self.acknowledged:
            yield f"{self.sent - self.acknowledged:,} decisions were never acknowledged"


def compare(ledgers: Iterable[Ledger], *databases: Sequence[Stored]) -> Comparison:
    """Compare what clients know with databases, each in the order of its rows.

    Args:
        databases: the one that is in use, and those that a restore has put aside.
    """
    found = Comparison()
    by_client = [_by_client(rows) for rows in databases]
    known = {ledger.client: ledger for ledger in ledgers}
    for ledger in known.values():
        numbers = {row.sequence for rows in by_client for row in rows.get(ledger.client, ())}
        found.sent += len(ledger.sent)
        found.acknowledged += len(ledger.acknowledged)
        found.stored += len(numbers)
        found.lost += len(ledger.acknowledged - numbers)
    for rows in by_client:
        for client, own in rows.items():
            _count_wrong(found, known.get(client), own)
    return found


def _count_wrong(found: Comparison, ledger: Ledger | None, rows: Sequence[Stored]) -> None:
    """Add what is wrong with a client's rows of one database."""
    sent = {} if ledger is None else {made.sequence: made for made in ledger.sent}
    numbers = [row.sequence for row in rows]
    found.doubled += sum(count - 1 for count in Counter(numbers).values())
    found.doubled += sum(row.sequence not in sent for row in rows)
    found.out_of_order += sum(after < before for before, after in itertools.pairwise(numbers))
    found.out_of_order += sum(
        row.sequence in sent and sent[row.sequence] != row[1:4] for row in rows
    )
    name = None if ledger is None else ledger.person_id
    found.misnamed += sum(name not in (None, row.person_id) for row in rows)


def _by_client(rows: Sequence[Stored]) -> Mapping[str, list[Stored]]:
    found: dict[str, list[Stored]] = {}
    for row in rows:
        found.setdefault(row.client, []).append(row)
    return found

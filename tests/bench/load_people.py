"""The people of the load bench: accounts with roles that sign in, and under whose name the ledger has what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from core.api.protection.people import cookie_name
from core.review.people.accounts import add_account
from core.review.people.memberships import give_role
from core.review.people.sign_ins import begin_sign_in, choose_password, invite
from core.review.store.people import default_person
from core.review.store.store import Store
from core.review.store.tables import decision_event
from core.roles import Role

PASSWORD = "a herring in the library"
# Of each ten people; a reader's decisions are refused.
ROLES = (*[Role.INDEXER] * 6, *[Role.REVIEWER] * 2, Role.LEAD, Role.READER)

Key = tuple[str, int]  # client, sequence


@dataclass(frozen=True, slots=True)
class BenchPerson:
    """Somebody who has signed in, and the cookie that says so."""

    person_id: int
    role: Role
    cookie: str

    @property
    def headers(self) -> dict[str, str]:
        """What a browser of the person sends with each request."""
        return {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}

    @property
    def decides(self) -> bool:
        """Whether what the person decides is stored."""
        return self.role.includes(Role.INDEXER)


def add_people(store: Store, project_id: int, home: Path, number: int) -> list[BenchPerson]:
    """Add so many people with roles in a project, and sign each in; from then on everybody signs in."""
    first = default_person(store)
    choose_password(store, invite(store, first.name), PASSWORD)
    found = []
    for place in range(number):
        role, name = ROLES[place % len(ROLES)], f"person-{place}"
        account = add_account(store, name)
        give_role(store, name, project_id, role)
        token = begin_sign_in(store, account.person_id)
        found.append(BenchPerson(account.person_id, role, f"{cookie_name(str(home))}={token}"))
    return found


def compare(store: Store, settled: Mapping[Key, int | None]) -> Counter[str]:
    """Count what the ledger has otherwise than the answers said.

    Args:
        settled: by decision, the person whose cookie sent it; None where nobody signs in.
    Returns:
        Counts of "lost", "doubled" and "another's name"; none where nothing is wrong.
    """
    event = decision_event.c
    with store.read() as connection:
        rows = connection.execute(select(event.client_id, event.sequence, event.person_id)).all()
    stored = Counter((client, sequence) for client, sequence, _ in rows)
    wrong = Counter(
        lost=len(settled.keys() - stored.keys()),
        doubled=sum(n - 1 for n in stored.values()),
    )
    wrong["another's name"] = sum(
        settled.get((client, sequence), person_id) not in (None, person_id)
        for client, sequence, person_id in rows
    )
    return +wrong

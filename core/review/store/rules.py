"""Rules of a project: concepts never to be suggested, and branches never to be assigned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from core.errors import StoreError
from core.review.store.store import Store
from core.review.store.tables import rule
from core.vocabulary.concepts import Hierarchy

NEVER_SUGGESTED = "never_suggested"
NEVER_ASSIGNED = "never_assigned"
KINDS = (NEVER_SUGGESTED, NEVER_ASSIGNED)
IN_FORCE = select(rule.c.kind, rule.c.concept_id).where(
    rule.c.project_id == bindparam("project"), rule.c.lifted_at.is_(None)
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a project leaves out of its vocabulary.

    Attributes:
        never_suggested: concepts that the page does not show as suggestions; a person may add them.
        never_assigned: roots of branches that nobody may assign, nor the page suggest.
    """

    never_suggested: frozenset[str] = frozenset()
    never_assigned: frozenset[str] = frozenset()

    def forbids(self, concept_id: str, hierarchy: Hierarchy | None) -> bool:
        """Whether the concept is in a branch that is never assigned, by whichever path.

        Args:
            hierarchy: None where there is no vocabulary; then a rule holds for its concept alone.
        """
        if concept_id in self.never_assigned:
            return True
        if not self.never_assigned or hierarchy is None or concept_id not in hierarchy:
            return False
        return not self.never_assigned.isdisjoint(hierarchy.ancestors(concept_id))

    def hides(self, concept_id: str, hierarchy: Hierarchy | None) -> bool:
        """Whether the concept is not to be suggested."""
        return concept_id in self.never_suggested or self.forbids(concept_id, hierarchy)

    def kinds(self, concept_id: str) -> list[str]:
        """Return the rules that were set for this very concept."""
        by_kind = {NEVER_SUGGESTED: self.never_suggested, NEVER_ASSIGNED: self.never_assigned}
        return [kind for kind, concepts in by_kind.items() if concept_id in concepts]


def read_rules(store: Store, project_id: int) -> Rules:
    """Return the rules of a project that hold now."""
    with store.read() as connection:
        return _rules(connection.execute(IN_FORCE, {"project": project_id}))


class RuleHistory:
    """Every rule of some projects, also those that were lifted."""

    def __init__(self, connection: Connection, project_ids: Iterable[int]) -> None:
        self._of: dict[int, list[Row[Any]]] = {}
        query = select(rule).where(rule.c.project_id.in_(set(project_ids)))
        for row in connection.execute(query):
            self._of.setdefault(row.project_id, []).append(row)

    def __bool__(self) -> bool:
        """Whether there was ever one."""
        return bool(self._of)

    def at(self, project_id: int, moment: datetime) -> Rules:
        """Return the rules of a project that held at a moment."""
        return _rules(
            row
            for row in self._of.get(project_id, ())
            if row.created_at <= moment and (row.lifted_at is None or row.lifted_at > moment)
        )


def _rules(rows: Iterable[Row[Any]]) -> Rules:
    pairs = [(row.kind, row.concept_id) for row in rows]
    of_kind = {kind: frozenset(i for other, i in pairs if other == kind) for kind in KINDS}
    return Rules(of_kind[NEVER_SUGGESTED], of_kind[NEVER_ASSIGNED])


def set_rule(store: Store, project_id: int, concept_id: str, kind: str, person_id: int) -> None:
    """Let a rule hold from now on; it changes no decision that was made before.

    Raises:
        StoreError: there is no such kind of rule.
    """
    if kind not in KINDS:
        raise StoreError(f"There is no rule {kind!r}; it is one of {', '.join(KINDS)}.")
    names = {"project_id": project_id, "concept_id": concept_id, "kind": kind}
    with store.write() as connection:
        if not _lift(connection, names, None):
            made = {"person_id": person_id, "created_at": datetime.now(UTC)}
            connection.execute(insert(rule).values(names | made))


def lift_rule(store: Store, project_id: int, concept_id: str, kind: str) -> None:
    """Let a rule hold no longer; that it held once stays known."""
    names = {"project_id": project_id, "concept_id": concept_id, "kind": kind}
    with store.write() as connection:
        _lift(connection, names, datetime.now(UTC))


def _lift(connection: Connection, names: dict[str, object], moment: datetime | None) -> int:
    """Note for the rule that holds when it was lifted, if at all; how many rules that were."""
    this = [rule.c[name] == value for name, value in names.items()]
    written = update(rule).where(*this, rule.c.lifted_at.is_(None)).values(lifted_at=moment)
    return connection.execute(written).rowcount

"""What is used in each project: which concepts, how often, and after which words."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import func, select

from core.review.decisions.operations import FOUND_BY_WORDS, QUERY
from core.review.reports.usage import ACCEPTED, listed
from core.review.store.store import Store
from core.review.store.tables import decision, decision_event
from core.vocabulary.folding import fold_text

FRESH_SECONDS = 20.0  # a search may be behind the decisions by so much
MOST_PROJECTS = 16
N_RECENT, N_OFTEN = 5, 5


@dataclass(frozen=True, slots=True)
class Used:
    """What is used in one project.

    Attributes:
        frequencies: on how many documents each concept was accepted.
        recent: concepts, the one that was accepted last first.
        typed: folded words, with what was accepted after them, the most frequent first.
    """

    frequencies: Mapping[str, int] = field(default_factory=dict)
    recent: Sequence[str] = ()
    typed: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def offered(self) -> list[str]:
        """Return what is offered where nothing is typed: what was used recently, then often."""
        often = sorted(self.frequencies, key=lambda concept_id: -self.frequencies[concept_id])
        recent = [*self.recent[:N_RECENT]]
        return [*recent, *[i for i in often if i not in recent][:N_OFTEN]]

    def after(self, query: str) -> Sequence[str]:
        """Return what was accepted here after these very words."""
        return self.typed.get(fold_text(query), ())


class UsedConcepts:
    """Looks up what is used in projects, and keeps it for a moment: a search asks at each key.

    Args:
        store: opens the store.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._known: OrderedDict[int, tuple[float, Used]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, project_id: int) -> Used:
        """Return what is used in a project.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._lock:
            read_at, used = self._known.get(project_id, (float("-inf"), Used()))
            if time.monotonic() - read_at < FRESH_SECONDS:
                return used
        used = self._read(project_id)
        with self._lock:
            self._known[project_id] = time.monotonic(), used
            while len(self._known) > MOST_PROJECTS:
                self._known.popitem(last=False)
        return used

    def _read(self, project_id: int) -> Used:
        accepted = accepted_concepts(self._store(), project_id)
        counts: dict[str, Counter[str]] = {}
        for text, concept_id in typed_for(self._store(), project_id):
            counts.setdefault(fold_text(text), Counter())[concept_id] += 1
        return Used(
            frequencies={found.concept_id: found.n_accepted for found in accepted},
            recent=tuple(found.concept_id for found in accepted[:N_RECENT]),
            typed={
                text: [concept_id for concept_id, _ in found.most_common()]
                for text, found in counts.items()
                if text
            },
        )


@dataclass(frozen=True, slots=True)
class AcceptedConcept:
    """A concept that documents of a project carry.

    Attributes:
        n_accepted: on how many documents.
        newest: orders concepts by when they were accepted last.
    """

    concept_id: str
    n_accepted: int
    newest: int


def accepted_concepts(store: Store, project_id: int) -> list[AcceptedConcept]:
    """Return what was accepted in a project, the concept that was accepted last first."""
    newest = func.max(decision.c.event_id)
    columns = select(decision.c.concept_id, func.count(), newest)
    accepted = listed(columns, project_id).where(decision.c.state == ACCEPTED)
    query = accepted.group_by(decision.c.concept_id).order_by(newest.desc())
    with store.read() as connection:
        return [AcceptedConcept(*row) for row in connection.execute(query)]


def typed_for(store: Store, project_id: int) -> list[tuple[str, str]]:
    """Return what was typed before a concept was accepted that still is, with the concept."""
    columns = select(decision.c.concept_id, decision_event.c.value)
    accepted = listed(columns, project_id).join(
        decision_event, decision_event.c.event_id == decision.c.event_id
    )
    query = accepted.where(
        decision.c.state == ACCEPTED,
        decision_event.c.action.in_(FOUND_BY_WORDS),
        decision_event.c.value.is_not(None),
    )
    with store.read() as connection:
        rows = connection.execute(query).fetchall()
    return [
        (text, concept_id) for concept_id, value in rows for text in (value or {}).get(QUERY, ())
    ]

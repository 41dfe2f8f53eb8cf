"""What is used in each project: which concepts, how often, and after which words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Text, cast, func, select

from core.review.decisions.operations import FOUND_BY_WORDS, QUERY
from core.review.reports.usage import ACCEPTED, listed
from core.review.store.store import Store
from core.review.store.tables import decision, decision_event
from core.vocabulary.folding import fold_text

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


def used_in(store: Store, project_id: int) -> Used:
    """Return what is used in a project.

    With hundreds of thousands of decisions that takes seconds.

    Raises:
        StoreError: the store cannot be read.
    """
    accepted = accepted_concepts(store, project_id)
    counts: dict[str, Counter[str]] = {}
    for text, concept_id, number in typed_for(store, project_id):
        counts.setdefault(fold_text(text), Counter())[concept_id] += number
    return Used(
        frequencies={use.concept_id: use.n_accepted for use in accepted},
        recent=tuple(use.concept_id for use in accepted[:N_RECENT]),
        typed={
            text: [concept_id for concept_id, _ in use.most_common()]
            for text, use in counts.items()
            if text
        },
    )


@dataclass(frozen=True, slots=True)
class AcceptedConcept:
    """A concept that documents of a project carry.

    Attributes:
        n_accepted: on how many documents.
    """

    concept_id: str
    n_accepted: int


def accepted_concepts(store: Store, project_id: int) -> list[AcceptedConcept]:
    """Return what was accepted in a project, the concept that was accepted last first."""
    newest = func.max(decision.c.event_id)
    columns = select(decision.c.concept_id, func.count())
    accepted = listed(columns, project_id).where(decision.c.state == ACCEPTED)
    query = accepted.group_by(decision.c.concept_id).order_by(newest.desc())
    with store.read() as connection:
        return [AcceptedConcept(*row) for row in connection.execute(query)]


def typed_for(store: Store, project_id: int) -> list[tuple[str, str, int]]:
    """Return what was typed before a concept was accepted that still is, the concept, how often.

    The database counts: there are far fewer different words than decisions.
    """
    value = cast(decision_event.c.value, Text)
    columns = select(decision.c.concept_id, value, func.count())
    accepted = listed(columns, project_id).join(
        decision_event, decision_event.c.event_id == decision.c.event_id
    )
    query = accepted.where(
        decision.c.state == ACCEPTED,
        decision_event.c.action.in_(FOUND_BY_WORDS),
        decision_event.c.value.is_not(None),
    ).group_by(decision.c.concept_id, value)
    with store.read() as connection:
        rows = connection.execute(query).fetchall()
    return [
        (text, concept_id, number)
        for concept_id, written, number in rows
        for text in (json.loads(written) or {}).get(QUERY, ())
    ]

from __future__ import annotations

from datetime import UTC, datetime

from core.review.decisions import Decision
from core.review.tree import tree_states
from core.vocabulary.concepts import Concept, Hierarchy

# food > plants > olives, trade > olives; food > bread
HIERARCHY = Hierarchy(
    [
        Concept(concept_id, f"http://x/{concept_id}", None, {"en": concept_id}, broader=broader)
        for concept_id, broader in [
            ("food", ()),
            ("trade", ()),
            ("plants", ("food",)),
            ("olives", ("plants", "trade")),
            ("bread", ("food",)),
        ]
    ],
    vocabulary_id="tiny",
    version="1",
)


def decided(**states: str) -> dict[str, Decision]:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return {
        concept_id: Decision(concept_id, state, False, 0.5, 1, "guided", "me", now)
        for concept_id, state in states.items()
    }


def test_nothing_decided_is_nothing_implied() -> None:
    assert tree_states(HIERARCHY, {}) == {}


def test_an_accepted_concept_implies_all_its_ancestors_on_every_path() -> None:
    assert tree_states(HIERARCHY, decided(olives="accepted")) == {
        "olives": "accepted",
        "plants": "implied",
        "food": "implied",
        "trade": "implied",
    }


def test_a_rejected_concept_says_nothing_about_any_other() -> None:
    assert tree_states(HIERARCHY, decided(plants="rejected")) == {"plants": "rejected"}


def test_what_was_decided_on_an_ancestor_stays_whatever_the_order() -> None:
    wanted = {
        "olives": "accepted",
        "plants": "rejected",
        "food": "accepted",
        "trade": "implied",
    }
    one = decided(olives="accepted", plants="rejected", food="accepted")
    assert tree_states(HIERARCHY, one) == wanted
    assert tree_states(HIERARCHY, dict(reversed(one.items()))) == wanted


def test_a_concept_that_the_vocabulary_lost_keeps_its_state() -> None:
    assert tree_states(HIERARCHY, decided(gone="accepted")) == {"gone": "accepted"}

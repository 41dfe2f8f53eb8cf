"""What is refused by the rules of a project and of its vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.coding.conventions import conventions_of, is_code
from core.review.decided import Decision
from core.review.operations import Operation, Refusal
from core.vocabulary.concepts import Hierarchy

if TYPE_CHECKING:
    from core.review.rules import Rules

RULED_OUT = "This concept is in a branch that is never assigned here; it was not stored."
CATEGORY = "This is a category: choose one of the codes below it. It was not stored as a code."
A_CODE = "This is a code that can be assigned itself; it was not put down as open."
ASSIGNING = frozenset({"accept", "add", "mark", "hold"})

# Why a document cannot be finished as it stands, given its decisions; "" where it can.
MayFinish = Callable[[Mapping[str, Decision]], str]


@dataclass(frozen=True, slots=True)
class Limits:
    """What must not be done.

    Attributes:
        ruled_out: concepts that must not be assigned.
        categories: those of the concepts to be assigned that are no codes, where only codes are
            assigned; None where everything is.
        may_finish: is asked before a document is finished.
    """

    ruled_out: frozenset[str] = frozenset()
    categories: frozenset[str] | None = None
    may_finish: MayFinish | None = None

    def refusal(self, operation: Operation) -> Refusal | None:
        """Why a concept cannot be assigned, or a code not be put down as open."""
        if operation.action not in ASSIGNING:
            return None
        if operation.concept_id in self.ruled_out:
            return Refusal(operation.sequence, "ruled out", RULED_OUT)
        if self.categories is None:
            return None
        is_category = operation.concept_id in self.categories
        if is_category and operation.action != "hold":
            return Refusal(operation.sequence, "category", CATEGORY)
        if operation.action == "hold" and not is_category:
            return Refusal(operation.sequence, "a code", A_CODE)
        return None


def limits_of(
    wanted: Iterable[Operation],
    *,
    known: Container[str] | None = None,
    rules: Rules | None = None,
    may_finish: MayFinish | None = None,
) -> Limits:
    """What must not be done with the wanted concepts.

    Args:
        known: of a `Hierarchy`, it is known what is below a concept and which rules it has.
    """
    hierarchy = known if isinstance(known, Hierarchy) else None
    assigned = {one.concept_id for one in wanted if one.action in ASSIGNING}
    ruled_out = {i for i in assigned if rules is not None and rules.forbids(i, hierarchy)}
    categories: frozenset[str] | None = None
    if hierarchy is not None and conventions_of(hierarchy.vocabulary_id).leaves_only:
        categories = frozenset(i for i in assigned if not is_code(i, hierarchy))
    return Limits(frozenset(ruled_out), categories, may_finish)

"""What is refused by the rules of a project and of its vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.clinical.joined import conventions_in, is_procedure_in
from core.review.decisions.decided import Decision
from core.review.decisions.operations import Operation, Refusal
from core.review.store.rules import Rules
from core.vocabulary.concepts import Hierarchy, is_code

RULED_OUT = "This concept is in a branch that is never assigned here; it was not stored."
CATEGORY = "This is a category: choose one of the codes below it. It was not stored as a code."
A_CODE = "This is a code that can be assigned itself; it was not put down as open."
NO_DIAGNOSIS = "Only a diagnosis is present on admission or not; the mark was not stored."
NO_PROCEDURE = "Only a procedure has a day on which it was done; the day was not stored."
ASSIGNING = frozenset({"accept", "add", "mark", "hold"})

# Why a document cannot be finished as it stands, given its decisions; "" where it can.
MayFinish = Callable[[Mapping[str, Decision]], str]


@dataclass(frozen=True, slots=True)
class Limits:
    """What must not be done.

    Attributes:
        ruled_out: concepts that must not be assigned.
        categories, codes: where only codes are assigned, those of the concepts to be assigned that
            are no codes, and those that are.
        unmarkable, undatable: concepts that cannot be marked as present on admission, or not have
            a day.
        may_finish: is called before a document is finished.
        may_review: whether finished documents may be judged, and approved ones reopened.
        approves_own: whether an outcome may be approved by who has adjudicated it.
    """

    ruled_out: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    unmarkable: frozenset[str] = frozenset()
    undatable: frozenset[str] = frozenset()
    may_finish: MayFinish | None = None
    may_review: bool = False
    approves_own: bool = True

    def refusal(self, operation: Operation) -> Refusal | None:
        """Return why a concept cannot be assigned, marked, dated or put down as open; else None."""
        concept_id, number = operation.concept_id, operation.sequence
        if operation.value:  # a mark that should not be there can be taken away
            if operation.action == "present" and concept_id in self.unmarkable:
                return Refusal(number, "no diagnosis", NO_DIAGNOSIS)
            if operation.action == "performed" and concept_id in self.undatable:
                return Refusal(number, "no procedure", NO_PROCEDURE)
        if operation.action not in ASSIGNING:
            return None
        if concept_id in self.ruled_out:
            return Refusal(number, "ruled out", RULED_OUT)
        if operation.action == "hold":
            return Refusal(number, "a code", A_CODE) if concept_id in self.codes else None
        return Refusal(number, "category", CATEGORY) if concept_id in self.categories else None


def limits_of(
    wanted: Sequence[Operation],
    *,
    concept_ids: Container[str] | None = None,
    vocabulary: Hierarchy | None = None,
    rules: Rules | None = None,
    may_finish: MayFinish | None = None,
) -> Limits:
    """Return what must not be done with the wanted concepts.

    Args:
        concept_ids: of a `Hierarchy`, it is known what is below a concept and which rules it has.
        vocabulary: of which it is known, too, where `concept_ids` does not say.
    """
    hierarchy = concept_ids if isinstance(concept_ids, Hierarchy) else None
    assigned = {operation.concept_id for operation in wanted if operation.action in ASSIGNING}
    ruled_out = {i for i in assigned if rules is not None and rules.forbids(i, hierarchy)}
    limits = Limits(frozenset(ruled_out), may_finish=may_finish)
    tree = hierarchy or vocabulary
    return limits if tree is None else _coded(limits, wanted, assigned, tree)


def _coded(
    limits: Limits, wanted: Sequence[Operation], assigned: Iterable[str], hierarchy: Hierarchy
) -> Limits:
    """Add the limits of the vocabulary for the concepts that it has."""
    conventions = conventions_in(hierarchy)
    if conventions.leaves_only:
        here = {i for i in assigned if i in hierarchy}
        codes = frozenset(i for i in here if is_code(i, hierarchy))
        limits = replace(limits, categories=frozenset(here - codes), codes=codes)
    marked = {
        operation.concept_id for operation in wanted if operation.action in ("present", "performed")
    }
    procedures = frozenset(i for i in marked if is_procedure_in(i, hierarchy))
    return replace(
        limits,
        unmarkable=procedures if conventions.present_on_admission else frozenset(marked),
        undatable=frozenset(marked - procedures if conventions.dated_procedures else marked),
    )

"""The rules that there are, in the order in which their findings stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.coding.findings import CheckedCodes, Finding
from core.coding.rules.admission import admission, days
from core.coding.rules.assignable import assignable
from core.coding.rules.births import births
from core.coding.rules.circulatory import hypertension
from core.coding.rules.combination import combination
from core.coding.rules.detail import detail, stages
from core.coding.rules.diabetes import diabetes
from core.coding.rules.first import first
from core.coding.rules.history import history
from core.coding.rules.injuries import injuries
from core.coding.rules.instructed import beside, excluded_pairs, sequence
from core.coding.rules.laterality import both_sides, open_side
from core.coding.rules.patient import patient
from core.coding.rules.principal import principal
from core.coding.rules.symptoms import symptoms
from core.vocabulary.conventions import ICD10CM

Rule = Callable[[CheckedCodes], Iterator[Finding]]

EVERY_SYSTEM: tuple[Rule, ...] = (assignable, principal)
OF_ICD10CM: tuple[Rule, ...] = (
    hypertension,
    diabetes,
    combination,
    detail,
    stages,
    both_sides,
    births,
    first,
    injuries,
    history,
    patient,
)
INSTRUCTED: tuple[Rule, ...] = (excluded_pairs, sequence, open_side, days, admission, beside)
NOTES_OF_ICD10CM: tuple[Rule, ...] = (symptoms,)


def rules_of(vocabulary_id: str) -> tuple[Rule, ...]:
    """Return the rules of a code system: those of a topic before what the tabular list instructs."""
    if vocabulary_id != ICD10CM:
        return EVERY_SYSTEM + INSTRUCTED
    return EVERY_SYSTEM + OF_ICD10CM + INSTRUCTED + NOTES_OF_ICD10CM

"""The check before an encounter is finished: what is not allowed, what is unusual, and why.

The same code cannot be there twice: a document has one decision on each concept. ICD-9-CM comes
without instructions here, so of its codes only what the tree itself says is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from core.clinical.coding.exported import edition_of, mark_of
from core.clinical.coding.findings import (
    ERROR,
    NOTE,
    CheckedCodes,
    DocumentCode,
    Finding,
    by_severity,
)
from core.clinical.coding.presence import PresenceProposal, proposals
from core.clinical.coding.rules.admission import admission, days
from core.clinical.coding.rules.assignable import assignable, editions
from core.clinical.coding.rules.births import births
from core.clinical.coding.rules.circulatory import hypertension
from core.clinical.coding.rules.combination import combination
from core.clinical.coding.rules.detail import detail, stages
from core.clinical.coding.rules.diabetes import diabetes
from core.clinical.coding.rules.first import first, principal
from core.clinical.coding.rules.history import history
from core.clinical.coding.rules.injuries import drugs, injuries, phases
from core.clinical.coding.rules.instructed import beside, excluded_pairs, sequence
from core.clinical.coding.rules.laterality import both_sides, open_side
from core.clinical.coding.rules.pairs import pairs
from core.clinical.coding.rules.patient import patient
from core.clinical.coding.rules.symptoms import symptoms
from core.clinical.notation import ICD10CM
from core.clinical.stay import Stay
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import Conventions

__all__ = [
    "ERROR",
    "DocumentCode",
    "Finding",
    "PresenceProposal",
    "by_severity",
    "check",
    "edition_of",
    "mark_of",
    "proposals",
]

Rule = Callable[[CheckedCodes], Iterator[Finding]]

EVERY_SYSTEM: tuple[Rule, ...] = (assignable, principal)
OF_ICD10CM: tuple[Rule, ...] = (
    editions,
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
    pairs,
    phases,
    drugs,
)
INSTRUCTED: tuple[Rule, ...] = (excluded_pairs, sequence, open_side, days, admission, beside)
NOTES_OF_ICD10CM: tuple[Rule, ...] = (symptoms,)


def rules_of(vocabulary_id: str) -> tuple[Rule, ...]:
    """Return the rules of a code system: those of a topic before what the tabular list instructs."""
    if vocabulary_id != ICD10CM:
        return EVERY_SYSTEM + INSTRUCTED
    return EVERY_SYSTEM + OF_ICD10CM + INSTRUCTED + NOTES_OF_ICD10CM


def check(
    codes: Sequence[DocumentCode],
    hierarchy: Hierarchy,
    conventions: Conventions,
    stay: Stay | None = None,
    presence: Mapping[str, PresenceProposal] | None = None,
) -> list[Finding]:
    """Return all findings, errors first; none where the vocabulary has no such check.

    Args:
        codes: the accepted ones in their order, and the open categories.
        stay: age and sex of the patient, and the days and class of the stay, if they are known.
        presence: what the notes propose as marks of presence on admission, by code.
    """
    if not conventions.checked:
        return []
    accepted = tuple(code for code in codes if not code.is_open)
    waiting = tuple(code.concept_id for code in codes if code.is_open)
    checked = CheckedCodes(accepted, waiting, hierarchy, conventions, stay, presence or {})
    findings = [finding for rule in rules_of(checked.system) for finding in rule(checked)]
    return list(quiet(by_severity(findings)))


def quiet(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what is not said by a finding before it: one on the same codes, one note a code."""
    spoken_of: list[frozenset[str]] = []
    noted: set[str] = set()
    for finding in findings:
        about = frozenset(finding.concept_ids)
        if finding.kind in ONCE and any(about <= before for before in spoken_of):
            continue
        if finding.severity == NOTE and noted & about:
            continue
        if finding.kind not in APART:
            spoken_of.append(about)
        if finding.severity == NOTE:
            noted |= about
        yield finding


# Kinds that say nothing new of codes that an earlier finding is about, and such as are about
# something other than which codes there are.
ONCE = (
    "excludes1",
    "codeFirst",
    "order",
    "laterality",
    "integral",
    "unspecified",
    "bilateral",
    "useAdditionalCode",
)
APART = ("unmarked", "exempt", "undated", "outside", "age", "sex", "cause", "edition")

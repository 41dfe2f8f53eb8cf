"""What a second coder or an auditor has otherwise in an encounter, in the words of coding audits.

One coding is the reference: the auditor's, the adjudicated one, or the other coder's. The principal
diagnosis outweighs all else: an encounter whose principal differs has the verdict PRINCIPAL whatever
else agrees, and how often it agrees is a figure of its own, in no mean with codes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq, Prefix

from core.agreement.figures import DEFAULT, Estimate, mean_over_documents
from core.clinical.joined import is_procedure_in, part_of
from core.clinical.notation import ICD10PCS, category_of
from core.vocabulary.concepts import Hierarchy

OTHER_PRINCIPAL = "other principal"
MISSED, ADDED, OTHER_DETAIL = "missed", "added", "other detail"
OTHER_ORDER = "other order"
OTHER_PRESENCE = "other presence on admission"
OTHER_DATE = "other date"
OF_CODES = frozenset({MISSED, ADDED, OTHER_DETAIL})
"""Kinds of difference that are of the codes themselves; those after them are of shared codes."""

PRINCIPAL, CODES, DETAILS, SAME = "principal", "codes", "order, presence or date", "same"


@dataclass(frozen=True, slots=True)
class AssignedCode:
    """A code of an encounter, with its mark of presence on admission and its day."""

    code: str
    present: str = ""
    performed_on: date | None = None


@dataclass(frozen=True, slots=True)
class AuditedEncounter:
    """One encounter as a coder left it and as the reference has it, codes in their order."""

    document_id: str
    coder: str
    codes: tuple[AssignedCode, ...]
    reference: tuple[AssignedCode, ...]


class CodeDifference(NamedTuple):
    """One difference; a code that one side lacks is ""."""

    kind: str
    code: str
    reference_code: str


def differences(encounter: AuditedEncounter, hierarchy: Hierarchy) -> list[CodeDifference]:
    """Return all differences of an encounter, the principal diagnosis first, then codes."""
    ours = {assigned.code: assigned for assigned in encounter.codes}
    theirs = {assigned.code: assigned for assigned in encounter.reference}
    shared = [code for code in theirs if code in ours]
    first, other = principal(ours, hierarchy), principal(theirs, hierarchy)
    found = [CodeDifference(OTHER_PRINCIPAL, first, other)] if first != other else []
    found += _unshared(ours.keys() - theirs.keys(), theirs.keys() - ours.keys(), hierarchy)
    found += (CodeDifference(OTHER_ORDER, code, code) for code in _moved(ours, shared, hierarchy))
    for code in shared:
        if ours[code].present != theirs[code].present:
            found.append(CodeDifference(OTHER_PRESENCE, code, code))
        if ours[code].performed_on != theirs[code].performed_on:
            found.append(CodeDifference(OTHER_DATE, code, code))
    return found


def principal(codes: Iterable[str], hierarchy: Hierarchy) -> str:
    """Return the first diagnosis; "" where there is none."""
    return next((code for code in codes if not is_procedure_in(code, hierarchy)), "")


def _unshared(
    added: Iterable[str], missed: Iterable[str], hierarchy: Hierarchy
) -> Iterator[CodeDifference]:
    """Pair codes of one category, each with that of the longest common beginning, once."""
    left = sorted(missed)
    for code in sorted(added):
        kin = [c for c in left if _category(c, hierarchy) == _category(code, hierarchy)]
        nearest = max(kin, key=lambda other: Prefix.similarity(code, other), default="")
        yield CodeDifference(OTHER_DETAIL if nearest else ADDED, code, nearest)
        left = [other for other in left if other != nearest]
    yield from (CodeDifference(MISSED, "", code) for code in left)


def _category(code: str, hierarchy: Hierarchy) -> str:
    """The three characters that say what a code is of: a category, or of ICD-10-PCS a table."""
    is_pcs = part_of(code, hierarchy).vocabulary_id == ICD10PCS
    return code[:3] if is_pcs else category_of(code)


def _moved(ours: Iterable[str], shared: Sequence[str], hierarchy: Hierarchy) -> Iterator[str]:
    """Yield the fewest codes that would have to move; diagnoses and procedures stand apart.

    Of two that changed places, it is the one that has to move up.
    """
    for of_procedures in (False, True):
        theirs = [code for code in shared if is_procedure_in(code, hierarchy) is of_procedures]
        same = [code for code in ours if code in theirs]
        edits = LCSseq.editops(same, theirs)
        yield from (same[edit.src_pos] for edit in edits if edit.tag == "delete")


def verdict(found: Iterable[CodeDifference]) -> str:
    """Return the weightiest of an encounter's differences: PRINCIPAL, CODES, DETAILS or SAME."""
    kinds = {difference.kind for difference in found}
    if OTHER_PRINCIPAL in kinds:
        return PRINCIPAL
    if kinds & OF_CODES:
        return CODES
    return DETAILS if kinds else SAME


class AuditRow(NamedTuple):
    """How often one kind of difference occurs with a coder in a chapter: a top concept's id."""

    coder: str
    chapter: str
    kind: str
    n: int


def audit_table(encounters: Iterable[AuditedEncounter], hierarchy: Hierarchy) -> list[AuditRow]:
    """Count differences by coder, chapter of the reference's code, or else the coder's, and kind."""
    counts = Counter(
        (encounter.coder, _chapter(reference_code or code, hierarchy), kind)
        for encounter in encounters
        for kind, code, reference_code in differences(encounter, hierarchy)
    )
    return [AuditRow(*key, n) for key, n in sorted(counts.items())]


def _chapter(code: str, hierarchy: Hierarchy) -> str:
    """The top concept above a code; "" of a code that the vocabulary does not have."""
    above = {code, *hierarchy.ancestors(code)} if code in hierarchy else set()
    return min((i for i in above if not hierarchy.broader(i)), default="")


@dataclass(frozen=True, slots=True)
class CoderAudit:
    """How far one coder agrees with the reference.

    Attributes:
        verdicts: encounters by their weightiest difference.
        principal: the share of encounters with the same principal diagnosis, or with none.
        record_over_record: the share of encounters without any difference.
        code_over_code: of all codes that either side has, the share that both have, over all
            encounters; codes that differ in detail count once. None where there are no codes.
    """

    coder: str
    verdicts: Counter[str]
    principal: Estimate
    record_over_record: Estimate
    code_over_code: float | None


def audit_by_coder(
    encounters: Iterable[AuditedEncounter], hierarchy: Hierarchy
) -> list[CoderAudit]:
    """Return a row for each coder."""
    of_coder: dict[str, list[AuditedEncounter]] = {}
    for encounter in encounters:
        of_coder.setdefault(encounter.coder, []).append(encounter)
    return [_audit(c, of_coder[c], hierarchy) for c in sorted(of_coder)]


def _audit(coder: str, encounters: Sequence[AuditedEncounter], hierarchy: Hierarchy) -> CoderAudit:
    found = [differences(encounter, hierarchy) for encounter in encounters]
    verdicts = np.array([verdict(of_encounter) for of_encounter in found])
    n_other = sum(difference.kind in OF_CODES for part in found for difference in part)
    n_same = sum(len({c.code for c in e.codes} & {c.code for c in e.reference}) for e in encounters)
    number = np.arange(len(encounters))
    return CoderAudit(
        coder,
        Counter(verdicts.tolist()),
        mean_over_documents((verdicts != PRINCIPAL).astype(float), number, DEFAULT),
        mean_over_documents((verdicts == SAME).astype(float), number, DEFAULT),
        n_same / (n_same + n_other) if n_same + n_other else None,
    )

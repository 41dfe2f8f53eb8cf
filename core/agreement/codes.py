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

import numpy as np
from rapidfuzz.distance import LCSseq, Prefix

from core.agreement.figures import DEFAULT, NOBODY_TWICE, Bootstrap, Estimate, mean_over_documents
from core.clinical.conventions import ICD10PCS
from core.clinical.joined import is_procedure_in, part_of
from core.clinical.notation import category_of
from core.vocabulary.concepts import Hierarchy

OTHER_PRINCIPAL = "other principal"
MISSED = "missed"
ADDED = "added"
OTHER_DETAIL = "other detail"
OTHER_ORDER = "other order"
OTHER_PRESENCE = "other presence on admission"
OTHER_DATE = "other date"
OF_CODES = frozenset({MISSED, ADDED, OTHER_DETAIL})
"""Kinds of difference that are of the codes themselves; the others are of codes that both have."""
NO_DIAGNOSIS = "no encounter has a diagnosis"

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


@dataclass(frozen=True, slots=True)
class CodeDifference:
    """One difference; a code that one side lacks is ""."""

    kind: str
    code: str
    reference_code: str

    @property
    def place(self) -> str:
        """The code by whose chapter it counts."""
        return self.reference_code or self.code


def differences(encounter: AuditedEncounter, hierarchy: Hierarchy) -> list[CodeDifference]:
    """Return all differences of an encounter, the principal diagnosis first, then codes."""
    first, other = (principal(side, hierarchy) for side in (encounter.codes, encounter.reference))
    ours = {assigned.code: assigned for assigned in encounter.codes}
    theirs = {assigned.code: assigned for assigned in encounter.reference}
    shared = [code for code in theirs if code in ours]
    return [
        *([CodeDifference(OTHER_PRINCIPAL, first, other)] if first != other else []),
        *_unshared([c for c in ours if c not in theirs], [c for c in theirs if c not in ours], hierarchy),
        *(CodeDifference(OTHER_ORDER, c, c) for c in _moved(list(ours), shared, hierarchy)),
        *(CodeDifference(OTHER_PRESENCE, c, c) for c in shared if ours[c].present != theirs[c].present),
        *(
            CodeDifference(OTHER_DATE, c, c)
            for c in shared
            if ours[c].performed_on != theirs[c].performed_on
        ),
    ]  # fmt: skip


def _unshared(
    added: Sequence[str], missed: Sequence[str], hierarchy: Hierarchy
) -> Iterator[CodeDifference]:
    """Pair codes of one category, each with that of the longest common beginning, once."""
    left = list(missed)
    for code in added:
        kin = [c for c in left if _category(c, hierarchy) == _category(code, hierarchy)]
        if not kin:
            yield CodeDifference(ADDED, code, "")
            continue
        nearest = max(kin, key=lambda other: Prefix.similarity(code, other))
        left.remove(nearest)
        yield CodeDifference(OTHER_DETAIL, code, nearest)
    yield from (CodeDifference(MISSED, "", code) for code in left)


def _category(code: str, hierarchy: Hierarchy) -> str:
    """The three characters that say what a code is of: a category, or of ICD-10-PCS a table."""
    is_pcs = part_of(code, hierarchy).vocabulary_id == ICD10PCS
    return code[:3] if is_pcs else category_of(code)


def _moved(ours: Sequence[str], shared: Sequence[str], hierarchy: Hierarchy) -> Iterator[str]:
    """Yield the fewest codes that would have to move; diagnoses and procedures stand apart.

    Of two that changed places, it is the one that has to move up.
    """
    for of_procedures in (False, True):
        theirs = [c for c in shared if is_procedure_in(c, hierarchy) is of_procedures]
        same = [c for c in ours if c in theirs]
        yield from (
            same[edit.src_pos] for edit in LCSseq.editops(same, theirs) if edit.tag == "delete"
        )


def principal(codes: Iterable[AssignedCode], hierarchy: Hierarchy) -> str:
    """Return the first diagnosis; "" where there is none."""
    return next((c.code for c in codes if not is_procedure_in(c.code, hierarchy)), "")


def verdict(encounter: AuditedEncounter, hierarchy: Hierarchy) -> str:
    """Return the weightiest difference of an encounter: PRINCIPAL, CODES, DETAILS or SAME."""
    kinds = {difference.kind for difference in differences(encounter, hierarchy)}
    if OTHER_PRINCIPAL in kinds:
        return PRINCIPAL
    if kinds & OF_CODES:
        return CODES
    return DETAILS if kinds else SAME


@dataclass(frozen=True, slots=True)
class AuditRow:
    """How often one kind of difference occurs with a coder in a chapter: a top concept's id."""

    coder: str
    chapter: str
    kind: str
    n: int


def audit_table(encounters: Iterable[AuditedEncounter], hierarchy: Hierarchy) -> list[AuditRow]:
    """Count differences by coder, chapter and kind; the chapter of an unknown code is ""."""
    counts = Counter(
        (encounter.coder, _chapter(difference.place, hierarchy), difference.kind)
        for encounter in encounters
        for difference in differences(encounter, hierarchy)
    )
    return [AuditRow(*key, n) for key, n in sorted(counts.items())]


def _chapter(code: str, hierarchy: Hierarchy) -> str:
    above = {code, *hierarchy.ancestors(code)} if code in hierarchy else set()
    return min((i for i in above if not hierarchy.broader(i)), default="")


@dataclass(frozen=True, slots=True)
class CoderAudit:
    """How far one coder agrees with the reference.

    Attributes:
        verdicts: encounters by their weightiest difference.
        principal: the share of encounters with the same principal diagnosis, of those in which one
            side has a diagnosis.
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
    encounters: Iterable[AuditedEncounter], hierarchy: Hierarchy, *, bootstrap: Bootstrap = DEFAULT
) -> list[CoderAudit]:
    """Return a row for each coder."""
    of_coder: dict[str, list[AuditedEncounter]] = {}
    for encounter in encounters:
        of_coder.setdefault(encounter.coder, []).append(encounter)
    return [_audit(c, of_coder[c], hierarchy, bootstrap) for c in sorted(of_coder)]


def _audit(
    coder: str, encounters: Sequence[AuditedEncounter], hierarchy: Hierarchy, bootstrap: Bootstrap
) -> CoderAudit:
    verdicts = [verdict(encounter, hierarchy) for encounter in encounters]
    has_diagnosis = [
        any(principal(side, hierarchy) for side in (encounter.codes, encounter.reference))
        for encounter in encounters
    ]
    judged = [v != PRINCIPAL for v, has in zip(verdicts, has_diagnosis, strict=True) if has]
    n_same = sum(_n_shared(encounter) for encounter in encounters)
    n_other = sum(d.kind in OF_CODES for e in encounters for d in differences(e, hierarchy))
    return CoderAudit(
        coder,
        Counter(verdicts),
        _share(judged, bootstrap, NO_DIAGNOSIS),
        _share([v == SAME for v in verdicts], bootstrap, NOBODY_TWICE),
        n_same / (n_same + n_other) if n_same + n_other else None,
    )


def _n_shared(encounter: AuditedEncounter) -> int:
    return len({c.code for c in encounter.codes} & {c.code for c in encounter.reference})


def _share(holds: Sequence[bool], bootstrap: Bootstrap, undefined: str) -> Estimate:
    values, number = np.array(holds, float), np.arange(len(holds))
    return mean_over_documents(values, number, bootstrap, undefined=undefined)

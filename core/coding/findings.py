"""What a check of codes found, and the codes that it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.vocabulary.codes.notation import is_procedure
from core.vocabulary.conventions import ICD9CM, ICD10CM, ICD10PCS

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)


@dataclass(frozen=True, slots=True)
class DocumentCode:
    """A code as it stands on a document.

    Attributes:
        is_open: a category that was put down until its code is found.
        present: on admission: "Y", "N", "U", "W", or "" while it is unknown.
        performed_on: the day of a procedure as ISO 8601 writes it, or "".
    """

    concept_id: str
    is_open: bool = False
    present: str = ""
    performed_on: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not allowed, or is unusual.

    Attributes:
        kind: a short name, such as "excludes1".
        severity: "error" (a document cannot be finished with it), "warning" or "note".
        sentence: for the person who codes.
        concept_ids: the codes that it is about, that which should be looked at first.
        note: the instruction of the code system, as it has it; "" where it is not one.
        source: the section of the guidelines that it follows; "" where the note says it.
        remove, add: the codes that mend it, where there is one way only.
    """

    kind: str
    severity: str
    sentence: str
    concept_ids: tuple[str, ...]
    note: str = ""
    source: str = ""
    remove: tuple[str, ...] = ()
    add: tuple[str, ...] = ()


def by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """Return errors first, then warnings, then notes; otherwise in their order."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def is_procedure_of(concept_id: str, vocabulary_id: str) -> bool:
    """Return whether a code of this system is one of a procedure."""
    return vocabulary_id == ICD10PCS or (vocabulary_id == ICD9CM and is_procedure(concept_id))


def is_external_cause(concept_id: str, vocabulary_id: str) -> bool:
    """Return whether a code says how an injury came about: V00-Y99, and E codes of ICD-9-CM."""
    if vocabulary_id == ICD9CM:
        return concept_id.startswith("E")
    return vocabulary_id == ICD10CM and concept_id[:1] in "VWXY" and "-" not in concept_id


def is_status_code(concept_id: str, vocabulary_id: str) -> bool:
    """Return whether a code is a factor that influences health: Z codes, V codes of ICD-9-CM."""
    return concept_id[:1] == {ICD9CM: "V", ICD10CM: "Z"}.get(vocabulary_id)

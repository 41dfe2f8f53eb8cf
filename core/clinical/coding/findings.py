"""What a check of codes found, how it is mended, and the codes that it looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.clinical.coding.presence import PresenceProposal
from core.clinical.notation import ICD9CM, ICD10CM, is_procedure_of
from core.clinical.stay import Stay
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import Conventions

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
class Remedy:
    """Decisions that mend a finding, offered as one step that is undone as one.

    Attributes:
        words: what it does, for the button.
        remove: codes that are rejected.
        add: codes that are accepted; a category is held open, so that one of its codes is chosen.
        order: all codes afterwards, in their order; empty where it stays.
        present: marks of presence on admission, by code.
    """

    words: str
    remove: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    present: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not allowed, or is unusual.

    Attributes:
        kind: a short name, such as "excludes1".
        severity: "error" (a document cannot be finished with it), "warning" or "note".
        sentence: for the person who codes.
        concept_ids: the codes that it is about, that which should be looked at first.
        note: the instruction of the code system, as it has it; "" where it is not one.
        source: section of the guidelines, or published list with its year; "" where `note` or the
            vocabulary itself says it.
        remedy: None where there is more than one way, or none that a program knows.
    """

    kind: str
    severity: str
    sentence: str
    concept_ids: tuple[str, ...]
    note: str = ""
    source: str = ""
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True)
class CheckedCodes:
    """The codes of a document, and all that rules may ask about them.

    Attributes:
        codes: the accepted ones in their order.
        open: the categories of which a code is still to be found.
        stay: None where nothing is known of it.
        presence: what is proposed as marks of presence on admission, by code.
    """

    codes: tuple[DocumentCode, ...]
    open: tuple[str, ...]
    hierarchy: Hierarchy
    conventions: Conventions
    stay: Stay | None = None
    presence: Mapping[str, PresenceProposal] = field(default_factory=dict)

    @property
    def is_outpatient(self) -> bool:
        """Whether the encounter is known to be no stay of an inpatient."""
        return self.stay is not None and self.stay.is_outpatient

    @property
    def system(self) -> str:
        """The id of the vocabulary."""
        return self.hierarchy.vocabulary_id

    @property
    def day(self) -> date | None:
        """The day of which the codes have to be; None where it is not known."""
        return self.stay.ended if self.stay else None

    @property
    def ids(self) -> list[str]:
        """All accepted codes, in their order."""
        return [code.concept_id for code in self.codes]

    @property
    def diagnoses(self) -> list[str]:
        """The accepted diagnoses, in their order."""
        return [code for code in self.ids if not is_procedure_of(code, self.system)]

    def beginning(self, *beginnings: str) -> list[str]:
        """Return the diagnoses that begin like one of these, in their order."""
        return [code for code in self.diagnoses if code.startswith(beginnings)]

    def label(self, code: str) -> str:
        """Return the title in small letters; "" of an unknown code."""
        return self.hierarchy[code].label().lower() if code in self.hierarchy else ""

    def present(self, code: str) -> str:
        """Return the mark of presence on admission; "" without one."""
        return next((given.present for given in self.codes if given.concept_id == code), "")

    def put_first(self, code: str, before: str) -> Remedy:
        """Return the remedy that moves a code to the place before another one."""
        order = [other for other in self.ids if other != code]
        order.insert(order.index(before), code)
        return Remedy(f"Put {code} before {before}", order=tuple(order))

    def without(self, *codes: str, keeping: str = "") -> Remedy:
        """Return the remedy that removes codes; `keeping` takes the place of the first of them."""
        order = [other for other in self.ids if other not in (*codes, keeping)]
        if keeping:
            place = min(self.ids.index(other) for other in (*codes, keeping))
            order.insert(sum(other in order for other in self.ids[:place]), keeping)
        return Remedy(f"Remove {' and '.join(codes)}", remove=codes, order=tuple(order))

    def replaced(self, codes: Sequence[str], by: str, before: Sequence[str] = ()) -> Remedy:
        """Return the remedy that puts a code where the first of others stands.

        Args:
            before: codes that the new one has to precede.
        """
        places = [at for at, other in enumerate(self.ids) if other in (*codes, *before)]
        others = [other for other in self.ids if other not in (*codes, by)]
        place = sum(other in others for other in self.ids[: min(places)])
        others.insert(place, by)
        add = () if by in self.ids else (by,)
        words = f"Replace {' and '.join(codes)} by {by}" if add else f"Remove {' and '.join(codes)}"
        marks = {self.present(other) for other in codes}
        mark = marks.pop() if len(marks) == 1 else ""
        present = {by: mark} if add and mark else {}
        return Remedy(words, tuple(codes), add, tuple(others), present)


def by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """Return errors first, then warnings, then notes; otherwise in their order."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def is_external_cause(concept_id: str, vocabulary_id: str) -> bool:
    """Return whether a code says how an injury came about: V00-Y99, and E codes of ICD-9-CM."""
    if vocabulary_id == ICD9CM:
        return concept_id.startswith("E")
    return vocabulary_id == ICD10CM and concept_id[:1] in "VWXY" and "-" not in concept_id


def is_status_code(concept_id: str, vocabulary_id: str) -> bool:
    """Return whether a code is a factor that influences health: Z codes, V codes of ICD-9-CM."""
    return concept_id[:1] == {ICD9CM: "V", ICD10CM: "Z"}.get(vocabulary_id)

"""Codes as people write them, with their point and without it, and which system they belong to.

The same text may be a code of several systems: `V30.00` is a newborn in ICD-9-CM and an accident in
ICD-10-CM, and `9915` a diagnosis (991.5) or a procedure (99.15) of ICD-9-CM. So a code never goes
without its system, nor one of ICD-9-CM without its kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import VocabularyError

ICD9CM, ICD10CM, ICD10PCS = "icd9cm", "icd10cm", "icd10pcs"
"""The code systems that Strata knows, by the ids of their vocabularies; `systems` has their rules."""
SYMPTOMS = re.compile(r"symptoms, signs", re.IGNORECASE)
"""In the title of the chapter of symptoms, in ICD-9-CM and ICD-10-CM alike."""
DIAGNOSIS, PROCEDURE = "diagnosis", "procedure"
KIND_OF_RANGE = {"E": DIAGNOSIS, "V": DIAGNOSIS, "3": DIAGNOSIS, "2": PROCEDURE}


@dataclass(frozen=True, slots=True)
class Code:
    """One code, in the form in which its system writes it.

    Attributes:
        kind: "diagnosis" or "procedure".
    """

    system: str
    code: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """How the codes of one kind look, in two groups: before the point and after it."""

    system: str
    kind: str
    pattern: re.Pattern[str]

    def read(self, text: str) -> Code | None:
        match = self.pattern.fullmatch(text)
        if match is None:
            return None
        whole, rest = match["whole"], match["rest"]
        return Code(self.system, f"{whole}.{rest}" if rest else whole, self.kind)


def _shape(system: str, kind: str, whole: str, rest: str) -> _Shape:
    return _Shape(system, kind, re.compile(rf"(?P<whole>{whole})(?:\.?(?P<rest>{rest}))?"))


_SHAPES = (
    _shape(ICD9CM, DIAGNOSIS, r"[0-9]{3}|V[0-9]{2}", r"[0-9]{1,2}"),
    _shape(ICD9CM, DIAGNOSIS, r"E[0-9]{3}", r"[0-9]"),
    _shape(ICD9CM, PROCEDURE, r"[0-9]{2}", r"[0-9]{1,2}"),
    _shape(ICD10CM, DIAGNOSIS, r"(?=.{0,7}[0-9])[A-Z][0-9A-Z]{2}", r"[0-9A-Z]{1,4}"),
    _Shape(
        ICD10PCS, PROCEDURE, re.compile(r"(?P<whole>(?=.{0,7}[0-9])[0-9A-HJ-NP-Z]{7})(?P<rest>)")
    ),
)


def possible_codes(text: str, system: str | None = None) -> tuple[Code, ...]:
    """Return all codes that a text may mean by its shape, whether there is such a code or not.

    Args:
        system: only codes of this vocabulary ("icd9cm", "icd10cm", "icd10pcs"); None: of any.
    """
    plain = text.strip().upper()
    asked = (shape for shape in _SHAPES if system in (None, shape.system))
    return tuple(code for shape in asked if (code := shape.read(plain)) is not None)


def with_decimal_point(text: str, system: str, *, kind: str | None = None) -> str:
    """Return a code as its system writes it: `7862` is 786.2, and as a procedure 78.62.

    Args:
        kind: "diagnosis" or "procedure"; what may be both is a diagnosis where none is named.
    Raises:
        VocabularyError: the text does not look like such a code.
    """
    for code in possible_codes(text, system):
        if kind in (None, code.kind):
            return code.code
    raise VocabularyError(
        f"{text.strip()[:40]!r} does not look like a {kind or 'code'} of {system}; "
        "check which code system it belongs to."
    )


def is_procedure(code: str) -> bool:
    """Return whether a code or range of ICD-9-CM is of a procedure: two digits stand first."""
    whole = code.partition("-")[0].partition(".")[0]
    return len(whole) == 2 and whole.isdigit()


def is_procedure_of(concept_id: str, vocabulary_id: str) -> bool:
    """Return whether a code of this system is one of a procedure."""
    return vocabulary_id == ICD10PCS or (vocabulary_id == ICD9CM and is_procedure(concept_id))


MAX_RANGE_CHARACTERS = 40  # a number of hundreds of digits would be infinite


@dataclass(frozen=True, slots=True)
class CodeRange:
    """The codes of ICD-9-CM from one to another; of a single code, that code.

    Attributes:
        kind: "3" for diagnoses, which have three digits before the point, "2" for procedures,
            "E" and "V" for codes with these letters.
    """

    code: str
    kind: str
    start: float
    end: float

    @classmethod
    def of(cls, code: str) -> CodeRange:
        """Return the span of a range such as 001-009.99, or of a single code.

        Raises:
            ValueError: it is neither.
        """
        first, _, last = code.partition("-")
        whole = first.partition(".")[0]
        kind = whole[:1] if whole[:1] in ("E", "V") else str(len(whole))
        if kind not in KIND_OF_RANGE or len(code) > MAX_RANGE_CHARACTERS:
            raise ValueError(f"{code!r} is no code of ICD-9-CM")
        start = float(first.lstrip("EV"))
        return cls(code, kind, start, float(last.lstrip("EV")) if last else start)

    @property
    def width(self) -> float:
        """0 of a single code."""
        return self.end - self.start

    def holds(self, other: CodeRange) -> bool:
        """Return whether the other lies in this one, and is not the same span."""
        return (
            self.kind == other.kind
            and self.start <= other.start
            and other.end <= self.end
            and (self.start, self.end) != (other.start, other.end)
        )


def category_of(code: str) -> str:
    """Return the category of a code, such as I50 of I50.23 and 428 of 428.0."""
    return code.partition(".")[0]

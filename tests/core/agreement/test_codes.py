"""What an auditor has otherwise: text of both codings → kinds of difference."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from core.agreement.codes import (
    AssignedCode,
    AuditedEncounter,
    AuditRow,
    audit_by_coder,
    audit_table,
    differences,
    principal,
    verdict,
)
from core.agreement.figures import ONE_DOCUMENT, Estimate
from core.clinical.joined import JoinedHierarchy
from core.clinical.notation import ICD10PCS
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.coded import icd9, icd10


def pcs_code(code: str) -> Concept:
    broader = ("0",) if len(code) > 1 else ()
    return Concept(code, f"urn:{code}", code, {"en": code}, broader=broader)


PCS = Hierarchy(
    [pcs_code(code) for code in ("0", "0DTJ0ZZ", "0DTJ4ZZ", "0FT44ZZ")],
    vocabulary_id=ICD10PCS,
    version="test",
)
CODES = JoinedHierarchy(icd10(), [PCS])


def coded(text: str) -> tuple[AssignedCode, ...]:
    """Read "J18.9/Y 0DTJ4ZZ@4": a mark of presence, the day of May 2026 of a procedure."""
    return tuple(_assigned(word) for word in text.split())


def _assigned(word: str) -> AssignedCode:
    code, _, day = word.partition("@")
    code, _, present = code.partition("/")
    return AssignedCode(code, present, date(2026, 5, int(day)) if day else None)


def encounter(ours: str, theirs: str, *, coder: str = "jo", number: int = 1) -> AuditedEncounter:
    return AuditedEncounter(f"e{number}", coder, coded(ours), coded(theirs))


# coder's codes | auditor's codes | kind: code > auditor's code; … | verdict
CASES = """
J18.9 E11.9 | J18.9 E11.9 | | same
| | | same
J18.9 | J18.9 E11.9 | missed: > E11.9 | codes
J18.9 E11.9 | J18.9 | added: E11.9 > | codes
J18.9 E11.9 | J18.9 E11.621 | other detail: E11.9 > E11.621 | codes
J18.9 E11.9 | J18.9 E10.9 | added: E11.9 >; missed: > E10.9 | codes
J18.9 L97.419 L97.429 | J18.9 L97.409 L97.42 | other detail: L97.419 > L97.409; other detail: L97.429 > L97.42 | codes
J18.9 G81.91 | J18.9 G81.90 G81.92 | other detail: G81.91 > G81.90; missed: > G81.92 | codes
J18.9 E11.9 I50.9 | J18.9 I50.9 E11.9 | other order: I50.9 > I50.9 | order, presence or date
J18.9 E11.9 I50.9 Z79.4 | J18.9 E11.9 Z79.4 I50.9 B95.61 | other order: Z79.4 > Z79.4; missed: > B95.61 | codes
J18.9 E11.9 | E11.9 J18.9 | other principal: J18.9 > E11.9; other order: E11.9 > E11.9 | principal
E11.9 I50.9 | E11.621 I50.9 | other principal: E11.9 > E11.621; other detail: E11.9 > E11.621 | principal
J18.9 | | other principal: J18.9 >; added: J18.9 > | principal
J18.9/Y E11.9/Y | J18.9/N E11.9 | other presence on admission: J18.9 > J18.9; other presence on admission: E11.9 > E11.9 | order, presence or date
J18.9 0DTJ4ZZ@4 | J18.9 0DTJ4ZZ@5 | other date: 0DTJ4ZZ > 0DTJ4ZZ | order, presence or date
0DTJ4ZZ J18.9 | J18.9 0DTJ4ZZ | | same
J18.9 0DTJ4ZZ | J18.9 0DTJ0ZZ | other detail: 0DTJ4ZZ > 0DTJ0ZZ | codes
J18.9 0DTJ4ZZ | J18.9 0FT44ZZ | added: 0DTJ4ZZ >; missed: > 0FT44ZZ | codes
J18.9 E11.0 | J18.9 E11.9 | other detail: E11.0 > E11.9 | codes
"""


def cases() -> list[tuple[str, ...]]:
    return [tuple(cell.strip() for cell in line.split("|")) for line in CASES.strip().splitlines()]


@pytest.mark.parametrize(("ours", "theirs", "expected", "weightiest"), cases())
def test_differences_and_the_weightiest(ours, theirs, expected, weightiest) -> None:
    audited = encounter(ours, theirs)
    written = [f"{d.kind}: {d.code} > {d.reference_code}" for d in differences(audited, CODES)]
    wanted = expected.split(";") if expected else []
    assert Counter(" ".join(line.split()) for line in written) == Counter(map(str.strip, wanted))
    assert verdict(differences(audited, CODES)) == weightiest


def test_the_principal_is_the_first_diagnosis_of_either_system() -> None:
    assert principal(["0DTJ4ZZ", "J18.9", "E11.9"], CODES) == "J18.9"
    assert principal(["99.15", "428.0"], icd9()) == "428.0"
    assert principal(["0DTJ4ZZ"], CODES) == ""


AUDITED = [
    encounter("J18.9 E11.9", "J18.9 E11.621 Z79.4", number=1),
    encounter("J18.9 E11.9", "J18.9 E11.9", number=2),
    encounter("E11.9 J18.9", "J18.9 E11.9", number=3),
    encounter("0DTJ4ZZ", "0DTJ0ZZ", number=4),
    encounter("I50.9", "I50.9", number=5, coder="kim"),
]


def test_the_audit_table_counts_by_coder_chapter_and_kind() -> None:
    assert audit_table(AUDITED, CODES) == [
        AuditRow("jo", "0", "other detail", 1),
        AuditRow("jo", "10", "other order", 1),
        AuditRow("jo", "10", "other principal", 1),
        AuditRow("jo", "21", "missed", 1),
        AuditRow("jo", "4", "other detail", 1),
    ]


def test_a_code_that_the_vocabulary_does_not_have_is_of_no_chapter() -> None:
    assert audit_table([encounter("J18.9 X99.9", "J18.9")], CODES) == [
        AuditRow("jo", "", "added", 1)
    ]


def test_shares_of_each_coder() -> None:
    """Of jo's four encounters one has another principal, one has none on either side; one is the same.

    Codes that both have: J18.9; both; both; none: 5. Beside them E11.621, Z79.4 and 0DTJ0ZZ: 5/8.
    """
    jo, kim = audit_by_coder(AUDITED, CODES)
    assert jo.verdicts == {"codes": 2, "same": 1, "principal": 1}
    assert (jo.principal.value, jo.principal.n_documents) == (3 / 4, 4)
    assert jo.record_over_record.value == 1 / 4
    assert jo.code_over_code == 5 / 8
    assert kim.principal == Estimate(1, None, None, 1, ONE_DOCUMENT)


def test_two_codings_without_codes_agree() -> None:
    (jo,) = audit_by_coder([encounter("", "")], CODES)
    assert (jo.principal.value, jo.principal.reason) == (1, ONE_DOCUMENT)
    assert (jo.record_over_record.value, jo.code_over_code) == (1, None)
    assert audit_by_coder([], CODES) == []

"""A small piece of ICD-10-CM and one of ICD-9-CM, with the instructions that the tests need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from core.clinical.coding.findings import DocumentCode, Finding
from core.clinical.coding.presence import PresenceProposal
from core.clinical.notation import ICD9CM, ICD10CM
from core.clinical.stay import Stay
from core.clinical.validity import check
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of

# Code, what is broader, label; those that nothing names as broader are assignable.
ICD10 = """
1 | | Infectious diseases
B95 | 1 | Bacteria
B95.61 | B95 | Staphylococcus aureus as the cause of diseases classified elsewhere
4 | | Endocrine, nutritional and metabolic diseases
E08-E13 | 4 | Diabetes mellitus
E10 | E08-E13 | Type 1 diabetes mellitus
E10.9 | E10 | Type 1 diabetes mellitus without complications
E11 | E08-E13 | Type 2 diabetes mellitus
E11.6 | E11 | Type 2 diabetes mellitus with other specified complications
E11.62 | E11.6 | Type 2 diabetes mellitus with skin complications
E11.621 | E11.62 | Type 2 diabetes mellitus with foot ulcer
E11.9 | E11 | Type 2 diabetes mellitus without complications
5 | | Mental, behavioral and neurodevelopmental disorders
F01-F09 | 5 | Mental disorders due to known physiological conditions
F02 | F01-F09 | Dementia in other diseases classified elsewhere
F02.8 | F02 | Dementia in other diseases classified elsewhere, unspecified severity
6 | | Diseases of the nervous system
G30-G32 | 6 | Other degenerative diseases of the nervous system
G30 | G30-G32 | Alzheimer's disease
G30.9 | G30 | Alzheimer's disease, unspecified
G81 | 6 | Hemiplegia
G81.90 | G81 | Hemiplegia affecting unspecified side
G81.91 | G81 | Hemiplegia affecting right dominant side
G81.92 | G81 | Hemiplegia affecting left dominant side
9 | | Diseases of the circulatory system
I50 | 9 | Heart failure
I50.9 | I50 | Heart failure, unspecified
10 | | Diseases of the respiratory system
J09-J18 | 10 | Influenza and pneumonia
J11 | J09-J18 | Influenza due to unidentified influenza virus
J11.1 | J11 | Influenza with other respiratory manifestations
J18 | J09-J18 | Pneumonia, unspecified organism
J18.9 | J18 | Pneumonia, unspecified organism
J69 | 10 | Pneumonitis due to solids and liquids
J69.0 | J69 | Pneumonitis due to inhalation of food and vomit
12 | | Diseases of the skin
L97 | 12 | Non-pressure chronic ulcer of lower limb
L97.4 | L97 | Ulcer of heel and midfoot
L97.40 | L97.4 | Ulcer of unspecified heel and midfoot
L97.409 | L97.40 | Ulcer of unspecified heel and midfoot, unspecified severity
L97.41 | L97.4 | Ulcer of right heel and midfoot
L97.419 | L97.41 | Ulcer of right heel and midfoot, unspecified severity
L97.42 | L97.4 | Ulcer of left heel and midfoot
L97.429 | L97.42 | Ulcer of left heel and midfoot, unspecified severity
19 | | Injury, poisoning and certain other consequences of external causes
T36-T50 | 19 | Poisoning by, adverse effect of and underdosing of drugs
T36 | T36-T50 | Poisoning by, adverse effect of and underdosing of antibiotics
T36.0 | T36 | Poisoning by, adverse effect of and underdosing of penicillins
T36.0X1A | T36.0 | Poisoning by penicillins, accidental, initial encounter
T36.0X5A | T36.0 | Adverse effect of penicillins, initial encounter
T36.9 | T36 | Poisoning by, adverse effect of and underdosing of unspecified antibiotic
T36.95XA | T36.9 | Adverse effect of unspecified systemic antibiotic, initial encounter
20 | | External causes of morbidity
W00-W19 | 20 | Slipping, tripping, stumbling and falls
W19 | W00-W19 | Unspecified fall
W19.XXXA | W19 | Unspecified fall, initial encounter
21 | | Factors influencing health status
Z79 | 21 | Long term (current) drug therapy
Z79.4 | Z79 | Long term (current) use of insulin
"""
NOTES = {
    "E10": {"excludes1": ["type 2 diabetes mellitus (E11.-)"]},
    "E11": {
        "useAdditionalCode": ["code to identify control using:\ninsulin (Z79.4)"],
        "excludes1": ["type 1 diabetes mellitus (E10.-)"],
    },
    "E11.621": {"useAdditionalCode": ["code to identify site of ulcer (L97.4-, L97.5-)"]},
    "F02": {"codeFirst": ["the underlying physiological condition, such as:\nAlzheimer's (G30.-)"]},
    "I50": {"codeFirst": ["heart failure due to hypertension (I11.0)\nobstetric surgery (O75.4)"]},
    "T36-T50": {
        "codeFirst": [
            "for adverse effects, the nature of the adverse effect, such as:\n"
            "dermatitis due to substances taken internally (L27.-)"
        ]
    },
    "J09-J18": {"excludes2": ["foreign body in lung (J69.-)"]},
    "J18": {
        "codeFirst": ["if applicable, associated influenza (J09.X1, J10.0-, J11.0-)"],
        "excludes2": ["aspiration pneumonia (J69.-)"],
    },
    "L97": {"codeFirst": ["diabetic ulcers (E08.621, E11.621)"]},
    "L97.42": {"codeFirst": ["underlying condition"]},
    "20": {"useAdditionalCode": ["code to identify the place (Y92.-)"]},
}
ICD9 = """
390-459.99 | | Diseases of the circulatory system
428 | 390-459.99 | Heart failure
428.0 | 428 | Congestive heart failure, unspecified
E880-E888.99 | | Accidental falls
E888 | E880-E888.99 | Other and unspecified fall
E888.9 | E888 | Unspecified fall
V10-V19.99 | | Potential health hazards
V10.3 | V10-V19.99 | Personal history of malignant neoplasm of breast
87-99.99 | | Miscellaneous diagnostic and therapeutic procedures
99.1 | 87-99.99 | Injection of therapeutic substance
99.15 | 99.1 | Parenteral infusion of concentrated nutritional substances
"""


@cache
def icd10() -> Hierarchy:
    """Some seventy concepts of ICD-10-CM."""
    return Hierarchy([*_concepts(ICD10), _withdrawn()], vocabulary_id=ICD10CM, version="test")


@cache
def icd9() -> Hierarchy:
    """Diagnoses, an external cause, a history and a procedure of ICD-9-CM."""
    return Hierarchy(_concepts(ICD9), vocabulary_id=ICD9CM, version="test")


def _withdrawn() -> Concept:
    return Concept(
        "E11.0", "urn:E11.0", "E11.0", {"en": "Gone"}, deprecated=True, replaced_by=("E11.9",)
    )


def _concepts(table: str) -> list[Concept]:
    rows = [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
    above = {broader for _, broader, _ in rows}
    return [
        Concept(
            code,
            f"urn:{code}",
            code,
            {"en": label},
            broader=(broader,) if broader else (),
            assignable=code not in above,
            notes={kind: {"en": tuple(t)} for kind, t in NOTES.get(code, {}).items()},
        )
        for code, broader, label in rows
    ]


def told(
    tree: Hierarchy,
    *codes: str,
    stay: Stay | None = None,
    presence: Mapping[str, PresenceProposal] | None = None,
) -> list[Finding]:
    """The findings about codes written as `E11.9` or, with their mark on admission, `E11.9:Y`."""
    coded = [DocumentCode(one, present=mark) for one, _, mark in (c.partition(":") for c in codes)]
    return check(coded, tree, conventions_of(tree.vocabulary_id), stay, presence)


def of_kind(kind: str, findings: list[Finding]) -> list[Finding]:
    """Those of one kind."""
    return [finding for finding in findings if finding.kind == kind]


def mended(tree: Hierarchy, finding: Finding, codes: list[str]) -> list[str]:
    """The codes after a remedy, in its order."""
    remedy = finding.remedy
    assert remedy is not None
    left = [code for code in codes if code not in remedy.remove]
    after = list(remedy.order) or [*left, *remedy.add]
    assert set(after) == {*left, *remedy.add}
    assert all(code in tree for code in after)
    return after

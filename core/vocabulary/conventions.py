"""Which rules a vocabulary has; those of a thesaurus are none, and its readers see nothing of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.vocabulary.concepts import Hierarchy

ICD9CM, ICD10CM, ICD10PCS = "icd9cm", "icd10cm", "icd10pcs"

SYMPTOMS = re.compile(r"symptoms, signs", re.IGNORECASE)
"""In the title of the chapter of symptoms, in ICD-9-CM and ICD-10-CM alike."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What holds when documents are coded with a vocabulary.

    Attributes:
        code_first: a code stands before its label, and is what people call it by.
        leaves_only: only codes without narrower ones are accepted; a category is put down as open
            until one of its codes is chosen.
        sequenced: accepted codes have an order, the principal diagnosis first.
        present_on_admission: a diagnosis is marked as present on admission, or not.
        dated_procedures: a procedure has the day on which it was done.
        checked: the validity check stands before finishing.
        lexical: names of codes that are found in the text are suggested, beside those of the model.
        system: URI of the code system in FHIR, for diagnoses and procedures alike.
    """

    code_first: bool = False
    leaves_only: bool = False
    sequenced: bool = False
    present_on_admission: bool = False
    dated_procedures: bool = False
    checked: bool = False
    lexical: bool = False
    system: str = ""


_THESAURUS = Conventions()
_CODES = Conventions(
    code_first=True,
    leaves_only=True,
    sequenced=True,
    present_on_admission=True,
    dated_procedures=True,
    checked=True,
    lexical=True,
)
_KNOWN = {
    ICD9CM: replace(_CODES, system="http://hl7.org/fhir/sid/icd-9-cm"),
    ICD10CM: replace(_CODES, dated_procedures=False, system="http://hl7.org/fhir/sid/icd-10-cm"),
    ICD10PCS: replace(
        _CODES, present_on_admission=False, system="http://www.cms.gov/Medicare/Coding/ICD10"
    ),
}


def conventions_of(vocabulary_id: str) -> Conventions:
    """Return the rules of a vocabulary; none of one that is not known as a code system."""
    return _KNOWN.get(vocabulary_id, _THESAURUS)


def is_code(concept_id: str, hierarchy: Hierarchy) -> bool:
    """Return whether a concept is a code that can be assigned: the lowest, and no heading.

    What the hierarchy does not offer, such as a withdrawn code, is none.
    """
    if concept_id not in hierarchy:
        return False
    return hierarchy[concept_id].assignable and not hierarchy.narrower(concept_id)

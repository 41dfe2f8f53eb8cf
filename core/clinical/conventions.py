"""The code systems that Strata knows, and which rules hold for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from core.vocabulary.conventions import Conventions

ICD9CM, ICD10CM, ICD10PCS = "icd9cm", "icd10cm", "icd10pcs"

SYMPTOMS = re.compile(r"symptoms, signs", re.IGNORECASE)
"""In the title of the chapter of symptoms, in ICD-9-CM and ICD-10-CM alike."""

_CODES = Conventions(
    code_first=True,
    leaves_only=True,
    sequenced=True,
    present_on_admission=True,
    dated_procedures=True,
    checked=True,
    lexical=True,
)
CONVENTIONS: Mapping[str, Conventions] = {
    ICD9CM: replace(_CODES, system="http://hl7.org/fhir/sid/icd-9-cm"),
    ICD10CM: replace(_CODES, dated_procedures=False, system="http://hl7.org/fhir/sid/icd-10-cm"),
    ICD10PCS: replace(
        _CODES, present_on_admission=False, system="http://www.cms.gov/Medicare/Coding/ICD10"
    ),
}
"""By the id of a vocabulary."""

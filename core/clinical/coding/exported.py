"""What exports state of a code of a stay: the edition that it is of, and its mark on admission."""

from __future__ import annotations

from core.clinical.coding.code_sets import code_sets
from core.clinical.coding.published import code_edits
from core.clinical.joined import part_of
from core.clinical.notation import ICD10CM
from core.clinical.stay import Stay
from core.vocabulary.concepts import Hierarchy

EXEMPT = "exempt"


def edition_of(concept_id: str, hierarchy: Hierarchy, stay: Stay) -> str:
    """Return the edition of a code: of ICD-10-CM, that in force at discharge, by its first day.

    Without a day, or where the code was none on it, it is the version of the vocabulary.
    """
    part = part_of(concept_id, hierarchy)
    if part.vocabulary_id != ICD10CM or stay.ended is None:
        return part.version
    edition = code_sets().edition_on(stay.ended)
    is_of_it = code_sets().valid_on(concept_id, stay.ended)
    return part.version if edition is None or is_of_it is False else str(edition)


def mark_of(present: str, concept_id: str, hierarchy: Hierarchy, stay: Stay) -> str:
    """Return the mark of presence on admission; EXEMPT of a code that needs none and has none.

    Of outpatients it is not reported.
    """
    if stay.is_outpatient:
        return ""
    part = part_of(concept_id, hierarchy)
    if present or part.vocabulary_id != ICD10CM or concept_id not in part:
        return present
    return EXEMPT if code_edits().is_exempt(concept_id, part) else ""

"""Titles of codes that only continue the title of their category, made complete.

Lists of ICD-9-CM call V13.02 "Urinary (tract) infection", below "Personal history of disorders of
urinary system": by itself that is the title of a disease that the patient has, and not of one
that is over.
"""

from __future__ import annotations

from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

PHRASES = ("Personal history of", "Family history of")
SAID = "history"


def full_title(concept_id: str, hierarchy: Hierarchy, language: str = "en") -> str:
    """Return the label of a concept, with the phrase of a category that it only continues."""
    label = hierarchy[concept_id].label(language)
    is_said = SAID in label.casefold() or not conventions_of(hierarchy.vocabulary_id).code_first
    if is_said or hierarchy.narrower(concept_id):
        return label
    above = (hierarchy[broader].label(language) for broader in hierarchy.ancestors(concept_id))
    phrases = {phrase for title in above for phrase in PHRASES if title.startswith(phrase)}
    return f"{phrases.pop()} {_continued(label)}" if len(phrases) == 1 else label


def _continued(label: str) -> str:
    """Return a title with a small first letter, unless it begins with an abbreviation."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]

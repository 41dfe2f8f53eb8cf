"""Titles of codes: made complete where they only continue that of their category, and recognised.

Lists of ICD-9-CM call V13.02 "Urinary (tract) infection", below "Personal history of disorders of
urinary system": by itself that is the title of a disease that the patient has, and not of one
that is over.
"""

from __future__ import annotations

from itertools import chain

from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import fold_text

PHRASES = ("Personal history of", "Family history of")
SAID = "history"
MIN_TITLE_LETTERS = 3  # of a word that shows whose title it is


def full_title(concept_id: str, hierarchy: Hierarchy, language: str = "en") -> str:
    """Return the label of a concept, with the phrase of a category that it only continues."""
    label = hierarchy[concept_id].label(language)
    is_said = SAID in label.casefold() or not conventions_of(hierarchy.vocabulary_id).code_first
    if is_said or hierarchy.narrower(concept_id):
        return label
    above = (hierarchy[broader].label(language) for broader in hierarchy.ancestors(concept_id))
    phrases = {phrase for title in above for phrase in PHRASES if title.startswith(phrase)}
    return f"{phrases.pop()} {_continued(label)}" if len(phrases) == 1 else label


def is_title_of(concept: Concept, text: str) -> bool:
    """Return whether a label of a code, in any language, has most words of what follows the code.

    One word is too little: with a code 12 of lung diseases, “12 years old with a lung disease”
    names no code.
    """
    words = {word for word in fold_text(text).split() if len(word) >= MIN_TITLE_LETTERS}
    others = chain(*concept.alt_labels.values(), *concept.hidden_labels.values())
    labels = (fold_text(label).split() for label in (*concept.pref_label.values(), *others))
    return any(2 * len(words.intersection(label)) >= len(words) > 0 for label in labels)


def _continued(label: str) -> str:
    """Return a title with a small first letter, unless it begins with an abbreviation."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]

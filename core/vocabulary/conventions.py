"""Which rules a vocabulary has, and how its labels are compared; a thesaurus has no such rules.

Code systems are in `core.clinical`, of which vocabularies import nothing: `register` in `reading`
hands their rules on to here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

INCLUDES = "includes"
"""Notes that name what a category is also called."""


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


class WordsOfCodes(Protocol):
    """How labels of codes, and what people type to find them, are compared."""

    def terms(self, text: str) -> list[str]:
        """Return the terms of an English text, in their order, with repetitions."""

    def said_by(self, label: str) -> str:
        """Return a label without what says that nothing more is known."""

    def is_half_said(self, alternative: str, label: str) -> bool:
        """Return whether an alternative label leaves out what the label is about."""

    def abbreviations(self) -> Mapping[str, str]:
        """Return short English names, with what labels say for each."""

    def everyday_names(self) -> Mapping[str, Sequence[str]]:
        """Return other English names of what labels say, by label."""

    def names_of_codes(self, vocabulary_id: str) -> Mapping[str, Sequence[str]]:
        """Return by code the names by which it is looked for in notes."""

    def label_of_number(self, query: str) -> str:
        """Return what labels say for a query that is a measured number; "" for any other."""


_THESAURUS = Conventions()
_known: dict[str, Conventions] = {}
_label_words: list[Callable[[], WordsOfCodes]] = []


def register_conventions(
    conventions: Mapping[str, Conventions], label_words: Callable[[], WordsOfCodes]
) -> None:
    """Make the rules of code systems known, by the id of a vocabulary, which is done once."""
    _known.update(conventions)
    _label_words.append(label_words)


def conventions_of(vocabulary_id: str) -> Conventions:
    """Return the rules of a vocabulary; none of one that is not known as a code system."""
    return _known.get(vocabulary_id, _THESAURUS)


def words_of_codes(vocabulary_id: str) -> WordsOfCodes | None:
    """Return how labels of a code system are compared; None of a vocabulary that is none."""
    return _label_words[0]() if conventions_of(vocabulary_id).lexical else None

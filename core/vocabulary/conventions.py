"""Which rules a vocabulary has, and what code systems add to its readers and its search.

A thesaurus has no such rules. Code systems are in `core.clinical`, of which vocabularies import
nothing: `core/__init__.py` registers them here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:  # this is imported with the package
    from core.vocabulary.concepts import Hierarchy
    from core.vocabulary.reading import VocabularyReader, VocabularyReading

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


class BuiltIn(NamedTuple):
    """A vocabulary that comes with the program, and needs no file; both raise VocabularyError.

    Attributes:
        by_itself: whether a project has it without that anybody imports it.
    """

    read: Callable[[], VocabularyReading]
    release: Callable[[], str]
    by_itself: bool = True


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


class CodeSystems(Protocol):
    """What is known of code systems."""

    CONVENTIONS: Mapping[str, Conventions]
    BUILT_IN: Mapping[str, BuiltIn]

    def readers(self) -> Sequence[VocabularyReader]:
        """Return the readers of their files, in the order in which they are asked."""

    def label_words(self) -> WordsOfCodes:
        """Return how their labels are compared."""

    def plain_codes(self, hierarchy: Hierarchy) -> Callable[[str], str | None]:
        """Return what finds the code below a category that says no more than the category does."""

    def write_names(self, hierarchy: Hierarchy, home: Path) -> None:
        """Write the index of the names of codes, where a vocabulary is kept."""


_THESAURUS = Conventions()
_registered: list[CodeSystems] = []


def register(systems: CodeSystems) -> None:
    """Make code systems known, which is done once."""
    _registered.append(systems)


def code_systems() -> CodeSystems:
    """Return what was registered."""
    return _registered[0]


def conventions_of(vocabulary_id: str) -> Conventions:
    """Return the rules of a vocabulary; none of one that is not known as a code system."""
    return code_systems().CONVENTIONS.get(vocabulary_id, _THESAURUS)


def words_of_codes(vocabulary_id: str) -> WordsOfCodes | None:
    """Return how labels of a code system are compared; None of a vocabulary that is none."""
    return code_systems().label_words() if conventions_of(vocabulary_id).lexical else None


def is_code(concept_id: str, hierarchy: Hierarchy) -> bool:
    """Return whether a concept is a code that can be assigned: the lowest, and no heading.

    What the hierarchy does not offer, such as a withdrawn code, is none.
    """
    if concept_id not in hierarchy:
        return False
    return hierarchy[concept_id].assignable and not hierarchy.narrower(concept_id)

"""What a reader of vocabularies takes and returns, and what code systems add to vocabularies.

Code systems are in `core.clinical`, of which vocabularies import nothing: `core/__init__.py`
registers them here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from core.vocabulary.conventions import Conventions, WordsOfCodes, register_conventions

if TYPE_CHECKING:  # this is imported with the package
    from core.vocabulary.concepts import Concept, Hierarchy
    from core.vocabulary.repairs import Repair

Progress = Callable[[float], None]
"""Takes the share of a file that was read, in [0, 1]."""


class VocabularyReading(Protocol):
    """A vocabulary that was read, with the repairs to its files."""

    @property
    def hierarchy(self) -> Hierarchy:
        """The concepts that are offered, and the deprecated ones."""

    @property
    def mended(self) -> Sequence[Repair]:
        """What could not stand as it was, the most important first."""

    @property
    def schemes(self) -> Sequence[str]:
        """URIs of concept schemes or of the code system."""

    @property
    def languages(self) -> Mapping[str, int]:
        """Number of labels by language; "" where none is stated."""

    @property
    def n_concepts(self) -> int:
        """Number of concepts that have a label, the deprecated ones among them."""

    @property
    def n_edges(self) -> int:
        """Number of pairs (narrower, broader) between these."""

    @property
    def deprecated(self) -> int:
        """Number of concepts that are not offered any more."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """What is counted of vocabularies of this kind alone, ready for JSON."""


@dataclass(frozen=True, slots=True)
class VocabularyFiles:
    """The files of one vocabulary.

    Attributes:
        vocabulary_id: what a table of codes is to be called; None: as its file.
        on_progress: called now and then while a large file is read.
    """

    paths: tuple[Path, ...]
    vocabulary_id: str | None = None
    on_progress: Progress | None = None

    @property
    def single(self) -> Path | None:
        """The file, if there is one alone."""
        return self.paths[0] if len(self.paths) == 1 else None


@dataclass(frozen=True, slots=True)
class VocabularyReader:
    """A reader of one format.

    Attributes:
        suffixes: endings of the names of its files, without a point, for a page that asks for one.
        can_read: looks into the files; readers are asked in the order of their registry.
        read: raises VocabularyError, with a remedy, where a file cannot be used.
    """

    name: str
    suffixes: tuple[str, ...]
    can_read: Callable[[VocabularyFiles], bool]
    read: Callable[[VocabularyFiles], VocabularyReading]


def labels_by_language(concepts: Iterable[Concept]) -> dict[str, int]:
    """Count preferred and alternative labels, in the order of the languages' codes."""
    counts: Counter[str] = Counter()
    for concept in concepts:
        counts.update(concept.pref_label.keys())
        for language, labels in concept.alt_labels.items():
            counts[language] += len(labels)
    return dict(sorted(counts.items()))


class BuiltIn(NamedTuple):
    """A vocabulary that comes with the program, and needs no file; both raise VocabularyError.

    Attributes:
        by_itself: whether a project has it without that anybody imports it.
    """

    read: Callable[[], VocabularyReading]
    release: Callable[[], str]
    by_itself: bool = True


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


_registered: list[CodeSystems] = []


def register(systems: CodeSystems) -> None:
    """Make code systems known, which is done once."""
    _registered.append(systems)
    register_conventions(systems.CONVENTIONS, systems.label_words)


def code_systems() -> CodeSystems:
    """Return what was registered."""
    return _registered[0]

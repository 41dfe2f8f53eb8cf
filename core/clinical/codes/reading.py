"""The result of reading a code system: its hierarchy, and the repairs that it needed."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.vocabulary.concepts import Hierarchy
from core.vocabulary.reading import labels_by_language
from core.vocabulary.repairs import Repair


@dataclass(frozen=True, slots=True)
class CodeReading:
    """A code system and what was met while reading it.

    Attributes:
        attached: codes that the tree did not have, and where they went.
        untitled: divisions that follow from the codes below them, and have no title in the files.
        repaired: what could not stand as it was.
        schemes: URI of the code system, where it has one.
    """

    hierarchy: Hierarchy
    attached: list[Repair] = field(default_factory=list)
    untitled: list[Repair] = field(default_factory=list)
    repaired: list[Repair] = field(default_factory=list)
    schemes: list[str] = field(default_factory=list)

    @property
    def mended(self) -> list[Repair]:
        """All repairs, the most important first."""
        return [*self.repaired, *self.untitled, *self.attached]

    @property
    def languages(self) -> dict[str, int]:
        """Number of labels by language."""
        return labels_by_language(self.hierarchy[concept_id] for concept_id in self.hierarchy)

    @property
    def n_concepts(self) -> int:
        """Number of codes and divisions."""
        return len(self.hierarchy)

    @property
    def n_edges(self) -> int:
        """Number of pairs (narrower, broader)."""
        return self.hierarchy.n_edges

    @property
    def deprecated(self) -> int:
        """Number of codes that are not offered any more."""
        return len(self.hierarchy.deprecated)

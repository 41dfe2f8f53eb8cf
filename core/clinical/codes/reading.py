"""The result of reading a code system: its hierarchy, and the repairs that it needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from core.clinical.notation import ICD9CM
from core.vocabulary.concepts import Hierarchy, is_code
from core.vocabulary.conventions import conventions_of
from core.vocabulary.reading import labels_by_language
from core.vocabulary.repairs import Repair

PAPER_LEVELS = (4, 79, 589, 3_982, 9_640, 7_234, 867)
"""Labels by level of the hierarchy of ICD-9-CM that was learned for MIMIC-III.

Source: Manginas et al. (2020), Table 3 and, for the first level, section 2.
"""


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

    @property
    def figures(self) -> dict[str, Any]:
        """What is counted of a code system alone."""
        hierarchy = self.hierarchy
        assignable = sum(hierarchy[concept_id].assignable for concept_id in hierarchy)
        counts = {
            "assignable": assignable,
            "attached": len(self.attached),
            "untitled": len(self.untitled),
        }
        # Of a list of one's own: assigned in a project of its own, but beside a code system refused.
        categories = assignable - sum(is_code(concept_id, hierarchy) for concept_id in hierarchy)
        if categories and not conventions_of(hierarchy.vocabulary_id).leaves_only:
            counts["categories"] = categories
        return counts | ({"paper": _beside(hierarchy)} if hierarchy.vocabulary_id == ICD9CM else {})


def _beside(hierarchy: Hierarchy) -> list[dict[str, int]]:
    """Return how many concepts each level has here and in the paper; 0 past the last of either."""
    here = [len(level) for level in hierarchy.levels]
    levels = zip_longest(here, PAPER_LEVELS, fillvalue=0)
    return [
        {"level": level, "here": n_here, "paper": n_paper}
        for level, (n_here, n_paper) in enumerate(levels, start=1)
    ]

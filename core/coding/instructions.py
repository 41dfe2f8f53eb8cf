"""What ICD-10-CM instructs at a code and at all that is above it.

Only what a code itself says is kept in its notes; what a category, a block or a chapter says holds
for every code below it, so it is found here by climbing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.coding.references import References, references
from core.vocabulary.concepts import Concept, Hierarchy

EXCLUDES_1, EXCLUDES_2 = "excludes1", "excludes2"
CODE_FIRST, USE_ADDITIONAL, CODE_ALSO = "codeFirst", "useAdditionalCode", "codeAlso"
KINDS = (EXCLUDES_1, EXCLUDES_2, CODE_FIRST, USE_ADDITIONAL, CODE_ALSO)
HEADINGS = {
    EXCLUDES_1: "Excludes1",
    EXCLUDES_2: "Excludes2",
    CODE_FIRST: "Code first",
    USE_ADDITIONAL: "Use additional",
    CODE_ALSO: "Code also",
}
LOOSE = ("if applicable", "if known", "any ")
OPEN_LIST = "such as"
# Words of instructions for special cases, as "heart failure due to hypertension (I11.0)" at heart
# failure; what asks for the disease behind a code holds for every case of it.
CASES = ("complicating", "due to", "following", "associated")
ALWAYS = ("underlying", "the ")
ADVERSE_EFFECTS, ADVERSE_EFFECT = "for adverse effects", "5"
INTENT_LENGTH = 6  # the characters of a code of T36-T50 up to its intent


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction that holds for a code.

    Attributes:
        kind: one of `KINDS`.
        text: as the code system has it, without its heading.
        stated_at: the concept whose note it is: the code, or one above it.
        codes: what the text names; of "underlying condition" there are none.
    """

    kind: str
    text: str
    stated_at: str
    codes: References

    @property
    def is_loose(self) -> bool:
        """Whether it holds only for some, as "if applicable" or a list of special cases says."""
        text = self.text.lower()
        if any(words in text for words in LOOSE):
            return True
        asked = text.partition(OPEN_LIST)[0]  # without its examples
        return not asked.startswith(ALWAYS) and any(words in asked for words in CASES)

    def holds_for(self, code: str) -> bool:
        """Return whether it is meant for this code: one for adverse effects is for no poisoning.

        Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.e.5.
        """
        if not self.text.lower().startswith(ADVERSE_EFFECTS):
            return True
        return code.replace(".", "")[:INTENT_LENGTH].rstrip("X").endswith(ADVERSE_EFFECT)

    @property
    def has_open_list(self) -> bool:
        """Whether the codes that it names are examples."""
        return OPEN_LIST in self.text.lower()

    @property
    def sentence(self) -> str:
        """The instruction on one line, with its heading."""
        words = " ".join(self.text.split())
        colon = ":" if self.kind in (EXCLUDES_1, EXCLUDES_2) else ""
        return f"{HEADINGS[self.kind]}{colon} {words}"


def instructions(
    concept_id: str, hierarchy: Hierarchy, kinds: Iterable[str] = KINDS
) -> list[Instruction]:
    """Return the instructions for a code, the nearest first; none for an unknown concept."""
    if concept_id not in hierarchy:
        return []
    wanted = tuple(kinds)
    return [
        instruction
        for above in with_ancestors(concept_id, hierarchy)
        for instruction in _stated(hierarchy[above], wanted)
    ]


def with_ancestors(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """Return a code and all that is above it, the nearest first."""
    above = hierarchy.ancestors(concept_id)
    return [concept_id, *sorted(above, key=lambda concept: (-hierarchy.level(concept), concept))]


def _stated(concept: Concept, kinds: Iterable[str]) -> Iterator[Instruction]:
    """Yield what a concept itself says, in whatever language."""
    for kind in kinds:
        for texts in concept.notes.get(kind, {}).values():
            for text in texts:
                yield Instruction(kind, text, concept.concept_id, references(text))

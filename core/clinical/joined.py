"""Several code systems in one encounter: a project's vocabulary with its companions.

Diagnoses are of ICD-10-CM, the procedures of the same stay of ICD-10-PCS, and supplies of a
hospital's own list. Codes of different systems do not look alike, so each is its own id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.clinical.notation import ICD10PCS, is_procedure_of
from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import Conventions, conventions_of

CPT = "cpt"
SYSTEMS = {CPT: "http://www.ama-assn.org/go/cpt"}  # as HL7 registers it


class JoinedHierarchy(Hierarchy):
    """A code system and its companions as one hierarchy, which is called as the first of them.

    Args:
        own: the project's vocabulary, whose codes come first.
        companions: code systems whose codes are those of procedures or of other services.
    Raises:
        VocabularyError: two of them have the same code.
    """

    def __init__(self, main: Hierarchy, companions: Sequence[Hierarchy]) -> None:
        self.own = main
        self.companions = tuple(companions)
        self.parts = (main, *companions)
        self._refuse_shared()
        super().__init__(
            [concept for part in (main, *companions) for concept in _concepts(part)],
            vocabulary_id=main.vocabulary_id,
            version=main.version,
            uri_base=main.uri_base,
            scheme_uri=main.scheme_uri,
            title=main.title,
        )
        checksums = [part.checksum for part in self.parts]
        self.checksum = "+".join(checksums) if all(checksums) else ""

    def _refuse_shared(self) -> None:
        for companion in self.companions:
            shared = next((i for i in companion if i in self.own), None)
            if shared is not None:
                raise VocabularyError(
                    f"{self.own.vocabulary_id} and {companion.vocabulary_id} both have a code "
                    f"{shared}, so they cannot be used together in one project."
                )


def _concepts(part: Hierarchy) -> list[Concept]:
    return [*(part[concept_id] for concept_id in part), *part.deprecated.values()]


def part_of(concept_id: str, hierarchy: Hierarchy) -> Hierarchy:
    """Return the code system that a code is of; the project's own where none has it."""
    if not isinstance(hierarchy, JoinedHierarchy):
        return hierarchy
    having = (p for p in hierarchy.companions if concept_id in p or concept_id in p.deprecated)
    return next(having, hierarchy.own)


def own_part(hierarchy: Hierarchy) -> Hierarchy:
    """Return a project's own vocabulary without its companions."""
    return hierarchy.own if isinstance(hierarchy, JoinedHierarchy) else hierarchy


def is_companion(part: Hierarchy, hierarchy: Hierarchy | None) -> bool:
    """Return whether a part of a hierarchy is a companion of its own vocabulary."""
    return isinstance(hierarchy, JoinedHierarchy) and part is not hierarchy.own


def is_procedure_in(concept_id: str, hierarchy: Hierarchy) -> bool:
    """Return whether a code is one of a procedure or another service, and not a diagnosis."""
    part = part_of(concept_id, hierarchy)
    if is_companion(part, hierarchy):
        return True
    return is_procedure_of(concept_id, part.vocabulary_id)


def conventions_of_part(part: Hierarchy, hierarchy: Hierarchy) -> Conventions:
    """Return the rules of one code system; a companion that is not known has those of codes."""
    rules = conventions_of(part.vocabulary_id)
    if rules.checked or not is_companion(part, hierarchy):
        return rules
    return replace(
        conventions_of(ICD10PCS), system=SYSTEMS.get(part.vocabulary_id, ""), lexical=False
    )


def conventions_in(hierarchy: Hierarchy) -> Conventions:
    """Return the rules of a project's vocabulary; with companions, procedures have days."""
    conventions = conventions_of(hierarchy.vocabulary_id)
    has_companions = isinstance(hierarchy, JoinedHierarchy)
    return replace(conventions, dated_procedures=True) if has_companions else conventions


def system_of(concept_id: str, hierarchy: Hierarchy) -> str:
    """Return the URI of the code system of a code; "" where it has none."""
    return system_of_part(part_of(concept_id, hierarchy))


def system_of_part(part: Hierarchy) -> str:
    """Return the URI of a code system; a list of one's own has that with which its URIs begin."""
    system_name = conventions_of(part.vocabulary_id).system or SYSTEMS.get(part.vocabulary_id, "")
    return system_name or part.uri_base.rstrip(":/")

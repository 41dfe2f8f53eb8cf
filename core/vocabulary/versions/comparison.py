"""What a newer version of a vocabulary changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A concept that is not offered any more, and its replacement where the file names one."""

    concept_id: str
    label: str
    replaced_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Renaming:
    """Another preferred label; in one language."""

    concept_id: str
    language: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Move:
    """Other broader concepts, by their ids."""

    concept_id: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Alternative labels that came and went; in one language."""

    concept_id: str
    language: str
    added: tuple[str, ...]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two versions side by side; labels are compared in the languages that both have.

    Attributes:
        added: ids of new concepts.
        new_languages, lost_languages: of labels.
    """

    added: tuple[str, ...]
    withdrawn: tuple[Withdrawal, ...]
    renamed: tuple[Renaming, ...]
    moved: tuple[Move, ...]
    relabelled: tuple[Relabelling, ...]
    new_languages: tuple[str, ...]
    lost_languages: tuple[str, ...]

    @property
    def changed_ids(self) -> list[str]:
        """Concepts of the old version whose decisions deserve another look, each once."""
        withdrawn = (withdrawal.concept_id for withdrawal in self.withdrawn)
        renamed = (renaming.concept_id for renaming in self.renamed)
        return list(
            dict.fromkeys([*withdrawn, *renamed, *(move.concept_id for move in self.moved)])
        )

    @property
    def is_same(self) -> bool:
        """Whether nothing changed that is compared."""
        return not (self.added or self.relabelled or self.new_languages or self.changed_ids)


def compare(old: Hierarchy, new: Hierarchy) -> VersionComparison:
    """Return what the new version changes, in the order of the versions."""
    before, after = _languages(old), _languages(new)
    both = before & after
    common = [concept_id for concept_id in old if concept_id in new]
    return VersionComparison(
        added=tuple(concept_id for concept_id in new if concept_id not in old),
        withdrawn=tuple(_withdrawal(old[i], new) for i in old if i not in new),
        renamed=tuple(renaming for i in common for renaming in _renamings(old[i], new[i], both)),
        moved=tuple(
            Move(i, old.broader(i), new.broader(i))
            for i in common
            if set(old.broader(i)) != set(new.broader(i))
        ),
        relabelled=tuple(
            relabelling for i in common for relabelling in _relabellings(old[i], new[i], both)
        ),
        new_languages=tuple(sorted(after - before)),
        lost_languages=tuple(sorted(before - after)),
    )


def _withdrawal(concept: Concept, new: Hierarchy) -> Withdrawal:
    deprecated = new.deprecated.get(concept.concept_id)
    instead = deprecated.replaced_by if deprecated else ()
    return Withdrawal(concept.concept_id, concept.label(), instead)


def _renamings(old: Concept, new: Concept, languages: set[str]) -> Iterator[Renaming]:
    for language, before in old.pref_label.items():
        after = new.pref_label.get(language, before)
        if language in languages and after != before:
            yield Renaming(old.concept_id, language, before, after)


def _relabellings(old: Concept, new: Concept, languages: set[str]) -> Iterator[Relabelling]:
    for language in sorted(languages & (old.alt_labels.keys() | new.alt_labels.keys())):
        before, after = old.alt_labels.get(language, ()), new.alt_labels.get(language, ())
        added = tuple(label for label in after if label not in before)
        dropped = tuple(label for label in before if label not in after)
        if added or dropped:
            yield Relabelling(old.concept_id, language, added, dropped)


def _languages(hierarchy: Hierarchy) -> set[str]:
    languages: set[str] = set()
    for concept_id in hierarchy:
        languages.update(hierarchy[concept_id].pref_label, hierarchy[concept_id].alt_labels)
    return languages


def new_concepts(hierarchy: Hierarchy, earlier: Hierarchy) -> frozenset[str]:
    """Return the concepts that may be assigned and that a model has not learned.

    Args:
        earlier: what the model has learned.
    Returns:
        None of a vocabulary of codes, all of whose names are looked for.
    """
    if hierarchy is earlier or conventions_of(hierarchy.vocabulary_id).lexical:
        return frozenset()
    return frozenset(i for i in hierarchy if i not in earlier and hierarchy[i].assignable)

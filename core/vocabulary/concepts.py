"""Concepts of a vocabulary and the hierarchy that they form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from core.errors import VocabularyError
from core.vocabulary.links import bridged, cycle_outside, inverse, longest_paths, refuse_deep

MOST_ID_CHARACTERS = 255  # as columns of ids have
URL_SCHEME = re.compile(r"https?://", re.IGNORECASE)
# An address of any scheme, or of those that have no host: an id such as "dct:7" is none.
IRI = re.compile(
    r"""(?:[a-z][a-z0-9+.-]{0,30}://|(?:urn|info|doi|hdl|ark|tag|oai|celex):)"""
    r"""[^\s<>"{}|\\^`\x00-\x1f]+""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Concept:
    """One unit of thought of a vocabulary, with its labels by language ("" = no language).

    Attributes:
        concept_id: short and unique in its vocabulary.
        broader: ids of the next more general concepts; none for a top concept.
        deprecated: kept in the vocabulary to be recognised, but not offered any more.
        assignable: False for a mere division, as EuroVoc's domains and micro-thesauri are.
        notes: texts by kind ("scopeNote", "definition", …) and language.
        related: ids of concepts that have to do with it and are neither broader nor narrower.
        replaced_by: ids of those to use instead, of a deprecated concept.
        hidden_labels: names by which it is found and never shown, such as frequent misspellings.
    """

    concept_id: str
    uri: str
    notation: str | None
    pref_label: Mapping[str, str] = field(hash=False)
    alt_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    broader: tuple[str, ...] = ()
    deprecated: bool = False
    assignable: bool = True
    # Not in the repr: the version of a file that states none is a checksum of it.
    notes: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict, hash=False, repr=False
    )
    related: tuple[str, ...] = field(default=(), repr=False)
    replaced_by: tuple[str, ...] = field(default=(), repr=False)
    hidden_labels: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, hash=False, repr=False
    )

    def label(self, language: str = "en") -> str:
        """Return the preferred label in this language or a variety of it, or else the next best."""
        label_language = self.label_language(language)
        return (
            self.notation or self.concept_id
            if label_language is None
            else self.pref_label[label_language]
        )

    def other_labels(self, language: str) -> tuple[str, ...]:
        """Return the alternative and hidden labels of a language, which text is matched with."""
        return (*texts_in(self.alt_labels, language), *texts_in(self.hidden_labels, language))

    def label_language(self, language: str = "en") -> str | None:
        """Return the language that `label` is in, "" for none; None where there is no label."""
        for wanted in (language, "en", ""):
            if wanted in self.pref_label:
                return wanted
            varieties = [variety for variety in self.pref_label if variety.startswith(f"{wanted}-")]
            if varieties:
                return min(varieties)
        return min(self.pref_label, default=None)


def may_be_id(text: str) -> bool:
    """Return whether a decision can be stored with an id: it is short, and all of it can be seen."""
    return 0 < len(text) <= MOST_ID_CHARACTERS and text.isprintable()


def plain_uri(uri: str) -> str:
    """Return a URI without what makes no difference: http or https, a slash or hash at its end."""
    return URL_SCHEME.sub("//", uri).rstrip("/#")


def same_language(stated: str, asked: str) -> bool:
    """Labels without a language are in every language, and `en-GB` is English."""
    return not stated or stated.partition("-")[0].lower() == asked.lower().partition("-")[0]


def texts_in(by_language: Mapping[str, Sequence[str]], language: str) -> tuple[str, ...]:
    """Return the texts in a language, in a variety of it, and in none."""
    spoken = (texts for tag, texts in by_language.items() if same_language(tag, language))
    return tuple(chain.from_iterable(spoken))


class Hierarchy:
    """Concepts by id, ordered by their broader concepts; a concept may have several of them.

    Deprecated concepts are set aside in `deprecated`: they are not offered, so they have no level
    and no place in the tree, and what was narrower than one is narrower than its broader concepts.

    Args:
        concepts: in the order in which the hierarchy is to be walked.
        uri_base: what most URIs of the vocabulary begin with.
        scheme_uri: of the concept scheme that it is, where its file says so.
        title: what its file calls that scheme; "" where it has no name.

    Attributes:
        checksum: SHA-256 of the file that it was read from; "" where that is not known.
        earlier_versions: reads the versions before this one, the newest first; called once, and only
            where a concept is asked for that this one does not have.
    Raises:
        VocabularyError: an id occurs twice, a broader concept is missing, there is a cycle, or more levels
            than any vocabulary has.
    """

    def __init__(
        self,
        concepts: Iterable[Concept],
        *,
        vocabulary_id: str,
        version: str,
        uri_base: str = "",
        scheme_uri: str = "",
        title: str = "",
    ) -> None:
        self.vocabulary_id = vocabulary_id
        self.version = version
        self.uri_base = uri_base
        self.scheme_uri = scheme_uri
        self.title = title
        everything = _by_id(concepts)
        self._refuse_unknown_broader(everything)
        self.deprecated = {i: c for i, c in everything.items() if c.deprecated}
        self._concepts = _without(everything, self.deprecated)
        links = {i: c.broader for i, c in self._concepts.items()}
        self._narrower = inverse(links)
        self._level = longest_paths(links, self._narrower)
        if len(self._level) < len(links):
            self._refuse_cycle(cycle_outside(links, self._level))
        refuse_deep(links, self._level, lambda i: f"{i} ({self._concepts[i].label()})")
        self._ancestors: dict[str, frozenset[str]] = {}
        self.checksum = ""
        self.earlier_versions: Callable[[], Iterable[Hierarchy]] = tuple
        self._dropped: dict[str, Concept] | None = None

    def __getstate__(self) -> dict[str, object]:
        """What another process gets, which reads no earlier versions."""
        return self.__dict__ | {"earlier_versions": tuple}

    def _refuse_unknown_broader(self, concepts: Mapping[str, Concept]) -> None:
        for concept in concepts.values():
            for broader in concept.broader:
                if broader not in concepts:
                    raise VocabularyError(
                        f"Concept {concept.concept_id} ({concept.label()}) names the broader "
                        f"concept {broader}, which is not in {self.vocabulary_id}; add it or drop "
                        "the link."
                    )

    def _refuse_cycle(self, cycle: list[str]) -> None:
        raise VocabularyError(
            f"Concept {cycle[0]} ({self._concepts[cycle[0]].label()}) is broader than itself: "
            f"{' > '.join(reversed(cycle))}; drop one of these links."
        )

    def __len__(self) -> int:
        return len(self._concepts)

    def __contains__(self, concept_id: object) -> bool:
        return concept_id in self._concepts

    def __iter__(self) -> Iterator[str]:
        return iter(self._concepts)

    def __getitem__(self, concept_id: str) -> Concept:
        return self._concepts[concept_id]

    def withdrawn(self, concept_id: str) -> Concept | None:
        """Return a concept that is not offered any more: deprecated here, or in earlier versions."""
        if concept_id in self:
            return None
        deprecated = self.deprecated.get(concept_id)
        return deprecated if deprecated is not None else self._all_dropped().get(concept_id)

    def _all_dropped(self) -> Mapping[str, Concept]:
        """Return the concepts of earlier versions that this one does not have at all."""
        if self._dropped is None:
            dropped: dict[str, Concept] = {}
            for earlier in self.earlier_versions():
                for concept in (*earlier._concepts.values(), *earlier.deprecated.values()):
                    if concept.concept_id not in self:
                        dropped.setdefault(concept.concept_id, concept)
            self._dropped = dropped
        return self._dropped

    def replacements(self, concept_id: str) -> tuple[str, ...]:
        """Return the concepts to use instead of one that is withdrawn, as far as one is named."""
        successors: dict[str, None] = {}
        steps = [concept_id]
        for step in steps:
            withdrawn = self.withdrawn(step)
            for other in withdrawn.replaced_by if withdrawn else ():
                if other in self:
                    successors[other] = None
                elif other not in steps:
                    steps.append(other)
        return tuple(successors)

    @property
    def n_edges(self) -> int:
        """Number of pairs (narrower, broader) among the concepts that are offered."""
        return sum(len(concept.broader) for concept in self._concepts.values())

    @cached_property
    def has_codes(self) -> bool:
        """Whether notations show the place in the hierarchy, as ICD's do, and EuroVoc's do not."""
        pairs = [(c.notation, self._concepts[b].notation) for c in self._concepts.values()
                 for b in c.broader]  # fmt: skip
        stated = [(low, high) for low, high in pairs if low and high]
        alike = sum(low[0] == high[0] for low, high in stated)
        return alike > len(pairs) / 2

    def broader(self, concept_id: str) -> tuple[str, ...]:
        """Return the next more general concepts."""
        return self._concepts[concept_id].broader

    def narrower(self, concept_id: str) -> tuple[str, ...]:
        """Return the next more specific concepts."""
        return tuple(self._narrower[concept_id])

    def ancestors(self, concept_id: str) -> frozenset[str]:
        """Return all more general concepts, without the concept itself."""
        ancestors = self._ancestors.get(concept_id)
        return ancestors if ancestors is not None else self._climb(concept_id)

    def _climb(self, concept_id: str) -> frozenset[str]:
        """Work out the ancestors of a concept and of all above it; no recursion, however deep."""
        stack = [concept_id]
        while stack:
            broader = self._concepts[stack[-1]].broader
            missing = [b for b in broader if b not in self._ancestors]
            if missing:
                stack.extend(missing)
                continue
            above = (self._ancestors[b] for b in broader)
            self._ancestors[stack.pop()] = frozenset(broader).union(*above)
        return self._ancestors[concept_id]

    def descendants(self, concept_id: str) -> frozenset[str]:
        """Return all more specific concepts, without the concept itself."""
        concept_ids: set[str] = set()
        stack = list(self._narrower[concept_id])
        while stack:
            narrower = stack.pop()
            if narrower not in concept_ids:
                concept_ids.add(narrower)
                stack.extend(self._narrower[narrower])
        return frozenset(concept_ids)

    @property
    def top_concepts(self) -> tuple[str, ...]:
        """The concepts that have no broader concept."""
        return tuple(i for i, c in self._concepts.items() if not c.broader)

    def level(self, concept_id: str) -> int:
        """The number of concepts on the longest path from a top concept (1) to this concept."""
        return self._level[concept_id]

    @cached_property
    def levels(self) -> list[list[str]]:
        """Concept ids by level, the most general first."""
        levels: list[list[str]] = [[] for _ in range(max(self._level.values(), default=0))]
        for concept_id in self._concepts:
            levels[self._level[concept_id] - 1].append(concept_id)
        return levels

    @property
    def depth(self) -> int:
        """Number of levels."""
        return len(self.levels)

    def path(self, concept_id: str) -> tuple[str, ...]:
        """One path from a top concept to this concept, along the first-named broader concepts."""
        path = [concept_id]
        while broader := self._concepts[path[-1]].broader:
            path.append(broader[0])
        return tuple(reversed(path))

    def paths(self, concept_id: str, *, limit: int | None = None) -> list[tuple[str, ...]]:
        """Return every path from a top concept to this concept, inclusive.

        Args:
            limit: stop at so many; where many concepts have several broader ones, paths multiply.
        """
        complete: list[tuple[str, ...]] = []
        stack: list[tuple[str, ...]] = [(concept_id,)]
        while stack and (limit is None or len(complete) < limit):
            path = stack.pop()
            broader = self._concepts[path[0]].broader
            if not broader:
                complete.append(path)
            stack.extend((b, *path) for b in reversed(broader))
        return complete

    def augment(self, concept_ids: Iterable[str]) -> frozenset[str]:
        """Return these concepts and all their ancestors."""
        ids = frozenset(concept_ids)
        return ids.union(*(self.ancestors(i) for i in ids))

    def truncated(self, depth: int) -> Hierarchy:
        """Return the hierarchy down to this level; what is below is left out."""
        return self.with_concepts([c for i, c in self._concepts.items() if self._level[i] <= depth])

    def with_concepts(self, concepts: Iterable[Concept]) -> Hierarchy:
        """Return the same vocabulary, of other concepts.

        Raises:
            VocabularyError: as for any hierarchy.
        """
        return Hierarchy(
            concepts,
            vocabulary_id=self.vocabulary_id,
            version=self.version,
            uri_base=self.uri_base,
            scheme_uri=self.scheme_uri,
            title=self.title,
        )


def _by_id(concepts: Iterable[Concept]) -> dict[str, Concept]:
    """Concepts under their ids, each broader concept named once."""
    by_id: dict[str, Concept] = {}
    for concept in concepts:
        if concept.concept_id in by_id:
            raise VocabularyError(
                f"Concept id {concept.concept_id} occurs twice ({concept.label()}); "
                "give every concept its own id."
            )
        if len(set(concept.broader)) < len(concept.broader):
            concept = replace(concept, broader=tuple(dict.fromkeys(concept.broader)))
        by_id[concept.concept_id] = concept
    return by_id


def _without(concepts: Mapping[str, Concept], gone: Mapping[str, Concept]) -> dict[str, Concept]:
    """Return the other concepts, linked past those that are gone."""
    if not gone:
        return dict(concepts)
    links = {i: c.broader for i, c in concepts.items()}
    return {
        i: replace(c, broader=bridged(c.broader, links, gone)) if gone.keys() & c.broader else c
        for i, c in concepts.items()
        if i not in gone
    }


def is_code(concept_id: str, hierarchy: Hierarchy) -> bool:
    """Return whether a concept is a code that can be assigned: the lowest, and no heading.

    What the hierarchy does not offer, such as a withdrawn code, is none.
    """
    if concept_id not in hierarchy:
        return False
    return hierarchy[concept_id].assignable and not hierarchy.narrower(concept_id)

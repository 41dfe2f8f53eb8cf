"""What a search finds: labels, and concepts with why they were found, the surest reason first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf, log1p

from core.vocabulary.concepts import Hierarchy, same_language
from core.vocabulary.folding import fold_text
from core.vocabulary.search.coverage import CoveringLabel

FEW_HITS = 3  # with fewer than these, typing errors are looked for
PATH_SEPARATOR = " › "

Row = tuple[str, str, int]
"""A concept, its label, and the weight of the label: the lightest come first."""

PlainCode = Callable[[str], str | None]
"""Takes a category, and returns the code below it that says no more than it does."""

Frequencies = Mapping[str, int]
"""How often concepts were accepted here."""

EXACT_FIT = 0.995
FREQUENT = 0.05  # what each doubling of the uses here is worth beside the fit of a label


class Why(StrEnum):
    """Why a concept is a hit, the surest first: hits are in this order."""

    EXACT = "exact"  # a label, a notation or an everyday name is what was typed
    WITHDRAWN = "withdrawn"  # it replaces a concept that had such a label
    PREFIX = "prefix"  # a label begins so
    INFLECTED = "inflected"  # a label has all the words, in whatever form and order
    SYNONYM = "synonym"  # the same with everyday words replaced by those of labels
    RELATED = "related"  # the model suggests it for these words, or a label has some of them
    USED = "used"  # accepted here recently or often, where nothing is typed
    MENDED = "mended"  # found by what was probably meant, as there is a typing error


@dataclass(frozen=True, slots=True)
class Asked:
    """A query while it is looked for.

    Attributes:
        typed: as it was typed, no longer than what is looked at.
        whole: its folded words, by which a name of any length is found.
        text: the first of them, by which all else is.
        own, others: the languages of labels: that which is asked for, and all others.
        limit: most concepts that are read of each kind.
        frequencies, learned: what was accepted here, and what after this query.
        suggested: ranks of what is suggested for the open document.
    """

    typed: str
    whole: str
    text: str
    language: str
    own: Sequence[str]
    others: Sequence[str]
    limit: int
    frequencies: Frequencies
    learned: Sequence[str] = ()
    suggested: Mapping[str, int] = field(default_factory=dict)

    def order(self, row: Row, why: Why) -> tuple[int, float]:
        """Return what puts labels that are found for one reason in order.

        Of those that are what was typed, the preferred ones stay before the alternative ones.
        """
        return (row[2] if why is Why.EXACT else 0), self.place(row[0])

    def place(self, concept_id: str) -> float:
        """Return what puts hits that are as good in order: suggested ones first, by their ranks."""
        return self.suggested.get(concept_id, inf)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A concept that was found.

    Attributes:
        label: its preferred label in the language that was asked for.
        matched: the label, notation or everyday name by which it was found; "" where a model
            suggests it.
        language: of what matched; "" for a notation, and for a label that states none.
        path: labels from a top concept to this one inclusive, as one text.
        mended: what was searched instead, where that is not all that was typed.
        is_hidden: whether what matched is a hidden label.
    """

    concept_id: str
    label: str
    matched: str
    language: str
    notation: str | None
    path: str
    mended: str | None = None
    why: Why = Why.EXACT
    is_hidden: bool = False

    @property
    def shown(self) -> str:
        """What it was found by, as far as people may see it."""
        return self.label if self.is_hidden else self.matched


@dataclass(frozen=True, slots=True)
class Match:
    """The label by which a concept was found."""

    text: str
    language: str
    why: Why
    mended: str | None = None


def hit_of(concept_id: str, match: Match, hierarchy: Hierarchy, language: str) -> SearchHit:
    """Return a concept as a hit; neither a hidden label nor what was mended to it is shown."""
    concept = hierarchy[concept_id]
    label = concept.label(language)
    hidden = concept.hidden_labels.get(match.language, ())
    is_hidden = match.text in hidden and match.why is not Why.WITHDRAWN
    path = (hierarchy[step].label(language) for step in hierarchy.path(concept_id))
    return SearchHit(
        concept_id=concept_id,
        label=label,
        matched=match.text,
        language=match.language,
        notation=concept.notation,
        path=PATH_SEPARATOR.join(path),
        mended=label if is_hidden and match.mended else match.mended,
        why=match.why,
        is_hidden=is_hidden,
    )


class HitCollection:
    """Hits in the order in which they are found, until there are enough.

    Args:
        plain: finds the code that stands for a category; None where categories are hits.
    """

    def __init__(self, hierarchy: Hierarchy, limit: int, plain: PlainCode | None) -> None:
        self.matches: dict[str, Match] = {}
        self._hierarchy, self._limit, self._plain = hierarchy, limit, plain

    def __len__(self) -> int:
        return len(self.matches)

    @property
    def is_full(self) -> bool:
        """Whether no further hit is wanted."""
        return len(self) >= self._limit

    def add(self, concept_id: str, match: Match) -> None:
        """Take a hit, unless its concept is one already."""
        shown = self._shown(concept_id)
        if shown is not None and not self.is_full:
            self.matches.setdefault(shown, match)

    def are_of(self, text: str) -> None:
        """Say of all hits that this was looked for, in place of what was typed."""
        self.matches = {
            concept_id: replace(match, mended=match.mended or text, why=Why.MENDED)
            for concept_id, match in self.matches.items()
        }

    def _shown(self, concept_id: str) -> str | None:
        if self._plain is None or self._hierarchy[concept_id].assignable:
            return concept_id
        return self._plain(concept_id) if self._hierarchy.has_codes else None


@dataclass(frozen=True, slots=True)
class LabelCandidate:
    """A label that shares words with a query.

    Attributes:
        n_other: words of the query that the label does not have in the very form.
    """

    label: CoveringLabel
    row: Row
    language: str
    n_other: int

    def match(self, why: Why) -> Match:
        """Return it as what a concept was found by."""
        return Match(self.row[1], self.language, why)

    def is_preferred(self, hierarchy: Hierarchy) -> bool:
        """Return whether it is the preferred label of its concept."""
        return self.row[1] in hierarchy[self.row[0]].pref_label.values()

    @property
    def says_as_much(self) -> bool:
        """Whether it says what the query says, and nothing else."""
        return self.label.is_whole and min(self.label.fit, self.label.covered) > EXACT_FIT

    def nearness(self, frequencies: Frequencies) -> float:
        """Return how near it is to the query, more for what is accepted often here."""
        return self.label.score + FREQUENT * log1p(frequencies.get(self.row[0], 0))

    def order(self, frequencies: Frequencies) -> tuple[bool, float, int, int, int]:
        """Return what puts labels in order: all words, nearness, their very form, short ones."""
        nearness = round(self.nearness(frequencies), 2)
        n_other = self.n_other if self.label.is_whole else 0
        return not self.label.is_whole, -nearness, n_other, self.row[2], self.label.number


def is_certain(query: str, hits: Sequence[SearchHit], *, language: str = "en") -> bool:
    """Return whether the first hit is certain enough to be taken without a choice.

    It is the only one that is named so, or whose name begins so; hits in other languages do not
    count where it is in the one that was asked for. What replaces a withdrawn term is none.
    """
    asked = _letters(query)
    if not asked or not hits or hits[0].mended or hits[0].why is Why.WITHDRAWN:
        return False
    is_own = same_language(hits[0].language, language)
    rivals = [hit for hit in hits if same_language(hit.language, language) == is_own]
    exact = [hit for hit in rivals if _letters(hit.matched) == asked]
    if exact:
        return len([hit for hit in exact if hit.matched == hit.label] or exact) == 1
    begins = [_letters(hit.matched).startswith(asked) for hit in rivals]
    return begins[0] and begins.count(True) == 1


def is_doubtful(text: str, matches: Mapping[str, Match]) -> bool:
    """Return whether next to nothing was found, and no label goes on as the query begins."""
    if len(matches) >= FEW_HITS:
        return False
    return not any(
        match.why is Why.EXACT or fold_text(match.text).startswith(text)
        for match in matches.values()
    )


def _letters(text: str) -> str:
    return fold_text(text).replace(" ", "")

"""What a suggester finds in a document: suggestions, and how much of the text it read."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.vocabulary.concepts import Concept, Hierarchy

ELSEWHERE = "elsewhere: "
"""What the source of a suggestion begins with that only a suggester elsewhere has made."""

LONGEST_SOURCE = 255
_ASKED = re.compile(r"\+elsewhere-[0-9a-f]+")  # in a model's identity, as `asking` writes it


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One concept that a model suggests for a document.

    Attributes:
        probability: that the concept is *assigned*; ranks, thresholds and exports use it.
        branch_probability: that it or something narrower is assigned; never below `probability`.
        rank: 1 is the most probable of its prediction.
        source: the suggester that made it, such as "guided".
        denied: how the document denies it wherever it names it, such as "negated" or "family"; such
            a suggestion is shown apart from those that wait for a decision. "" where it does not.
    """

    concept_id: str
    uri: str
    notation: str | None
    pref_label: str
    probability: float
    branch_probability: float
    rank: int
    source: str = "guided"
    denied: str = ""


@dataclass(frozen=True, slots=True)
class FromElsewhere:
    """What a suggester on another machine said of one document.

    Attributes:
        name: what people know it by.
        identity: what changes where another one is asked.
        found: of each concept its score there, in [0, 1], and the probability that the others give
            it, 0 where they do not suggest it.
        problem: why it is left out, as a sentence; "" where it is not.
    """

    name: str
    identity: str
    found: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The output of one run of a model on one document.

    Attributes:
        suggestions: best first.
        branch_probability: of every broader concept of the suggestions, coherent along the tree.
        n_tokens: word pieces of title and text together.
        n_tokens_read: how many of them were read; less than `n_tokens` where the cap cut the text.
        n_windows: overlapping windows that were read.
        bundle_hash: which model said it.
        vocabulary_version: version of the vocabulary that the model learned.
        seconds: wall time of the prediction.
        own_probability: that it is assigned itself, of every broader concept of the suggestions
            that may be: what a person sees before giving a concept up for a broader one.
        model_probability: what a model gave the concepts that it finds best, where decisions of
            people have corrected it since, or may; None where there is no such thing.
        elsewhere: what a suggester on another machine had to do with it; None where none is asked.
    """

    suggestions: tuple[Suggestion, ...]
    branch_probability: Mapping[str, float]
    n_tokens: int
    n_tokens_read: int
    n_windows: int
    bundle_hash: str
    vocabulary_version: str
    seconds: float
    own_probability: Mapping[str, float] = field(default_factory=dict)
    model_probability: Mapping[str, float] | None = None
    elsewhere: FromElsewhere | None = None

    @property
    def truncated(self) -> bool:
        """Whether some of the text was not read."""
        return self.n_tokens_read < self.n_tokens

    @property
    def wanting(self) -> tuple[Suggestion, ...]:
        """The suggestions that wait for a decision: those that the document does not deny."""
        return tuple(row for row in self.suggestions if not row.denied)

    def within(self, concept_ids: Container[str]) -> Prediction:
        """Return it without the suggestions of concepts that are not among these.

        The version of a vocabulary in use is another one than it was made with after an import, or
        after another model came that was trained with another version.
        """
        suggestions = tuple(row for row in self.suggestions if row.concept_id in concept_ids)
        return replace(self, suggestions=suggestions)


def asking(bundle_hash: str, identity: str) -> str:
    """Return the identity of a model beside which a suggester elsewhere is asked."""
    return f"{bundle_hash}+elsewhere-{identity}"


def is_same_model(one: str | None, other: str | None) -> bool:
    """Return whether two identities are of one model, whatever is asked elsewhere beside it."""
    return one is not None and other is not None and _ASKED.sub("", one) == _ASKED.sub("", other)


def source_of(name: str) -> str:
    """Return the source of suggestions that only a suggester elsewhere has made."""
    return f"{ELSEWHERE}{name}"[:LONGEST_SOURCE]


def new_suggestion(concept: Concept, label: str, source: str) -> Suggestion:
    """Return a concept that no model has suggested, without a probability and a rank."""
    return Suggestion(concept.concept_id, concept.uri, concept.notation, label, 0.0, 0.0, 0, source)


def rescored(
    prediction: Prediction,
    chances: Mapping[str, float],
    hierarchy: Hierarchy,
    *,
    limit: int,
    threshold: float,
    added: Callable[[str], Suggestion],
) -> Prediction:
    """Return a prediction with other probabilities, best first.

    A branch keeps at least what was said of it; a concept without narrower ones is its own branch.

    Args:
        chances: of all that may be suggested; what is equally probable stays in this order.
        added: makes a suggestion of a concept that is none in `prediction`.
    """
    rows = {row.concept_id: row for row in prediction.suggestions}
    best = sorted(chances.items(), key=lambda item: -item[1])[:limit]
    lowest = _rescored_lowest(rows, chances, hierarchy)
    rows |= {i: replace(rows[i], branch_probability=p) for i, p in lowest.items()}
    rescored_rows = [
        replace(rows.get(i) or added(i), probability=p) for i, p in best if p >= threshold
    ]
    earlier = {i: lowest.get(i, p) for i, p in prediction.branch_probability.items()}
    branches = raised_branches(earlier, rescored_rows, hierarchy)
    return replace(
        prediction,
        suggestions=tuple(ranked(rescored_rows, branches)),
        branch_probability=branches,
        own_probability=_own_probabilities(
            rescored_rows, chances, prediction.own_probability, hierarchy
        ),
    )


def _rescored_lowest(
    rows: Mapping[str, Suggestion], chances: Mapping[str, float], hierarchy: Hierarchy
) -> dict[str, float]:
    """Return the probability of each concept without narrower ones that has another one now."""
    return {
        i: chances[i]
        for i, row in rows.items()
        if chances.get(i, row.probability) != row.probability
        and i in hierarchy
        and not hierarchy.narrower(i)
    }


def raised_branches(
    earlier: Mapping[str, float], suggestions: Iterable[Suggestion], hierarchy: Hierarchy
) -> dict[str, float]:
    """Return the probability of every broader concept, never less than of what is below it."""
    branches = dict(earlier)
    for suggestion in suggestions:
        concept_id = suggestion.concept_id
        least = max(suggestion.probability, branches.get(concept_id, 0.0))
        for broader in hierarchy.ancestors(concept_id) if concept_id in hierarchy else ():
            branches[broader] = max(least, branches.get(broader, 0.0))
    return branches


def _own_probabilities(
    suggestions: Iterable[Suggestion],
    chances: Mapping[str, float],
    branches: Mapping[str, float],
    hierarchy: Hierarchy,
) -> dict[str, float]:
    """Return the probability of each broader concept of suggestions that may be assigned itself.

    Args:
        chances: of concepts that were ranked.
        branches: what was known of broader concepts before.
    """
    there = [row.concept_id for row in suggestions if row.concept_id in hierarchy]
    broader = {above for i in there for above in hierarchy.ancestors(i)} | branches.keys()
    may_be = (i for i in sorted(broader) if i in branches or hierarchy[i].assignable)
    return {i: chances.get(i, branches.get(i, 0.0)) for i in may_be}


def ranked(
    suggestions: Iterable[Suggestion], branches: Mapping[str, float]
) -> Iterator[Suggestion]:
    """Yield suggestions with ranks, and with branch probabilities that agree with `branches` and
    with the suggestions' own probabilities.
    """
    for rank, suggestion in enumerate(suggestions, start=1):
        highest = max(suggestion.probability, suggestion.branch_probability)
        branch = max(highest, branches.get(suggestion.concept_id, 0.0))
        yield replace(suggestion, rank=rank, branch_probability=branch)

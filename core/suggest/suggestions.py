"""What a model says of a document: suggestions, and how it read the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One concept that a model suggests for a document.

    Attributes:
        probability: that the concept is *assigned*; ranks, thresholds and exports use it.
        branch_probability: that it or something narrower is assigned; never below `probability`.
        rank: 1 is the most probable of its prediction.
        source: the suggester that made it, such as "guided".
    """

    concept_id: str
    uri: str
    notation: str | None
    pref_label: str
    probability: float
    branch_probability: float
    rank: int
    source: str = "guided"


@dataclass(frozen=True, slots=True)
class Prediction:
    """Everything that one run of a model said of one document.

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

    @property
    def truncated(self) -> bool:
        """Whether some of the text was not read."""
        return self.n_tokens_read < self.n_tokens

"""The table of features: the numbers by which a candidate is ranked, and who ranks by which.

Source of the features of labels: Maui and MLLM (https://github.com/NatLibFi/Annif/wiki), read, not
copied; that a concept is likelier among others that go with it is as old as label ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

TEXT, TREE, DOCUMENTS = "text", "tree", "documents"
SUGGESTERS, MODEL = "suggesters", "model"
"""Sources: what stands in the text; the vocabulary; documents with their concepts, be they indexed
with a bundle or finished here; the suggesters of a bundle; a model, as it is to be corrected.
"""


class Feature(NamedTuple):
    """A number that a ranker knows of a candidate.

    Attributes:
        name: in files of weights.
        kind: under which a reader is told that it counted for a concept, or against it.
        source: what knows it.
        meaning: a sentence for the card of a model.
    """

    name: str
    kind: str
    source: str
    meaning: str


TABLE = (
    Feature("guided", "suggesters", SUGGESTERS, "The log-odds of the guided suggester."),
    Feature("linear", "suggesters", SUGGESTERS, "The log-odds of the linear suggester."),
    Feature("mean", "suggesters", SUGGESTERS, "The log-odds of the mean of both."),
    Feature("rank", "suggesters", SUGGESTERS, "Its rank by the mean, as a logarithm."),
    Feature("expected", "suggesters", SUGGESTERS, "How many concepts the mean expects in all."),
    Feature("model", "model", MODEL, "The log-odds of the model that is corrected."),
    Feature("model_rank", "model", MODEL, "Its rank by that model, as a logarithm."),
    Feature("branch", "branch", SUGGESTERS, "The log-odds of its own branch."),
    Feature("broader", "branch", SUGGESTERS, "The log-odds of the likeliest branch right above."),
    Feature("narrower_standing", "branch", TEXT, "Of how many narrower concepts labels stand."),
    Feature("broader_standing", "branch", TEXT, "Of how many broader concepts labels stand."),
    Feature("siblings_standing", "branch", TEXT, "Of how many concepts beside it labels stand."),
    Feature("narrower", "branch", TREE, "How many narrower concepts it has."),
    Feature("title_count", "label", TEXT, "In how many places of the title its labels stand."),
    Feature("title_alone", "label", TEXT, "In how many of them within no longer label."),
    Feature("title_words", "label", TEXT, "Words of the longest of its labels in the title."),
    Feature("title_preferred", "label", TEXT, "Whether its preferred label is among them."),
    Feature("text_count", "label", TEXT, "In how many places of the text its labels stand."),
    Feature("text_alone", "label", TEXT, "In how many of them within no longer label."),
    Feature("text_first", "label", TEXT, "The number of the word where the first of them begins."),
    Feature("text_first_share", "label", TEXT, "How far into the text that is."),
    Feature("text_words", "label", TEXT, "Words of the longest of its labels in the text."),
    Feature("text_preferred", "label", TEXT, "Whether its preferred label is among them."),
    Feature("text_density", "label", TEXT, "In how many places of a thousand words they stand."),
    Feature("standing", "label", TEXT, "Whether a label stands in the title, the text or both."),
    Feature("right_in_titles", "label", DOCUMENTS, "How often it is right where titles name it."),
    Feature("right_in_texts", "label", DOCUMENTS, "How often it is right where texts name it."),
    Feature("seen_in_titles", "label", DOCUMENTS, "How many finished titles name it."),
    Feature("seen_in_texts", "label", DOCUMENTS, "How many finished texts name it."),
    Feature("rarity_in_titles", "label", DOCUMENTS, "The share of indexed titles that name it."),
    Feature("rarity_in_texts", "label", DOCUMENTS, "The share of indexed texts that name it."),
    Feature("words", "label", TREE, "How many words its preferred label has."),
    Feature("votes", "similar", DOCUMENTS, "The share of similar documents that have it."),
    Feature("votes_of_nearest", "similar", DOCUMENTS, "The same of the most similar quarter."),
    Feature("nearest", "similar", DOCUMENTS, "How similar the nearest is that has it."),
    Feature("surplus_of_similar", "similar", DOCUMENTS,
            "How much oftener similar documents have it than the model expected."),
    Feature("support", "company", DOCUMENTS, "How often it goes with what is suggested first."),
    Feature("frequency", "habit", DOCUMENTS, "How many documents have it."),
    Feature("recent_frequency", "habit", DOCUMENTS, "Its share of the concepts of recent ones."),
    Feature("share", "habit", DOCUMENTS, "The share of finished documents that have it."),
    Feature("level", "habit", TREE, "Its level."),
    Feature("length", "habit", TEXT, "How many words the document has."),
    Feature("decided", "habit", DOCUMENTS, "How many documents are finished."),
    Feature("n_expected", "habit", DOCUMENTS,
            "In how many finished documents the model expected it."),
    Feature("surplus", "habit", DOCUMENTS, "How much oftener they have it than it expected."),
)  # fmt: skip
"""All features, by kind."""

KINDS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(feature.name for feature in TABLE if feature.kind == kind)
    for kind in dict.fromkeys(feature.kind for feature in TABLE)
}
"""Names of features by what they are of, as a reader is told of them."""
NOTICED = 0.3
"""Log-odds from which on a kind of features is said to have counted."""

# ---------------------------------------------------------------------- sets of weights

MEMBERS = ("guided", "linear")
IN_TITLE = ("title_count", "title_alone", "title_words", "title_preferred")
IN_TEXT = ("text_count", "text_alone", "text_first", "text_first_share", "text_words",
           "text_preferred", "text_density")  # fmt: skip
RANKER_FEATURES = (
    *MEMBERS, "mean", "rank", "branch", "broader", "expected", "support",
    *IN_TITLE, *IN_TEXT, "standing", "right_in_titles", "right_in_texts", "rarity_in_titles",
    "rarity_in_texts", "frequency", "recent_frequency", "level", "length", "votes", "nearest",
)  # fmt: skip
"""By which a bundle ranks what its suggesters find: columns of rows, in the order of the weights."""
COLD_START_FEATURES = (
    *IN_TITLE, *IN_TEXT, "standing", "narrower_standing", "broader_standing", "siblings_standing",
    "narrower", "words", "length", "right_in_titles", "right_in_texts", "seen_in_titles",
    "seen_in_texts", "frequency", "share", "votes", "votes_of_nearest", "nearest", "decided",
)  # fmt: skip
"""By which concepts are ranked without a model."""
CORRECTION_FEATURES = (
    *COLD_START_FEATURES, "model", "model_rank", "n_expected", "surplus", "surplus_of_similar",
)  # fmt: skip
"""By which a model is corrected: as without it, and by what it suggests, here and elsewhere."""
EARLIER_NAMES = {"expected": "n_expected"}
"""Of features of `CORRECTION_FEATURES`, as earlier versions wrote them."""

# ---------------------------------------------------------------------- what counted

CountedKinds = tuple[tuple[str, ...], tuple[str, ...]]
"""Kinds of features that count for a candidate, and those that count against it."""


def kinds_of_features(contributions: Array, features: tuple[str, ...]) -> list[CountedKinds]:
    """Return which kinds of features count for each candidate, and which against it.

    Args:
        contributions: to the log-odds, (n_candidates, n_features).
        features: their names, by column.
    """
    column = {name: n for n, name in enumerate(features)}
    columns = [[column[name] for name in names if name in column] for names in KINDS.values()]
    by_kind = np.stack([contributions[:, of_kind].sum(axis=1) for of_kind in columns], axis=1)
    names = list(KINDS)
    return [
        (
            tuple(names[n] for n in np.argsort(-sums, kind="stable") if sums[n] >= NOTICED),
            tuple(names[n] for n in np.argsort(sums, kind="stable") if sums[n] <= -NOTICED),
        )
        for sums in by_kind
    ]

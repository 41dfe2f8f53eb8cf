"""The table of features: the numbers by which a candidate is ranked, and who ranks by which.

Source of the features of labels: Maui and MLLM (https://github.com/NatLibFi/Annif/wiki), read, not
copied; that a concept is likelier among others that go with it is as old as label ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.paths import PROJECT_ROOT

Array = npt.NDArray[np.float32]


class Feature(NamedTuple):
    """A number that a ranker knows of a candidate: a row of `assets/features.tsv`.

    Attributes:
        name: in files of weights.
        kind: under which a reader is told that it counted for a concept, or against it.
        source: what knows it: the text and the labels in it, the tree of the vocabulary, documents
            with their concepts (indexed with a bundle or finished here), the suggesters of a bundle,
            or the model that is corrected.
        meaning: a sentence for the card of a model.
    """

    name: str
    kind: str
    source: str
    meaning: str


_LINES = (PROJECT_ROOT / "assets" / "features.tsv").read_text("utf-8").splitlines()
TABLE = tuple(Feature(*line.split("\t")) for line in _LINES[1:])
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

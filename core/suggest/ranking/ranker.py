"""From the features of candidates to the probability that each is assigned.

The log-odds of boosted trees and of a logistic regression are averaged: trees see what depends on
what, and the regression keeps the order where trees have one value for many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import safe_open
from safetensors.numpy import save_file

from core.model.bundle.manifest import BUNDLE, read_json, write_json
from core.suggest.calibration import Platt
from core.suggest.ranking.boosted_trees import BoostedTrees
from core.suggest.ranking.features import EARLIER_NAMES

Array = npt.NDArray[np.float32]
Tensors = Mapping[str, npt.NDArray[np.generic]]

NAME = "ranker"
"""Of its two files, where a folder has one ranker."""
FORMAT = "strata-ranker-1"
KINDS = ("title", "text")
"""Of documents: those of which a title alone was read, and those with a text."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic regression over standardised features.

    Attributes:
        centre, spread: of each feature in training, (n_features,).
        weights: (n_features,).
        bias: (1,).
    """

    centre: Array
    spread: Array
    weights: Array
    bias: Array

    def __call__(self, rows: Array) -> Array:
        """Return log-odds, (n_rows,), of rows of features, (n_rows, n_features)."""
        return np.asarray(self.standardised(rows) @ self.weights + self.bias, dtype=np.float32)

    def standardised(self, rows: Array) -> Array:
        """Return rows with centre 0 and spread 1."""
        return np.asarray((rows - self.centre) / self.spread, dtype=np.float32)

    def contributions(self, rows: Array) -> Array:
        """Return what each feature adds to the log-odds, (n_rows, n_features)."""
        return np.asarray(self.standardised(rows) * self.weights, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Scorer:
    """What ranks documents of one kind.

    Attributes:
        share: of the trees in the mean log-odds, the regression has the rest.
        platt: makes the mean say what it means.
    """

    trees: BoostedTrees
    logistic: Logistic
    share: float
    platt: Platt

    def log_odds(self, rows: Array) -> Array:
        """Return the mean log-odds of rows of features, not calibrated, (n_rows,)."""
        mean = self.share * self.trees(rows) + (1 - self.share) * self.logistic(rows)
        return np.asarray(mean, dtype=np.float32)

    def __call__(self, rows: Array) -> Array:
        """Return probabilities, (n_rows,)."""
        return self.platt(self.log_odds(rows))

    def contributions(self, rows: Array) -> Array:
        """Return what each feature adds to the calibrated log-odds, (n_rows, n_features)."""
        trees, logistic = self.trees.contributions(rows), self.logistic.contributions(rows)
        mean = self.share * trees + (1 - self.share) * logistic
        return np.asarray(self.platt.slope * mean, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Ranker:
    """A scorer for titles, and one for documents with a text.

    Attributes:
        features: the columns that it learned, by name.
    """

    title: Scorer
    text: Scorer
    features: tuple[str, ...]

    def scorer(self, *, has_text: bool) -> Scorer:
        """Return what ranks a kind of document."""
        return self.text if has_text else self.title

    def save(self, directory: Path, *, name: str = NAME) -> None:
        """Write a file of settings and one of weights, such as `ranker.json` and
        `ranker.safetensors`.
        """
        settings: dict[str, Any] = {"format": FORMAT, "features": list(self.features)}
        tensors: dict[str, npt.NDArray[np.generic]] = {}
        for kind in KINDS:
            scorer = asdict(getattr(self, kind))
            settings[kind] = {"share": scorer["share"], "platt": scorer["platt"]}
            for part in ("trees", "logistic"):
                for of_part, array in scorer[part].items():
                    tensors[f"{kind}.{part}.{of_part}"] = np.ascontiguousarray(array)
        write_json(directory / f"{name}.json", settings)
        save_file(tensors, directory / f"{name}.safetensors")

    @classmethod
    def load(cls, directory: Path, *sets: tuple[str, ...], name: str = NAME) -> Ranker:
        """Read what `save` wrote.

        Args:
            sets: features that are computed here, by name; it has learned one of them.
            name: of its files.
        Raises:
            BundleError: a file is missing or damaged, or names features that are not known.
        """
        with BUNDLE.translated(
            "The ranker in {directory} is damaged ({reason}). Get the bundle again.",
            directory=directory,
        ):
            settings = read_json(directory / f"{name}.json")
            named = tuple(settings["features"])
            renamed = tuple(EARLIER_NAMES.get(feature, feature) for feature in named)
            features = next((known for known in sets if known in (named, renamed)), None)
            if settings["format"] != FORMAT or features is None:
                raise ValueError("its features are not those of this version")
            with safe_open(directory / f"{name}.safetensors", framework="numpy") as file:
                tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
            n = len(features)
            title, text = (_scorer(settings[kind], tensors, kind, n) for kind in KINDS)
            return cls(title, text, features)


# ---------------------------------------------------------------------- two rankers


@dataclass(frozen=True, slots=True)
class Blend:
    """How two rankers are joined for one kind of documents.

    Attributes:
        own_share: of the project's own in the mean, the general one has the rest.
        platt: makes the mean of their log-odds say what it means.
    """

    own_share: float
    platt: Platt

    def mean(self, local: Array, general: Array) -> Array:
        """Return the weighed mean of what both say."""
        return np.asarray(self.own_share * local + (1 - self.own_share) * general, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class BlendedScorer:
    """Ranks by weights that were fitted on the decisions of one project, and by general ones.

    Attributes:
        n_general: features, the first ones, that the general one knows.
    """

    own: Scorer | None
    general: Scorer
    n_general: int
    blend: Blend

    def log_odds(self, rows: Array) -> Array:
        """Return the weighed mean of log-odds, not calibrated, (n_rows,)."""
        general = self.general.log_odds(rows[:, : self.n_general])
        return general if self.own is None else self.blend.mean(self.own.log_odds(rows), general)

    def __call__(self, rows: Array) -> Array:
        """Return probabilities, (n_rows,)."""
        return self.blend.platt(self.log_odds(rows))

    def contributions(self, rows: Array) -> Array:
        """Return about what each feature adds to the log-odds, (n_rows, n_features)."""
        general = np.zeros_like(rows)
        general[:, : self.n_general] = self.general.contributions(rows[:, : self.n_general])
        return (
            general if self.own is None else self.blend.mean(self.own.contributions(rows), general)
        )


@dataclass(frozen=True, slots=True)
class BlendedRanker:
    """The weights of a project beside the general ones, for titles and for texts.

    Attributes:
        own: None where too little was decided to fit any.
    """

    own: Ranker | None
    general: Ranker
    title: Blend
    text: Blend

    def scorer(self, *, has_text: bool) -> BlendedScorer:
        """Return what ranks a kind of document."""
        return BlendedScorer(
            self.own.scorer(has_text=has_text) if self.own else None,
            self.general.scorer(has_text=has_text),
            len(self.general.features),
            self.text if has_text else self.title,
        )


# ---------------------------------------------------------------------- files


def _scorer(settings: Mapping[str, Any], tensors: Tensors, kind: str, n_features: int) -> Scorer:
    trees = BoostedTrees(**_under(tensors, f"{kind}.trees."))
    trees.check(n_features)
    logistic = Logistic(**_under(tensors, f"{kind}.logistic."))
    _check(logistic, n_features)
    platt = Platt(float(settings["platt"]["slope"]), float(settings["platt"]["bias"]))
    return Scorer(trees, logistic, float(settings["share"]), platt)


def _under(tensors: Tensors, beginning: str) -> dict[str, Any]:
    return {
        name.removeprefix(beginning): tensor
        for name, tensor in tensors.items()
        if name.startswith(beginning)
    }


def _check(logistic: Logistic, n_features: int) -> None:
    """Raise ValueError where it does not weigh so many features, or not by numbers."""
    arrays = (logistic.centre, logistic.spread, logistic.weights, logistic.bias)
    sizes = (n_features, n_features, n_features, 1)
    if any(a.shape != (n,) or not np.isfinite(a).all() for a, n in zip(arrays, sizes, strict=True)):
        raise ValueError("its regression does not weigh the features")
    if not (logistic.spread > 0).all():
        raise ValueError("a feature of its regression has no spread")

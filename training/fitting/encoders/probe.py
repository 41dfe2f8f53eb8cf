"""What a plan can hope for of an encoder, in two minutes: a probe of every layer's vectors.

A plan that reads a level from [CLS] of a layer can learn only what that vector carries, and only as
fast as it varies: a layer whose [CLS] hardly changes from text to text has to be scaled up by its
head first. So for each layer stand the variance of the vectors beside their squared mean, and the
R-Precision of a ridge regression from them, on raw vectors and on standardised ones, under the same
penalty. The encoder stays as it is.
Source: Alain and Bengio (2016), Understanding intermediate layers using linear classifier probes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from transformers import AutoTokenizer

from core import metrics
from core.errors import ConfigError
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument
from training.fitting.encoders.pretrained import load_encoder, loading_encoder
from training.judging.folders import JudgedData
from training.results.tables import markdown

Vectors = npt.NDArray[np.float32]

SEED = 1
BATCH = 32


@dataclass(frozen=True, slots=True)
class Probe:
    """What is read, how, and on how many documents.

    Attributes:
        penalty: of the ridge regression, the same for raw and standardised vectors.
    """

    encoder: str
    pooling: str = "cls"
    n_train: int = 1200
    n_dev: int = 400
    max_length_tokens: int = 64
    penalty: float = 100.0
    depth: int = 6

    def run(self, data: JudgedData, *, say: Callable[[str], None] = lambda _: None) -> str:
        """Return a table with a line a layer.

        Raises:
            ConfigError: there is no such encoder, or the labels have too few documents.
        """
        train = _drawn(data.corpus.train, self.n_train)
        dev = _drawn(data.corpus.dev, self.n_dev)
        if not (train and dev):
            raise ConfigError("The probe needs documents of train and of dev.")
        say(f"{len(train)} documents of train and {len(dev)} of dev are read …")
        layers = zip(self.vectors(train), self.vectors(dev), strict=True)
        gold = [_gold(data.label_space, rows) for rows in (train, dev)]
        levels, depth = data.label_space.levels, min(self.depth, data.label_space.n_levels)
        body = []
        for layer, (of_train, of_dev) in enumerate(layers, start=1):
            scaler = StandardScaler().fit(of_train)
            raw = self._found((of_train, of_dev), gold, levels, depth)
            even = (scaler.transform(of_train), scaler.transform(of_dev))
            standardised = self._found(even, gold, levels, depth)
            body.append([str(layer), f"{spread(of_train):.1e}", *raw, *standardised])
        headings = [f"{kind} {level}" for kind in ("raw", "std") for level in range(1, depth + 1)]
        return markdown(["Layer", "Variance / mean²", *headings], body)

    def vectors(self, rows: Sequence[LabelledDocument]) -> list[Vectors]:
        """Return the vectors of titles (or texts without one) by layer, of shape (n, units)."""
        with loading_encoder(self.encoder):
            tokenizer = AutoTokenizer.from_pretrained(self.encoder)
        encoder = load_encoder(self.encoder).eval()
        texts = [row.document.title or row.document.text for row in rows]
        parts: list[list[torch.Tensor]] = []
        for start in range(0, len(texts), BATCH):
            batch = tokenizer(
                texts[start : start + BATCH],
                padding=True,
                truncation=True,
                max_length=self.max_length_tokens,
                return_tensors="pt",
            )
            with torch.inference_mode():
                hidden = encoder(**batch, output_hidden_states=True).hidden_states[1:]
            parts.append([self._pooled(layer, batch["attention_mask"]) for layer in hidden])
        return [torch.cat(layer).numpy() for layer in zip(*parts, strict=True)]

    def _pooled(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.pooling == "cls":
            return hidden[:, 0]
        return (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)

    def _found(
        self,
        vectors: tuple[Vectors, Vectors],
        gold: Sequence[npt.NDArray[np.float32]],
        levels: npt.NDArray[np.int64],
        depth: int,
    ) -> Iterator[str]:
        scores = Ridge(alpha=self.penalty).fit(vectors[0], gold[0]).predict(vectors[1])
        precisions = metrics.r_precision_by_level(gold[1], scores, levels, depth=depth)
        for level in range(1, depth + 1):
            value = metrics.mean_defined(precisions[f"level_{level}"])
            yield "–" if np.isnan(value) else f"{100 * value:.1f}"


def spread(vectors: Vectors) -> float:
    """Return the mean variance of the units divided by their mean squared mean."""
    return float(vectors.var(axis=0).mean() / np.square(vectors.mean(axis=0)).mean())


def _drawn(rows: Sequence[LabelledDocument], n: int) -> list[LabelledDocument]:
    order = np.random.default_rng(SEED).permutation(len(rows))[:n]
    return [rows[place] for place in sorted(order)]


def _gold(space: LabelSpace, rows: Sequence[LabelledDocument]) -> npt.NDArray[np.float32]:
    gold = space.encode([row.assigned for row in rows], augmented=True)
    return np.asarray(gold.toarray(), dtype=np.float32)

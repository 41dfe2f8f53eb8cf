"""Where the heads start: at each label's frequency, and in the direction of its name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from scipy import sparse
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.model.attention import observe_attention
from core.model.guided import GuidedClassifier, LevelHeads
from core.model.guided_heads import GuidedHeads
from core.model.label_wise import LabelWiseHead
from core.suggest.backends.torch import padded
from core.vocabulary.labels import LabelSpace

_NAME_TOKENS = 24
# Scores of label-wise attention are divided by √d: so they begin a few apart, as states of length
# about √d differ in direction.
_SHARPNESS = 8.0
_BATCH = 128


def bias_from_frequency(head: nn.Linear, y_true: sparse.csr_matrix) -> None:
    """Set the bias to the log-odds of each label's frequency; half a document for those unseen."""
    n_documents = y_true.shape[0]
    counts = np.asarray(y_true.sum(axis=0)).ravel()
    odds = (counts + 0.5) / (n_documents - counts + 0.5)
    head.bias.data.copy_(torch.from_numpy(np.log(odds)))


def bias_from_share(head: nn.Linear, y_true: sparse.csr_matrix) -> None:
    """Set the bias so that the softmax of it is each label's share; half a document for each."""
    counts = np.asarray(y_true.sum(axis=0)).ravel() + 0.5
    head.bias.data.copy_(torch.from_numpy(np.log(counts / counts.sum())))


def level_biases(heads: LevelHeads | GuidedHeads, y_levels: sparse.csr_matrix) -> None:
    """Set the biases of one head a level; `y_levels` has the columns of all levels in order."""
    start = 0
    for head in heads.levels:
        assert isinstance(head, nn.Linear)
        bias_from_frequency(head, y_levels[:, start : start + head.out_features])
        start += head.out_features


class NameVectors:
    """The encoder's own vectors of the labels' names, centred and of unit length.

    Labels without names count for nothing: their rows are there to keep the columns' places.

    Attributes:
        by_layer: of each layer that the model reads, (labels, hidden units).
        by_head: of each layer with guided heads what its heads give for [CLS], each of unit length,
            (labels, heads, units of a head).
    """

    def __init__(
        self,
        model: GuidedClassifier,
        tokenizer: Tokenizer,
        names: Sequence[Sequence[str]],
        device: str,
    ) -> None:
        flat = [(row, name) for row, labels in enumerate(names) for name in labels]
        windows = [tokenizer.encode(name).ids[:_NAME_TOKENS] for _, name in flat]
        rows = torch.tensor([row for row, _ in flat])
        captured: dict[int, list[Tensor]] = {}
        with _capturing_guided_heads(model, captured):
            pooled = pooled_vectors(model, windows, device)
        self.by_layer = {
            layer: _averaged(vectors, rows, len(names)) for layer, vectors in pooled.items()
        }
        self.by_head = {
            layer: torch.stack(
                [
                    _averaged(vectors, rows, len(names))
                    for vectors in torch.cat(parts).split(_head_size(model), dim=1)
                ],
                dim=1,
            )
            for layer, parts in captured.items()
        }


def _capturing_guided_heads(
    model: GuidedClassifier, captured: dict[int, list[Tensor]]
) -> AbstractContextManager[None]:
    """Collect what the heads of the guided layers give for [CLS], batch after batch."""
    if model.guided_heads is None:
        return nullcontext()

    def observe(layer: int, outputs: Tensor, _attention: Tensor | None) -> None:
        captured.setdefault(layer, []).append(outputs[:, 0].float().cpu())

    return observe_attention(model.encoder, model.guided_heads.layers, observe)


def _head_size(model: GuidedClassifier) -> int:
    assert model.guided_heads is not None
    return model.guided_heads.head_size


def pooled_vectors(
    model: GuidedClassifier,
    windows: Sequence[Sequence[int]],
    device: str,
    *,
    batch_size: int = _BATCH,
) -> dict[int, Tensor]:
    """Return pooled vectors (windows, hidden units) by layer, computed without dropout."""
    model = model.to(device).eval()
    parts: dict[int, list[Tensor]] = {}
    with torch.inference_mode():
        for start in range(0, len(windows), batch_size):
            input_ids, mask = padded(windows[start : start + batch_size])
            pooled = model.pooled_layers(input_ids.to(device), mask.to(device))
            for layer, vectors in pooled.items():
                parts.setdefault(layer, []).append(vectors.float().cpu())
    model.train()
    return {layer: torch.cat(vectors) for layer, vectors in parts.items()}


def _averaged(vectors: Tensor, rows: Tensor, n_labels: int) -> Tensor:
    """Return mean vector of each label's names (labels, units), without what all of them share."""
    total = torch.zeros(n_labels, vectors.shape[1]).index_add_(0, rows, vectors)
    n_names = torch.bincount(rows, minlength=n_labels)
    mean = total / n_names.clamp(min=1).unsqueeze(1)
    centred = mean - mean[n_names > 0].mean(dim=0)
    return nn.functional.normalize(centred, dim=1)


def names_of(label_space: LabelSpace, columns: Sequence[int]) -> list[list[str]]:
    """Return preferred and alternative labels of some columns, in English."""
    concepts = [label_space.hierarchy[label_space.concept_ids[column]] for column in columns]
    return [[c.label(), *c.alt_labels.get("en", ())[:4]] for c in concepts]


def weights_from_names(
    model: GuidedClassifier,
    vectors: NameVectors,
    *,
    level_columns: Sequence[int],
    assigned_columns: Sequence[int],
    scale: float,
) -> None:
    """Turn each head's rows to the names of its labels, `scale` long.

    Rows of `vectors` are label-space columns; a head over two layers takes half from each.
    """
    for heads in (model.level_heads, model.auxiliary_heads):
        if heads is None:
            continue
        start = 0
        for head, layers in zip(heads.levels, heads.plan.layers, strict=True):
            assert isinstance(head, nn.Linear)
            columns = list(level_columns[start : start + head.out_features])
            parts = [vectors.by_layer[layer][columns] for layer in layers]
            head.weight.data.copy_(scale * torch.cat(parts, dim=1) / len(layers))
            start += head.out_features
    if model.guided_heads is not None:
        model.guided_heads.turn_to(vectors.by_head, level_columns, scale=scale)
    if model.assigned_head is not None:
        rows = vectors.by_layer[model.n_layers][list(assigned_columns)]
        model.assigned_head.weight.data.copy_(scale * rows)
        if isinstance(model.assigned_head, LabelWiseHead):
            model.assigned_head.query.data.copy_(_SHARPNESS * rows)

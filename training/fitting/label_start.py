"""Which labels are embedded in the self-attention, and where their embeddings start.

Source: Wang et al. (2020), end of section 3.2: at random, from the pretrained embeddings of
keywords, or, where no keyword names a class, from [CLS] averaged over the documents of the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.errors import ConfigError
from core.model.guided import GuidedClassifier, Shape, load_encoder
from core.vocabulary.labels import LabelSpace
from training.config import ModelConfig
from training.fitting.initialise import names_of, pooled_vectors
from training.fitting.inputs import TrainingInputs

STARTS = ("none", "random", "keywords", "class_mean")


def embedded_columns(config: ModelConfig, label_space: LabelSpace) -> npt.NDArray[np.int64]:
    """Label-space columns of the embedded labels; empty where label embeddings are off.

    `label_levels` bounds what they cost: every label is compared with every word piece in every
    head of every layer. With thousands of labels, embed those of the first levels alone.

    Raises:
        ConfigError: there is no such start.
    """
    if config.label_embeddings not in STARTS:
        raise ConfigError(
            f"There are no label embeddings “{config.label_embeddings}”; take one of "
            f"{', '.join(STARTS)}."
        )
    if config.label_embeddings == "none":
        return np.empty(0, dtype=np.int64)
    if not config.label_levels:
        return np.flatnonzero(label_space.assignable)
    return np.flatnonzero(label_space.levels <= config.label_levels)


def plain_reader(config: ModelConfig, shape: Shape) -> GuidedClassifier:
    """The pretrained encoder without labels in it: reads names and documents as it came."""
    plain = replace(shape, label_embeddings="none", n_label_embeddings=0)
    return GuidedClassifier(load_encoder(config.encoder), plain)


def keyword_vectors(
    encoder: nn.Module, tokenizer: Tokenizer, names: Sequence[Sequence[str]]
) -> Tensor:
    """The mean of the word-piece embeddings in the names of each label, (labels, hidden units).

    The embedding table's own rows, not the states of a layer: Xₗ is projected by every layer, as
    the embedded text is by the first.
    """
    table: Tensor = encoder.get_input_embeddings().weight.detach()  # type: ignore[operator]
    unknown = tokenizer.token_to_id("[UNK]") or 0
    rows = []
    for of_label in names:
        pieces = [tokenizer.encode(name, add_special_tokens=False).ids for name in of_label]
        ids = [i for part in pieces for i in part] or [unknown]
        rows.append(table[ids].mean(dim=0))
    return torch.stack(rows)


def class_means(
    reader: GuidedClassifier, train: TrainingInputs, belongs: sparse.csr_matrix, device: str
) -> Tensor:
    """The mean vector of the training documents of each label, (labels, hidden units).

    The vector is the one that the classifier reads: [CLS] of the last layer, as published, or the
    mean of its states with mean pooling. A label without a document starts at the mean of all.

    Args:
        belongs: ones where a document has a label, (documents, embedded labels).
    """
    windows = [train.window(row, -1) for row in range(len(train))]
    vectors = pooled_vectors(reader, windows, device)[reader.n_layers]
    counts = torch.from_numpy(np.asarray(belongs.sum(axis=0), dtype=np.float32)).reshape(-1, 1)
    sums = torch.from_numpy(belongs.T.toarray()) @ vectors
    return torch.where(counts > 0, sums / counts.clamp(min=1), vectors.mean(dim=0))


def start_label_embeddings(
    labels: nn.Embedding,
    reader: GuidedClassifier,
    config: ModelConfig,
    *,
    columns: npt.NDArray[np.int64],
    label_space: LabelSpace,
    train: TrainingInputs,
    assigned: Sequence[Sequence[str]],
    tokenizer: Tokenizer,
    device: str,
) -> None:
    """Set the label embeddings as configured; modifies `labels`.

    Args:
        assigned: concept ids of each training document; where the labels of levels are embedded, a
            broader one has the documents of the narrower ones.
    """
    if config.label_embeddings == "keywords":
        names = names_of(label_space, columns.tolist())
        vectors = keyword_vectors(reader.encoder, tokenizer, names)
    elif config.label_embeddings == "class_mean":
        by_levels = config.label_levels > 0
        belongs = label_space.encode(assigned, augmented=by_levels)[:, columns]
        vectors = class_means(reader, train, sparse.csr_matrix(belongs), device)
    else:
        return  # at random, as the model made them
    labels.weight.data.copy_(vectors)

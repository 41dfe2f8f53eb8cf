"""What a model starts from before its first step: frequencies, names, documents, other weights.

Source, for label embeddings: Wang et al. (2020), end of section 3.2: at random, from the pretrained
embeddings of keywords, or, where no keyword names a class, from [CLS] averaged over the documents
of the class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from scipy import sparse
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.model.guided import GuidedClassifier, LevelHeads
from core.model.label_wise import LabelWiseHead
from core.model.precision import autocast, best_device
from core.suggest.backends.torch import padded
from core.vocabulary.labels import LabelSpace
from training.fitting.devices import training_dtype
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.inputs import TrainingInputs
from training.fitting.resume import load_weights
from training.fitting.run import Run
from training.networks.sequence_generator import SequenceGenerator

# Length of a head's row when it starts as its label's name: a document about the label then starts
# a few logits above its frequency.
_NAME_SCALE = 1.5


def start_weights(run: Run, model: GuidedClassifier, train: TrainingInputs) -> None:
    """Set the heads: biases from frequencies, weights from names where configured.

    Label embeddings start as configured; names and documents are read without them, so that
    everything else starts as it does in a run that has none.
    """
    reader = model
    if model.label_embeddings is not None:
        # The pretrained encoder as it came, without labels in it.
        plain = replace(model.shape, label_embeddings="none", n_label_embeddings=0)
        reader = GuidedClassifier(load_encoder(run.config.model.encoder), plain)
        _start_labels(run, model.label_embeddings, reader, train)
    if run.config.model.initialise_heads == "names":
        _start_from_names(run, model, reader)
    _start_biases(run, model, train)
    if isinstance(model, SequenceGenerator):
        counts = np.asarray(train.y_assigned.sum(axis=0)).ravel()
        longest = int(train.y_assigned.sum(axis=1).max())
        model.learn_order(torch.from_numpy(counts), longest)
    if run.config.optim.start_from:
        load_weights(model, Path(run.config.optim.start_from), strict=False)


def _start_labels(
    run: Run, labels: nn.Embedding, reader: GuidedClassifier, train: TrainingInputs
) -> None:
    config, space = run.config.model, run.label_space
    if config.label_embeddings == "keywords":
        names = names_of(space, run.label_columns.tolist())
        vectors = keyword_vectors(reader.encoder, run.tokenizer, names)
    elif config.label_embeddings == "class_mean":
        assigned = [row.assigned for row in run.learned]
        belongs = space.encode(assigned, augmented=False)[:, run.label_columns]
        vectors = class_means(reader, train, sparse.csr_matrix(belongs), best_device())
    else:
        return  # at random, as the model made them
    labels.weight.data.copy_(vectors)


def _start_from_names(run: Run, model: GuidedClassifier, reader: GuidedClassifier) -> None:
    # A vocabulary may be far deeper than what is learned of it, and each name costs a reading.
    wanted = set(run.level_columns.tolist())
    if model.assigned_head is not None:
        wanted.update(run.assigned_columns.tolist())
    columns = sorted(wanted)
    names: list[list[str]] = [[] for _ in range(len(run.label_space))]
    for column, column_names in zip(columns, names_of(run.label_space, columns), strict=True):
        names[column] = column_names
    weights_from_names(
        model,
        name_vectors(reader, run.tokenizer, names, best_device(), dtype=_named_dtype(run)),
        level_columns=run.level_columns.tolist(),
        assigned_columns=run.assigned_columns.tolist(),
        scale=_NAME_SCALE,
    )


def _named_dtype(run: Run) -> torch.dtype:
    """Return the format that the configuration names; fp32 where the trainer is to choose one."""
    precision = run.config.optim.precision
    return torch.float32 if precision == "auto" else training_dtype(precision, best_device())


def _start_biases(run: Run, model: GuidedClassifier, train: TrainingInputs) -> None:
    if model.level_heads is not None:
        level_biases(model.level_heads, train.y_levels)
    if model.assigned_head is not None:
        single = run.config.model.objective == "single_label"
        start = bias_from_share if single else bias_from_frequency
        start(model.assigned_head, train.y_assigned)


def keyword_vectors(
    encoder: nn.Module, tokenizer: Tokenizer, names: Sequence[Sequence[str]]
) -> Tensor:
    """Return the mean word-piece embedding of each label's names, (labels, hidden units).

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
    """Return the mean vector of the training documents of each label, (labels, hidden units).

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


# ---------------------------------------------------------------------- biases, and weights from names


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


def level_biases(heads: LevelHeads, y_levels: sparse.csr_matrix) -> None:
    """Set the biases of one head a level; `y_levels` has the columns of all levels in order."""
    start = 0
    for head in heads.levels:
        assert isinstance(head, nn.Linear)
        bias_from_frequency(head, y_levels[:, start : start + head.out_features])
        start += head.out_features


def name_vectors(
    model: GuidedClassifier,
    tokenizer: Tokenizer,
    names: Sequence[Sequence[str]],
    device: str,
    *,
    dtype: torch.dtype = torch.float32,
) -> dict[int, Tensor]:
    """Return the encoder's own vectors of the labels' names by layer, (labels, hidden units).

    They are centred and of unit length. Labels without names count for nothing: their rows are
    there to keep the columns' places.
    """
    flat = [(row, name) for row, labels in enumerate(names) for name in labels]
    windows = [tokenizer.encode(name).ids[:_NAME_TOKENS] for _, name in flat]
    rows = torch.tensor([row for row, _ in flat])
    with autocast(device, dtype):
        pooled = pooled_vectors(model, windows, device)
    return {layer: _averaged(vectors, rows, len(names)) for layer, vectors in pooled.items()}


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
    # Windows of a length together: little is read for padding.
    order = sorted(range(len(windows)), key=lambda row: len(windows[row]))
    with torch.inference_mode():
        for start in range(0, len(windows), batch_size):
            batch = order[start : start + batch_size]
            input_ids, mask = padded([windows[row] for row in batch])
            pooled = model.pooled_layers(input_ids.to(device), mask.to(device))
            for layer, vectors in pooled.items():
                parts.setdefault(layer, []).append(vectors.float().cpu())
    model.train()
    places = torch.tensor(order).argsort()
    return {layer: torch.cat(vectors)[places] for layer, vectors in parts.items()}


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
    vectors: Mapping[int, Tensor],
    *,
    level_columns: Sequence[int],
    assigned_columns: Sequence[int],
    scale: float,
) -> None:
    """Turn each head's rows to the names of its labels, `scale` long.

    Rows of `vectors`, by layer, are label-space columns; a head over two layers takes half from each.
    """
    if (heads := model.level_heads) is not None:
        start = 0
        for head, layers in zip(heads.levels, heads.plan.layers, strict=True):
            assert isinstance(head, nn.Linear)
            columns = list(level_columns[start : start + head.out_features])
            parts = [vectors[layer][columns] for layer in layers]
            head.weight.data.copy_(scale * torch.cat(parts, dim=1) / len(layers))
            start += head.out_features
    if model.assigned_head is not None:
        rows = vectors[model.n_layers][list(assigned_columns)]
        model.assigned_head.weight.data.copy_(scale * rows)
        if isinstance(model.assigned_head, LabelWiseHead):
            model.assigned_head.query.data.copy_(_SHARPNESS * rows)

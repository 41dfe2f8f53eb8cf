"""A run: its data, label space, tokenizer and model, and the scores that the model gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoTokenizer

from core.model.guided import GuidedClassifier, Shape
from core.model.precision import best_device
from core.suggest.backends.protocol import Logits
from core.suggest.backends.torch import TorchBackend
from core.suggest.calibration import SCALINGS, Platt
from core.suggest.windows import DocumentReader, JoinRule, ReadingSettings
from core.vocabulary.labels import LabelSpace
from training.config import ModelConfig, RunConfig
from training.corpora.corpus import LabelledDocument
from training.corpora.sampling import training_documents
from training.fitting.checks import (
    check_buildable,
    check_network,
    check_select,
    longest_input,
)
from training.fitting.devices import scoring_dtype, trained_in
from training.fitting.encoders.networks import new_network, trained_network, word_tokenizer
from training.fitting.encoders.pretrained import load_encoder, loading_encoder
from training.fitting.inputs import SequenceInputs, TrainingInputs, serving_reading, text_limit
from training.fitting.loop import CHECKPOINT
from training.fitting.losses import (
    GuidedLoss,
    LabelLoss,
    LossTerm,
    label_targets,
    sequence_loss,
)
from training.fitting.resume import load_weights
from training.judging.folders import JudgedData, RunFolder, load_data
from training.judging.scores import FEW_COLUMNS, Scores
from training.networks.sequence_generator import build_classifier

_READ_TOGETHER = 256
TOKENIZER = "tokenizer.json"
"""File of the words of a network, which stay the same whatever data it reads later."""


class Run:
    """A configured run with its data, label space, tokenizer and model.

    Attributes:
        dtype: in which it was trained, and is read; None before that.
        learned: what it learns from, the training documents or a transfer set made of them.
        teacher_minutes: that the teacher read, maybe for another run with the same documents; None
            without a teacher. No part of the minutes of training.
    """

    dtype: torch.dtype | None = None
    teacher_minutes: float | None = None

    def __init__(self, config: RunConfig, out: Path, data: JudgedData | None = None) -> None:
        self.config, self.out = config, out
        check_network(config)
        check_select(config)
        if not self.is_finished:
            # What a finished run was made of may be gone, and what fitted then fits now.
            check_buildable(config)
        data = data or load_data(config.data)
        self.corpus, self.label_space = data.corpus, data.label_space
        self.depth = min(config.model.depth, self.label_space.n_levels)
        self.level_columns = np.flatnonzero(self.label_space.levels <= self.depth)
        self.assigned_columns = self.label_space.assignable_columns
        self.label_columns = embedded_columns(config.model, self.label_space)
        self.train = training_documents(self.corpus, config.data, config.seed)
        self.learned = self.train
        self.tokenizer = self._tokenizer()

    def _tokenizer(self) -> Tokenizer:
        network = self.config.network
        if not self.has_own_words:
            return load_tokenizer(self.config.model.encoder)
        # A checkpoint's vectors are of the words that it started with, whatever the data are now.
        has_vectors = self.is_finished or (self.out / CHECKPOINT).is_file()
        if has_vectors and (self.out / TOKENIZER).is_file():
            return Tokenizer.from_file(str(self.out / TOKENIZER))
        limit = text_limit(self.config.reading)
        documents = (row.document for row in self.train)
        parts = (part for d in documents for part in (d.title, d.text[:limit]))
        return word_tokenizer(parts, max_words=network.max_words, min_count=network.min_count)

    @property
    def is_finished(self) -> bool:
        """Whether its folder holds the end of a run."""
        return (self.out / "run.json").is_file()

    @property
    def has_own_words(self) -> bool:
        """Whether it reads the words of its training documents, and not an encoder's pieces."""
        network = self.config.network
        return network.kind != "none" and network.vectors != "encoder"

    @property
    def generates_labels(self) -> bool:
        """Whether the model generates labels one after another, reading gold ones in training."""
        return self.config.network.kind == "sgm"

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """Number of labels of each learned level."""
        return tuple(
            len(self.label_space.level_columns(level)) for level in range(1, self.depth + 1)
        )

    def new_model(self, *, weights: Path | None = None) -> GuidedClassifier:
        """Return the configured classifier: a pretrained encoder or a network, and fresh heads.

        Args:
            weights: those of a finished run that will be loaded, so that a network has as many word
                vectors; they are not loaded here.
        """
        model_config = self.config.model
        reads_pairs = self.config.reading.mode == "pair"
        torch.manual_seed(self.config.seed)
        shape = Shape(
            plan=model_config.plan,
            level_sizes=self.level_sizes,
            n_assigned=len(self.assigned_columns) if model_config.assigned_head else 0,
            pooling=model_config.pooling,
            dropout=model_config.dropout,
            objective=model_config.objective,
            label_embeddings=model_config.label_embeddings,
            n_label_embeddings=len(self.label_columns),
            separator=(self.tokenizer.token_to_id("[SEP]") or 0) if reads_pairs else 0,
            label_attention=model_config.label_attention,
        )
        return build_classifier(self._new_encoder(weights), shape)

    def _new_encoder(self, weights: Path | None) -> nn.Module:
        network, model = self.config.network, self.config.model
        if network.kind == "none":
            return freeze(load_encoder(model.encoder, dropout=model.encoder_dropout), model.frozen)
        if weights is not None and network.vectors != "random":
            return trained_network(network, self.tokenizer, weights)
        return new_network(network, model, self.tokenizer, seed=self.config.seed)

    @property
    def head_ids(self) -> dict[str, list[str]]:
        """The concept id of each column of the heads that are configured, by head."""
        columns = {
            "levels": [] if self.config.model.plan == "none" else self.level_columns.tolist(),
            "assigned": self.assigned_columns.tolist() if self.config.model.assigned_head else [],
        }
        ids = self.label_space.concept_ids
        return {
            head: [ids[column] for column in head_columns] for head, head_columns in columns.items()
        }

    def new_loss(self) -> GuidedLoss:
        """Return the configured loss, with a term for each option that has one."""
        config = self.config
        loss = GuidedLoss(self.level_sizes, config.optim.loss_scale, config.model.objective)
        terms: list[LossTerm] = []
        if len(self.label_columns):
            targets = label_targets(
                self.label_space,
                self.label_columns.tolist(),
                level_columns=self.level_columns.tolist(),
                assigned_columns=self.assigned_columns.tolist(),
            )
            terms.append(LabelLoss(loss, targets))
        if self.generates_labels:
            terms.append(sequence_loss)
        return replace(loss, extra=tuple(terms))

    def inputs(self, documents: Sequence[LabelledDocument]) -> TrainingInputs:
        """Return documents in word pieces, with targets."""
        kind = SequenceInputs if self.generates_labels else TrainingInputs
        return kind(
            documents,
            label_space=self.label_space,
            depth=self.depth,
            tokenizer=self.tokenizer,
            reading=self.config.reading,
        )

    def scores(
        self,
        model: GuidedClassifier,
        documents: Sequence[LabelledDocument],
        rule: JoinRule,
        *,
        batch_size: int = 32,
        exact: bool = False,
    ) -> Scores:
        """Return probabilities of every head for every document, windows joined by one rule.

        Args:
            exact: keep float32 for any number of columns, as what becomes logits again needs.
        """
        reader = DocumentReader(self.tokenizer, self.serving_reading)
        device = best_device()
        backend = TorchBackend(model, device=device, dtype=self.reading_dtype(device))
        window_rows = window_logits(backend, reader, documents, batch_size=batch_size)
        rows = [logits.map(rule) for logits in window_rows]
        return self.as_scores([d.document_id for d in documents], rows, exact=exact)

    @property
    def serving_reading(self) -> ReadingSettings:
        """How its documents are read at evaluation, and in its bundle."""
        is_network = self.config.network.kind != "none"
        longest = None if is_network else longest_input(self.config.model.encoder)
        return serving_reading(self.config.reading, longest)

    def reading_dtype(self, device: str) -> torch.dtype:
        """Return the format of the training, since the fastest one may be found otherwise later."""
        return self.dtype or scoring_dtype(self.config.optim.precision, device)

    def as_scores(
        self, document_ids: Sequence[str], rows: Sequence[Logits], *, exact: bool = False
    ) -> Scores:
        """Return rows of logits as probabilities in the columns of the label space."""
        matrices: dict[str, Any] = {}
        dtype = np.float32 if exact or len(self.label_space) <= FEW_COLUMNS else np.float16
        scalings = {"levels": Platt(), "assigned": SCALINGS[self.config.model.objective]()}
        for name, columns in (("levels", self.level_columns), ("assigned", self.assigned_columns)):
            parts = [getattr(row, name) for row in rows]
            if parts and parts[0] is not None:
                matrix = np.full((len(rows), len(self.label_space)), -np.inf, dtype=dtype)
                matrix[:, columns] = scalings[name](np.stack(parts))
                matrices[name] = matrix
        return Scores(tuple(document_ids), **matrices)


def window_logits(
    backend: TorchBackend,
    reader: DocumentReader,
    documents: Sequence[LabelledDocument],
    *,
    batch_size: int = 32,
) -> Iterator[Logits]:
    """Yield the logits of each document's windows."""
    for start in range(0, len(documents), _READ_TOGETHER):
        some = documents[start : start + _READ_TOGETHER]
        pieces = [reader.read(row.document).windows for row in some]
        logits = backend.logits([w for windows in pieces for w in windows], batch_size=batch_size)
        ends = np.cumsum([0, *map(len, pieces)]).tolist()
        yield from (logits.rows(begin, end) for begin, end in pairwise(ends))


def freeze(encoder: nn.Module, what: str) -> nn.Module:
    """Keep the word embeddings of an encoder as they are, where "words" are frozen."""
    if what == "words":
        encoder.get_input_embeddings().weight.requires_grad_(False)  # type: ignore[operator]
    return encoder


def load_tokenizer(encoder: str) -> Tokenizer:
    """Return the fast tokenizer of an encoder, without truncation."""
    with loading_encoder(encoder):
        tokenizer: Tokenizer = AutoTokenizer.from_pretrained(encoder).backend_tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def load_trained(run: Run) -> GuidedClassifier:
    """Return the model of a finished run, which is then read in the format of its training.

    Raises:
        ConfigError: its weights are gone, damaged, or of another configuration.
    """
    weights = run.out / "model.safetensors"
    model = run.new_model(weights=weights)
    load_weights(model, weights)
    run.dtype = trained_in(str(RunFolder(run.out).facts.get("dtype", "")), best_device())
    return model


def embedded_columns(config: ModelConfig, label_space: LabelSpace) -> npt.NDArray[np.int64]:
    """Return label-space columns of the embedded labels; empty where label embeddings are off."""
    if config.label_embeddings == "none":
        return np.empty(0, dtype=np.int64)
    return label_space.assignable_columns

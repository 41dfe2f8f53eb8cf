"""Documents as word pieces and targets, in the batches that the training loop reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from core.suggest.backends.torch import padded
from core.suggest.windows import DocumentReader, ReadingSettings, pair_lengths
from core.vocabulary.labels import LabelSpace
from training.config import ReadingConfig
from training.corpora.corpus import LabelledDocument
from training.corpora.styles import restyled
from training.fitting.devices import moved
from training.fitting.losses import Targets


class TrainingBatch(Protocol):
    """What one step reads."""

    @property
    def targets(self) -> Any:
        """What the loss compares the model's output with."""

    def __len__(self) -> int:
        """Number of documents."""

    def to(self, device: torch.device) -> Any:
        """Return the same on another device."""

    def model_inputs(self) -> dict[str, Tensor]:
        """Return arguments of the model's `forward`."""


class Inputs(Protocol):
    """A split in batches; an example is whatever `batch` understands."""

    def __len__(self) -> int:
        """Number of documents."""

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[Any]]:
        """Return the batches of one pass; as many in every epoch."""

    def batch(self, examples: Sequence[Any], rng: np.random.Generator | None = None) -> Any:
        """Return tensors of some examples; with `rng`, disturbed as training wants them."""

    def dev_batches(self, batch_size: int) -> Iterator[Any]:
        """Yield every document once, for the dev loss."""


SPECIAL_TOKENS = 3
"""Of a window of a text: [CLS], [SEP] after the title, and [SEP] after the text."""

# Batches are cut from chunks of this many, sorted by length: nearly as little padding as a full
# sort, while the documents of a batch still change from epoch to epoch.
_BATCHES_PER_CHUNK = 50


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """One step's inputs: ids and mask (batch, tokens), targets (batch, labels of a head)."""

    input_ids: torch.Tensor
    attention_mask: torch.Tensor
    targets: Targets

    def __len__(self) -> int:
        return len(self.input_ids)

    def to(self, device: torch.device) -> TokenBatch:
        """Return the same on another device."""
        ids, mask = moved(self.input_ids, device), moved(self.attention_mask, device)
        return TokenBatch(ids, mask, self.targets.to(device))

    def model_inputs(self) -> dict[str, torch.Tensor]:
        """Return what the model is called with."""
        return {"input_ids": self.input_ids, "attention_mask": self.attention_mask}


class TrainingInputs:
    """The documents of a split in word pieces, with targets in the columns of the heads."""

    def __init__(
        self,
        documents: Sequence[LabelledDocument],
        *,
        label_space: LabelSpace,
        depth: int,
        tokenizer: Tokenizer,
        reading: ReadingConfig,
    ) -> None:
        self.reading = reading
        self.reader = DocumentReader(tokenizer, window_reading(reading))
        self.mask_id = tokenizer.token_to_id("[MASK]") or 0
        self.titles = [self.reader.token_ids(d.document.title) for d in documents]
        self.texts = [self._text_ids(d.document.text) for d in documents]
        self._documents = [d.document for d in documents] if reading.mixed_styles else []
        assigned = [d.assigned for d in documents]
        self.y_levels = label_space.encode(assigned, augmented=True)[
            :, np.flatnonzero(label_space.levels <= depth)
        ].tocsr()
        self.y_assigned = label_space.encode_assigned(assigned)

    def __len__(self) -> int:
        return len(self.titles)

    def _text_ids(self, text: str) -> list[int]:
        return self.reader.token_ids(text[: text_limit(self.reading)])

    def _in_styles(self, rng: np.random.Generator) -> list[list[int]]:
        share = self.reading.mixed_styles
        return [
            self._text_ids(restyled(document, rng) if rng.random() < share else document.text)
            for document in self._documents
        ]

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[tuple[int, int]]]:
        """Return batches of (document, start of its window in the text; -1 for the title alone)."""
        if self.reading.mixed_styles:
            self.texts = self._in_styles(rng)
        examples = [(row, -1) for row in range(len(self))]
        if self.reading.mode == "windows":
            for row, text in enumerate(self.texts):
                n_windows = self.reading.windows_per_document if text else 0
                starts = rng.integers(max(1, len(text) - 64), size=n_windows)
                examples += [(row, int(start)) for start in starts]
        examples = [examples[i] for i in rng.permutation(len(examples))]
        chunk = batch_size * _BATCHES_PER_CHUNK
        batches: list[list[tuple[int, int]]] = []
        for start in range(0, len(examples), chunk):
            part = sorted(examples[start : start + chunk], key=self._length)
            batches += [part[i : i + batch_size] for i in range(0, len(part), batch_size)]
        return [batches[i] for i in rng.permutation(len(batches))]

    def _length(self, example: tuple[int, int]) -> int:
        return len(self.window(*example))

    def window(self, row: int, start: int) -> tuple[int, ...]:
        """Return the encoder input of one example."""
        title, text = self.titles[row], self.texts[row]
        reading = self.reading
        if reading.mode == "pair":
            first, second = pair_lengths(len(title), len(text), reading.max_length_tokens)
            return self.reader.with_specials(*filter(None, (title[:first], text[:second])))
        if reading.mode == "first":
            return self.reader.with_specials((title + text)[: reading.max_length_tokens - 2])
        if start < 0:
            return self.reader.with_specials((title or text)[: reading.max_title_tokens])
        head = (title or text)[: reading.title_tokens]
        room = reading.max_length_tokens - SPECIAL_TOKENS - len(head)
        return self.reader.with_specials(head, text[start : start + room])

    def batch(
        self, examples: Sequence[tuple[int, int]], rng: np.random.Generator | None = None
    ) -> TokenBatch:
        """Return tensors of one batch; with `rng`, word pieces are masked as configured."""
        input_ids, attention_mask = padded([self.window(*example) for example in examples])
        if rng is not None and self.reading.token_dropout:
            drop = rng.random(input_ids.shape) < self.reading.token_dropout
            drop &= attention_mask.numpy().astype(bool)
            drop[:, 0] = False
            input_ids[torch.from_numpy(drop)] = self.mask_id
        rows = [row for row, _ in examples]
        return TokenBatch(
            input_ids,
            attention_mask,
            Targets(
                torch.from_numpy(self.y_levels[rows].toarray()),
                torch.from_numpy(self.y_assigned[rows].toarray()),
            ),
        )

    def dev_batches(self, batch_size: int) -> Iterator[TokenBatch]:
        """Yield batches of titles or first words of all documents by length, for the dev loss."""
        examples = sorted(((row, -1) for row in range(len(self))), key=self._length)
        for start in range(0, len(examples), batch_size):
            yield self.batch(examples[start : start + batch_size])


def text_limit(reading: ReadingConfig) -> int:
    """Return how many characters of a text are tokenized: far more than the inputs can hold."""
    if reading.mode != "windows":
        # Normalised, a note may lose most of its beginning.
        room = 8 if reading.normalise == "none" else 40
        return room * reading.max_length_tokens
    # Where titles alone are read, a text stands in for a title that is missing.
    return 40_000 if reading.windows_per_document else 20 * reading.max_title_tokens


def window_reading(reading: ReadingConfig) -> ReadingSettings:
    """Return the reading at evaluation, as near as can be to that of the training."""
    if reading.mode in ("first", "pair"):
        return ReadingSettings(
            window_tokens=reading.max_length_tokens,
            first_only=reading.mode == "first",
            pair=reading.mode == "pair",
            **_left_out(reading),
        )
    return ReadingSettings(
        window_tokens=reading.max_length_tokens,
        title_tokens=reading.title_tokens,
        max_title_tokens=reading.max_title_tokens,
        title_only=reading.windows_per_document == 0,
        **_left_out(reading),
    )


def _left_out(reading: ReadingConfig) -> dict[str, Any]:
    return {
        "boilerplate": reading.boilerplate,
        "normalise": "" if reading.normalise == "none" else reading.normalise,
    }


SERVED_TOKENS, SERVED_OVERLAP = 256, 16


def serving_reading(reading: ReadingConfig, longest: int | None) -> ReadingSettings:
    """Return the reading of a bundle, whose longer windows read a text in two thirds the time.

    Longer inputs carry the title along less often; what they hold is the same sort of text.

    Args:
        longest: tokens that the encoder reads; None for any number.
    """
    evaluated = window_reading(reading)
    width = min(SERVED_TOKENS, longest or SERVED_TOKENS)
    if evaluated.first_only or evaluated.pair or evaluated.window_tokens >= width:
        return evaluated
    # Where a long title leaves little room, windows that share it all would hardly move on.
    room = max(width - SPECIAL_TOKENS - reading.title_tokens, 0)
    overlap = min(SERVED_OVERLAP, room // 4)
    return replace(evaluated, window_tokens=width, overlap_tokens=overlap)


class SequenceBatch(TokenBatch):
    """A batch whose labels are inputs of the model too (teacher forcing)."""

    def to(self, device: torch.device) -> SequenceBatch:
        """Return the same on another device."""
        return _told(super().to(device))

    def model_inputs(self) -> dict[str, torch.Tensor]:
        """Return what the model is called with."""
        return {**super().model_inputs(), "y_assigned": self.targets.assigned}


class SequenceInputs(TrainingInputs):
    """The documents of a split for such a model."""

    def batch(
        self, examples: Sequence[tuple[int, int]], rng: np.random.Generator | None = None
    ) -> SequenceBatch:
        """Return tensors of one batch, as those of any other model."""
        return _told(super().batch(examples, rng))


def _told(batch: TokenBatch) -> SequenceBatch:
    return SequenceBatch(batch.input_ids, batch.attention_mask, batch.targets)

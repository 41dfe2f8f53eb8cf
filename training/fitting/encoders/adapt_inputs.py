"""Texts as pairs of segments with hidden word pieces: what an encoder is adapted on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

from core.errors import ConfigError
from core.suggest.backends.torch import padded
from training.config import AdaptConfig
from training.corpora.corpus import LabelledDocument
from training.fitting.devices import moved
from training.fitting.encoders.adapt_model import AdaptTargets

# A sentence ends at a line's end, or at a full stop before what begins like a sentence.
_SENTENCE_END = re.compile(r"\n+|(?<=[.!?;:])\s+(?=[\"'“‘(\[]*[A-Z0-9])")
_MASKED, _RANDOM = 0.8, 0.9

Example = tuple[int, int]
"""Row of a document, and the word piece near which a window of its text begins."""
Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class SegmentedText:
    """A document's word pieces, and where each of its sentences begins among them."""

    ids: Ids
    starts: npt.NDArray[np.int64]

    def sentence_at(self, position: int) -> int:
        """Return number of the sentence that a word piece belongs to."""
        return int(np.searchsorted(self.starts, position, side="right")) - 1

    def window(self, sentence: int, room: int) -> tuple[Ids, list[int]]:
        """Return up to `room` pieces from a sentence on, and the starts of later sentences."""
        start = int(self.starts[sentence])
        later = self.starts[sentence + 1 :] - start
        return self.ids[start : start + room], later[later < room].tolist()


@dataclass(frozen=True, slots=True)
class AdaptBatch:
    """Inputs of a step; all tensors but the targets are (inputs, tokens)."""

    input_ids: torch.Tensor
    attention_mask: torch.Tensor
    token_type_ids: torch.Tensor
    predicted: torch.Tensor
    targets: AdaptTargets

    def __len__(self) -> int:
        return len(self.input_ids)

    def model_inputs(self) -> dict[str, torch.Tensor]:
        """Return what the model is called with."""
        return {
            "input_ids": self.input_ids,
            "attention_mask": self.attention_mask,
            "token_type_ids": self.token_type_ids,
            "predicted": self.predicted,
        }

    def to(self, device: torch.device) -> AdaptBatch:
        """Return the same on another device."""
        inputs = {name: moved(tensor, device) for name, tensor in self.model_inputs().items()}
        return AdaptBatch(**inputs, targets=self.targets.to(device))


class AdaptInputs:
    """The texts of a split; an epoch reads every word piece about once, from changing places.

    Args:
        at_most: windows of a pass, drawn from all; 0 for all.
    """

    def __init__(
        self,
        documents: Sequence[LabelledDocument],
        *,
        tokenizer: Tokenizer,
        config: AdaptConfig,
        max_length_tokens: int,
        at_most: int = 0,
    ) -> None:
        self.config, self.at_most = config, at_most
        self.room = max_length_tokens - 3
        if config.full_texts_only:
            documents = [d for d in documents if d.is_full_text]
        texts = (segmented(text_of(d), tokenizer) for d in documents)
        self.texts = [text for text in texts if len(text.ids) >= 2]
        if len(self.texts) < 2:
            raise ConfigError("Adaptation needs two documents with text, or more.")
        self.special = [_special_id(tokenizer, name) for name in ("[CLS]", "[SEP]", "[MASK]")]
        self.ordinary = _ordinary_ids(tokenizer)

    def __len__(self) -> int:
        n_windows = sum(self._n_windows(text) for text in self.texts)
        return min(n_windows, self.at_most or n_windows)

    def _n_windows(self, text: SegmentedText) -> int:
        return -(-len(text.ids) // self.room)

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[Example]]:
        """Return windows of all texts in random order; in every epoch they begin elsewhere."""
        examples: list[Example] = []
        for row, text in enumerate(self.texts):
            shift = int(rng.integers(self.room))
            places = range(shift, shift + self._n_windows(text) * self.room, self.room)
            examples += [(row, place % len(text.ids)) for place in places]
        examples = [examples[i] for i in rng.permutation(len(examples))[: len(self)]]
        return [examples[i : i + batch_size] for i in range(0, len(examples), batch_size)]

    def dev_batches(self, batch_size: int) -> Iterator[AdaptBatch]:
        """Yield windows of all texts, with the same pairs and the same hidden pieces each time."""
        batches = self.epoch(np.random.default_rng(0), batch_size=batch_size)
        for number, examples in enumerate(batches):
            yield self.batch(examples, np.random.default_rng((0, number)))

    def batch(
        self, examples: Sequence[Example], rng: np.random.Generator | None = None
    ) -> AdaptBatch:
        """Return tensors of some windows: pairs are drawn, and pieces are hidden, with `rng`."""
        rng = rng or np.random.default_rng(0)
        pairs = [self.pair(*example, rng) for example in examples]
        cls, sep, _ = self.special
        joined = [[cls, *a.tolist(), sep, *b.tolist(), *[sep] * bool(len(b))] for a, b, _ in pairs]
        input_ids, attention_mask = padded([tuple(ids) for ids in joined])
        types = torch.zeros_like(input_ids)
        for row, (a, b, _) in enumerate(pairs):
            types[row, len(a) + 2 : len(a) + 3 + len(b)] = bool(len(b))
        right = input_ids.numpy().copy()
        predicted = self.hide(input_ids.numpy(), rng)
        words = torch.from_numpy(right[predicted].astype(np.int64))
        random_next = torch.tensor([is_random for _, _, is_random in pairs], dtype=torch.long)
        targets = AdaptTargets(words, random_next)
        return AdaptBatch(input_ids, attention_mask, types, torch.from_numpy(predicted), targets)

    def pair(self, row: int, place: int, rng: np.random.Generator) -> tuple[Ids, Ids, bool]:
        """Return two segments, and whether the second is random; one alone without next sentences.

        The window is cut where a sentence begins, drawn among them. In half the cases what follows
        the cut is replaced by a place in another document, from the beginning of a sentence on. A
        window that is one long sentence is cut within it.

        Source: Devlin et al. (2019), Appendix A.2, and the released code for segments of several
        sentences.
        """
        text = self.texts[row]
        window, cuts = text.window(text.sentence_at(place), self.room)
        if not self.config.next_sentence:
            return window, window[:0], False
        if len(window) < 2:
            window, cuts = text.window(0, self.room)
        cut = int(rng.choice(cuts)) if cuts else max(1, len(window) // 2)
        first, second = window[:cut], window[cut:]
        if rng.random() < 0.5:
            return first, second, False
        other = self.texts[(row + 1 + int(rng.integers(len(self.texts) - 1))) % len(self.texts)]
        sentence = int(rng.integers(len(other.starts)))
        return first, other.window(sentence, self.room - len(first))[0], True

    def hide(self, ids: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
        """Hide word pieces in `ids`, in place; returns which are to be predicted, (inputs, tokens).

        Of the share of the pieces that are to be predicted 80 % become [MASK], 10 % another piece,
        and 10 % stay. Of each input at least one is predicted.

        Source: Devlin et al. (2019), section 3.1.
        """
        if not self.config.masked_lm:
            return np.zeros(ids.shape, dtype=bool)
        ordinary = np.isin(ids, self.ordinary)
        chance = np.where(ordinary, rng.random(ids.shape), np.inf)
        predicted: npt.NDArray[np.bool_] = (chance < self.config.mask_share) | (
            chance == chance.min(axis=1)[:, None]
        )
        predicted &= ordinary
        fate = rng.random(ids.shape)
        replaced = predicted & (fate >= _MASKED) & (fate < _RANDOM)
        ids[predicted & (fate < _MASKED)] = self.special[2]
        ids[replaced] = rng.choice(self.ordinary, size=int(replaced.sum()))
        return predicted


def text_of(document: LabelledDocument) -> str:
    """Return title and text, the title as a line of its own."""
    return f"{document.document.title}\n{document.document.text}"


def segmented(text: str, tokenizer: Tokenizer) -> SegmentedText:
    """Return a text's word pieces, sentence by sentence; sentences without any are left out."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    pieces = [e.ids for e in tokenizer.encode_batch(sentences, add_special_tokens=False) if e.ids]
    lengths = np.array([len(ids) for ids in pieces], dtype=np.int64)
    ids = np.array([i for part in pieces for i in part], dtype=np.int32)
    return SegmentedText(ids, np.cumsum(lengths) - lengths)


def _special_id(tokenizer: Tokenizer, name: str) -> int:
    token_id = tokenizer.token_to_id(name)
    if token_id is None:
        raise ConfigError(f"The encoder's tokenizer has no {name}: it cannot be adapted.")
    return int(token_id)


def _ordinary_ids(tokenizer: Tokenizer) -> npt.NDArray[np.int64]:
    pieces = tokenizer.get_vocab(with_added_tokens=True).items()
    return np.array(sorted(i for piece, i in pieces if not _is_special(piece)), dtype=np.int64)


def _is_special(piece: str) -> bool:
    return len(piece) > 2 and piece.startswith("[") and piece.endswith("]")

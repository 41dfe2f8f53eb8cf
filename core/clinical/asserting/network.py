"""What a small network reads in the words around a condition, beside the rules of `assertions`.

The rules know the words that their tables list. The network has learned from invented lines of
notes what such words do, and so knows wordings that nobody listed; it is told what the rules say.
Source: Adhikari et al. (2019), DocBERT, section 3, whose student is a BiLSTM; the five things that
are asserted are those of Uzuner et al. (2011), 2010 i2b2/VA challenge, J Am Med Inform Assoc 18.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file
from tokenizers import Encoding, Tokenizer

from core.clinical.asserting.cues import STATUSES
from core.paths import PROJECT_ROOT

Array = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

FOLDER = PROJECT_ROOT / "assets" / "clinical" / "assertions"
TOKENIZER, WEIGHTS = "tokenizer.json", "weights.safetensors"
ASSERTED = ("affirmed", "denied", "possible", "past", "other")
"""What a line may say of a condition; "other" that it is somebody else's, or might be."""
RULES = ("", *STATUSES)
"""What the rules may say of it; nothing where they take it as affirmed."""
AROUND = 110
"""Characters before and behind a condition that are read."""
PARAGRAPH = "\n\n"
BATCH = 32


class AskedPlace(NamedTuple):
    """Where a condition stands in a text.

    Attributes:
        rule: one of `RULES`.
    """

    start: int
    end: int
    rule: str = ""


class Opinion(NamedTuple):
    """What the network makes of a condition.

    Attributes:
        chances: of each of `ASSERTED`.
        start, end: of the word beside the condition that it heeded most.
    """

    chances: Array
    start: int
    end: int

    def moved(self, by: int) -> Opinion:
        """Return it of a place that is so much farther behind."""
        return self._replace(start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class Window:
    """What is read of a text around a condition.

    Attributes:
        text: of whole words.
        start, end: of the condition in it.
        at: where it begins in the whole text.
    """

    text: str
    start: int
    end: int
    at: int

    @classmethod
    def around(cls, start: int, end: int, text: str) -> Window:
        """Cut a window at the ends of words, and at blank lines."""
        before = text.rfind(PARAGRAPH, max(0, start - AROUND), start)
        behind = text.find(PARAGRAPH, end, end + AROUND)
        first = before + len(PARAGRAPH) if before >= 0 else max(0, start - AROUND)
        last = behind if behind >= 0 else min(len(text), end + AROUND)
        while 0 < first < start and text[first - 1].isalnum():
            first += 1
        while end < last < len(text) and text[last].isalnum():
            last -= 1
        return cls(text[first:last], start - first, end - first, first)

    def is_condition(self, encoding: Encoding) -> list[bool]:
        """Return of each piece of a word whether it is part of the condition."""
        return [a < self.end and self.start < b and a < b for a, b in encoding.offsets]

    def heeded_word(self, encoding: Encoding, heeded: Array) -> tuple[int, int]:
        """Return where the word beside the condition stands of which most was heeded."""
        offsets = [
            (0, 0) if is_condition or not self.text[slice(*span)].isalnum() else span
            for span, is_condition in zip(
                encoding.offsets, self.is_condition(encoding), strict=True
            )
        ]
        n = max(range(len(offsets)), key=lambda n: (offsets[n] != (0, 0), heeded[n]))
        start, end = offsets[n]
        while start > 0 and self.text[start - 1].isalnum():
            start -= 1
        while end < len(self.text) and self.text[end].isalnum():
            end += 1
        return start, end


class AssertionNetwork:
    """A bidirectional LSTM over the pieces of words around a condition.

    Args:
        weights: by name, as `training.codes.assertions` writes them.
    """

    def __init__(self, tokenizer: Tokenizer, weights: dict[str, npt.NDArray[np.generic]]) -> None:
        self._tokenizer = tokenizer
        self._pieces: npt.NDArray[np.int8] = weights.pop("pieces").astype(np.int8, copy=False)
        self._scales = weights.pop("scales").astype(np.float32)
        self._weights = {name: array.astype(np.float32) for name, array in weights.items()}

    @classmethod
    def load(cls, folder: Path) -> AssertionNetwork:
        """Read the network from its two files."""
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        return cls(tokenizer, load_file(folder / WEIGHTS))

    def __call__(self, text: str, places: Sequence[AskedPlace]) -> Iterator[Opinion]:
        """Yield what it makes of each condition of a text; what is written alike is read once."""
        windows = [Window.around(place.start, place.end, text) for place in places]
        alike = [
            (window.text, window.start, window.end, place.rule)
            for window, place in zip(windows, places, strict=True)
        ]
        once = {key: n for n, key in enumerate(alike)}
        numbers = list(once.values())
        opinions: dict[tuple[str, int, int, str], Opinion] = {}
        for first in range(0, len(numbers), BATCH):
            some = numbers[first : first + BATCH]
            read = self._opinions([windows[n] for n in some], [places[n] for n in some])
            opinions |= zip((alike[n] for n in some), read, strict=True)
        for key, window in zip(alike, windows, strict=True):
            yield opinions[key].moved(window.at)

    def _opinions(
        self, windows: Sequence[Window], places: Sequence[AskedPlace]
    ) -> Iterator[Opinion]:
        encodings = [self._tokenizer.encode(window.text) for window in windows]
        marked = [w.is_condition(e) for w, e in zip(windows, encodings, strict=True)]
        rules = np.eye(len(RULES), dtype=np.float32)[[RULES.index(p.rule) for p in places]]
        chances, heeded = self.read([e.ids for e in encodings], marked, rules)
        for n, (window, encoding) in enumerate(zip(windows, encodings, strict=True)):
            yield Opinion(chances[n], *window.heeded_word(encoding, heeded[n]))

    def read(
        self, ids: Sequence[Sequence[int]], marked: Sequence[Sequence[bool]], rules: Array
    ) -> tuple[Array, Array]:
        """Return the chances, shape (n, 5), and how much each piece was heeded, (n, n_pieces).

        Args:
            ids: of the pieces of each window.
            marked: whether they are part of the condition.
            rules: one of `RULES`, one-hot, shape (n, 5).
        """
        lengths = np.array([len(row) for row in ids])
        there = np.arange(lengths.max()) < lengths[:, None]
        pieces, marks = np.zeros((2, *there.shape), np.int64)
        pieces[there] = np.concatenate(ids)
        marks[there] = np.concatenate(marked)
        states = self._states(pieces, marks, lengths)
        return self._judged(states, there, marks.astype(np.float32), rules)

    def _states(self, pieces: Integers, marks: Integers, lengths: Integers) -> Array:
        w = self._weights
        inputs = self._pieces[pieces] * self._scales[pieces][..., None] + w["mark"][marks]
        steps = np.arange(pieces.shape[1])
        backwards = np.abs(lengths[:, None] - 1 - steps)[..., None]  # of the padding, anything
        backwards = np.minimum(backwards, pieces.shape[1] - 1)
        ahead = _lstm(inputs, w["ahead.input"], w["ahead.state"], w["ahead.bias"])
        turned = np.take_along_axis(inputs, backwards, axis=1)
        back = _lstm(turned, w["back.input"], w["back.state"], w["back.bias"])
        return np.concatenate([ahead, np.take_along_axis(back, backwards, axis=1)], axis=2)

    def _judged(
        self, states: Array, there: npt.NDArray[np.bool_], marks: Array, rules: Array
    ) -> tuple[Array, Array]:
        w = self._weights
        condition = (states * marks[..., None]).sum(1) / np.maximum(marks.sum(1), 1)[:, None]
        most = np.where(there[..., None], states, -np.inf).max(1)
        asked = condition @ w["attention"].T
        fits = np.einsum("ntd,nd->nt", states, asked) / np.sqrt(states.shape[2])
        heeded = _softmax(np.where(there, fits, -np.inf))
        context = np.einsum("nt,ntd->nd", heeded, states)
        joined = np.concatenate([condition, most, context, rules], axis=1)
        hidden = np.maximum(joined @ w["hidden.weight"].T + w["hidden.bias"], 0)
        return _softmax(hidden @ w["out.weight"].T + w["out.bias"]), heeded


@cache
def shipped() -> AssertionNetwork:
    """Return the network that comes with the program."""
    return AssertionNetwork.load(FOLDER)


def _lstm(inputs: Array, weight: Array, recurrent: Array, bias: Array) -> Array:
    """Return the states of an LSTM, shape (n, n_steps, n_units); gates as PyTorch orders them."""
    n, n_steps, _ = inputs.shape
    n_units = recurrent.shape[1]
    gates = inputs @ weight.T + bias
    states = np.empty((n, n_steps, n_units), np.float32)
    state, cell = np.zeros((2, n, n_units), np.float32)
    for step in range(n_steps):
        now = gates[:, step] + state @ recurrent.T
        let_in, kept, new, let_out = np.split(now, 4, axis=1)
        cell = _sigmoid(kept) * cell + _sigmoid(let_in) * np.tanh(new)
        state = _sigmoid(let_out) * np.tanh(cell)
        states[:, step] = state
    return states


def _sigmoid(values: Array) -> Array:
    halved: Array = np.tanh(0.5 * values)
    return 0.5 * (halved + 1.0)


def _softmax(values: Array) -> Array:
    powers: Array = np.exp(values - values.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares

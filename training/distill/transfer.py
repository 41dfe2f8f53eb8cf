"""The transfer set: training documents, and copies of them with words masked and words swapped.

Source: Adhikari et al. (2019), “DocBERT”, section 4.2, after Tang et al. (2019), “Distilling
task-specific knowledge from BERT into simple neural networks”, section 3.3: of each word one draw
decides whether it is masked, swapped or kept. Tang et al. also cut n-grams out of copies; DocBERT
does not name that, so it is left out here.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import AddedToken, Tokenizer

from core.documents.document import Document
from core.errors import ConfigError
from training.config import DistillConfig
from training.corpora.corpus import LabelledDocument


def tag_words(words: Sequence[str]) -> list[str]:
    """Return the Penn Treebank tag of each word, such as NN, VBD or CD."""
    return [tag for _, tag in _parser().find_tags(list(words))]


@lru_cache(maxsize=1)
def _parser() -> Any:
    """Return TextBlob's parser with its lexicon; takes a second, mostly to import NLTK."""
    with warnings.catch_warnings():
        # The lexicon's file is left to the garbage collector to close.
        warnings.simplefilter("ignore", ResourceWarning)
        from textblob.en import parser

        parser.find_tags(["a"])
    return parser


MASK = "[MASK]"
"""What stands in a copy for a word that is masked."""

MOST_DRAWS = 20
"""Copies drawn of a document, doubles among them, before fewer are kept (Tang et al.: n_iter)."""

_WORD = re.compile(r"\w+(?:[-'’.,]\w+)*")


def transfer_set(
    documents: Sequence[LabelledDocument],
    config: DistillConfig,
    *,
    seed: int,
    max_characters: int,
) -> list[LabelledDocument]:
    """Return the documents, and `copies` - 1 variants of each with its labels behind them.

    Variants that equal the document or one another are dropped, so of a document of a word or two
    there are fewer.

    Args:
        max_characters: of a text that a variant has; what is not read need not be varied.
    """
    texts = [
        tuple(
            TaggedText.of(text[:max_characters]) for text in (row.document.title, row.document.text)
        )
        for row in documents
    ]
    swaps = SwapWords.of(text for pair in texts for text in pair)
    varied = list(documents)
    for number, (row, pair) in enumerate(zip(documents, texts, strict=True)):
        variation = Variation(config, swaps, np.random.default_rng([seed, number]))
        varied += [
            _variant(row, copy, *new)
            for copy, new in enumerate(variation.distinct(pair, config.copies - 1), start=1)
        ]
    return varied


def check_shares(config: DistillConfig) -> None:
    """Refuse shares that no copy can be made with; without copies none are.

    Raises:
        ConfigError: they are together more than 1, or both 0.
    """
    total = config.mask_share + config.swap_share
    if config.copies > 1 and total > 1:
        raise ConfigError(
            f"A word is masked or swapped, not both: distill.mask_share and distill.swap_share are "
            f"together {total:g}, and can be 1 at most."
        )
    if config.copies > 1 and not total:
        raise ConfigError(
            f"With distill.copies = {config.copies}, distill.mask_share or distill.swap_share must "
            "be above 0: copies of a document would all be that document."
        )


def _variant(row: LabelledDocument, copy: int, title: str, text: str) -> LabelledDocument:
    document_id = f"{row.document_id}~{copy}"
    return replace(row, document=Document.from_text(document_id, title, text))


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text as its words and what stands between them.

    Attributes:
        words: in their order; numbers count, punctuation does not.
        tags: part of speech of each word.
        between: what stands before the first word, between two, and after the last.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    between: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> TaggedText:
        """Cut a text into words and tag them."""
        words = _WORD.findall(text)
        return cls(tuple(words), tuple(tag_words(words)), tuple(_WORD.split(text)))

    def with_words(self, words: Sequence[str]) -> str:
        """Return the text with other words in the places of its own."""
        return self.between[0] + "".join(
            word + gap for word, gap in zip(words, self.between[1:], strict=True)
        )


class SwapWords:
    """The words of each part of speech, and how often each stands in the training set."""

    def __init__(self, counts: dict[str, Counter[str]]) -> None:
        self.words = {tag: tuple(sorted(counted)) for tag, counted in counts.items()}
        self._sums: dict[str, npt.NDArray[np.int64]] = {
            tag: np.cumsum([counts[tag][word] for word in words])
            for tag, words in self.words.items()
        }

    @classmethod
    def of(cls, texts: Iterable[TaggedText]) -> SwapWords:
        """Count the words of a training set."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for word, tag in zip(text.words, text.tags, strict=True):
                counts[tag][word] += 1
        return cls(counts)

    def draw(self, tag: str, rng: np.random.Generator) -> str:
        """Draw a word of a tag by its frequency; the replaced word may be drawn again."""
        sums = self._sums[tag]
        return self.words[tag][int(np.searchsorted(sums, rng.integers(sums[-1]), side="right"))]


@dataclass(frozen=True, slots=True)
class Variation:
    """Draws variants of one document."""

    config: DistillConfig
    swaps: SwapWords
    rng: np.random.Generator

    def distinct(self, texts: Sequence[TaggedText], number: int) -> list[tuple[str, ...]]:
        """Return up to `number` variants of title and text, all different, none the original."""
        original = tuple(text.with_words(text.words) for text in texts)
        drawn: dict[tuple[str, ...], None] = {original: None}
        for _ in range(MOST_DRAWS + number):
            if len(drawn) > number:
                break
            drawn[tuple(text.with_words(self.words(text)) for text in texts)] = None
        return list(drawn)[1:]

    def words(self, text: TaggedText) -> list[str]:
        """Return the words of a text, some masked and some swapped."""
        words, swapped = list(text.words), self.config.mask_share + self.config.swap_share
        draws = self.rng.random(len(words))
        for place in np.flatnonzero(draws < swapped).tolist():
            masked = draws[place] < self.config.mask_share
            words[place] = MASK if masked else self.swaps.draw(text.tags[place], self.rng)
        return words


def reading_masks(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer, or a copy of it, that reads [MASK] in a text as its mask token.

    Raises:
        ConfigError: it has no such token.
    """
    mask_id = tokenizer.token_to_id(MASK)
    if mask_id is None:
        raise ConfigError(
            f"The tokenizer has no {MASK}, so no words can be masked for it: set "
            "distill.mask_share = 0."
        )
    if tokenizer.encode(MASK, add_special_tokens=False).ids == [mask_id]:
        return tokenizer
    reading: Tokenizer = Tokenizer.from_str(tokenizer.to_str())
    reading.add_special_tokens([AddedToken(MASK, special=True, normalized=False)])
    return reading

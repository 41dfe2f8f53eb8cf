"""How a document becomes encoder inputs: the title alone, then windows that begin with the title.

An encoder reads a few hundred word pieces; an act has thousands. The title says most of what an act
is about, so each window of the text carries it along.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from core.clinical.sections import skipped_spans
from core.documents.document import Document
from core.suggest.evidence.spans import Span

# A text of megabytes gives a million pieces of which the cap keeps a few thousand, so only as many
# characters are cut into pieces as could fill the cap; running text has 4 to 5 a piece, never 12.
_CHARACTERS_PER_TOKEN = 12
_CHARACTERS_UNREAD_PER_TOKEN = 5

Array = npt.NDArray[np.float32]

CLINICAL = "clinical"

# Special tokens, where pieces are counted by position.
_START, _END = -1, -2


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """How long inputs are, in word pieces; special tokens count in `window_tokens` alone.

    Attributes:
        window_tokens: length of one input, [CLS] and [SEP] counted.
        title_tokens: pieces of the title at the head of each window of the text.
        max_title_tokens: pieces of a title that is read alone.
        overlap_tokens: pieces that two neighbouring windows share.
        max_tokens: cap on the pieces of title and text that are read.
        first_only: read one input, the first pieces of title and text together, as the paper does.
        title_only: read nothing but the title's window.
        pair: read one input of two texts, the title and the text, each with [SEP] after it.
        boilerplate: regular expression of what is skipped, such as an act's own number and date;
            "" skips nothing.
        normalise: "clinical" skips what `clinical.sections` leaves out; "" skips nothing.
        max_windows: of the text, from its beginning, that the encoder is given; 0 for all. What
            comes after them counts as read all the same, since a linear suggester does read it.
    """

    window_tokens: int = 256
    title_tokens: int = 48
    max_title_tokens: int = 96
    overlap_tokens: int = 32
    max_tokens: int = 8192
    first_only: bool = False
    title_only: bool = False
    pair: bool = False
    boilerplate: str = ""
    normalise: str = ""
    max_windows: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a bundle's manifest."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document and the windows of it that are read.

    Attributes:
        n_tokens: word pieces, or words, of title and text.
        n_tokens_read: how many of them are read.
        n_characters_read: how much of the text, without the title, they come from.
        n_windows: inputs that are read; one of the title, the others of the text.
    """

    document: Document
    n_tokens: int
    n_tokens_read: int
    n_characters_read: int
    n_windows: int

    @property
    def has_text(self) -> bool:
        """Whether more than the title is read; scores are calibrated by it."""
        return self.n_windows > 1


@dataclass(frozen=True, slots=True)
class Pieces(ReadDocument):
    """A document in word pieces.

    Attributes:
        windows: encoder inputs with special tokens; the first is the title alone (or the start of
            the text where there is no title), the rest cover the text.
        positions: for each window, which of `spans` each of its pieces is; negative for special
            tokens.
        in_title, in_text: where the pieces that are read start and end there.
    """

    windows: tuple[tuple[int, ...], ...]
    positions: tuple[tuple[int, ...], ...] = ()
    in_title: tuple[tuple[int, int], ...] = ()
    in_text: tuple[tuple[int, int], ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the pieces that are read stand, those of the title first; only evidence asks."""
        of_title = (Span("title", *ends) for ends in self.in_title)
        return (*of_title, *(Span("text", *ends) for ends in self.in_text))


@dataclass(frozen=True, slots=True)
class JoinRule:
    """How the windows of a document become one row of logits.

    The title's own window and the windows of the text are averaged with weights; those of the text
    are first joined by `pool`: "mean" of the logits, or "max".

    Attributes:
        title_weight: in [0, 1], tuned on dev documents with full text.
        max_share: how much of the text's row is the maximum over windows, the rest their mean:
            a concept that one article is about shows in one window only.
    """

    title_weight: float = 0.5
    max_share: float = 0.0

    def __call__(self, logits: Array) -> Array:
        """Return one row from a document's rows, the first of which is the title's."""
        if len(logits) == 1:
            return np.asarray(logits[0])
        text = (1 - self.max_share) * logits[1:].mean(axis=0)
        if self.max_share:
            text += self.max_share * logits[1:].max(axis=0)
        row: Array = self.title_weight * logits[0] + (1 - self.title_weight) * text
        return row

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a bundle's manifest."""
        return asdict(self)


class DocumentReader:
    """Cuts documents into windows by one tokenizer and one `ReadingSettings`."""

    def __init__(self, tokenizer: Tokenizer, reading: ReadingSettings) -> None:
        self.tokenizer = tokenizer
        self.reading = reading
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.start, self.end = tokenizer.encode("").ids
        self.boilerplate = re.compile(reading.boilerplate) if reading.boilerplate else None

    def read(self, document: Document) -> Pieces:
        """Return the windows of a document; a text longer than the cap is read up to it."""
        reading = self.reading
        limit = reading.max_tokens * _CHARACTERS_PER_TOKEN
        title, in_title = self._pieces(document.title[:limit])
        text, in_text = self._pieces(document.text[:limit])
        n_tokens = len(title) + len(text)
        n_tokens += len(document.text[limit:]) // _CHARACTERS_UNREAD_PER_TOKEN
        of_title, of_text = self._kept(len(title), len(text))
        title, text = title[:of_title], text[:of_text]
        in_title, in_text = in_title[: len(title)], in_text[: len(text)]
        positions = self._positions(len(title), len(text))
        # Negative positions count from the end, where the special tokens are.
        ids = [*title, *text, self.end, self.start]
        return Pieces(
            document=document,
            n_windows=len(positions),
            windows=tuple(tuple(map(ids.__getitem__, window)) for window in positions),
            n_tokens=n_tokens,
            n_tokens_read=len(title) + len(text),
            n_characters_read=in_text[-1][1] if in_text else 0,
            positions=tuple(positions),
            in_title=tuple(in_title),
            in_text=tuple(in_text),
        )

    def _kept(self, n_title: int, n_text: int) -> tuple[int, int]:
        if self.reading.pair:
            return pair_lengths(n_title, n_text, self.reading.window_tokens)
        one_input = self.reading.first_only
        room = self.reading.window_tokens - 2 if one_input else self.reading.max_tokens
        of_title = min(n_title, room)
        return of_title, min(n_text, room - of_title)

    def _positions(self, n_title: int, n_text: int) -> list[tuple[int, ...]]:
        """For each window its pieces by number, those of the title first."""
        title, text = list(range(n_title)), list(range(n_title, n_title + n_text))
        if self.reading.pair:
            return [_framed(_START, _END, *filter(None, (title, text)))]
        if self.reading.first_only:
            return [_framed(_START, _END, title + text)]
        head = title or text
        # What a long title has past its own window is read like text, and so is a text's start.
        body = title[self.reading.max_title_tokens :] + text
        windows = [_framed(_START, _END, head[: self.reading.max_title_tokens])]
        return windows if self.reading.title_only else windows + self._in_text(head, body)

    def _in_text(self, title: list[int], text: list[int]) -> list[tuple[int, ...]]:
        """Windows over the text, each headed by the start of the title."""
        head = title[: self.reading.title_tokens]
        size = self.reading.window_tokens - 3 - len(head)
        step = max(size - self.reading.overlap_tokens, 1)
        starts = (
            range(0, max(len(text) - self.reading.overlap_tokens, 1), step) if text else range(0)
        )
        starts = starts[: self.reading.max_windows or None]
        return [_framed(_START, _END, head, text[start : start + size]) for start in starts]

    def with_specials(self, *segments: list[int]) -> tuple[int, ...]:
        """[CLS] first segment [SEP] second segment [SEP] …"""
        return _framed(self.start, self.end, *segments)

    def token_ids(self, text: str) -> list[int]:
        """Word pieces of a text, without special tokens and boilerplate."""
        return self._pieces(text)[0]

    def skipped(self, text: str) -> bytearray:
        """For each character and the end, 1 where it is boilerplate that is not read."""
        skipped = bytearray(len(text) + 1)
        spans = (
            [match.span() for match in self.boilerplate.finditer(text)] if self.boilerplate else []
        )
        if self.reading.normalise == CLINICAL:
            spans += skipped_spans(text)
        for start, end in spans:
            skipped[start:end] = b"\1" * (end - start)
        return skipped

    def _pieces(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Word pieces, and where in the text each starts and ends."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        ids, offsets, skipped = encoding.ids, encoding.offsets, self.skipped(text)
        if not any(skipped):
            return ids, offsets
        is_read = [not skipped[start] for start, _ in offsets]
        return list(compress(ids, is_read)), list(compress(offsets, is_read))


def pair_lengths(first: int, second: int, window_tokens: int) -> tuple[int, int]:
    """Return how many pieces of two texts fit into one input: the longer is cut until both do.

    Special tokens count: three of a pair, two where one of the texts is empty.
    Source: Devlin et al. (2019), `_truncate_seq_pair` of the released code.
    """
    room = window_tokens - (3 if first and second else 2)
    of_first = min(first, max(room - second, (room + 1) // 2))
    return of_first, min(second, room - of_first)


def _framed(start: int, end: int, *segments: list[int]) -> tuple[int, ...]:
    framed = [start]
    for segment in segments:
        framed += [*segment, end]
    return tuple(framed)

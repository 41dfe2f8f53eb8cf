"""How a document becomes encoder inputs: the title alone, then windows that begin with the title.

An encoder reads a few hundred word pieces; an act has thousands. The title says most of what an act
is about, so each window of the text carries it along.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from tokenizers import Tokenizer

from core.documents.document import Document

# A text of megabytes gives a million pieces of which the cap keeps a few thousand, so only as many
# characters are cut into pieces as could fill the cap; running text has 4 to 5 a piece, never 12.
_CHARACTERS_PER_TOKEN = 12
_CHARACTERS_UNREAD_PER_TOKEN = 5


@dataclass(frozen=True, slots=True)
class Reading:
    """How long inputs are, in word pieces; special tokens count in `window_tokens` alone.

    Attributes:
        window_tokens: length of one input, [CLS] and [SEP] counted.
        title_tokens: pieces of the title at the head of each window of the text.
        max_title_tokens: pieces of a title that is read alone.
        overlap_tokens: pieces that two neighbouring windows share.
        max_tokens: cap on the pieces of title and text that are read.
        first_only: read one input, the first pieces of title and text together, as the paper does.
        title_only: read nothing but the title's window.
        boilerplate: regular expression of what is skipped, such as an act's own number and date;
            "" skips nothing.
    """

    window_tokens: int = 256
    title_tokens: int = 48
    max_title_tokens: int = 96
    overlap_tokens: int = 32
    max_tokens: int = 8192
    first_only: bool = False
    title_only: bool = False
    boilerplate: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a bundle's manifest."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A document in word pieces.

    Attributes:
        windows: encoder inputs with special tokens; the first is the title alone (or the start of
            the text where there is no title), the rest cover the text.
        n_tokens: pieces of title and text.
        n_tokens_read: pieces that the windows cover.
        n_characters_read: how much of the text, without the title, these pieces come from.
    """

    windows: tuple[tuple[int, ...], ...]
    n_tokens: int
    n_tokens_read: int
    n_characters_read: int


class DocumentReader:
    """Cuts documents into windows by one tokenizer and one `Reading`."""

    def __init__(self, tokenizer: Tokenizer, reading: Reading) -> None:
        self.tokenizer = tokenizer
        self.reading = reading
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.start, self.end = tokenizer.encode("").ids
        self.boilerplate = re.compile(reading.boilerplate) if reading.boilerplate else None

    def read(self, document: Document) -> Pieces:
        """The windows of a document; a text longer than the cap is read up to it."""
        reading = self.reading
        limit = reading.max_tokens * _CHARACTERS_PER_TOKEN
        title = self.token_ids(document.title[:limit])
        text, ends = self._pieces(document.text[:limit])
        n_tokens = len(title) + len(text)
        n_tokens += len(document.text[limit:]) // _CHARACTERS_UNREAD_PER_TOKEN
        if reading.first_only:
            room = reading.window_tokens - 2
            windows = [self.with_specials((title + text)[:room])]
        else:
            room = reading.max_tokens
            windows = self._windows(title[:room], text[: max(0, room - len(title))])
        n_title, n_text = min(len(title), room), min(len(text), max(0, room - len(title)))
        n_characters = ends[n_text - 1] if n_text else 0
        return Pieces(tuple(windows), n_tokens, n_title + n_text, n_characters)

    def _windows(self, title: list[int], text: list[int]) -> list[tuple[int, ...]]:
        head = title or text
        # What a long title has past its own window is read like text, and so is a text's start.
        body = title[self.reading.max_title_tokens :] + text
        windows = [self.with_specials(head[: self.reading.max_title_tokens])]
        return windows if self.reading.title_only else windows + self.text_windows(head, body)

    def text_windows(self, title: list[int], text: list[int]) -> list[tuple[int, ...]]:
        """Windows over the text, each headed by the start of the title."""
        head = title[: self.reading.title_tokens]
        size = self.reading.window_tokens - 3 - len(head)
        step = max(size - self.reading.overlap_tokens, 1)
        starts = range(0, max(len(text) - self.reading.overlap_tokens, 1), step) if text else ()
        return [self.with_specials(head, text[start : start + size]) for start in starts]

    def with_specials(self, *segments: list[int]) -> tuple[int, ...]:
        """[CLS] first segment [SEP] second segment [SEP] …"""
        ids = [self.start]
        for segment in segments:
            ids += [*segment, self.end]
        return tuple(ids)

    def token_ids(self, text: str) -> list[int]:
        """Word pieces of a text, without special tokens and boilerplate."""
        return self._pieces(text)[0]

    def _pieces(self, text: str) -> tuple[list[int], list[int]]:
        """Word pieces, and where in the text each ends."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        pairs = list(zip(encoding.ids, encoding.offsets, strict=True))
        if self.boilerplate is not None:
            skipped = self._skipped(text)
            pairs = [(token_id, span) for token_id, span in pairs if not skipped[span[0]]]
        return [token_id for token_id, _ in pairs], [end for _, (_, end) in pairs]

    def _skipped(self, text: str) -> bytearray:
        skipped = bytearray(len(text) + 1)
        for match in self.boilerplate.finditer(text) if self.boilerplate else ():
            skipped[match.start() : match.end()] = b"\1" * (match.end() - match.start())
        return skipped

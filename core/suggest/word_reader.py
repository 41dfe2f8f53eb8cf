"""How a document is read where there is no encoder: in words, all of them at once."""

from __future__ import annotations

from itertools import islice

from core.documents.document import Document
from core.model.terms import WORD
from core.suggest.windows import Pieces, ReadingSettings


class WordReader:
    """Stands where `DocumentReader` does, for a linear suggester alone.

    It counts words where that counts word pieces, and cuts no windows: what it gives has an empty
    one for the title, and another where a text is read, as whether a text was read decides how
    scores are calibrated.
    """

    def __init__(self, reading: ReadingSettings) -> None:
        self.reading = reading

    def read(self, document: Document) -> Pieces:
        """How much of a document is read: all but the words beyond the cap."""
        in_title = _words(document.title)
        in_text = _words(document.text)
        room = max(self.reading.max_tokens - in_title, 0)
        read = min(in_text, room)
        return Pieces(
            windows=((), ()) if read else ((),),
            n_tokens=in_title + in_text,
            n_tokens_read=min(in_title, self.reading.max_tokens) + read,
            n_characters_read=_end_of(document.text, read)
            if read < in_text
            else len(document.text),
        )

    def skipped(self, text: str) -> bytearray:
        """For each character and the end, 1 where it is not read: nowhere."""
        return bytearray(len(text) + 1)


def _words(text: str) -> int:
    return sum(1 for _ in WORD.finditer(text))


def _end_of(text: str, n_words: int) -> int:
    """Where the n-th word ends; 0 of no words."""
    last = next(islice(WORD.finditer(text), n_words - 1, None), None) if n_words else None
    return last.end() if last else 0

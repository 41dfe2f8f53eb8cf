"""Parts: as many documents of an input as are read, suggested for and written as one."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from core.batches.reading import START, InputPosition, InputReader
from core.documents.inputs import BadLine, InputDocument

DEFAULT_DOCUMENTS = 1024
"""A multiple of the 64 documents after which a suggester begins a new group, so that parts change
nothing.
"""
MOST_CHARACTERS = 32_000_000
"""A part with very long documents ends earlier, so that it fits into memory."""


@dataclass(slots=True)
class BatchPart:
    """A part of an input.

    Attributes:
        number: counts the parts of the input from 0.
        bad: the rows between these documents that hold none.
        end: where the next part begins.
        bytes_read: of the input up to `end`.
        documents_before, bad_before: of all parts before this one.
    """

    number: int
    documents_before: int = 0
    bad_before: int = 0
    documents: list[InputDocument] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    end: InputPosition = START
    bytes_read: int = 0
    n_characters: int = 0

    def __bool__(self) -> bool:
        return bool(self.documents or self.bad)

    def next_part(self) -> BatchPart:
        """Return a new, empty part that follows this one."""
        return BatchPart(
            self.number + 1,
            self.documents_before + len(self.documents),
            self.bad_before + len(self.bad),
        )

    def add(self, item: InputDocument | BadLine) -> None:
        """Take in what stands next."""
        if isinstance(item, BadLine):
            self.bad.append(item)
            self.n_characters += len(item.content)
        else:
            self.documents.append(item)
            self.n_characters += len(item.document.title) + len(item.document.text)

    def is_full(self, most_documents: int) -> bool:
        """Return whether the part ends here; one broken row counts as much as a document."""
        longest = max(len(self.documents), len(self.bad))
        return longest >= most_documents or self.n_characters >= MOST_CHARACTERS


def cut(reader: InputReader, part: BatchPart, most_documents: int) -> BatchPart:
    """Fill a part from where the reader stands; it stays empty at the end of the input.

    What was not read of a document is said on standard error.
    """
    for item in reader:
        part.add(item)
        if isinstance(item, InputDocument):
            sys.stderr.writelines(item.remarks())
        if part.is_full(most_documents):
            break
    part.end, part.bytes_read = reader.position, reader.bytes_read
    return part

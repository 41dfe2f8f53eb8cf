"""A note as a model reads it: the same text, whether its first line was taken for a title or not.

Models of codes learn from texts without titles. What a page calls an encounter ("Discharge summary,
3 March 2026"), and a title that only repeats how the text begins, are not read at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.clinical.encounters import note_name
from core.documents.document import PART_BREAK, Document, Part
from core.suggest.evidence.spans import Evidence, Span

_CUT = " …"


@dataclass(frozen=True, slots=True)
class AsRead:
    """A document without a title.

    Attributes:
        document: what is read.
        n_title: characters of its text that are the title of what was given, with the break
            behind it; 0 where the title is not read.
    """

    document: Document
    n_title: int

    @classmethod
    def of(cls, document: Document) -> AsRead:
        """Put the title of a document in front of its text, if it says something of its own."""
        title = document.title
        if not title or not _says_something(title, document):
            return cls(replace(document, title=""), 0)
        parts = (Part(title), *document.parts)
        return cls(replace(document, title="", parts=parts), len(title) + len(PART_BREAK))

    def given(self, span: Span) -> Span:
        """Return a place of what is read in the document as it was given."""
        if span.field == "title" or not self.n_title:
            return span
        if span.start < self.n_title:
            most = self.n_title - len(PART_BREAK)
            return Span("title", min(span.start, most), min(span.end, most))
        return Span("text", span.start - self.n_title, span.end - self.n_title)

    def read(self, spans: Iterable[Span]) -> list[Span]:
        """Return places of the document as it was given in what is read."""
        return [self._read(span) for span in spans if self.n_title or span.field == "text"]

    def given_evidence(self, by_code: Mapping[str, Evidence]) -> dict[str, Evidence]:
        """Return evidence with its places in the document as it was given."""
        return {concept_id: self._moved(evidence) for concept_id, evidence in by_code.items()}

    def _moved(self, evidence: Evidence) -> Evidence:
        passages = (
            replace(passage, spans=tuple(map(self.given, passage.spans)))
            for passage in evidence.passages
        )
        return replace(evidence, passages=tuple(passages))

    def _read(self, span: Span) -> Span:
        by = self.n_title if span.field == "text" else 0
        return Span("text", span.start + by, span.end + by)


def _says_something(title: str, document: Document) -> bool:
    """Return whether a title is neither a name that the program gave nor the text's own start."""
    if not document.parts:
        return True
    beginning = title.removesuffix(_CUT).rstrip()
    is_start = document.text.lstrip().startswith(beginning)
    return not is_start and title != note_name(document.parts[0])

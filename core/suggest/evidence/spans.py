"""Places and passages of a document that speak for a concept.

Offsets are code points into a document's title or its text, as `Document` gives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.documents.document import Document, Part


@dataclass(frozen=True, slots=True)
class Span:
    """Some characters of a document.

    Attributes:
        field: "title" or "text".
        end: of the first character that is not in it.
    """

    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A phrase that speaks for a concept, wherever it stands in the document.

    Attributes:
        text: as it is written where it speaks loudest.
        share: of all that speaks for the concept, in [0, 1].
        spans: its places, the loudest first.
        is_name: whether it is a name of the concept, as one that says "family history of asthma".
    """

    text: str
    share: float
    spans: tuple[Span, ...]
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one concept.

    Attributes:
        passages: the strongest first.
        sources: suggester -> the probability that it alone gives the concept.
    """

    passages: tuple[Passage, ...]
    sources: Mapping[str, float]


def without_spans(document: Document, spans: Iterable[Span]) -> Document:
    """A copy of a document in one part, with some characters of title and text deleted."""
    cut: dict[str, list[Span]] = {"title": [], "text": []}
    for span in spans:
        cut[span.field].append(span)
    text = _without(document.text, cut["text"])
    parts = (Part(text),) if text.strip() else ()
    return replace(document, title=_without(document.title, cut["title"]).strip(), parts=parts)


def _without(text: str, spans: Iterable[Span]) -> str:
    kept, position = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        kept.append(text[position : max(span.start, position)])
        position = max(position, span.end)
    return "".join([*kept, text[position:]])

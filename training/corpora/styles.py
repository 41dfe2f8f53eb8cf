"""A note in other styles: its sections in another order, one left out, under headings of their own.

A model that reads every note as its corpus has it learns the order and the look of that corpus too.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from core.clinical.sections import sections
from core.documents.document import Document, Part

HEADINGS = {
    "history": ("CLINICAL HISTORY:", "INDICATION:", "Reason for exam:", "History:"),
    "impression": ("IMPRESSION:", "FINDINGS:", "Conclusion:", "Report:"),
}
"""By the kind of a part, what hospitals write above it; the first is that of the corpus."""
SHUFFLED, SHORTENED, HEADED = 0.5, 0.25, 0.5
"""How often a restyled note has its sections in another order, lacks one, and has headings."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def passages(document: Document) -> list[tuple[str, str]]:
    """Return the kind and text of each part, of each section, or of each sentence.

    Notes of several parts are taken apart there, others at their headings; a text without any
    consists of its sentences, whose kind is "".
    """
    if len(document.parts) > 1:
        return [(part.kind, part.text) for part in document.parts]
    text = document.text
    starts = [section.start for section in sections(text)]
    if starts:
        edges = pairwise(sorted({0, *starts, len(text)}))
        pieces = [text[start:end].strip() for start, end in edges]
    else:
        pieces = _SENTENCE_END.split(text)
    return [("", passage) for passage in pieces if passage]


def restyled(document: Document, rng: np.random.Generator) -> str:
    """Return the text of a document in a style that is drawn at random."""
    pieces = passages(document)
    if len(pieces) > 1 and rng.random() < SHORTENED:
        del pieces[int(rng.integers(len(pieces)))]
    if rng.random() < SHUFFLED:
        pieces = [pieces[i] for i in rng.permutation(len(pieces))]
    if rng.random() < HEADED:
        pieces = [(kind, _headed(kind, text, rng)) for kind, text in pieces]
    return "\n".join(text for _, text in pieces)


def as_one_text(document: Document) -> Document:
    """Return a document of one part: its parts as a person pastes them, each under its heading."""
    text = "\n\n".join(_under_heading(part) for part in document.parts)
    return Document.from_text(document.document_id, document.title, text)


def _under_heading(part: Part) -> str:
    if part.kind in HEADINGS:
        return f"{HEADINGS[part.kind][0]} {part.text}"
    return "\n".join(filter(None, (part.title or part.kind, part.text)))


def _headed(kind: str, text: str, rng: np.random.Generator) -> str:
    names = HEADINGS.get(kind)
    return f"{names[int(rng.integers(len(names)))]} {text}" if names else text

"""Documents from which words are transferred."""

from __future__ import annotations

from core.documents.document import Document
from training.corpora.corpus import LabelledDocument

SENTENCE = "The council quickly adopted a new regulation on imported honey, and 27 members voted"


OTHER = "A fisherman slowly sold the old ship to foreign banks while 15 inspectors waited"


def documents(n: int = 6) -> list[LabelledDocument]:
    return [
        LabelledDocument(
            Document.from_text(
                f"d{i}", SENTENCE if i % 2 else OTHER, f"{OTHER}. {SENTENCE}" + "!" * i
            ),
            (f"label-{i}",),
            "2001-01-01",
        )
        for i in range(n)
    ]

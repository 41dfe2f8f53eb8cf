"""An invented vocabulary of two levels of divisions and two of concepts, and acts about it."""

from __future__ import annotations

import numpy as np

from core.documents.document import Document
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument
from training.judging.scores import Scores

# Columns, in label-space order: farm, sea (divisions), crops, fish (concepts), grape, wheat.
CONCEPTS = [
    ("farm", (), False),
    ("sea", (), False),
    ("crops", ("farm",), True),
    ("fish", ("sea",), True),
    ("grape", ("crops",), True),
    ("wheat", ("crops",), True),
]


def tiny_label_space() -> LabelSpace:
    concepts = [
        Concept(name, f"http://example.org/{name}", None, {"en": name}, {}, broader, False, offered)
        for name, broader, offered in CONCEPTS
    ]
    return LabelSpace(Hierarchy(concepts, vocabulary_id="tiny", version="1"))


def act(
    document_id: str, *assigned: str, title: str = "A title", text: str = ""
) -> LabelledDocument:
    return LabelledDocument(Document.from_text(document_id, title, text), assigned)


def scores_of(documents: list[LabelledDocument], **matrices: list[list[float]]) -> Scores:
    arrays = {name: np.array(rows, dtype=np.float16) for name, rows in matrices.items()}
    return Scores(tuple(row.document_id for row in documents), **arrays)

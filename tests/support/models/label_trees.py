"""Label spaces of a few letters."""

from __future__ import annotations

from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace


def space(**broader: str) -> LabelSpace:
    """A label space from name="broader narrower…"."""
    concepts = [
        Concept(name, f"test:{name}", name, {"en": name}, broader=tuple(of.split()))
        for name, of in broader.items()
    ]
    return LabelSpace(Hierarchy(concepts, vocabulary_id="test", version="1", uri_base=""))

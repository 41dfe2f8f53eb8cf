"""Which words of a project's documents a retrained bundle may hold.

A word that stands in one note may be the name of a patient, and what is kept beside it their
diagnosis. Checksums hide nothing of that: who has a list of names can compare theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby

from core.documents.document import Document, fingerprint
from core.model.bundle.manifest import LEAST_DOCUMENTS
from core.vocabulary.concepts import Hierarchy

Cut = Callable[[str], Iterable[str]]
"""Cuts a text into words, or into terms of more than one."""


def shared_terms(
    documents: Sequence[Document], hierarchy: Hierarchy, cut: Cut, *, read: int
) -> frozenset[str]:
    """Return the terms of documents that `LEAST_DOCUMENTS` have, and those of the vocabulary's labels.

    Notes of one patient, or with one text, count as one document: five notes of one stay would
    let the patient's name through.

    Args:
        read: characters of a text that are looked at.
    """
    counts: Counter[str] = Counter()
    for _, same in groupby(sorted(documents, key=_whose), key=_whose):
        texts = (text for document in same for text in (document.title, document.text[:read]))
        counts.update({term for text in texts for term in cut(text)})
    frequent = (term for term, number in counts.items() if number >= LEAST_DOCUMENTS)
    named = (term for label in labels_of(hierarchy) for term in cut(label))
    return frozenset(chain(frequent, named))


def labels_of(hierarchy: Hierarchy) -> Iterator[str]:
    """Yield every label of a vocabulary, in all languages, with its notations."""
    for concept_id in hierarchy:
        concept = hierarchy[concept_id]
        yield concept.notation or ""
        yield from concept.pref_label.values()
        for labels in (*concept.alt_labels.values(), *concept.hidden_labels.values()):
            yield from labels


def _whose(document: Document) -> str:
    """Return what documents have in common that are of one patient, or copies of each other."""
    patient = document.stay.patient if document.stay else None
    return f"{patient.system}\0{patient.value}" if patient else fingerprint(document)

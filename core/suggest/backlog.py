"""What the model reads when nobody waits at a page: documents of jobs, a slice at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.documents.document import Document
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction

# A slice is read without a break, so it bounds how long an opened document waits: with the shipped
# bundle on two cores 32 titles take 0.2 s, and 12,000 characters 0.3 s.
SLICE_DOCUMENTS = 32
SLICE_CHARACTERS = 12_000


@dataclass(frozen=True, slots=True)
class Errand:
    """A document that a job wants read."""

    job_id: int
    document: Document


Read = Sequence[tuple[Errand, Prediction]]


class Backlog(Protocol):
    """Where slices come from, and where their predictions go."""

    def take(self, bundle_hash: str, vocabulary_id: str) -> list[Errand]:
        """The next documents, at most a slice; none where nothing waits.

        Args:
            bundle_hash: of the model that will read; what it has read meanwhile is not taken.
            vocabulary_id: that it knows; documents that are indexed with another wait.
        """
        ...

    def keep(self, read: Read) -> None:
        """Store predictions and settle their errands, both or neither."""
        ...

    def fail(self, errand: Errand, sentence: str) -> None:
        """Note that a document could not be read, and why."""
        ...


class GaveWay(Exception):  # noqa: N818 - nothing went wrong
    """A long document was put back, because somebody waits at a page."""


def read_slice(
    model: Suggester, errands: Sequence[Errand], *, limit: int, wanted: Callable[[], bool]
) -> Read:
    """Predictions for a slice.

    Args:
        wanted: whether somebody waits for the model; a single document, which may be long, is
            then put back between two groups of its windows, to be read again from its start.
    Raises:
        GaveWay: the document was put back.
    """
    if len(errands) > 1:
        documents = [errand.document for errand in errands]
        read = model.suggest_batch(documents, limit=limit)
        return list(zip(errands, read, strict=True))

    def give_way(done: int, total: int) -> None:
        if done < total and wanted():
            raise GaveWay

    (errand,) = errands
    return [(errand, model.suggest(errand.document, limit=limit, on_progress=give_way))]

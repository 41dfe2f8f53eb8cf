"""What a suggester is: documents in, scored concepts out.

A suggester that can say why is an `Explainer` as well, and one that learns from what people decide
a `Learner`. A suggester that is made of others names them in `members`, and `parts` walks through
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from core.documents.document import Document
from core.model.number_format import Precision
from core.suggest.backends.protocol import Progress
from core.suggest.evidence.spans import Evidence, Span
from core.suggest.suggestions import Prediction

if TYPE_CHECKING:
    from core.clinical.assertions import AssertedPlace, Assertion
    from core.clinical.familiar import Familiarity

Part = TypeVar("Part")


class Suggester(Protocol):
    """Reads documents and suggests concepts for them; may be used from several threads."""

    @property
    def name(self) -> str:
        """What people know it by, such as “eurovoc”."""

    @property
    def bundle_hash(self) -> str:
        """What changes whenever its suggestions may: stored predictions are compared by it."""

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable concepts of one document, best first."""

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents."""


class Explanation(Protocol):
    """Why a suggester suggests concepts for one document."""

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those it cannot assign."""

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the suggester cannot assign this concept.
        """


@runtime_checkable
class Explainer(Protocol):
    """A suggester that can explain itself."""

    def explain(self, document: Document) -> Explanation:
        """Read a document for what can be said about why."""


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """A document that people have finished, and what they decided.

    Attributes:
        version: of the decisions; each further one raises it.
        assigned, rejected: concept ids.
        suggested: what a model alone gave to concepts; those with little are left out.
        excluded: those rejected ones with which all below them is ruled out.
    """

    document: Document
    version: int
    assigned: tuple[str, ...]
    rejected: tuple[str, ...]
    suggested: Mapping[str, float] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()


@runtime_checkable
class Learner(Protocol):
    """A suggester that learns from finished documents.

    What it suggests depends on nothing but which documents it knows, in whatever order they came:
    a document that is forgotten leaves nothing behind.
    """

    @property
    def n_updates(self) -> int:
        """The number of changes by learning; earlier predictions may be outdated."""

    def learned(self) -> Mapping[str, int]:
        """Return the documents that it has learned from, with the version of their decisions."""

    def learn(self, documents: Sequence[FinishedDocument]) -> None:
        """Learn from documents, also in the place of what was learned from them before."""

    def forget(self, document_ids: Iterable[str]) -> None:
        """Suggest as if these documents had never been finished."""


@runtime_checkable
class ReadsNotes(Protocol):
    """A part of a suggester that knows what a note asserts, and whether it is like those it learned."""

    def assertions(
        self, document: Document, places: Sequence[AssertedPlace]
    ) -> list[Assertion | None]:
        """Return what is asserted of each of these places; None where it is affirmed."""

    def familiarity(self, document: Document) -> Familiarity | None:
        """Compare a document with the learned ones; None where nothing is recorded of them."""

    def places(self, document: Document) -> Mapping[str, Sequence[Span]]:
        """Return by code where a document says it without denying it."""


class SuggestsCodes(Suggester, ReadsNotes, Protocol):
    """Suggests the codes that a note names, beside those of a model where there is one."""

    def denied(self, document: Document) -> Collection[str]:
        """Return the codes that a document names only to deny them."""


@runtime_checkable
class Computing(Protocol):
    """A part of a suggester whose products are computed in one of several number formats."""

    @property
    def number_format(self) -> Precision | None:
        """The format that serves, and why; None where there is no choice."""


@runtime_checkable
class AsksElsewhere(Protocol):
    """A part of a suggester that sends what it reads to another machine."""

    @property
    def others(self) -> Suggester:
        """What suggests beside it, on this machine."""


def parts(suggester: object) -> Iterator[object]:
    """Yield a suggester and the suggesters it is made of, from the outside in."""
    yield suggester
    for member in getattr(suggester, "members", ()):
        yield from parts(member)


def find_part(suggester: object, kind: type[Part]) -> Part | None:
    """Return the first part of a suggester that is of this kind; None where there is none."""
    return next((part for part in parts(suggester) if isinstance(part, kind)), None)

"""What the routes ask of the server's shared objects; `pages.serving.Workplace` has it all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from core.vocabulary.concepts import Hierarchy

if TYPE_CHECKING:
    from core.review.store.store import Store
    from core.suggest.service import SuggestionService
    from core.vocabulary.search.vocabulary_index import VocabularyIndex


class Served(Protocol):
    """A hierarchy and its search index."""

    @property
    def hierarchy(self) -> Hierarchy:
        """The concepts that are offered."""
        ...

    @property
    def index(self) -> VocabularyIndex:
        """The search over their labels."""
        ...


class Shared(Protocol):
    """The store, the vocabulary and the model of one server; each is asked for at every request."""

    @property
    def server_id(self) -> str:
        """Names this server since its start or its last change of model.

        A page that was drawn under another name has itself drawn anew.
        """
        ...

    @property
    def service(self) -> SuggestionService:
        """The warm model behind its queue."""
        ...

    def store(self) -> Store:
        """Return the open store, or raise a StoreError."""
        ...

    def person_id(self) -> int:
        """Return who decides."""
        ...

    def project_id(self) -> int:
        """Return the project of the vocabulary in use."""
        ...

    def vocabulary(self) -> Served | None:
        """Return the vocabulary in use; None where there is none that can be read."""
        ...

    def health(self) -> Mapping[str, object]:
        """Return how the server is; `state` is "loading", "ready" or "failed"."""
        ...

"""With what a project is worked on at a moment, and what is about to take its place."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.model.bundle.cards import BundleCard
from core.serving.models import LoadedBundle, LoadedModel
from core.serving.setup import Setup
from core.serving.vocabularies import Vocabulary

LOADING, TAKEN, FAILED, READY = "loading", "taken", "failed", "ready"


@dataclass(frozen=True, slots=True)
class Change:
    """The last change of a project's model since the server started.

    Attributes:
        card: None where the project is to do without a model.
        state: "loading", "taken" or "failed".
        problem: why it failed, as a sentence.
        began: on the clock of `time.monotonic`.
    """

    card: BundleCard | None
    state: str
    problem: str = ""
    began: float = field(default_factory=time.monotonic, compare=False)


@dataclass(slots=True)
class Revision:
    """A number that each choice for a project raises; it outlives the closing of the project."""

    number: int = 0


@dataclass(frozen=True, slots=True)
class InUse:
    """With what a project is worked on; what takes its place does so as a whole.

    Attributes:
        setup: None until somebody asks for it.
        vocabulary: None until it is opened, and where it cannot be.
        vocabulary_problem: why it cannot be opened.
        model: None until it is loaded, and where there is none.
        is_loaded: whether the model is there, or is known not to be.
        problem: why there is no model.
    """

    setup: Setup | None = None
    vocabulary: Vocabulary | None = None
    vocabulary_problem: str | None = None
    model: LoadedModel | None = None
    is_loaded: bool = False
    problem: str | None = None

    @property
    def is_opening(self) -> bool:
        """Whether the vocabulary is still to come."""
        return self.vocabulary is None and self.vocabulary_problem is None

    @property
    def state(self) -> str:
        """Whether the model is "loading", "ready" (also where there is none), or "failed"."""
        if self.problem is not None:
            return FAILED
        return READY if self.is_loaded else LOADING

    def parts(self) -> Iterator[Vocabulary | LoadedModel | LoadedBundle]:
        """Yield what is in memory, and may be shared with other projects."""
        bundle = self.model.bundle if self.model else None
        yield from filter(None, (self.vocabulary, self.model, bundle))

"""Loaded suggesters, which projects share, and with what a project is worked on at a moment."""

from __future__ import annotations

import gc
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from core.boundaries import named
from core.documents.document import Document
from core.errors import StrataError
from core.model.bundle.cards import BundleCard, read_card
from core.model.bundle.manifest import damaged
from core.review.store.projects import Project
from core.serving.learning import DecisionTeacher
from core.serving.setup import Setup, Setups
from core.serving.vocabularies import Vocabularies, Vocabulary
from core.suggest.elsewhere.choice import (
    NONE_ALLOWED,
    AllowedSuggesters,
    SuggesterElsewhere,
)
from core.suggest.evidence.explanation_cache import ExplanationCache
from core.suggest.opening import decisions_of, open_elsewhere, with_names
from core.suggest.protocol import Explainer, Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

if TYPE_CHECKING:
    from core.suggest.remote.names import RemoteTexts

# As long as a window.
WARM_UP = Document.from_text("warm-up", "Regulation on the protection of animals", "text " * 400)

# Measured on the shipped bundles: weights are wider in memory than on the disk, and torch keeps some
# for its work; and the names of ICD-10-CM.
BYTES_OF_BUNDLE_BYTE, BYTES_OF_NAMED_CONCEPT = 4, 600
# A full collection stops every thread for tenths of a second, which a small model does not repay.
SETTLED_BYTES = 10_000_000

Key = tuple[Path | None, int, int, int, SuggesterElsewhere | None]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class LoadedBundle:
    """What suggests in a bundle, for all projects that read with it.

    Attributes:
        n_bytes: about how much memory it holds.
    """

    suggester: Suggester
    n_bytes: int = 0


@dataclass(frozen=True, slots=True, weakref_slot=True)
class LoadedModel:
    """A loaded suggester with its cache of explanations.

    Attributes:
        key: what it was loaded for, by `model_key`.
        explanations: None where the suggester cannot explain itself.
        bundle: None where there is none.
        n_bytes: about how much memory it holds beside its bundle.
    """

    key: Key
    suggester: Suggester
    explanations: ExplanationCache | None
    bundle: LoadedBundle | None = None
    n_bytes: int = 0


def model_key(bundle_dir: Path | None, hierarchy: Hierarchy, project: Project) -> Key:
    """Return what makes another model necessary: the bundle, the vocabulary, or what is asked
    elsewhere.

    What learns from decisions is its project's own.
    """
    number, elsewhere = project.project_id, project.elsewhere
    return bundle_dir, _stamp(bundle_dir), id(hierarchy), number, elsewhere


class Models:
    """Loads suggesters; each goes when no open project holds it any more.

    A bundle is loaded once, whoever waits for it, and several at once.

    Args:
        load: makes a suggester of a bundle's folder; tests bring their own.
        language: of labels that are looked for in texts.
        allowed: which suggesters elsewhere may be asked.
        texts: looks through texts in another process; None where that is done here.
    """

    def __init__(
        self,
        home: Path,
        load: Callable[[Path], Suggester],
        *,
        language: str = "en",
        allowed: AllowedSuggesters = NONE_ALLOWED,
        texts: RemoteTexts | None = None,
    ) -> None:
        self.home, self.language, self.allowed = home, language, allowed
        self._load, self._texts = load, texts
        self._loaded: WeakValueDictionary[Key, LoadedModel] = WeakValueDictionary()
        self._bundles: WeakValueDictionary[tuple[Path, int], LoadedBundle] = WeakValueDictionary()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def load(
        self,
        bundle_dir: Path | None,
        hierarchy: Hierarchy,
        project: Project,
        new: frozenset[str] = frozenset(),
        *,
        whole: bool = True,
    ) -> LoadedModel | None:
        """Load what suggests in a vocabulary: a bundle, what does without one, or both.

        It reads a text at once, for weights that are no numbers load without complaint, and no
        document should wait for what torch does only once.

        Args:
            project: what learns from decisions is its own, and it may ask a suggester elsewhere.
            new: concepts that the bundle does not know.
            whole: whether that is to be done before it returns where names can do without the
                bundle meanwhile; else `ServedProject.finish` does it.
        Returns:
            None where there is neither a bundle nor a concept.
        Raises:
            BundleError: the bundle cannot be loaded, or gives no numbers; other damage may raise
                what torch raises.
        """
        key = model_key(bundle_dir, hierarchy, project)
        with self._locks[str(bundle_dir)]:
            model = self._loaded.get(key)
            if model is None:
                bundle = None if bundle_dir is None else self._bundle(bundle_dir)
                member = open_elsewhere(
                    project.elsewhere, self.allowed, hierarchy, language=self.language
                )
                suggester = with_names(
                    bundle.suggester if bundle else None,
                    hierarchy,
                    self.home,
                    new=new,
                    learns=True,
                    bundled=decisions_of(bundle_dir, self.home),
                    bundle_dir=bundle_dir,
                    language=self.language,
                    member=member,
                    texts=self._texts,
                )
                if suggester is None:
                    return None
                if whole or not has_names_first(bundle_dir, hierarchy):
                    warm_up(suggester)
                if member is not None:
                    member.begin()
                n_bytes = BYTES_OF_NAMED_CONCEPT * len(hierarchy)
                model = LoadedModel(key, suggester, _explanations(suggester), bundle, n_bytes)
                self._loaded[key] = model
                if n_bytes + (bundle.n_bytes if bundle else 0) >= SETTLED_BYTES:
                    settle_memory()
        return model

    def _bundle(self, bundle_dir: Path) -> LoadedBundle:
        key = bundle_dir, _stamp(bundle_dir)
        bundle = self._bundles.get(key)
        if bundle is None:
            suggester = self._load(bundle_dir)
            bundle = self._bundles[key] = LoadedBundle(suggester, _held_bytes(bundle_dir))
        return bundle


def has_names_first(bundle_dir: Path | None, hierarchy: Hierarchy) -> bool:
    """Return whether names suggest while a bundle loads: of codes."""
    return bundle_dir is not None and conventions_of(hierarchy.vocabulary_id).lexical


def _explanations(suggester: Suggester) -> ExplanationCache | None:
    return ExplanationCache(suggester) if isinstance(suggester, Explainer) else None


def warm_up(suggester: Suggester) -> None:
    """Have a suggester read for the first time.

    Raises:
        BundleError: what it gives is no numbers; other damage may raise what torch raises.
    """
    suggester.suggest(WARM_UP, limit=1)


def settle_memory() -> None:
    """Collect what is gone, and have the collector pass over what is there, which stays for long."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _stamp(bundle_dir: Path | None) -> int:
    """What changes when another bundle is put in the same folder."""
    try:
        return (bundle_dir / "bundle.json").stat().st_mtime_ns if bundle_dir else 0
    except OSError:
        return 0


def _held_bytes(bundle_dir: Path) -> int:
    card = read_card(bundle_dir)
    return BYTES_OF_BUNDLE_BYTE * (card.size_bytes + card.shared_bytes)


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of models and vocabularies that all projects of a server share."""

    setups: Setups
    vocabularies: Vocabularies
    models: Models
    teacher: DecisionTeacher


# ---------------------------------------------------------------------- in a project

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


def said_of(card: BundleCard, error: Exception) -> str:
    """Return why a chosen bundle does not serve, as sentences."""
    directory = card.directory
    reason = error if isinstance(error, StrataError) else damaged(directory, named(error))
    return f"The model {directory.name} was chosen, but could not be loaded. {reason}"


def in_a_sentence(error: BaseException, what: str) -> str:
    """Return an error's own sentence, or one that says what did not work."""
    return str(error) if isinstance(error, StrataError) else f"{what} ({error})."


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

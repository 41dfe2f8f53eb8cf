"""A project as a server works on it: its vocabulary, and what suggests in it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from core.boundaries import SENSELESS, named
from core.clinical.joined import own_part
from core.errors import BundleError, StrataError, VocabularyError
from core.model.bundle.cards import BundleCard
from core.model.bundle.manifest import damaged
from core.review.store.projects import Project
from core.serving.learning import DecisionTeacher
from core.serving.models import LoadedBundle, LoadedModel, Models, model_key
from core.serving.setup import Setup, Setups
from core.serving.vocabularies import Vocabularies, Vocabulary
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey

_LOG = logging.getLogger(__name__)

LOADING, TAKEN, FAILED, READY = "loading", "taken", "failed", "ready"
NOT_LOADED = "The model could not be loaded"
BUSY = "Another model is being loaded; choose again when it is there."


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


@dataclass(frozen=True, slots=True)
class Sources:
    """Where projects get what they are worked on with; one for a whole server."""

    setups: Setups
    vocabularies: Vocabularies
    models: Models
    teacher: DecisionTeacher


class ServedProject:
    """One open project, for all who work in it.

    Its vocabulary is opened when somebody first asks for it, its model by `load`, in the
    background. Whoever reads with a model holds it to the end, whatever takes its place meanwhile.
    """

    def __init__(self, project: Project, sources: Sources, *, generation: int = 0) -> None:
        self.project_id = project.project_id
        self.vocabulary_id = project.vocabulary_id
        self.generation = generation  # counts what took the place of something else
        self.change: Change | None = None
        self.problem: str | None = None  # why there is no model
        self.vocabulary_problem: str | None = None
        self.began = time.monotonic()
        self._project = project
        self._sources = sources
        vocabulary_id, companions = project.vocabulary_id, sources.setups.companions(project)
        self._opened = partial(
            sources.vocabularies.open, vocabulary_id=vocabulary_id, companions=companions
        )
        self._setup: Setup | None = None
        self._vocabulary: Vocabulary | None = None
        self._model: LoadedModel | None = None
        self._state = threading.RLock()  # held for moments
        self._changing = threading.RLock()  # held while a choice is stored and put in place
        self._opening = threading.Lock()  # held while the vocabulary is opened
        self._loading = threading.Lock()  # held while a model is loaded
        self._is_open = threading.Event()  # whether the vocabulary is there, or cannot be
        self._is_loaded = threading.Event()

    # ------------------------------------------------------------------ what it is worked on with

    @property
    def setup(self) -> Setup:
        """The model bundle and the vocabulary's version.

        Raises:
            VocabularyError: the vocabulary is not here.
        """
        with self._state:
            if self._setup is None:
                self._setup = self._sources.setups.setup(self._project)
            return self._setup

    @property
    def card(self) -> BundleCard | None:
        """The bundle that serves, or is to serve when it is loaded."""
        try:
            return self.setup.card
        except VocabularyError:
            return None

    @property
    def choice(self) -> VersionKey:
        """The version of the vocabulary in use; the bundle's own where it is not known yet."""
        try:
            return self.setup.choice or BUNDLED
        except VocabularyError:
            return BUNDLED

    @property
    def fallback(self) -> str:
        """Why what serves is not what was chosen; "" where it is."""
        try:
            return self.setup.fallback
        except VocabularyError:
            return ""

    # ------------------------------------------------------------------ vocabulary

    @property
    def is_opening(self) -> bool:
        """Whether the vocabulary is still to come."""
        return self._vocabulary is None and self.vocabulary_problem is None

    @property
    def is_first_time(self) -> bool:
        """Whether the vocabulary has yet to be read and indexed, which takes longest."""
        setup = self._setup
        return self.is_opening and setup is not None and setup.choice is None

    def vocabulary(self) -> Vocabulary | None:
        """Return the vocabulary, opened at the first call; None where it cannot be read."""
        found = self._vocabulary
        if found is not None:
            return found
        with self._opening:
            if self.is_opening:
                try:
                    self._open()
                except VocabularyError as error:
                    _LOG.exception("the vocabulary could not be loaded")
                    self.vocabulary_problem = str(error)
            self._is_open.set()
            return self._vocabulary

    def wait_until_open(self, seconds: float) -> bool:
        """Wait for the vocabulary, and return whether it is there, or known not to be."""
        return self._is_open.wait(seconds)

    def hierarchy(self) -> Hierarchy:
        """Return the vocabulary's hierarchy; an empty one where it cannot be read."""
        vocabulary = self.vocabulary()
        if vocabulary is not None:
            return vocabulary.hierarchy
        return Hierarchy([], vocabulary_id=self.vocabulary_id, version="")

    def _open(self) -> None:
        """Open the version that was chosen, or the bundle's own where that is damaged."""
        setup, seen = self.setup, self.generation
        try:
            choice, vocabulary = self._opened(setup)
        except VocabularyError:
            if setup.choice in (None, BUNDLED) or setup.card is None:
                raise
            _LOG.exception("the version in use cannot be read; the bundle's is used instead")
            setup = replace(setup, choice=BUNDLED)
            choice, vocabulary = self._opened(setup)
        with self._state:
            if self.generation == seen:  # else another one has taken the place meanwhile
                self._setup, self._vocabulary = replace(setup, choice=choice), vocabulary

    # ------------------------------------------------------------------ model

    @property
    def state(self) -> str:
        """Whether the model is "loading", "ready" (also where there is none), or "failed"."""
        if self.problem is not None:
            return FAILED
        return READY if self._is_loaded.is_set() else LOADING

    @property
    def model(self) -> LoadedModel | None:
        """What suggests here, once it is loaded."""
        return self._model

    @property
    def suggester(self) -> Suggester | None:
        """The suggester alone."""
        model = self._model
        return model.suggester if model else None

    @property
    def suggests(self) -> bool:
        """Whether anything suggests here, now or when it is loaded."""
        return self.card is not None or self.vocabulary_problem is None

    @property
    def needs_other_model(self) -> bool:
        """Whether there is none, or one for another version; one on its way comes to this one."""
        vocabulary, model = self._vocabulary, self._model
        if vocabulary is None or model is None:
            return self._is_loaded.is_set()
        return model.key != model_key(self.setup.directory, vocabulary.own, self._project)

    def learn(self) -> None:
        """Have what suggests here know what was decided since, before it is asked."""
        self._sources.teacher.teach(self.suggester, self.project_id)

    def switch_learning(self, *, is_on: bool) -> None:
        """Have decisions teach here from now on, or not, as `DecisionTeacher.switch`."""
        self._sources.teacher.switch(self.suggester, self.project_id, is_on=is_on)

    def wait_until_loaded(self, seconds: float) -> str:
        """Wait for the model, and return the state."""
        self._is_loaded.wait(seconds)
        return self.state

    def offered(self, prediction: Prediction) -> Prediction:
        """Return the prediction without suggestions that the version in use lacks.

        That is another one than it was made with after an import, or after another model came that
        was trained with another version.
        """
        vocabulary = self.vocabulary()
        if vocabulary is None:
            return prediction
        here = vocabulary.hierarchy
        kept = tuple(found for found in prediction.suggestions if found.concept_id in here)
        return replace(prediction, suggestions=kept)

    def parts(self) -> Iterator[Vocabulary | LoadedModel | LoadedBundle]:
        """Yield what it holds in memory, and may share with other projects."""
        model = self._model
        yield from filter(None, (self._vocabulary, model, model.bundle if model else None))

    def load(self) -> None:
        """Open the vocabulary and load the model, unless that was done; what fails is noted."""
        with self._loading:
            if self._is_loaded.is_set():
                return
            try:
                vocabulary = self.vocabulary()
                if vocabulary is not None:
                    vocabulary.index.warm()
                self._load()
            # Whatever it is, those who wait hear of it, and the loader goes on.
            except Exception as error:  # noqa: BLE001
                _LOG.exception("%s", NOT_LOADED)
                self.problem = in_a_sentence(error, NOT_LOADED)
            finally:
                self._is_loaded.set()
        self._sources.teacher.teach_all(self.suggester, self.project_id)

    def _load(self) -> None:
        """Load the chosen model, or that of the settings where it cannot be."""
        setup = self.setup
        try:
            self._load_from(setup)
        except (StrataError, RuntimeError, *SENSELESS) as error:
            standard = self._sources.setups.standard(self.vocabulary_id)
            is_standard = standard is not None and standard.directory == setup.directory
            if setup.card is None or is_standard:
                raise
            _LOG.exception("the chosen model could not be loaded")
            self._fall_back(setup, standard, said_of(setup.card, error))
            self._load_from(self.setup)

    def _load_from(self, setup: Setup) -> None:
        """Load a bundle for the version in use, which may be another one when it is there."""
        while True:
            seen = self.generation
            model = self._model_for(setup, own_part(self.hierarchy()))
            with self._changing:
                if self.generation == seen:
                    self._model = model
                    return

    def _model_for(self, setup: Setup, hierarchy: Hierarchy) -> LoadedModel | None:
        """Load what suggests in a version of the vocabulary, which may be newer than the model."""
        new = self._sources.vocabularies.new_concepts(setup, hierarchy)
        return self._sources.models.load(setup.directory, hierarchy, self._project, new)

    def _fall_back(self, setup: Setup, card: BundleCard | None, sentence: str) -> None:
        with self._state:
            self._setup = replace(setup, card=card, fallback=sentence)
            if setup.choice == BUNDLED and card is not None:
                self._vocabulary = self.vocabulary_problem = None

    # ------------------------------------------------------------------ another one

    def begin(self, change: Change) -> None:
        """Note what is about to be changed.

        Raises:
            BundleError: another model is on its way already.
        """
        with self._state:
            if self.change is not None and self.change.state == LOADING:
                raise BundleError(BUSY)
            self.change = change

    def exchange(self, change: Change, setup: Setup, keep: Callable[[Setup], None]) -> None:
        """Load what a change asks for beside what serves, and put it in its place.

        Where another version of the vocabulary is chosen meanwhile, the model comes to that one.

        Args:
            change: what `begin` noted; how it ends is noted there.
            keep: stores what is in use from now on; what it raises keeps the old one.
        """
        try:
            with self._loading:
                while not self._exchange(setup, keep):
                    setup = replace(setup, choice=self.choice)
        # Whatever it is, the old model goes on.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("the other model could not be taken")
            self.change = replace(change, state=FAILED, problem=in_a_sentence(error, NOT_LOADED))
        else:
            self.change = replace(change, state=TAKEN)
            self._sources.teacher.teach_all(self.suggester, self.project_id)

    def _exchange(self, setup: Setup, keep: Callable[[Setup], None]) -> bool:
        """Load and put in place; return False where something else took its place meanwhile."""
        seen = self.generation
        choice, vocabulary = self._vocabulary_for(setup)
        model = self._model_for(setup, vocabulary.own)
        with self._changing:
            if self.generation != seen:
                return False
            self._take(replace(setup, choice=choice), vocabulary, model, keep)
            return True

    def use_version(self, choice: VersionKey, keep: Callable[[Setup], None]) -> Setup:
        """Work with another version of the vocabulary, and return it with the model, which stays.

        Raises:
            VocabularyError: it cannot be read; then nothing changes.
            StoreError: the choice cannot be kept; likewise.
        """
        while True:
            seen = self.generation
            setup = Setup(choice, self.card)
            kept, vocabulary = self._vocabulary_for(setup)
            with self._changing:
                if self.generation == seen:
                    self._take(replace(setup, choice=kept), vocabulary, self._model, keep)
                    return setup

    def _take(
        self,
        setup: Setup,
        vocabulary: Vocabulary,
        model: LoadedModel | None,
        keep: Callable[[Setup], None],
    ) -> None:
        """Put a vocabulary and a model in place together, as soon as the choice is stored."""
        keep(setup)
        with self._state:
            self._setup, self._vocabulary, self._model = setup, vocabulary, model
            self.vocabulary_problem = None
            self.generation += 1
        self._is_open.set()
        if model is not None or not self.suggests:
            self.problem = None
            self._is_loaded.set()

    def _vocabulary_for(self, setup: Setup) -> tuple[VersionKey, Vocabulary]:
        """The one in use, where a setup names it, or another one."""
        here, old = self._vocabulary, self._setup
        is_same = old is not None and old.choice == setup.choice and setup.choice is not None
        if here and is_same and setup.choice not in (None, BUNDLED):
            return setup.choice, here
        choice, vocabulary = self._opened(setup)
        vocabulary.index.warm()
        return choice, vocabulary


def said_of(card: BundleCard, error: Exception) -> str:
    """Return why a chosen bundle does not serve, as sentences."""
    directory = card.directory
    said = error if isinstance(error, StrataError) else damaged(directory, named(error))
    return f"The model {directory.name} was chosen, but could not be loaded. {said}"


def in_a_sentence(error: BaseException, what: str) -> str:
    """Return an error's own sentence, or one that says what did not work."""
    return str(error) if isinstance(error, StrataError) else f"{what} ({error})."

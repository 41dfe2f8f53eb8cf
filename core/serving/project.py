"""A project as a server works on it: its vocabulary, and what suggests in it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from core.boundaries import SENSELESS
from core.clinical.joined import own_part
from core.errors import BundleError, StrataError, VocabularyError
from core.model.bundle.cards import BundleCard
from core.review.store.projects import Project
from core.serving.models import (
    FAILED,
    LOADING,
    TAKEN,
    Change,
    InUse,
    LoadedBundle,
    LoadedModel,
    Revision,
    Sources,
    has_names_first,
    in_a_sentence,
    model_key,
    said_of,
    warm_up,
)
from core.serving.setup import Setup
from core.serving.vocabularies import Vocabulary
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey

_LOG = logging.getLogger(__name__)

NOT_LOADED = "The model could not be loaded"
BUSY = "Another model is being loaded; choose again when it is there."


class ServedProject:
    """One open project, for all who work in it.

    Its vocabulary is opened when somebody first asks for it, its model by `load`, in the
    background. Another model or version is loaded beside what serves; then one reference is
    swapped, unless the revision was raised meanwhile. Whoever reads with a model holds it to the
    end, whatever takes its place.

    Attributes:
        row: what was chosen for it, as far as this process knows.
        is_begun: whether its model is loaded, or is being loaded; the registry sets it.
    """

    def __init__(self, row: Project, sources: Sources, revision: Revision) -> None:
        self.row = row
        self.project_id = row.project_id
        self.vocabulary_id = row.vocabulary_id
        self.change: Change | None = None
        self.is_begun = False
        self.began = time.monotonic()
        self._sources = sources
        self._revision = revision
        self._open_vocabulary = partial(
            sources.vocabularies.open,
            vocabulary_id=row.vocabulary_id,
            companions=sources.setups.companions(row),
        )
        self._in_use = InUse()
        self._opening = threading.Lock()  # held while the vocabulary is opened
        self._swapping = threading.Condition()  # held while a choice is stored and put in place

    @property
    def revision(self) -> int:
        """How often something was chosen for this project since the server started."""
        return self._revision.number

    # ------------------------------------------------------------------ what it is worked on with

    @property
    def setup(self) -> Setup:
        """The model bundle and the vocabulary's version.

        Raises:
            VocabularyError: the vocabulary is not here.
        """
        if (setup := self._in_use.setup) is None:
            setup = self._sources.setups.setup(self.row)
            with self._swapping:
                if self._in_use.setup is None:
                    self._swap(setup=setup)
        return self._in_use.setup or setup

    def _setup_if_any(self) -> Setup:
        try:
            return self.setup
        except VocabularyError:
            return Setup(BUNDLED, None)

    @property
    def card(self) -> BundleCard | None:
        """The bundle that serves, or is to serve when it is loaded."""
        return self._setup_if_any().card

    @property
    def choice(self) -> VersionKey:
        """The version of the vocabulary in use; the bundle's own where it is not known yet."""
        return self._setup_if_any().choice or BUNDLED

    @property
    def fallback(self) -> str:
        """Why what serves is not what was chosen; "" where it is."""
        return self._setup_if_any().fallback

    def _swap(self, **changes: Any) -> None:
        """Put something else in place; `_swapping` is held."""
        self._in_use = replace(self._in_use, **changes)
        self._swapping.notify_all()

    def _swap_unless_revised(self, revision: int, **changes: Any) -> None:
        with self._swapping:
            if self.revision == revision:
                self._swap(**changes)

    # ------------------------------------------------------------------ vocabulary

    @property
    def vocabulary_problem(self) -> str | None:
        """Why the vocabulary cannot be read."""
        return self._in_use.vocabulary_problem

    @property
    def is_opening(self) -> bool:
        """Whether the vocabulary is still to come."""
        return self._in_use.is_opening

    @property
    def is_first_time(self) -> bool:
        """Whether the vocabulary has yet to be read and indexed, which takes longest."""
        in_use = self._in_use
        return in_use.is_opening and in_use.setup is not None and in_use.setup.choice is None

    def vocabulary(self) -> Vocabulary | None:
        """Return the vocabulary, opened at the first call; None where it cannot be read."""
        if self._in_use.is_opening:
            with self._opening:
                while self._in_use.is_opening:
                    self._open()
        return self._in_use.vocabulary

    def wait_until_open(self, seconds: float) -> bool:
        """Wait for the vocabulary, and return whether it is there, or known not to be."""
        with self._swapping:
            return self._swapping.wait_for(lambda: not self.is_opening, seconds)

    def hierarchy(self) -> Hierarchy:
        """Return the vocabulary's hierarchy; an empty one where it cannot be read."""
        vocabulary = self.vocabulary()
        if vocabulary is not None:
            return vocabulary.hierarchy
        return Hierarchy([], vocabulary_id=self.vocabulary_id, version="")

    def bundled(self) -> Hierarchy:
        """Return the vocabulary of the project's model, or of the settings' where it has none.

        Raises:
            VocabularyError: the bundle has none that can be read.
        """
        directory = self.card.directory if self.card else self._sources.setups.settings.bundle_dir
        return self._sources.vocabularies.bundled(directory)

    def _open(self) -> None:
        """Open the version that was chosen, or the bundle's own where that is damaged."""
        revision = self.revision
        try:
            setup = self.setup
            try:
                choice, vocabulary = self._open_vocabulary(setup)
            except VocabularyError:
                if setup.choice in (None, BUNDLED) or setup.card is None:
                    raise
                _LOG.exception("the version in use cannot be read; the bundle's is used instead")
                choice, vocabulary = self._open_vocabulary(replace(setup, choice=BUNDLED))
        except VocabularyError as error:
            _LOG.exception("the vocabulary could not be loaded")
            self._swap_unless_revised(revision, vocabulary_problem=str(error))
        else:
            setup = replace(setup, choice=choice)
            self._swap_unless_revised(revision, setup=setup, vocabulary=vocabulary)

    # ------------------------------------------------------------------ model

    @property
    def state(self) -> str:
        """Whether the model is "loading", "ready" (also where there is none), or "failed"."""
        return self._in_use.state

    @property
    def problem(self) -> str | None:
        """Why there is no model, as a sentence."""
        return self._in_use.problem

    @property
    def model(self) -> LoadedModel | None:
        """What suggests here, once it is loaded."""
        return self._in_use.model

    @property
    def suggester(self) -> Suggester | None:
        """The suggester alone."""
        model = self.model
        return model.suggester if model else None

    @property
    def suggests(self) -> bool:
        """Whether anything suggests here, now or when it is loaded."""
        return self.card is not None or self.vocabulary_problem is None

    @property
    def needs_other_model(self) -> bool:
        """Whether the model is missing or of another version, and none is being loaded."""
        in_use = self._in_use
        if in_use.vocabulary is None or in_use.model is None:
            return in_use.is_loaded
        key = model_key(self.setup.directory, in_use.vocabulary.own, self.row)
        return in_use.model.key != key

    def learn(self) -> None:
        """Have what suggests here know what was decided since, before it is asked."""
        self._sources.teacher.teach(self.suggester, self.project_id)

    def switch_learning(self, *, is_on: bool) -> None:
        """Have decisions teach here from now on, or not, as `DecisionTeacher.switch`."""
        self._sources.teacher.switch(self.suggester, self.project_id, is_on=is_on)

    def wait_until_loaded(self, seconds: float) -> str:
        """Wait for the model, and return the state."""
        with self._swapping:
            self._swapping.wait_for(lambda: self._in_use.is_loaded, seconds)
        return self.state

    def parts(self) -> Iterator[Vocabulary | LoadedModel | LoadedBundle]:
        """Return the parts held in memory, which other projects may share."""
        return self._in_use.parts()

    def load(self, *, whole: bool = False) -> None:
        """Open the vocabulary and load the model, unless that was done; what fails is noted.

        Args:
            whole: whether a model is waited for, where names can suggest meanwhile.
        """
        if self._in_use.is_loaded:
            return
        try:
            while not self._in_use.is_loaded:
                self._load(whole=whole)
        # Whatever it is, those who wait hear of it, and the loader goes on.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("%s", NOT_LOADED)
            with self._swapping:
                if not self._in_use.is_loaded:  # else another one was taken meanwhile
                    self._swap(is_loaded=True, problem=in_a_sentence(error, NOT_LOADED))
        self._sources.teacher.teach_all(self.suggester, self.project_id)

    def finish(self) -> None:
        """Make the search ready, and load a model that names did without; if it cannot be, as `load`."""
        suggester, model = self.suggester, self.model
        # Alone, so that no text is sent to a suggester elsewhere.
        bundle = model.bundle.suggester if model and model.bundle else None
        del model  # so that it can go
        try:
            if (vocabulary := self._in_use.vocabulary) is not None:
                vocabulary.index.warm()
        except Exception:  # noqa: BLE001  # a search says itself what is wrong
            _LOG.exception("the search could not be made ready")
        if bundle is None or not has_names_first(self.setup.directory, self.hierarchy()):
            return
        try:
            warm_up(bundle)
        # Whatever it is, the second try says it.
        except Exception:  # noqa: BLE001
            with self._swapping:
                if self.suggester is suggester:
                    self._swap(model=None, is_loaded=False)
            self.load(whole=True)

    def _load(self, *, whole: bool) -> None:
        """Load the chosen model, or that of the settings where it cannot be loaded."""
        hierarchy, revision, setup = own_part(self.hierarchy()), self.revision, self.setup
        try:
            model = self._model_for(setup, hierarchy, whole=whole)
        except (StrataError, RuntimeError, *SENSELESS) as error:
            standard = self._sources.setups.standard(self.vocabulary_id)
            is_standard = standard is not None and standard.directory == setup.directory
            if setup.card is None or is_standard:
                raise
            _LOG.exception("the chosen model could not be loaded")
            instead = replace(setup, card=standard, fallback=said_of(setup.card, error))
            is_bundled = setup.choice == BUNDLED and standard is not None
            other = {"vocabulary": None, "vocabulary_problem": None} if is_bundled else {}
            self._swap_unless_revised(revision, setup=instead, **other)
        else:
            self._swap_unless_revised(revision, model=model, is_loaded=True)

    def _model_for(
        self, setup: Setup, hierarchy: Hierarchy, *, whole: bool = True
    ) -> LoadedModel | None:
        """Load what suggests in a version of the vocabulary, which may be newer than the model."""
        new = self._sources.vocabularies.new_concepts(setup, hierarchy)
        load = self._sources.models.load
        return load(setup.directory, hierarchy, self.row, new, whole=whole)

    # ------------------------------------------------------------------ another one

    def begin(self, change: Change) -> None:
        """Note what is about to be changed.

        Raises:
            BundleError: another model is on its way already.
        """
        with self._swapping:
            if self.is_changing:
                raise BundleError(BUSY)
            self.change = change

    @property
    def is_changing(self) -> bool:
        """Whether another model is on its way."""
        return self.change is not None and self.change.state == LOADING

    def exchange(self, change: Change, setup: Setup, keep: Callable[[Setup], Project]) -> None:
        """Load what a change asks for beside what serves, and put it in its place.

        Where another version of the vocabulary is chosen meanwhile, the model comes to that one.

        Args:
            change: what `begin` noted; how it ends is noted there.
            keep: stores what is in use from now on, and returns the project's row; what it raises
                keeps the old one.
        """
        try:
            while not self._exchange(setup, keep):
                setup = replace(setup, choice=self.choice)
        # Whatever it is, the old model goes on.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("the other model could not be taken")
            self.change = replace(change, state=FAILED, problem=in_a_sentence(error, NOT_LOADED))
        else:
            self.change = replace(change, state=TAKEN)
            self._sources.teacher.teach_all(self.suggester, self.project_id)

    def _exchange(self, setup: Setup, keep: Callable[[Setup], Project]) -> bool:
        revision = self.revision
        choice, vocabulary = self._vocabulary_for(setup)
        model = self._model_for(setup, vocabulary.own)
        setup = replace(setup, choice=choice)
        with self._swapping:
            return self.revision == revision and self._take(setup, vocabulary, model, keep)

    def use_version(self, choice: VersionKey, keep: Callable[[Setup], Project]) -> Setup:
        """Work with another version of the vocabulary, and return it with the model, which stays.

        Raises:
            VocabularyError: it cannot be read; then nothing changes.
            StoreError: the choice cannot be kept; likewise.
        """
        while True:
            revision, setup = self.revision, Setup(choice, self.card, self.fallback)
            opened, vocabulary = self._vocabulary_for(setup)
            with self._swapping:
                if self.revision == revision:
                    self._take(replace(setup, choice=opened), vocabulary, self.model, keep)
                    return setup

    def _take(
        self,
        setup: Setup,
        vocabulary: Vocabulary,
        model: LoadedModel | None,
        keep: Callable[[Setup], Project],
    ) -> bool:
        self.row = keep(setup)
        self._revision.number += 1
        self._swap(setup=setup, vocabulary=vocabulary, model=model, vocabulary_problem=None)
        if model is not None or not self.suggests:
            self._swap(problem=None, is_loaded=True)
        return True

    def _vocabulary_for(self, setup: Setup) -> tuple[VersionKey, Vocabulary]:
        in_use = self._in_use
        is_same = in_use.setup is not None and in_use.setup.choice == setup.choice
        if in_use.vocabulary and is_same and setup.choice not in (None, BUNDLED):
            return setup.choice, in_use.vocabulary
        choice, vocabulary = self._open_vocabulary(setup)
        vocabulary.index.warm()
        return choice, vocabulary

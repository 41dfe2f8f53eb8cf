"""Which bundle is served: the one that was chosen on the Models page, or that of the settings."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.boundaries import SENSELESS, named
from core.errors import BundleError, StoreError, StrataError
from core.model.bundles import BundleCard, find_bundles, read_card
from core.model.manifest import damaged
from core.review.store.people import default_person, read_preferences, set_preference
from core.review.store.store import Store
from core.settings import Settings
from core.suggest.protocol import Suggester
from core.suggest.service import SuggestionService, warmed
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from pages.vocabulary_names import title_of

_LOG = logging.getLogger(__name__)

CHOICE = "served_bundle"  # among the preferences of the one person, until there are accounts
NO_MODEL = {"folder": "", "hash": "", "name": "No model"}  # the choice of a project without one
LOADING, TAKEN, FAILED = "loading", "taken", "failed"
BUSY = "Another model is being loaded; choose again when it is there."


@dataclass(frozen=True, slots=True)
class Change:
    """The last change of the served model since the server started.

    Attributes:
        card: of a project without a model, that of the settings, which is not loaded.
        state: "loading", "taken" or "failed".
        problem: why it failed, as a sentence.
        project: the name of the project that it came, or comes, with; "" where it came alone.
        has_model: whether there is a model at all.
        is_first: whether its vocabulary has yet to be read and indexed, which takes longest.
        began: on the clock of `time.monotonic`.
    """

    card: BundleCard
    state: str
    problem: str = ""
    project: str = ""
    has_model: bool = True
    is_first: bool = False
    began: float = field(default_factory=time.monotonic, compare=False)


@dataclass(frozen=True, slots=True)
class Made:
    """What was loaded, and how it is put in use together.

    Attributes:
        hierarchy: what the bundle knows, where it was read already.
    """

    model: Suggester
    put_in_use: Callable[[], None]
    hierarchy: Hierarchy | None = None


class ServedModel:
    """The bundle that is served, and the way to another one.

    Args:
        store: the open store, asked for each time; the choice is kept in it.
        load: makes a model of a bundle's folder.
        prepare: makes ready what the vocabulary of another model needs, and gives back what puts
            it in use together with that model.
        join: adds to a loaded model what else suggests in the vocabulary that goes with it.
    """

    def __init__(
        self,
        settings: Settings,
        store: Callable[[], Store],
        load: Callable[[Path], Suggester],
        prepare: Callable[[Hierarchy], Callable[[], None]],
        join: Callable[[Suggester, Hierarchy], Suggester] = lambda model, _: model,
    ) -> None:
        self.settings = settings
        self._store = store
        self._load = load
        self._prepare = prepare
        self._join = join
        self._has_model = True
        self._lock = threading.RLock()
        self._directory: Path | None = None
        self._hierarchy: Hierarchy | None = None
        self.n_taken = 0  # how often another took the place of the one before
        self.change: Change | None = None
        self.fallback: str | None = None  # why what was chosen is not what is served

    # ------------------------------------------------------------------ what is served

    @property
    def directory(self) -> Path:
        """The folder of the bundle that is served, or is to be when it is loaded."""
        with self._lock:
            if self._directory is None:
                try:
                    self._directory = self._chosen()
                except StoreError:
                    _LOG.exception("which model was chosen cannot be read")
                    return self.settings.bundle_dir  # for now; the next call asks again
            return self._directory

    @property
    def has_model(self) -> bool:
        """Whether a bundle is served; else `directory` is the one that is gone back to."""
        return bool(self.directory) and self._has_model

    def card(self) -> BundleCard:
        """What its manifest says now."""
        return read_card(self.directory)

    def hierarchy(self) -> Hierarchy:
        """The vocabulary that it was trained with.

        Raises:
            VocabularyError: the bundle has none that can be read.
        """
        with self._lock:
            if self._hierarchy is None:
                self._hierarchy = own_vocabulary(self.directory)
            return self._hierarchy

    def load(self) -> Suggester:
        """The model to start with; that of the settings where the chosen one cannot be loaded.

        A chosen one has to read a text as well: weights that are no numbers load without complaint.

        Raises:
            BundleError: the one of the settings cannot be loaded either.
        """
        directory = self.directory
        self._has_model = True  # also where it was chosen to do without, in another vocabulary
        if directory == self.settings.bundle_dir:
            return self._load(directory)
        try:
            return warmed(self._load(directory))
        except (StrataError, RuntimeError, *SENSELESS) as error:
            _LOG.exception("the chosen model could not be loaded")
            model = self._load(self.settings.bundle_dir)
            said = error if isinstance(error, StrataError) else damaged(directory, named(error))
            self._fall_back(
                f"The model {directory.name} was chosen, but could not be loaded. {said}"
            )
            return model

    # ------------------------------------------------------------------ another one

    def cards(self) -> list[BundleCard]:
        """All bundles that are there now."""
        return find_bundles(self.settings)

    def serve(self, directory: Path, service: SuggestionService) -> None:
        """Load another bundle in the background, and serve it when it is ready.

        Raises:
            BundleError: it cannot be loaded, or another is being loaded.
        """
        card = read_card(directory)
        if card.problem:
            raise BundleError(card.problem)

        def make() -> Made:
            model = self._load(directory)
            hierarchy = own_vocabulary(directory)
            return Made(self._join(model, hierarchy), self._prepare(hierarchy), hierarchy)

        self.begin(Change(card, LOADING), make, service)

    def begin(self, change: Change, make: Callable[[], Made], service: SuggestionService) -> None:
        """Make what a change asks for in the background, and put it in use when it is ready.

        Raises:
            BundleError: another is being loaded.
        """
        with self._lock:
            if self.change and self.change.state == LOADING:
                raise BundleError(busy(self.change))
            self.change = change
        made: list[Made] = []

        def load() -> Suggester:
            made.append(make())
            return made[0].model

        def take() -> None:
            with self._kept(change):
                made[0].put_in_use()
            with self._lock:
                self._directory, self._has_model = change.card.directory, change.has_model
                self._hierarchy, self.fallback = made[0].hierarchy, None
            self.n_taken += 1
            self.change = replace(change, state=TAKEN)

        def failed(problem: str) -> None:
            self.change = replace(change, state=FAILED, problem=problem)

        if not service.exchange(load, take=take, failed=failed):
            failed(BUSY)
            raise BundleError(BUSY)

    # ------------------------------------------------------------------ the choice

    def remember(self) -> None:
        """Keep what is served as the choice, in a store that was restored from a backup."""
        try:
            self._keep(Change(self.card(), TAKEN, has_model=self.has_model))
        except StoreError:
            _LOG.exception("which model is served could not be kept")

    def _keep(self, change: Change) -> None:
        """Remember the choice; choosing the one of the settings forgets it."""
        card = change.card
        value = {"folder": str(card.directory), "hash": card.bundle_hash, "name": card.name}
        if not change.has_model:
            value = NO_MODEL
        elif card.directory == self.settings.bundle_dir:
            self._write(None)
            return
        self._write(value)

    @contextmanager
    def _kept(self, change: Change) -> Iterator[None]:
        """Remember the choice, and go back to the one before where what follows fails."""
        before = self._read()
        self._keep(change)
        try:
            yield
        except BaseException:
            self._write(before)
            raise

    def _read(self) -> object:
        store = self._store()
        return read_preferences(store, default_person(store).person_id).get(CHOICE)

    def _write(self, choice: object) -> None:
        store = self._store()
        set_preference(store, default_person(store).person_id, CHOICE, choice)

    def _chosen(self) -> Path:
        """The folder that was chosen, wherever it lies now."""
        chosen = self._read()
        self._has_model = chosen != NO_MODEL
        if not isinstance(chosen, dict) or not self._has_model:
            return self.settings.bundle_dir
        folder = Path(str(chosen.get("folder")))
        card = read_card(folder)
        if card.problem is None:
            return folder
        moved = (one for one in self.cards() if one.bundle_hash == chosen.get("hash"))
        found = next((one for one in moved if one.problem is None), None)
        if found is not None:
            return found.directory
        self._fall_back(f"The model {chosen.get('name')} was chosen. {card.problem}")
        return self.settings.bundle_dir

    def _fall_back(self, sentence: str) -> None:
        with self._lock:
            self.fallback = sentence
            self._directory, self._hierarchy = self.settings.bundle_dir, None


def busy(change: Change | None) -> str:
    """Why another model or project has to wait."""
    if change is None or not change.project:
        return BUSY
    return f"{title_of(change.project)} is being opened; choose again when it is there."


def own_vocabulary(directory: Path) -> Hierarchy:
    """The concepts that the model of a bundle knows.

    Raises:
        VocabularyError: there are none that can be read.
    """
    return LabelSpace.load(directory / "label_space.jsonl").hierarchy

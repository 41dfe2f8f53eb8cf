"""Which bundle is served: the one that was chosen on the Models page, or that of the settings."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import BundleError, StoreError, StrataError
from core.model.bundles import BundleCard, find_bundles, read_card
from core.model.manifest import SENSELESS, damaged, in_words
from core.review.store import Store
from core.settings import Settings
from core.suggest.service import Suggester, SuggestionService, warmed
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace

_LOG = logging.getLogger(__name__)

CHOICE = "served_bundle"  # among the preferences of the one person, until there are accounts
LOADING, TAKEN, FAILED = "loading", "taken", "failed"
BUSY = "Another model is being loaded; choose again when it is there."


@dataclass(frozen=True, slots=True)
class Change:
    """The last change of the served model since the server started.

    Attributes:
        state: "loading", "taken" or "failed".
        problem: why it failed, as a sentence.
    """

    card: BundleCard
    state: str
    problem: str = ""


class ServedModel:
    """The bundle that is served, and the way to another one.

    Args:
        store: the open store, asked for each time; the choice is kept in it.
        load: makes a model of a bundle's folder.
        prepare: makes ready what the vocabulary of another model needs, and gives back what puts
            it in use together with that model.
    """

    def __init__(
        self,
        settings: Settings,
        store: Callable[[], Store],
        load: Callable[[Path], Suggester],
        prepare: Callable[[Hierarchy], Callable[[], None]],
    ) -> None:
        self.settings = settings
        self._store = store
        self._load = load
        self._prepare = prepare
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
                self._hierarchy = LabelSpace.load(self.directory / "label_space.jsonl").hierarchy
            return self._hierarchy

    def load(self) -> Suggester:
        """The model to start with; that of the settings where the chosen one cannot be loaded.

        A chosen one has to read a text as well: weights that are no numbers load without complaint.

        Raises:
            BundleError: the one of the settings cannot be loaded either.
        """
        directory = self.directory
        if directory == self.settings.bundle_dir:
            return self._load(directory)
        try:
            return warmed(self._load(directory))
        except (StrataError, RuntimeError, *SENSELESS) as error:
            _LOG.exception("the chosen model could not be loaded")
            model = self._load(self.settings.bundle_dir)
            said = error if isinstance(error, StrataError) else damaged(directory, in_words(error))
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
        with self._lock:
            if self.change and self.change.state == LOADING:
                raise BundleError(BUSY)
            self.change = change = Change(card, LOADING)
        made: list[tuple[Hierarchy, Callable[[], None]]] = []

        def load() -> Suggester:
            model = self._load(directory)
            hierarchy = LabelSpace.load(directory / "label_space.jsonl").hierarchy
            made.append((hierarchy, self._prepare(hierarchy)))
            return model

        def take() -> None:
            ((hierarchy, put_in_use),) = made
            with self._kept(card):
                put_in_use()
            with self._lock:
                self._directory, self._hierarchy, self.fallback = directory, hierarchy, None
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
            self._keep(self.card())
        except StoreError:
            _LOG.exception("which model is served could not be kept")

    def _keep(self, card: BundleCard) -> None:
        """Remember the choice; choosing the one of the settings forgets it."""
        value = {"folder": str(card.directory), "hash": card.bundle_hash, "name": card.name}
        is_standard = card.directory == self.settings.bundle_dir
        self._write(None if is_standard else value)

    @contextmanager
    def _kept(self, card: BundleCard) -> Iterator[None]:
        """Remember the choice, and go back to the one before where what follows fails."""
        before = self._read()
        self._keep(card)
        try:
            yield
        except BaseException:
            self._write(before)
            raise

    def _read(self) -> object:
        store = self._store()
        return store.preferences(store.default_person().person_id).get(CHOICE)

    def _write(self, choice: object) -> None:
        store = self._store()
        store.set_preference(store.default_person().person_id, CHOICE, choice)

    def _chosen(self) -> Path:
        """The folder that was chosen, wherever it lies now."""
        chosen = self._read()
        if not isinstance(chosen, dict):
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

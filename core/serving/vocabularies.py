"""Vocabularies that are open, with their search indexes; projects of one version share it."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from core.clinical.joined import JoinedHierarchy, own_part
from core.clinical.search import open_index
from core.errors import VocabularyError
from core.serving.setup import Setup
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.search.index_file import SUFFIX
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.comparison import new_concepts
from core.vocabulary.versions.keeping import index_path, keep_built_in
from core.vocabulary.versions.prepared import PREPARED, copy_index
from core.vocabulary.versions.vocabulary_versions import (
    BUNDLED,
    VersionKey,
    VocabularyVersions,
    folder_name,
)

if TYPE_CHECKING:
    from core.suggest.remote.names import RemoteTexts

# Measured on EuroVoc and ICD-10-CM, with links and what the search keeps of words.
BYTES_OF_CONCEPT, BYTES_OF_LABEL = 600, 80
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Vocabulary:
    """A version of a vocabulary, and its search index.

    Attributes:
        n_bytes: about how much memory it holds.
    """

    hierarchy: Hierarchy
    index: VocabularyIndex
    n_bytes: int = 0

    @property
    def own(self) -> Hierarchy:
        """The vocabulary without its companions: what models know."""
        return own_part(self.hierarchy)


class Vocabularies:
    """Opens versions of vocabularies, each once for all projects that use it.

    Args:
        bundled: reads the vocabulary in a bundle's folder.
        texts: looks through texts in another process, which reads codes at the same time; None
            where that is done here.
    """

    def __init__(
        self,
        versions: VocabularyVersions,
        bundled: Callable[[Path], Hierarchy],
        texts: RemoteTexts | None = None,
    ) -> None:
        self.versions = versions
        self._bundled, self._texts = bundled, texts
        self._hierarchies: WeakValueDictionary[tuple[Path, int], Hierarchy] = WeakValueDictionary()
        self._opened: WeakValueDictionary[int, Vocabulary] = WeakValueDictionary()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def open(
        self, setup: Setup, vocabulary_id: str, companions: Sequence[VersionKey] = ()
    ) -> tuple[VersionKey, Vocabulary]:
        """Open what a setup names; the first time, a built-in vocabulary is kept and indexed.

        Args:
            companions: code systems that are used beside it, and found with it.

        Returns:
            The version, which a setup may leave open, and the vocabulary.
        Raises:
            VocabularyError: it is not there, or cannot be read.
        """
        with self._locks[vocabulary_id]:  # who opens another one does not wait for this one
            choice = setup.choice or keep_built_in(self.versions, vocabulary_id).key
            if self._texts and choice != BUNDLED and conventions_of(vocabulary_id).lexical:
                self._texts.read_ahead(choice, self.versions.home)
            hierarchy = self.hierarchy(choice, setup.directory)
            hierarchy.earlier_versions = partial(
                self._earlier, choice, vocabulary_id, setup.directory
            )
            others = [self.versions.load(companion) for companion in companions]
            if not others:
                return choice, self._indexed(hierarchy)
            names = "+".join(folder_name(f"{c.vocabulary_id} {c.version}") for c in others)
            joined = JoinedHierarchy(hierarchy, others)
            joined.earlier_versions = hierarchy.earlier_versions
            return choice, self._indexed(joined, names)

    def _earlier(
        self, choice: VersionKey, vocabulary_id: str, bundle_dir: Path | None
    ) -> Iterator[Hierarchy]:
        """Yield what was imported before a version, and then what the model was trained with.

        One that cannot be read is left out: labels of withdrawn concepts alone are looked for.
        """
        entries = [e for e in self.versions.entries() if e.vocabulary_id == vocabulary_id]
        at = next((position for position, e in enumerate(entries) if e.key == choice), 0)
        for entry in reversed(entries[:at]):
            with suppress(VocabularyError):
                yield self.versions.load(entry.key)
        if choice != BUNDLED and bundle_dir is not None:
            with suppress(VocabularyError):
                bundled = self.bundled(bundle_dir)
                if bundled.vocabulary_id == vocabulary_id:
                    yield bundled

    def hierarchy(self, choice: VersionKey, bundle_dir: Path | None) -> Hierarchy:
        """Read the concepts of a version; those of a bundle where the choice says so.

        Raises:
            VocabularyError: it is not there, or cannot be read.
        """
        if choice != BUNDLED:
            return self.versions.load(choice)
        if bundle_dir is None:
            raise VocabularyError("There is no model whose vocabulary could be used.")
        return self.bundled(bundle_dir)

    def bundled(self, directory: Path) -> Hierarchy:
        """Read the vocabulary that the model of a bundle was trained with.

        Raises:
            VocabularyError: the bundle has none that can be read.
        """
        try:
            key = directory, (directory / "label_space.jsonl").stat().st_mtime_ns
        except OSError:
            return self._bundled(directory)  # which says what is wrong
        hierarchy = self._hierarchies.get(key)
        if hierarchy is None:
            hierarchy = self._hierarchies[key] = self._bundled(directory)
        return hierarchy

    def new_concepts(self, setup: Setup, hierarchy: Hierarchy) -> frozenset[str]:
        """Return the concepts that the model of a setup does not know; none where it has none."""
        if setup.directory is None or setup.choice == BUNDLED:
            return frozenset()
        with suppress(VocabularyError):
            return new_concepts(hierarchy, self.bundled(setup.directory))
        return frozenset()  # loading the bundle says what is wrong with it

    def _indexed(self, hierarchy: Hierarchy, companions: str = "") -> Vocabulary:
        """The vocabulary with its search index, which is made where there is none yet.

        Args:
            companions: what the name of the index says beside that of the vocabulary.
        """
        vocabulary = self._opened.get(id(hierarchy))  # it holds the hierarchy, so the id is its own
        if vocabulary is None:
            index = search_index(hierarchy, self.versions.home, companions)
            vocabulary = self._opened[id(hierarchy)] = Vocabulary(
                hierarchy, index, _held_bytes(hierarchy)
            )
        return vocabulary


def search_index(hierarchy: Hierarchy, home: Path, companions: str = "") -> VocabularyIndex:
    """Open the search index of a vocabulary, which is made where there is none yet."""
    path = index_path(home, hierarchy)
    if companions:
        path = path.with_name(f"{path.name.removesuffix(SUFFIX)}+{companions}{SUFFIX}")
    copy_index(path, PREPARED)
    try:
        return open_index(hierarchy, path)
    except VocabularyError:
        _LOG.warning("the search index goes to a temporary folder", exc_info=True)
        return VocabularyIndex.build(hierarchy, Path(tempfile.mkdtemp()) / path.name)


def _held_bytes(hierarchy: Hierarchy) -> int:
    concepts = (hierarchy[concept_id] for concept_id in hierarchy)
    n_labels = sum(
        len(concept.pref_label)
        + sum(map(len, (*concept.alt_labels.values(), *concept.hidden_labels.values())))
        for concept in concepts
    )
    return BYTES_OF_CONCEPT * len(hierarchy) + BYTES_OF_LABEL * n_labels

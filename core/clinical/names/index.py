"""All wordings of a vocabulary in a few arrays, and the file that they are read from."""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from core.boundaries import VOCABULARY_FILES
from core.clinical.names.tables import names_in_notes
from core.clinical.names.wordings import Kind, wordings
from core.home import written_beside
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.columnar import content_checksum
from core.vocabulary.versions.vocabulary_versions import folder_name

FORMAT = 26  # to be raised whenever wordings change
Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True)
class LexicalIndex:
    """Wordings by number; the names of one are neighbours, and so are its keys.

    Attributes:
        vocabulary: each key once; its place is its number.
        keys: of all wordings, one after the other, shape (n_keys of all wordings).
        key_starts: where those of each wording begin in `keys`, and an end, (n_wordings + 1).
        concepts: the places in the hierarchy's order of the concepts that wordings stand for.
        kinds: of each of these names, `Kind` as a number.
        lowered: whether each of them names a category, of which the concept is the plain code.
        name_starts: where the names of each wording begin in the three, and an end.
    """

    vocabulary: npt.NDArray[np.str_]
    keys: Numbers
    key_starts: Numbers
    concepts: Numbers
    kinds: npt.NDArray[np.int8]
    lowered: npt.NDArray[np.bool_]
    name_starts: Numbers

    @classmethod
    def build(cls, hierarchy: Hierarchy) -> LexicalIndex:
        """From all labels of a hierarchy; some seconds for ICD-10-CM."""
        named = names_of(hierarchy)
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(k, len(numbers)) for k in keys.split()] for keys in named]
        names = [name for group in named.values() for name in group]
        place = {concept_id: n for n, concept_id in enumerate(hierarchy)}
        return cls(
            vocabulary=np.array(list(numbers), dtype=np.str_),
            keys=np.array([key for row in rows for key in row], dtype=np.int32),
            key_starts=starts([len(row) for row in rows]),
            concepts=np.array([place[name.concept_id] for name in names], dtype=np.int32),
            kinds=np.array([name.kind for name in names], dtype=np.int8),
            lowered=np.array([name.lowered for name in names], dtype=np.bool_),
            name_starts=starts([len(group) for group in named.values()]),
        )

    @classmethod
    def open(cls, hierarchy: Hierarchy, path: Path) -> LexicalIndex:
        """From the file of this very vocabulary, which is written where it is not there.

        Raises:
            VocabularyError: the file cannot be written.
        """
        stamp = _stamp(hierarchy)
        index = _read(path, stamp)
        if index is None:
            index = cls.build(hierarchy)
            _write(index, path, stamp)
        return index

    def __len__(self) -> int:
        """How many wordings there are."""
        return len(self.key_starts) - 1

    def kind(self, name: int) -> Kind:
        """Return how literal a name is."""
        return Kind(int(self.kinds[name]))


def index_file(hierarchy: Hierarchy, home: Path) -> Path:
    """Return where the index of a vocabulary's names is kept, beside that of its search.

    A model's own table of the codes that it knows is of the same version as the whole vocabulary.
    """
    names = (folder_name(hierarchy.vocabulary_id), folder_name(hierarchy.version))
    return home / "search" / f"{'.'.join(names)}.{len(hierarchy)}.names.npz"


def starts(lengths: list[int] | npt.NDArray[np.integer]) -> Numbers:
    """Where stretches of these lengths begin, one after the other, and the end of the last."""
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)


def _stamp(hierarchy: Hierarchy) -> str:
    """Return what shows whether an index is of this very vocabulary, its names in notes, and format."""
    of = (hierarchy.vocabulary_id, hierarchy.version, content_checksum(hierarchy))
    # An update may bring more names: an index without them would be read for ever.
    in_notes = sorted(names_in_notes(hierarchy.vocabulary_id).items())
    return " ".join((str(FORMAT), "en", *of, f"{crc32(repr(in_notes).encode()):08x}"))


def _read(path: Path, stamp: str) -> LexicalIndex | None:
    """Return what is in the file; None where it is missing, damaged, or of another vocabulary."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if str(arrays["stamp"]) != stamp:
                return None
            return LexicalIndex(**{name: arrays[name] for name in arrays.files if name != "stamp"})
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None


def _write(index: LexicalIndex, path: Path, stamp: str) -> None:
    with (
        VOCABULARY_FILES.translated(
            "The index of names cannot be written to {path} ({reason}); "
            "free some space there, or allow Strata to write.",
            path=path,
        ),
        written_beside(path, suffix=".npz") as new,
    ):
        np.savez(new, allow_pickle=False, stamp=np.array(stamp), **vars(index))


# ---------------------------------------------------------------------- the names of each concept

MAX_RIVALS = 2  # concepts that one wording may stand for; of more it says nothing
_UNSPECIFIED = re.compile(
    r"\b(?:unspecified|nos|initial encounter|without complications?|uncomplicated)\b",
    re.IGNORECASE,
)
# A block of ICD without categories of its own, which kept versions have as a code.
_BLOCK = re.compile(r"[A-Z]\d\w-[A-Z]\d\w")
# What a code adds to its category that says the visit and no more, which no note does.
WITH_VISIT = ("S", "T80", "T81", "T82", "T83", "T84", "T85", "T86", "T88")
"""Beginnings of injuries and complications of care; causes of injuries are named in passing."""
_FIRST_VISIT = re.compile(r"\.?X{0,3}A")


class ConceptName(NamedTuple):
    """A concept that a wording stands for.

    Attributes:
        n_left_out: words of the label that are not in the wording.
        lowered: whether the wording names a category, and this is its code without particulars.
    """

    concept_id: str
    kind: Kind
    n_left_out: int
    lowered: bool = False

    @property
    def looseness(self) -> tuple[bool, Kind, int]:
        """How far the wording is from naming this very concept."""
        return self.lowered, self.kind, self.n_left_out


def names_of(hierarchy: Hierarchy) -> dict[str, list[ConceptName]]:
    """Return the assignable concepts of each wording, those that it names most literally."""
    everything: dict[str, list[ConceptName]] = defaultdict(list)
    called = names_in_notes(hierarchy.vocabulary_id)
    for concept_id in hierarchy:
        if hierarchy[concept_id].assignable and _BLOCK.fullmatch(concept_id):
            continue
        also_called = called.get(concept_id, ())
        for wording in wordings(hierarchy[concept_id], also_called):
            name = ConceptName(concept_id, wording.kind, wording.n_left_out)
            everything[wording.keys].append(name)
    plain = PlainCodes(hierarchy)
    named = {keys: _most_literal(plain, names) for keys, names in everything.items()}
    return {keys: names for keys, names in named.items() if names}


def _most_literal(plain: PlainCodes, names: Sequence[ConceptName]) -> list[ConceptName]:
    """Of the concepts that share a wording those that it says most of; none where they are many."""
    by_concept: dict[str, ConceptName] = {}
    for name in names:
        lowered = plain.lowered(name)
        if lowered is not None:
            earlier = by_concept.setdefault(lowered.concept_id, lowered)
            if lowered.looseness < earlier.looseness:
                by_concept[lowered.concept_id] = lowered
    if not by_concept:
        return []
    best = min(name.looseness for name in by_concept.values())
    most_literal = [name for name in by_concept.values() if name.looseness == best]
    return most_literal if len(most_literal) <= MAX_RIVALS else []


class PlainCodes:
    """The code of each category that says no more than the category does."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._known: dict[str, str | None] = {}

    def lowered(self, name: ConceptName) -> ConceptName | None:
        """Return the name of an assignable concept, or of the plain code below a category."""
        if self._hierarchy[name.concept_id].assignable:
            return name
        below = self.below(name.concept_id)
        if below is None:
            return None
        says_visit_alone = below.startswith(WITH_VISIT) and _FIRST_VISIT.fullmatch(
            below.removeprefix(name.concept_id)
        )
        return name._replace(concept_id=below, lowered=not says_visit_alone)

    def below(self, concept_id: str) -> str | None:
        """Return the plain code below a category; None where there is none."""
        if concept_id not in self._known:
            self._known[concept_id] = self._find(concept_id)
        return self._known[concept_id]

    def _find(self, concept_id: str) -> str | None:
        """Down the one narrower concept, or the one that says "unspecified", to a code."""
        hierarchy, here = self._hierarchy, concept_id
        while not hierarchy[here].assignable:
            narrower = hierarchy.narrower(here)
            plain = [i for i in narrower if _UNSPECIFIED.search(hierarchy[i].label())]
            if len(narrower) == 1:
                here = narrower[0]
            elif plain:
                here = min(plain, key=_plainness)
            else:
                return None
        return here


def _plainness(concept_id: str) -> tuple[int, str]:
    """ICD ends the plainest code in 9, or else in 0: asthma, unspecified, is J45.90."""
    return ("90".find(concept_id[-1]) if concept_id[-1] in "90" else 2), concept_id

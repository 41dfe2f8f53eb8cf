"""Concepts that came with the documents of a batch: by id, URI, notation or label.

A text is an id only as a whole: “Regulation 2016/679” and “Agenda 2030” have a number at their end
that may be the id of a concept, and mean none.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite

from core.clinical.joined import JoinedHierarchy
from core.vocabulary.concepts import URL_SCHEME, Concept, Hierarchy, plain_uri, same_language
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import composed, fold_text
from core.vocabulary.full_titles import is_title_of

SEPARATORS = re.compile(r"[;|\n\t]")
# Tried on what is not known as a whole: labels may have commas and spaces in them.
COMMA, BLANKS = re.compile(r","), re.compile(r"\s+")
# The surest name first; what an id is of shows in the URI beside it.
LABEL_KEYS = ("label", "pref_label", "prefLabel", "name")
NAMING_KEYS = ("uri", "id", "concept_id", "notation", *LABEL_KEYS)
DECISION_KEY = "decision"  # of a concept in an export of this program
GIVEN_DECISIONS = ("", "accepted", "given")  # the others say what a document is not about
Named = dict[str, str | None]
"""What each label names; None where that is two concepts."""

N_KINDS = 4  # of labels
MAX_VALUE_CHARACTERS = 100_000
CUT_VALUE = f"… and what stands behind the first {MAX_VALUE_CHARACTERS:,} characters"
MAX_SHOWN_CHARACTERS = 200  # of a value that names nothing
DIGITS = re.compile(r"\d+")
NUMBER = re.compile(r"[\W\d_]+")
SIGNS_OF_NAMES = "+#%<>="


@dataclass(frozen=True, slots=True)
class Assigned:
    """What a cell names.

    Attributes:
        concept_ids: those that the vocabulary has, each once, in the order of the cell.
        unknown: names that it does not have, or that are no concepts to be assigned.
    """

    concept_ids: tuple[str, ...]
    unknown: tuple[str, ...]


class ConceptNames:
    """Finds concepts by whatever a batch calls them.

    Args:
        language: in which labels are meant first; a label of another one may mean something else,
            as "raisin" does in English and in French.
    """

    def __init__(self, hierarchy: Hierarchy, language: str = "") -> None:
        self._exact: dict[str, str | None] = {}
        self._uris: dict[str, str] = {}
        self._hierarchy = hierarchy
        written, folded = _by_kind(), _by_kind()
        concepts = [hierarchy[i] for i in hierarchy if hierarchy[i].assignable]
        for concept in concepts:
            self._exact[concept.concept_id] = concept.concept_id
            self._uris[plain_uri(concept.uri)] = concept.concept_id
        for concept in concepts:
            if concept.notation:
                self._exact.setdefault(concept.notation, concept.concept_id)
            for kind, labels in enumerate(_labels_by_kind(concept, language)):
                _note(written[kind], labels, concept.concept_id)
                _note(folded[kind], map(_label, labels), concept.concept_id)
        self._labels = _first_kinds(folded)
        # Accents and case may be all that tells labels of a language apart, as "SEA" and "sea".
        self._tried = (*_tried(written[:2], folded[:2]), *_tried(written[2:], folded[2:]))
        self._pointless: dict[str, str | None] = {}
        if conventions_of(hierarchy.vocabulary_id).system:
            for concept in concepts:
                plain = _label(concept.concept_id.replace(".", ""))
                _note(self._pointless, [plain], concept.concept_id)
        self._prefixes = set(map(_prefix, (hierarchy.vocabulary_id, *_companions(hierarchy))))
        self._shapes = set(map(_shape, (*self._exact, *self._pointless)))

    def find(self, name: str) -> str | None:
        """Return the concept of this name; None where there is none, or more than one.

        Codes may be written without their point, unless they are two codes then: 9915 of ICD-9-CM.
        """
        name = name.strip()
        if concept_id := self._by_id(name):
            return concept_id
        for key, names in self._tried:
            if (called := key(name)) in names:
                return names[called]
        return self._with_title(name) if self._pointless else None

    def _with_title(self, name: str) -> str | None:
        """Return the code of a name that is a code and its title, as lists of codes have them."""
        code, _, title = name.partition(" ")
        concept_id, named = self._by_id(code.strip(":-–")), self._labels.get(_label(title))
        if not concept_id or named:
            return concept_id if named == concept_id else None
        # A list may begin so: then only its first piece is of the title.
        concept, pieces = self._hierarchy[concept_id], COMMA.split(title)
        return concept_id if all(is_title_of(concept, piece) for piece in pieces) else None

    def find_in(self, named: Mapping[str, object]) -> str | None:
        """Return the concept that an object names; None where there is none.

        Many vocabularies have an id 101: it is one of this vocabulary where the URI beside it is, or
        where no URI and no other label is there.
        """
        given = {key: str(named[key]).strip() for key in NAMING_KEYS if named.get(key)}
        labels = [given.pop(key) for key in LABEL_KEYS if key in given]
        by_label = next(filter(None, map(self._by_label, labels)), None)
        if "uri" in given:
            return self._by_id(given["uri"]) or by_label
        by_id = next(filter(None, map(self._by_id, given.values())), None)
        has_other_label = labels and not any(_label(label) in self._labels for label in labels)
        return by_label or (None if has_other_label else by_id)

    def _by_id(self, name: str) -> str | None:
        name = _bare(name)
        if concept_id := self._exact.get(name) or self._uris.get(plain_uri(name)):
            return concept_id
        name = self._local_name(name) or name
        if concept_id := self._exact.get(name):
            return concept_id
        if not self._pointless:
            return None
        return self._exact.get(name.upper()) or self._pointless.get(name.casefold())

    def _local_name(self, name: str) -> str:
        """Return what stands behind the name of this vocabulary in a CURIE; "" of any other text."""
        prefix, _, local = name.partition(":")
        is_curie = len(prefix.split()) == len(local.split()) == 1 and not prefix[-1].isspace()
        return local.strip() if is_curie and _prefix(prefix) in self._prefixes else ""

    def read(self, value: object) -> Assigned:
        """Return the concepts that a cell or JSON value names."""
        read_ids: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for named in _named(value):
            if isinstance(named, str):
                concept_ids, others = self._known(named)
            else:
                concept_id = self.find_in(named)
                concept_ids = [concept_id] if concept_id else []
                others = [] if concept_id else [_shown(named)]
            read_ids.update(dict.fromkeys(concept_ids))
            unknown.update(dict.fromkeys(others))
        return Assigned(tuple(read_ids), tuple(unknown))

    def _known(self, name: str) -> tuple[list[str], list[str]]:
        """Return the concepts of a name, which may be a list, and the names in it that have none.

        Numbers in a list are ids only where all of it is written like ids; of pieces between blanks,
        that holds for codes as well.
        """
        if concept_id := self.find(name):
            return [concept_id], []
        for separator in (COMMA, BLANKS):
            pieces = [piece.strip() for piece in separator.split(name) if piece.strip()]
            are_ids = all(self._is_shaped_like_id(piece) for piece in pieces)
            if len(pieces) < 2 or not (are_ids or separator is COMMA):
                continue
            find = self.find if are_ids else self._by_label
            by_piece = {piece: find(piece) for piece in pieces}
            if any(by_piece.values()):
                concept_ids = [concept_id for concept_id in by_piece.values() if concept_id]
                return concept_ids, [
                    piece for piece, piece_ids in by_piece.items() if not piece_ids
                ]
        return [], [name]

    def _by_label(self, name: str) -> str | None:
        """Return the concept of a name among others; a number is none there, unless it is a code."""
        return self.find(name) if self._pointless or not NUMBER.fullmatch(name) else None

    def _is_shaped_like_id(self, piece: str) -> bool:
        bare = _bare(piece)
        if URL_SCHEME.match(bare):
            return True
        if self._local_name(bare):
            return True
        return bool(DIGITS.search(bare)) and _shape(bare) in self._shapes


def _labels_by_kind(concept: Concept, language: str) -> tuple[list[str], ...]:
    """Return the labels by what they count: preferred and other ones of a language, then of others."""
    kinds: tuple[list[str], ...] = ([], [], [], [])
    for tag, label in concept.pref_label.items():
        kinds[0 if same_language(tag, language) else 2].append(label)
    for by_language in (concept.alt_labels, concept.hidden_labels):
        for tag, labels in by_language.items():
            kinds[1 if same_language(tag, language) else 3].extend(labels)
    return kinds


def _by_kind() -> list[Named]:
    return [{} for _ in range(N_KINDS)]


def _first_kinds(by_kind: Sequence[Named]) -> Named:
    """Return for each label what it names among those that count most."""
    return dict(chain.from_iterable(names.items() for names in reversed(by_kind)))


def _tried(
    written: Sequence[Named], folded: Sequence[Named]
) -> Iterator[tuple[Callable[[str], str], Named]]:
    """Yield what makes labels alike, with what each then names, in the order of trying.

    The first letter may be a capital only for the place of a label: it counts where nothing else
    tells two labels apart.
    """
    begun = _first_kinds([_without_capitals(names) for names in written])
    exact = _first_kinds(written)
    apart = {label: i for label, i in exact.items() if begun[_without_capital(label)] is None}
    yield composed, apart
    yield _without_capital, begun
    yield _label, _first_kinds(folded)


def _without_capitals(names: Named) -> Named:
    merged: Named = {}
    for label, concept_id in names.items():
        _note(merged, [_without_capital(label)], concept_id)
    return merged


def _without_capital(name: str) -> str:
    name = composed(name)
    return name[:1].lower() + name[1:]


def _named(value: object) -> list[str | Mapping[str, object]]:
    """Return the names in a value, and the objects that name a concept by several of its names."""
    if isinstance(value, str):
        text = value[:MAX_VALUE_CHARACTERS].strip()
        if text.startswith("[") and (listed := _listed(text)) is not None:
            return _named(listed)
        cut = [CUT_VALUE] if len(value) > MAX_VALUE_CHARACTERS else []
        return [*(name.strip() for name in SEPARATORS.split(text) if name.strip()), *cut]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [str(int(value)) if value == int(value) else str(value)] if isfinite(value) else []
    if isinstance(value, Mapping):
        return [value] if value.get(DECISION_KEY, "") in GIVEN_DECISIONS else []
    if isinstance(value, list | tuple):
        simple = [item.strip() if isinstance(item, str) else item for item in value]
        return [
            name
            for item in simple
            for name in ([item] if isinstance(item, str) else _named(item))
            if name
        ]
    return [_shown(value)]


def _shown(value: object) -> str:
    named = value if isinstance(value, Mapping) else {}
    names = (str(named[key]).strip() for key in ("id", *NAMING_KEYS) if named.get(key))
    return next(names, str(value))[:MAX_SHOWN_CHARACTERS]


def _bare(name: str) -> str:
    """Return a URI without the angle brackets that RDF has around it."""
    return name[1:-1].strip() if name.startswith("<") and name.endswith(">") else name


def _prefix(name: str) -> str:
    """Return a name of a vocabulary as CURIEs may have it: ICD-10-CM and icd10cm are one."""
    return fold_text(name).replace(" ", "")


def _companions(hierarchy: Hierarchy) -> list[str]:
    parts = hierarchy.companions if isinstance(hierarchy, JoinedHierarchy) else ()
    return [part.vocabulary_id for part in parts]


def _shape(name: str) -> str:
    """Return how an id is written, whichever letters and however many digits it has: A9.9."""
    letters = "".join("A" if sign.isalpha() else sign for sign in name)
    return DIGITS.sub("9", letters)


def _label(name: str) -> str:
    """Return a name as labels are compared, with the signs that make it another: C++ is not C."""
    return " ".join((fold_text(name), "".join(filter(SIGNS_OF_NAMES.__contains__, name)))).strip()


def _listed(text: str) -> list[object] | None:
    """Return a list as JSON has it, or as data frames write it into a cell."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list):
            return value
    return None


def _note(names: Named, labels: Iterable[str], concept_id: str | None) -> None:
    """Keep what concept these labels name; a label of two names neither."""
    for label in labels:
        names[label] = concept_id if names.get(label, concept_id) == concept_id else None

"""ICD-10-CM of the package `simple-icd-10-cm`: the tree, inclusion terms, and all instructions."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.clinical.codes.reading import CodeReading
from core.clinical.notation import ICD10CM
from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import INCLUDES, conventions_of

PACKAGE = "simple_icd_10_cm"
SYSTEM = conventions_of(ICD10CM).system
URI_BASE = f"{SYSTEM}/"
INCLUSION_TERM = "inclusionTerm"
EXCLUDES_1, EXCLUDES_2 = "excludes1", "excludes2"
CODE_FIRST, USE_ADDITIONAL_CODE, CODE_ALSO = "codeFirst", "useAdditionalCode", "codeAlso"
NOTE, SEVENTH_CHARACTER = "note", "sevenChrDef"
_TABULAR = re.compile(r"icd10c?m?-tabular-([A-Za-z]+-\d+-\d+)\.xml")
_MISSING = "simple-icd-10-cm is missing; install it as requirements.txt says."


def icd10cm() -> Hierarchy:
    """Return all chapters, blocks, categories and codes; only the lowest codes are assignable.

    A block that is one category (`B99`) is one concept with the notes of both.

    Raises:
        VocabularyError: the package is not installed.
    """
    return Hierarchy(_concepts(), vocabulary_id=ICD10CM, version=release(), uri_base=URI_BASE)


def read_icd10cm() -> CodeReading:
    """Return the same, as what an import reports; nothing has to be mended in it."""
    return CodeReading(icd10cm(), schemes=[SYSTEM])


def release() -> str:
    """Day from which the codes of the package hold (`2026-04-01`), or else its version.

    Raises:
        VocabularyError: the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise VocabularyError(_MISSING)
    for path in sorted((Path(spec.origin).parent / "data").glob("*.xml")):
        name = _TABULAR.fullmatch(path.name)
        if name is not None:
            try:
                day = datetime.strptime(f"{name[1]} +0000", "%B-%d-%Y %z")
                return day.date().isoformat()
            except ValueError:
                return name[1]
    return version(PACKAGE)


def _package() -> Any:
    try:
        return importlib.import_module(PACKAGE)
    except ImportError as exc:
        raise VocabularyError(_MISSING) from exc


def _concepts() -> Iterator[Concept]:
    icd = _package()
    codes = icd.get_all_codes(True)
    # A block that is one category has its code, and the package keeps the notes of both under it.
    twice = {code for code, number in Counter(codes).items() if number > 1}
    for code in dict.fromkeys(codes):
        notes = _notes(icd, code, of_block=code in twice)
        terms = notes.get(INCLUSION_TERM)
        above = next((ancestor for ancestor in icd.get_ancestors(code) if ancestor != code), None)
        yield Concept(
            concept_id=code,
            uri=URI_BASE + code,
            notation=code,
            pref_label={"en": _title(icd.get_description(code), code)},
            alt_labels={"en": terms} if terms else {},
            broader=(above,) if above else (),
            # A block whose blocks stand beside it in the package is a leaf, and no code.
            assignable=icd.is_leaf(code) and "-" not in code,
            notes={kind: {"en": texts} for kind, texts in notes.items()},
        )


def _title(text: str, code: str) -> str:
    """Without the code that stands behind the titles of blocks."""
    return " ".join(text.split()).removesuffix(f" ({code})")


def _notes(icd: Any, code: str, *, of_block: bool) -> dict[str, tuple[str, ...]]:
    """Return the code's own instructions by kind; those above it hold for it as well."""
    if icd.is_extended_subcategory(code):  # made of the code above it and a seventh character
        return {}
    asked = {
        INCLUDES: icd.get_includes,
        INCLUSION_TERM: icd.get_inclusion_term,
        EXCLUDES_1: icd.get_excludes1,
        EXCLUDES_2: icd.get_excludes2,
        CODE_FIRST: icd.get_code_first,
        USE_ADDITIONAL_CODE: icd.get_use_additional_code,
        CODE_ALSO: icd.get_code_also,
        NOTE: icd.get_notes,
    }
    notes = {kind: _texts(ask(code)) for kind, ask in asked.items()}
    notes[SEVENTH_CHARACTER] = _seventh_characters(icd.get_seven_chr_def(code))
    if of_block:
        for kind, ask in asked.items():
            notes[kind] += _texts(ask(code, prioritize_blocks=True))
    return {kind: tuple(dict.fromkeys(texts)) for kind, texts in notes.items() if texts}


def _seventh_characters(meanings: dict[str, str]) -> list[str]:
    return [
        f"{character}: {' '.join(meaning.replace('/', '; ').split())}"
        for character, meaning in meanings.items()
    ]


def _texts(texts: str | list[str]) -> list[str]:
    """Return each instruction with its lines, without white space and commas around them."""
    if not texts:
        return []
    clean = (_lines(text) for text in ([texts] if isinstance(texts, str) else texts))
    return [text for text in clean if text]


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.strip(" ,\n").splitlines())
    return "\n".join(line for line in lines if line)

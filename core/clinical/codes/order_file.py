"""The order files of ICD-10-CM and ICD-10-PCS, as CMS publishes them for each fiscal year.

Each line has an order number, a code without point, 0 for a heading or 1 for a code that can be
assigned, a short title and a long one.

Source: CMS, icd10OrderFiles.pdf: columns 1-5, 7-13, 15, 17-76 and from 78.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.clinical.codes.icd10cm import icd10cm
from core.clinical.codes.icd10pcs import CODE_LENGTH, pcs_tree
from core.clinical.codes.reading import CodeReading
from core.clinical.notation import ICD10CM, ICD10PCS
from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.reading import VocabularyFiles, VocabularyReader
from core.vocabulary.repairs import Repair
from core.vocabulary.text_files import beginning_of, text_of, year_in

LINE = re.compile(r"(\d{5}) ([0-9A-Z]{3,7}) {1,5}([01]) (.{60}) (.+)")


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A line: a code without point, whether it can be assigned, and its long title."""

    code: str
    is_code: bool
    title: str


def is_order_file(path: Path) -> bool:
    """Return whether the first line of a file is one of an order file."""
    if Path(path.name.removesuffix(".gz")).suffix.lower() != ".txt":
        return False
    try:
        return LINE.fullmatch(beginning_of(path).partition("\n")[0].rstrip("\r")) is not None
    except VOCABULARY_FILES.errors:
        return False


def read_order_file(path: Path) -> CodeReading:
    """Read the codes of ICD-10-CM or ICD-10-PCS; which of them it is, the codes show.

    The version is the year in the file's name, or else a checksum. Chapters, blocks and
    instructions of ICD-10-CM are those of the package.

    Raises:
        VocabularyError: the file cannot be read, or has no code.
    """
    with VOCABULARY_FILES.translated(
        "{path} cannot be read as an order file ({reason}).", path=path
    ):
        text = text_of(path)
    lines, repaired = _lines(text)
    codes = [line for line in lines if line.is_code]
    if not codes:
        raise VocabularyError(f"{path} holds no code that can be assigned; download it again.")
    # A code of PCS has no part before it that could be assigned, and always seven characters.
    is_pcs = all(len(line.code) == CODE_LENGTH for line in codes)
    vocabulary_id = ICD10PCS if is_pcs else ICD10CM
    system = conventions_of(vocabulary_id).system
    hierarchy = Hierarchy(
        _pcs(lines) if is_pcs else _cm(lines, icd10cm()),
        vocabulary_id=vocabulary_id,
        version=year_in(path) or hashlib.sha256(text.encode()).hexdigest()[:12],
        uri_base=f"{system}/",
    )
    return CodeReading(hierarchy, repaired=repaired, schemes=[system])


def _lines(text: str) -> tuple[list[OrderLine], list[Repair]]:
    """Return the lines by their codes, each once, and what had to be left out."""
    by_code: dict[str, OrderLine] = {}
    left_out = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = LINE.fullmatch(line.rstrip())
        if match is None:
            if line.strip():
                problem = f"line {number} is not one of an order file"
                left_out.append(Repair(f"line {number}", problem, "the line was left out"))
        elif match[2] in by_code:
            problem = f"{match[2]} occurs again on line {number}"
            left_out.append(Repair(match[2], problem, "the line was left out"))
        else:
            title = " ".join(match[5].split())
            by_code[match[2]] = OrderLine(match[2], match[3] == "1", title)
    return list(by_code.values()), left_out


def _pcs(lines: list[OrderLine]) -> Iterator[Concept]:
    codes = {line.code: line.title for line in lines if line.is_code}
    return pcs_tree(codes, {line.code: line.title for line in lines if not line.is_code})


def _cm(lines: list[OrderLine], frame: Hierarchy) -> Iterator[Concept]:
    """Yield the codes of the file, under the chapters and blocks of a tree, with its instructions.

    The file has neither; a category that the tree lacks is a top concept.
    """
    system = f"{conventions_of(ICD10CM).system}/"
    codes = {line.code for line in lines}
    pointed = {line.code: _pointed(line.code) for line in lines}
    categories = [pointed[line.code] for line in lines if len(line.code) == 3]
    used = {i for code in categories if code in frame for i in frame.ancestors(code)}
    yield from (frame[concept_id] for concept_id in frame if concept_id in used)
    for line in lines:
        code = pointed[line.code]
        known_concept = frame[code] if code in frame else Concept(code, system + code, code, {})
        starts = (line.code[:length] for length in range(len(line.code) - 1, 2, -1))
        above = next((pointed[start] for start in starts if start in codes), None)
        blocks = known_concept.broader if len(line.code) == 3 else ()
        yield replace(
            known_concept,
            pref_label={"en": line.title},
            broader=(above,) if above else blocks,
            assignable=line.is_code,
        )


def _pointed(code: str) -> str:
    return f"{code[:3]}.{code[3:]}" if len(code) > 3 else code


def _read(files: VocabularyFiles) -> CodeReading:
    return read_order_file(files.paths[0])


READER = VocabularyReader(
    "order file of ICD-10-CM or ICD-10-PCS",
    ("txt", "gz"),
    can_read=lambda files: files.single is not None and is_order_file(files.single),
    read=_read,
)

"""The order files of ICD-10-CM and ICD-10-PCS, as CMS publishes them for each fiscal year.

Each line has an order number, a code without point, 0 for a heading or 1 for a code that can be
assigned, a short title and a long one.

Source: CMS, icd10OrderFiles.pdf: columns 1-5, 7-13, 15, 17-76 and from 78.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.errors import VocabularyError
from core.vocabulary.codes.icd10cm import icd10cm
from core.vocabulary.codes.reading import CodeReading
from core.vocabulary.codes.text_files import beginning_of, text_of
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import ICD10CM, ICD10PCS, conventions_of
from core.vocabulary.reading import VocabularyFiles, VocabularyReader
from core.vocabulary.repairs import Repair

LINE = re.compile(r"(\d{5}) ([0-9A-Z]{3,7}) {1,5}([01]) (.{60}) (.+)")
YEAR = re.compile(r"(?<!\d)(20\d{2})(?!\d)")
PCS_CODE_LENGTH = 7
LARGE_TABLE = 60  # codes of a table of PCS from which its body parts are a level
# The order file does not title the first character of PCS; these are the names of its sections.
SECTIONS = {
    "0": "Medical and Surgical",
    "1": "Obstetrics",
    "2": "Placement",
    "3": "Administration",
    "4": "Measurement and Monitoring",
    "5": "Extracorporeal or Systemic Assistance and Performance",
    "6": "Extracorporeal or Systemic Therapies",
    "7": "Osteopathic",
    "8": "Other Procedures",
    "9": "Chiropractic",
    "B": "Imaging",
    "C": "Nuclear Medicine",
    "D": "Radiation Therapy",
    "F": "Physical Rehabilitation and Diagnostic Audiology",
    "G": "Mental Health",
    "H": "Substance Abuse Treatment",
    "X": "New Technology",
}
SMALL_WORDS = frozenset({"of", "with", "to", "from", "into", "in", "and", "by", "using", "for"})


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


def read_order_file(path: Path, frame: Hierarchy | None = None) -> CodeReading:
    """Read the codes of ICD-10-CM or ICD-10-PCS; which of them it is, the codes show.

    The version is the year in the file's name, or else a checksum.

    Args:
        frame: from which ICD-10-CM takes chapters, blocks and instructions; None for the package.
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
    is_pcs = all(len(line.code) == PCS_CODE_LENGTH for line in codes)
    vocabulary_id = ICD10PCS if is_pcs else ICD10CM
    year = YEAR.search(path.name)
    system = conventions_of(vocabulary_id).system
    hierarchy = Hierarchy(
        _pcs(lines) if is_pcs else _cm(lines, frame or icd10cm()),
        vocabulary_id=vocabulary_id,
        version=year[1] if year else hashlib.sha256(text.encode()).hexdigest()[:12],
        uri_base=f"{system}/",
    )
    return CodeReading(hierarchy, repaired=repaired, schemes=[system])


def _lines(text: str) -> tuple[list[OrderLine], list[Repair]]:
    """Return the lines by their codes, each once, and what had to be left out."""
    kept: dict[str, OrderLine] = {}
    left_out = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = LINE.fullmatch(line.rstrip())
        if match is None:
            if line.strip():
                problem = f"line {number} is not one of an order file"
                left_out.append(Repair(f"line {number}", problem, "the line was left out"))
        elif match[2] in kept:
            problem = f"{match[2]} occurs again on line {number}"
            left_out.append(Repair(match[2], problem, "the line was left out"))
        else:
            title = " ".join(match[5].split())
            kept[match[2]] = OrderLine(match[2], match[3] == "1", title)
    return list(kept.values()), left_out


# ---------------------------------------------------------------------- ICD-10-PCS


def _pcs(lines: list[OrderLine]) -> Iterator[Concept]:
    """Yield section, body system, table, body part where a table is large, and code."""
    system = f"{conventions_of(ICD10PCS).system}/"
    titles = _pcs_titles(lines)
    above: dict[str, str] = {}
    for line in lines:
        if not line.is_code:
            continue
        step = line.code
        for length in (4, 3, 2, 1):
            broader = line.code[:length]
            if broader in titles:
                above[step] = broader
                step = broader
    for code in sorted({*above, *above.values()}):
        yield Concept(
            _pcs_id(code),
            system + code,
            code,
            {"en": titles[code]},
            broader=(_pcs_id(above[code]),) if code in above else (),
            assignable=len(code) == PCS_CODE_LENGTH,
        )


def _pcs_id(code: str) -> str:
    """Return the id of a code or a division; B00 is a category of ICD-10-CM as well."""
    return code if len(code) == PCS_CODE_LENGTH else f"PCS-{code}"


def _pcs_titles(lines: list[OrderLine]) -> dict[str, str]:
    """Return the titles of codes, and of what stands above them."""
    titles = {line.code: line.title for line in lines if line.is_code}
    tables = {line.code: line.title for line in lines if not line.is_code}
    below: defaultdict[str, list[str]] = defaultdict(list)
    systems: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for code in list(titles):
        below[code[:3]].append(code)
    for table, codes in below.items():
        named = tables.get(table) or _shared_words(titles[code] for code in codes) or table
        body_system, _, operation = named.rpartition(", ")
        systems[table[:2]][body_system or named] += 1
        titles[table] = operation or named
        titles[table[0]] = SECTIONS.get(table[0], table[0])
        if len(codes) > LARGE_TABLE:
            titles |= _body_parts(codes, titles)
    titles |= {prefix: counted.most_common(1)[0][0] for prefix, counted in systems.items()}
    return titles


def _body_parts(codes: list[str], titles: Mapping[str, str]) -> dict[str, str]:
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for code in codes:
        parts[code[:4]].append(titles[code])
    return {part: _shared_words(named) or part for part, named in parts.items()}


def _shared_words(titles: Iterable[str]) -> str:
    """Return the words with which all titles begin, without what only leads to the next."""
    split = [title.replace(",", " ,").split() for title in titles]
    alike = takewhile(lambda words: len({*words}) == 1, zip(*split, strict=False))
    words = [first for first, *_ in alike]
    while words and (words[-1] == "," or words[-1].lower() in SMALL_WORDS):
        words.pop()
    return " ".join(words).replace(" ,", ",")


# ---------------------------------------------------------------------- ICD-10-CM


def _cm(lines: list[OrderLine], frame: Hierarchy) -> Iterator[Concept]:
    """Yield the codes of the file, under the chapters and blocks of a tree, with its instructions.

    The file has neither; a category that the tree lacks is a top concept.
    """
    system = f"{conventions_of(ICD10CM).system}/"
    known = {line.code for line in lines}
    pointed = {line.code: _pointed(line.code) for line in lines}
    categories = [pointed[line.code] for line in lines if len(line.code) == 3]
    used = {i for code in categories if code in frame for i in frame.ancestors(code)}
    yield from (frame[concept_id] for concept_id in frame if concept_id in used)
    for line in lines:
        code = pointed[line.code]
        found = frame[code] if code in frame else Concept(code, system + code, code, {})
        starts = (line.code[:length] for length in range(len(line.code) - 1, 2, -1))
        above = next((pointed[start] for start in starts if start in known), None)
        blocks = found.broader if len(line.code) == 3 else ()
        yield replace(
            found,
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

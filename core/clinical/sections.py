"""Clinical text: its sections, and what of it a model need not read.

Normalisation leaves out what says nothing of the patient's illness: placeholders of
de-identification (`[**Name**]`, `___`), the headers of sections, the numbers and signs that lists
begin with, and ruled lines. Nothing is reworded. Manginas et al. (2020), appendix A, normalise such
text by expressions that they do not give; these are our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from core.clinical.kinds import (
    ALLERGIES,
    DIAGNOSES,
    EXAMINATION,
    FAMILY_HISTORY,
    HISTORY,
    MEDICATIONS,
    OTHER,
    PAST_HISTORY,
    PLAN,
    SOCIAL_HISTORY,
    kind_named,
)
from core.documents.document import PART_BREAK

MAX_HEADER_CHARACTERS = 60
DE_IDENTIFIED = re.compile(r"\[\*\*[^\[\]]{0,200}?\*\*\]|_{3,}")
LIST_MARK = re.compile(r"^[ \t]*(?:#?\d{1,2}[.)]|[-*•#])[ \t]+", re.MULTILINE)
RULE = re.compile(r"^[ \t]*[-=*_~]{3,}[ \t]*$", re.MULTILINE)
# A header with its colon, at the start of a line, behind the number that a list gave it.
LINE_START = re.compile(
    rf"^[ \t]*(?:\d{{1,2}}[.)][ \t]*|[#*•-]+[ \t]*)?(?P<name>[A-Za-z][^:\n]{{0,{MAX_HEADER_CHARACTERS}}}?)"
    r"[ \t]*(?P<colon>:|(?=\n)|$)",
    re.MULTILINE,
)
# One in the middle of a line: behind the end of a sentence, or behind a wide gap.
INLINE = re.compile(
    rf"(?:(?<=[.;:!?)])[ \t]+(?:(?P<capitals>[A-Z][A-Z /&-]{{3,{MAX_HEADER_CHARACTERS}}}?)"
    rf"|(?P<sentence>[A-Z][A-Za-z /&-]{{1,{MAX_HEADER_CHARACTERS}}}?))"
    rf"|(?<=[ \t][ \t])(?P<name>[A-Z][A-Za-z /&-]{{2,{MAX_HEADER_CHARACTERS}}}?)):"
)
# "PMH  HTN, CKD 3a": such short ones need no colon.
WITHOUT_COLON = re.compile(
    r"^[ \t]*(?P<name>(?:PMH|PSH|FH|SH|Fam ?H|Soc ?H)x?|DD?x|HPI|ROS|A ?[/&] ?P"
    r"|Allerg(?:y|ies)|Meds|MEDS|Obs|Exam|EXAM|Vitals|VS|Labs|LABS)(?=[ \t]+\S)",
    re.MULTILINE,
)
# "S: … O: … A: … P: …": letters that head lines where one other does, too.
LETTERS = re.compile(r"^[ \t]*(?P<name>[SOAP])(?:[ \t]*:|[ \t]*(?=\n))", re.MULTILINE)
OF_LETTERS = {"S": HISTORY, "O": EXAMINATION, "A": DIAGNOSES, "P": PLAN}
# In small letters such words end what was said of another person, or of drugs that harm: "FHx: mother
# asthma. Social: smokes". Others are too short to be told from the beginning of a sentence.
IN_SENTENCES = frozenset({FAMILY_HISTORY, SOCIAL_HISTORY, PAST_HISTORY, ALLERGIES, MEDICATIONS})
SMALL_WORDS = frozenset(
    {"a", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to"}
)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one header of a note.

    Attributes:
        title: the header as it is written, without its colon.
        kind: one of `core.clinical.kinds.KINDS`, such as "family history".
        start, end: code-point offsets into the text, the header included.
        body: offset where the header with its colon is over.
    """

    title: str
    kind: str
    start: int
    end: int
    body: int


def sections(text: str) -> list[Section]:
    """Return the sections of a clinical note in order; text before the first has none."""
    headers = _headers(text)
    edges = pairwise([*headers, (len(text), 0, 0)])
    return [
        Section(name := text[start:name_end], _kind(name), start, end, body)
        for (start, name_end, body), (end, _, _) in edges
    ]


def sections_of_parts(texts: Iterable[str]) -> list[Section]:
    """Return the sections of a document's parts, with offsets into its whole text."""
    moved: list[Section] = []
    offset = 0
    for text in texts:
        moved += [
            replace(
                section,
                start=section.start + offset,
                end=section.end + offset,
                body=section.body + offset,
            )
            for section in sections(text)
        ]
        offset += len(text) + len(PART_BREAK)
    return moved


def skipped_spans(text: str) -> list[tuple[int, int]]:
    """Return the ranges that normalisation leaves out, in order, none inside another."""
    skipped = [(section.start, section.body) for section in sections(text)]
    for pattern in (DE_IDENTIFIED, LIST_MARK, RULE):
        skipped += [match.span() for match in pattern.finditer(text)]
    return _merged(skipped)


def has_headings_alone(text: str) -> bool:
    """Return whether a note has headers and no word under them, such as a template.

    What the note is called may stand above them.
    """
    skipped = skipped_spans(text)
    ends = [0, *(end for _, end in skipped)]
    starts = [*(start for start, _ in skipped), len(text)]
    left = [text[end:start].strip() for end, start in zip(ends, starts, strict=True)]
    is_named = "\n" not in left[0] and (not left[0] or _is_title(left[0]))
    return bool(sections(text)) and is_named and not any(map(str.isalpha, "".join(left[1:])))


def _headers(text: str) -> list[tuple[int, int, int]]:
    """Return start of each header, and the ends of its name and of its colon."""
    headers: dict[int, tuple[int, int, int]] = {}
    for match in LINE_START.finditer(text):
        line_end = text.find("\n", match.end())
        is_alone = not text[match.end() : line_end if line_end >= 0 else None].strip()
        if _is_header(match["name"], has_colon=bool(match["colon"]), is_alone=is_alone):
            headers[match.start("name")] = (*match.span("name"), match.end())
    for match in WITHOUT_COLON.finditer(text):
        headers.setdefault(match.start("name"), (*match.span("name"), match.end()))
    letters = list(LETTERS.finditer(text))
    if {"A", "P"} <= {match["name"] for match in letters}:
        headers |= {match.start("name"): (*match.span("name"), match.end()) for match in letters}
    for match in INLINE.finditer(text):
        group = match.lastgroup or ""
        kind = kind_named(match[group])
        if kind and (group != "sentence" or kind in IN_SENTENCES):
            headers[match.start(group)] = (*match.span(group), match.end())
    return [headers[start] for start in sorted(headers)]


def _is_header(name: str, *, has_colon: bool, is_alone: bool) -> bool:
    """Return whether the words at the start of a line name what follows.

    A name that is known needs no more than a colon, or a line of its own if it begins with a
    capital; one that is not needs both, for "Lungs: clear" is a line of an examination.
    """
    if kind_named(name):
        return has_colon or _is_title(name) or (is_alone and name[:1].isupper())
    return has_colon and is_alone and _is_title(name)


def _kind(name: str) -> str:
    return OF_LETTERS.get(name) or kind_named(name) or OTHER


def _is_title(name: str) -> bool:
    words = [word for word in re.findall(r"[A-Za-z]+", name) if word.lower() not in SMALL_WORDS]
    return bool(words) and all(word[0].isupper() for word in words)


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged

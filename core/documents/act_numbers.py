"""The number of an act as CELEX writes it, by which the same act is known again: 32018R0643.

Source: EUR-Lex, "How the CELEX number is composed": sector 3 (legislation), year, type, number.
"""

from __future__ import annotations

import re
from itertools import islice

from core.documents.acts import (
    CELEX_LINE,
    INSTITUTIONS,
    ORDINALS,
    PROPOSAL,
    QUALITIES,
    SEARCHED_LINES,
    act_title,
)

SECTOR = "3"
TYPES = {
    "REGULATION": "R", "DIRECTIVE": "L", "DECISION": "D", "RECOMMENDATION": "H", "OPINION": "A",
    "FRAMEWORK DECISION": "F", "JOINT ACTION": "E", "COMMON POSITION": "E", "GUIDELINE": "O",
}  # fmt: skip
COMMUNITIES = "EU|EC|EEC|ECSC|EAEC|Euratom|CFSP|JHA"
NUMBER = (
    rf"(?P<first>\d{{1,4}})\s?/\s?(?P<second>\d{{1,5}})(?:\s?/\s?(?:{COMMUNITIES})\b)?(?![\d/])"
)
# "No" says that the number stands before the year, as in acts before 2015.
OWN_NUMBER = re.compile(  # of a title with single spaces
    rf"(?P<named>(?:{ORDINALS} )?(?:(?:THE|{INSTITUTIONS})(?: AND(?: THE)?)? ?:? ){{0,8}}"
    rf"(?:(?:{QUALITIES}) ){{0,4}}(?P<kind>{'|'.join(TYPES)}))"
    rf"(?: OF THE (?:{INSTITUTIONS})(?: AND OF THE COUNCIL)?)?"
    rf" ?(?:\((?:{COMMUNITIES})(?: ?, ?(?:{COMMUNITIES})){{0,8}}\) ?)?(?P<no>N[Oo°ºR]\.? ?)?{NUMBER}",
    re.IGNORECASE,
)
# "2001/367/EC: Commission Decision of …", as decisions were called that have no number of their own.
NUMBER_FIRST = re.compile(
    rf"(?:\(?{NUMBER}\)?\s*:\s*)(?P<named>(?:(?:{INSTITUTIONS})(?:\s+AND)?\s+){{0,8}}"
    rf"(?:(?:{QUALITIES})\s+){{0,4}}(?P<kind>{'|'.join(TYPES)}))\b",
    re.IGNORECASE,
)
CELEX_ID = re.compile(
    rf"(?:CELEX\s?[:_-]?\s?)?(?P<celex>{CELEX_LINE.pattern})(?:-\d{{1,3}})?", re.IGNORECASE
)
CELEX_ABOVE = re.compile(
    rf"(?:(?:CELEX(?: number)?|Document)\s?:?\s+)?(?P<celex>{CELEX_LINE.pattern})"
)
# Proposals have the number of the Commission's document: COM(2023) 244 final.
COM_LINE = re.compile(r"COM\s?\((?P<year>\d{4})\)\s?(?P<number>\d{1,4})(?:\s+final(?:/\d)?)?")
FIRST_YEAR, LAST_YEAR, CENTURY = 1951, 2099, 1900
YEAR_FIRST_SINCE = 2015  # in regulations; directives and most decisions always had the year first


def act_number(title: str) -> str:
    """Return the CELEX number of the act that has this title; "" where it states no own number.

    What a title says of other acts ("amending Directive …", "Corrigendum to …") is none of its own.
    """
    title = " ".join(title.split())
    first = NUMBER_FIRST.match(title)
    match = first or OWN_NUMBER.match(title)
    if match is None:
        return ""
    year_and_number = _year_and_number(match, year_first=first is not None)
    if year_and_number is None:
        return ""
    year, number = year_and_number
    kind = " ".join(match["kind"].upper().split())
    if kind == "DECISION" and "FRAMEWORK" in match["named"].upper():
        kind = "FRAMEWORK DECISION"
    return f"{SECTOR}{year}{TYPES[kind]}{number:04}"


def proposed_id(title: str, text: str) -> str:
    """Return the CELEX number that stands above a pasted act, or that its title or heading has."""
    lines = [line.strip() for line in islice(text.splitlines(), SEARCHED_LINES)]
    above = (CELEX_ABOVE.fullmatch(line) for line in lines)
    stated = next((match["celex"] for match in above if match), "") or act_number(title)
    heading = None if stated else act_title(text)
    named = title if heading is None else heading.title
    if not stated and PROPOSAL.match(named):
        numbered = next(filter(None, map(COM_LINE.fullmatch, lines)), None)
        return f"5{numbered['year']}PC{numbered['number']:0>4}" if numbered else ""
    return stated if heading is None else act_number(heading.title)


def number_of(document_id: str, title: str) -> str:
    """Return the CELEX number of a document, from its id or else from its title."""
    match = CELEX_ID.fullmatch(document_id.strip())
    return match["celex"].upper() if match else act_number(title)


def _year_and_number(match: re.Match[str], *, year_first: bool) -> tuple[int, int] | None:
    """Return what of a number is the year; None where neither can be."""
    first, second = match["first"], match["second"]
    kind = match["kind"].upper()
    has_no = not year_first and match["no"]
    if has_no or (kind == "REGULATION" and not _is_year(first, since=YEAR_FIRST_SINCE)):
        pairs = ((second, first), (first, second))
    else:
        pairs = ((first, second), (second, first))
    return next(((_year(y), int(n)) for y, n in pairs if _is_year(y) and int(n)), None)


def _is_year(written: str, *, since: int = FIRST_YEAR) -> bool:
    return len(written) in (2, 4) and since <= _year(written) <= LAST_YEAR


def _year(written: str) -> int:
    return int(written) + (CENTURY if len(written) == 2 else 0)

"""Wounds, bruises, bites and burns by their site and side, in whatever order a note says these.

"L palm lac 3 cm" is a laceration without foreign body of the left hand. Codes are those whose titles are
made of a wound, a site and a side.
Source: ICD-10-CM chapter 19, and its guidelines I.B.13 (side) and I.C.19.b (injuries) and d (burns).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from core.clinical.names.tables import (
    TableRow,
    expression,
    meanings,
    phrases,
    rows,
    whole_words,
)
from core.clinical.notation import category_of
from core.clinical.stays.note import NO_BREATHS, NO_LITRES, StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

LIKELY = 0.75
_REACH = 50
"""Characters between a wound and its site."""
_CATEGORIES = re.compile(r"S[0-9]|T2[0-5]")
_OF_TITLES = "|".join(map(re.escape, dict.fromkeys(meanings("wounds", "wound").values())))
_TITLE = re.compile(
    rf"(?P<wound>{_OF_TITLES.replace('without', 'with(?:out)?')})(?: of|,) (?P<site>.+), initial encounter"
)
_SIDE = re.compile(r"\b(?:right|left)\b")
_WITHOUT_SIDE = re.compile(
    r"\b(?:right|left|unspecified) | without (?:damage to nail|penetration.*)|,.*"
)
_WITH_NAIL, _WITHOUT_FOREIGN_BODY = " with damage to nail", "without foreign body"
_WITH_FOREIGN_BODY = "with foreign body"
_NAIL, _FOREIGN_BODY = phrases("wounds", "damage to nail"), phrases("wounds", "foreign body")
_CORROSIVE = phrases("wounds", "corrosive")
_TRAUMA, _HEAT = phrases("wounds", "trauma"), phrases("wounds", "heat")
_BLISTER = phrases("wounds", "blister")
_FAR = 150
"""Characters from a blister within which is told what burned."""
_MAY_BE_NONE = re.compile(r"bruis.*|scrap.*|graz.*|cut|sliced", re.IGNORECASE)
"""What is called so where nobody was hurt as well."""
_NO_WOUND, _LONG_AGO = expression("wounds", "no wound"), phrases("wounds", "long ago")
BITE = "open bite"
OF_A_BITE = ("laceration without foreign body", "puncture wound without foreign body")
"""What a bite leaves, which its code says."""
BURN, OF_A_BLISTER = "burn", "burn of second degree"
_UNSPECIFIED = "unspecified"
_LEFT_OUT = re.compile(r"unspecified|with penetration|quadrant|region|flank")
"""What a title says of a wound that no site says: whether it goes deep, which part of the belly it is in."""
_RIGHT = rf"(?P<right>(?i:right|rt)|R(?!/){NO_BREATHS})"
_LEFT = rf"(?P<left>(?i:left|lt)|{NO_LITRES}L(?!\d))"
_BESIDE_SIDE = re.compile(rf"\b(?:{_RIGHT}|{_LEFT})\.?(?: (?:\w+ ){{0,2}}| ?- ?)$")
_BEHIND_SIDE = re.compile(
    rf"[ ,(]{{1,2}}(?:(?P<right>(?i:right|rt)|R{NO_BREATHS})|(?P<left>(?i:left|lt)|L))\b(?! \w+ (?:fx|pain))"
)
_ANY_SIDE = re.compile(rf"\b(?:{_RIGHT}|{_LEFT})\b")
_AND = re.compile(r"[\s,&+/]*(?:(?:and|both|the|his|her|right|left|R|L|Rt|Lt)[\s,&+/]+)*")


class _Site(NamedTuple):
    name: str
    start: int
    end: int


def wounds(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each wound whose site, and side where the site has two, the note says."""
    bitten: set[tuple[str, int]] = set()
    for wound, match in _told(note):
        for site in _sites(match, note):
            code = _code(wound, site, match, note)
            bitten |= {(site.name, site.start)} if code and wound == BITE else set()
            is_of_bite = wound in OF_A_BITE and (site.name, site.start) in bitten
            if code and not is_of_bite:
                spans = (span_of(match), Span("text", site.start, site.end))
                yield StayCode(code, LIKELY, spans, tuple(_says_less(code, note)))


def _told(note: StayNote) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the wounds, as titles name them, that the note tells of, and where."""
    is_injured, is_hot = _TRAUMA.search(note.text), _HEAT.search(note.text)
    is_corroded = _CORROSIVE.search(note.text)
    for wound, pattern in _wounds():
        if wound.startswith(BURN) and (not is_hot or is_corroded):
            continue
        for match in note.affirmed(pattern):
            is_sure = is_injured or not _MAY_BE_NONE.fullmatch(match.group())
            is_burn = not wound.startswith(BURN) or _is_beside_heat(match, note)
            is_none = _NO_WOUND.match(note.text, match.end()) or note.has_beside(
                _LONG_AGO, span_of(match)
            )
            if is_sure and is_burn and not is_none:
                yield wound, match
    if is_hot and not is_corroded:
        for match in note.affirmed(_BLISTER):
            if _is_beside_heat(match, note):
                yield OF_A_BLISTER, match


def _is_beside_heat(match: re.Match[str], note: StayNote) -> bool:
    return bool(_HEAT.search(note.text, max(match.start() - _FAR, 0), match.end() + _FAR))


def _sites(wound: re.Match[str], note: StayNote) -> list[_Site]:
    """Return the nearest site of a wound with those that are joined to it; of the sentence before if need be."""
    start, end = note.sentence(wound.start())
    sites = _sites_in(max(start, wound.start() - _REACH), min(end, wound.end() + _REACH), note)
    if not sites:
        before = note.sentence(max(start - 2, 0))[0]
        sites = _sites_in(max(before, start - 2 * _REACH), start, note)[-1:]
    if not sites:
        return []
    nearest = min(
        range(len(sites)),
        key=lambda n: max(wound.start() - sites[n].end, sites[n].start - wound.end(), 0),
    )
    joined = [sites[nearest]]
    for site in sites[nearest + 1 :]:
        if not _AND.fullmatch(note.text, joined[-1].end, site.start):
            break
        joined.append(site)
    return joined


def _sites_in(start: int, end: int, note: StayNote) -> list[_Site]:
    matches = _any_site().finditer(note.text, start, end)
    return [_Site(_SITES[int((m.lastgroup or "_0")[1:])].meaning, *m.span()) for m in matches]


def _code(wound: str, site: _Site, match: re.Match[str], note: StayNote) -> str:
    """Return the code of a wound at a site; "" where the vocabulary has none, or the side is open."""
    start, end = (
        note.sentence(min(site.start, match.start()))[0],
        note.sentence(max(site.end, match.end()))[1],
    )
    if any(note.affirmed(_FOREIGN_BODY, start, end)):
        wound = wound.replace(_WITHOUT_FOREIGN_BODY, _WITH_FOREIGN_BODY)
    codes = _codes(note.hierarchy)
    names = site.name.split("|")
    if any(note.affirmed(_NAIL, start, end)):
        names = [*(name + _WITH_NAIL for name in names), *names]
    of_sides = next((found for name in names if (found := codes.get((wound, name)))), {})
    side = _side(site, note)
    return of_sides.get(side) or of_sides.get("") or ""


def _side(site: _Site, note: StayNote) -> str:
    """Return the side that stands at a site, or the only one that the note names; "" where it is open."""
    start, end = note.sentence(site.start)
    side = _BESIDE_SIDE.search(note.text, max(start, site.start - 20), site.start)
    side = side or _BEHIND_SIDE.match(note.text, site.end, end)
    if side:
        return "right" if side["right"] else "left"
    named = {m.lastgroup for m in _ANY_SIDE.finditer(note.text)}
    return named.pop() or "" if len(named) == 1 else ""


def _says_less(code: str, note: StayNote) -> list[str]:
    """Return the codes of the same part of the body that leave the site or the side open."""
    return [
        other
        for other in note.says(category_of(code))
        if other[-1] == code[-1] and _UNSPECIFIED in note.hierarchy[other].label()
    ]


@cache
def _wounds() -> list[tuple[str, re.Pattern[str]]]:
    return [(row.meaning, whole_words(row.pattern)) for row in rows("wounds", "wound")]


_SITES: tuple[TableRow, ...] = rows("wounds", "site")


@cache
def _any_site() -> re.Pattern[str]:
    return whole_words("|".join(f"(?P<_{n}>{row.pattern})" for n, row in enumerate(_SITES)))


@lru_cache(maxsize=2)
def _codes(hierarchy: Hierarchy) -> dict[tuple[str, str], dict[str, str]]:
    """Return by wound and site, as titles name them, the code of each side; "" is of a site without one."""
    codes: dict[tuple[str, str], dict[str, str]] = {}
    for code in filter(_CATEGORIES.match, hierarchy):
        match = _TITLE.fullmatch(hierarchy[code].label().lower())
        if match and not _LEFT_OUT.search(match.group()):
            side = _SIDE.search(match["site"])
            site = _WITHOUT_SIDE.sub("", match["site"])
            codes.setdefault((match["wound"], site), {}).setdefault(
                side.group() if side else "", code
            )
    return codes

"""Notes of a mother and of her newborn: weeks, outcome, weight, and whose condition it is.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.15.a (conditions complicate a
pregnancy, by trimester, or childbirth), I.C.21.c.11 (Z3A), I.C.15.b.5 (Z37), I.C.16.a.2 (Z38) and
I.C.16.d (prematurity and birth weight); a mother's codes are not on her newborn's record
(I.C.15.a.1).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from core.clinical.names.clinical_words import keys_of
from core.clinical.names.tables import (
    by_meaning,
    expression,
    meanings,
    phrases,
    phrases_by_meaning,
)
from core.clinical.notation import category_of
from core.clinical.stays.note import StayCode, StayNote, span_of

SURE, LIKELY = 0.9, 0.7
MOTHER, NEWBORN = "mother", "newborn"
INCIDENTAL = "Z33.1"
"""A pregnancy that has nothing to do with the encounter, whose weeks are not coded."""
_NEWBORN = expression("births", "note of a newborn")
_MOTHER = expression("births", "note of a mother")
_PARENT = phrases("births", "parent")
_WEEKS = re.compile(
    # Fewer than ten weeks with their days, or called those of a pregnancy: others are when to come back.
    r"\b([1-4]\d|[4-9](?= ?w ?[0-6] ?d\b| ?(?:wks?|weeks?) (?:pregnant|gestation|IUP|by (?:LMP|US|dates|ultrasound))))"
    r"(?: ?\+ ?[0-6]\b| ?-?(?:w|wk|wks|week|weeks)(?: ?[0-6] ?d)?\b| [0-6]/7\b)",
    re.IGNORECASE,
)
_GRAMS = re.compile(r"\b(\d[,.]?\d{3}|[3-9]\d\d) ?(?:g|gm|grams?)\b", re.IGNORECASE)
_WEIGHT_AT_BIRTH = expression("births", "weight at birth, before it")
_ANOTHER_WEIGHT = expression("births", "another weight, before it")
_ANOTHER_WEIGHT_BEHIND = expression("births", "another weight, behind it")
_ANOTHER_PREGNANCY = expression("births", "weeks of another pregnancy, before them")
_TOLD_WITHIN = 60
"""Characters before a number in which is told what it counts."""
_BORN_HERE = phrases("births", "born here")
_CESAREAN = phrases("births", "cesarean")
_TWINS = phrases("births", "twins")
_TRIPLETS = phrases("births", "triplets")
_QUADRUPLETS = phrases("births", "quadruplets")
_OLDER = phrases("births", "older than at birth")
_OF_MONTHS = phrases("births", "of three months or more")
_OUTGROWN = phrases("births", "older than four weeks")
_CHILD = phrases("births", "a child")
OF_CHILDREN, OF_MOTHERS = ("P",), ("O", "Z37", "Z3A")
OPENING = 150
"""Characters of a note in which it says how old its patient is."""
_BORN_ELSEWHERE = phrases("births", "born elsewhere")
_OF_NEWBORN_ALONE = expression("births", "note of the newborn alone")
# By how many were born: where it was here, by the way of birth, and where it was elsewhere.
BORN = ((_QUADRUPLETS, ("Z38.63", "Z38.64", "Z38.7")), (_TRIPLETS, ("Z38.61", "Z38.62", "Z38.7")),
        (_TWINS, ("Z38.30", "Z38.31", "Z38.4")), (None, ("Z38.00", "Z38.01", "Z38.1")))  # fmt: skip
AT_BIRTH = meanings("births", "in childbirth, in place of in pregnancy")
AFTER_BIRTH = meanings("births", "in the puerperium, in place of in pregnancy")
_LIVE_BIRTH = phrases("births", "live birth")
_DELIVERED = phrases("births", "delivered")
_ASSISTED = phrases("births", "assisted delivery")
_NOT_IMMUNE = phrases("births", "not immune to rubella")
_SEPSIS_LOOKED_FOR = phrases("births", "sepsis looked for")
_TRIMESTER = re.compile(r", (?:first|second|third|unspecified) trimester")
_UNSPECIFIED = "unspecified trimester"
_NOT_BEFORE = re.compile(r"\b(?:no|not|without|never)\s(?:\w+\s){0,2}$", re.IGNORECASE)
_BEFORE = 30
"""Characters before words in which is looked for what denies them."""
_SEPSIS_RULED_OUT = phrases("births", "sepsis ruled out")
# Group B streptococcus, which "GBS" is in notes of births.
_GBS = expression("births", "group B streptococcus")
# Of these, the signs that a sepsis was looked for are coded, and the jaundice is part of some.
SIGNS, JAUNDICE, OF_THE_PRETERM = ("P2", "P36", "P81", "A41"), ("P55", "P57", "P58", "P59"), "P59.0"
RULED_OUT = ("P36", "A41")
_AFTER_BIRTH = phrases("births", "after birth")
_GESTATIONAL = phrases("births", "gestational diabetes")
FIRST_WEEK, FIRST_CODED, TERM, LAST_WEEK = 4, 8, 37, 42
"""Weeks that are read, and from which on each has a code of its own (Z3A)."""
TRIMESTERS = ((14, "first"), (28, "second"), (LAST_WEEK + 1, "third"))
# Weeks and grams from which on the next code holds (P07.2-, P07.3-; P07.0-, P07.1-; P08).
WEEKS = (23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36)
OF_WEEKS = (
    "P07.21", "P07.22", "P07.23", "P07.24", "P07.25", "P07.26", "P07.31", "P07.32", "P07.33", "P07.34",
    "P07.35", "P07.36", "P07.37", "P07.38", "P07.39",
)  # fmt: skip
GRAMS = (500, 750, 1000, 1250, 1500, 1750, 2000, 2500, 4500)
OF_GRAMS = (
    "P07.01", "P07.02", "P07.03", "P07.14", "P07.15", "P07.16", "P07.17", "P07.18", "", "P08.0",
)  # fmt: skip
# Of a newborn that is small or light for its age, the digit of the weight; 9 from 2,500 grams on.
_SMALL_FOR_AGE = phrases_by_meaning("births", "small for its age")
LEAST_SMALL = 9
# What a condition is in pregnancy (with a digit for the trimester), in childbirth and in the
# puerperium, by the beginning of its code; of some that code says all.
SAID_BY_IT = meanings("births", "complicates, and is said by the code")
COMPLICATES = meanings("births", "complicates") | SAID_BY_IT
OUTSIDE_PREGNANCY = meanings("births", "outside pregnancy")
# What a newborn is affected by: where the note calls it exposed, or treats it because of its mother.
EXPOSURES = by_meaning("births", "exposed to")
_EXPOSURES = {
    code: re.compile(
        rf"\b(?:exposed|exposure) (?:in[- ]?utero |prenatally )?to (?:maternal )?(?:\w+(?:,? and |,? or |, )){{0,3}}"
        rf"(?:{words})\b"
        rf"|\b(?:in[- ]?utero|prenatal|intrauterine|maternal) (?:{words})(?: \w+)? exposure\b"
        rf"|\b(?:{words})[- ]exposed\b",
        re.IGNORECASE,
    )
    for code, words in ((code, "|".join(drugs)) for code, drugs in EXPOSURES.items())
}
_AFFECTED_BY_BIRTH = phrases_by_meaning("births", "affected by birth")
# What a condition is in a newborn.
OF_NEWBORNS = meanings("births", "in a newborn")


@lru_cache(maxsize=8)
def patient_of(title: str, text: str) -> str:
    """Return `NEWBORN` or `MOTHER`, whichever a note names first; "" where it is of neither."""
    whole = f"{title}\n{text}"
    newborn, mother = _NEWBORN.search(whole), _MOTHER.search(whole)
    is_newborns = newborn and (_PARENT.search(whole) or _OF_NEWBORN_ALONE.search(whole))
    if newborn and is_newborns and not (mother and mother.start() < newborn.start()):
        return NEWBORN
    return MOTHER if mother else ""


def is_of(patient: str, note: StayNote) -> bool:
    """Return whether a note is of a mother, or of a newborn."""
    titles = " ".join((note.document.title, *(part.title for part in note.document.parts)))
    return patient_of(titles, note.text) == patient


def speaks_of_newborn(note: StayNote) -> bool:
    """Return whether a note has words of a newborn, whoever its patient is."""
    return _NEWBORN.search(note.text) is not None


def of_another_patient(note: StayNote) -> list[str]:
    """Return the codes of a child's note that are of its mother, and the reverse."""
    if is_of(MOTHER, note):
        return note.says(*OF_CHILDREN)
    if not is_of(NEWBORN, note):
        return note.says(*OF_MOTHERS) if _CHILD.search(note.text, 0, OPENING) else []
    named = [code.concept_id for code in note.named]
    return [
        code
        for code in dict.fromkeys((*named, *note.chances))
        if code.startswith((*OF_MOTHERS, "Z22.330", "B95.1"))
        or (code in named and _is_of_mother(code, note))
    ]


def _is_of_mother(code: str, note: StayNote) -> bool:
    is_of_newborns = code.startswith(("P", "Q", "Z2", "Z38"))
    return not is_of_newborns and note.is_only(code, lambda span: note.has_beside(_PARENT, span))


def births(note: StayNote) -> Iterator[StayCode]:
    """Yield the codes that the weeks, the weight and the way of a birth give."""
    if is_of(NEWBORN, note):
        yield from _newborn(note)
    elif is_of(MOTHER, note):
        yield from _mother(note)
    else:
        for begin, instead in OUTSIDE_PREGNANCY.items():
            for code in note.says(begin):
                yield StayCode(instead, note.chances[code], note.spans(code), (code,))


def _newborn(note: StayNote) -> Iterator[StayCode]:
    weeks, grams = _weeks(note), _birth_weight(note)
    if _OF_MONTHS.search(note.text):  # how it was born is history
        weeks = grams = None
    if weeks and int(weeks[1]) < TERM:
        yield StayCode(OF_WEEKS[bisect_right(WEEKS, int(weeks[1]))], SURE, (span_of(weeks),))
    if grams:
        value = int(re.sub(r"[,.]", "", grams[1]))
        code = OF_GRAMS[bisect_right(GRAMS, value)]
        for instead, pattern in _SMALL_FOR_AGE.items():
            if next(note.affirmed(pattern), None) is not None and not code.startswith("P08"):
                code = f"{instead}{min(bisect_right(GRAMS, value) + 1, LEAST_SMALL)}"
        if code:
            yield StayCode(code, SURE, (span_of(grams),), tuple(note.says("P05")))
    yield from _birth(note)
    yield from _affected(note)
    is_preterm = weeks is not None and int(weeks[1]) < TERM
    if not _OUTGROWN.search(note.text, 0, OPENING):
        yield from _conditions_of_newborn(note, is_preterm=is_preterm)
    diabetes = _GESTATIONAL.search(note.text)
    if diabetes and note.says("P70.1", "P70.4", "E16.2"):
        replaced = tuple(note.says("P70.1", "P70.4", "E16.2"))
        yield StayCode("P70.0", LIKELY, (span_of(diabetes),), replaced)


def _birth_weight(note: StayNote) -> re.Match[str] | None:
    """Return the grams that are called the weight at birth, or else the first of no other weight."""
    possible = [
        match
        for match in _GRAMS.finditer(note.text)
        if not _is_told_before(_ANOTHER_WEIGHT, match, note)
        and not _ANOTHER_WEIGHT_BEHIND.match(note.text, match.end())
    ]
    called = (match for match in possible if _is_told_before(_WEIGHT_AT_BIRTH, match, note))
    return next(called, possible[0] if possible else None)


def _is_told_before(words: re.Pattern[str], number: re.Match[str], note: StayNote) -> bool:
    """Return whether words that end where a number begins say what it counts."""
    start = max(number.start() - _TOLD_WITHIN, 0)
    return words.search(note.text, start, number.start()) is not None


def _birth(note: StayNote) -> Iterator[StayCode]:
    """Yield where and how a newborn was born, and with how many others."""
    here, elsewhere = _BORN_HERE.search(note.text), _BORN_ELSEWHERE.search(note.text)
    born = elsewhere or here
    if born and not _OLDER.search(note.text):
        codes = next(of for several, of in BORN if several is None or several.search(note.text))
        way = 2 if elsewhere else int(_CESAREAN.search(note.text) is not None)
        yield StayCode(codes[way], SURE, (span_of(born),), tuple(note.says("Z38")))


def _not_behind_no(pattern: re.Pattern[str], note: StayNote) -> re.Match[str] | None:
    """Return where words stand without "no" before them.

    What is said of the mother is not denied of her newborn, nor is a sepsis that was looked for by
    cultures that were negative.
    """
    for match in pattern.finditer(note.text):
        if not _NOT_BEFORE.search(note.text, max(match.start() - _BEFORE, 0), match.start()):
            return match
    return None


def _affected(note: StayNote) -> Iterator[StayCode]:
    """Yield what a newborn was exposed to, and that an infection was looked for and not found."""
    ruled_out = _SEPSIS_RULED_OUT.search(note.text)
    looked_for = ruled_out or _not_behind_no(_SEPSIS_LOOKED_FOR, note)
    if looked_for and (ruled_out or not note.says(*SIGNS)):
        replaced = tuple(note.says(*RULED_OUT)) if ruled_out else ()
        yield StayCode("Z05.1", LIKELY, (span_of(looked_for),), replaced)
    exposed = _not_behind_no(_GBS, note)
    if exposed and not ruled_out:
        yield StayCode("P00.82", LIKELY, (span_of(exposed),))
    for code, pattern in (*_EXPOSURES.items(), *(_AFFECTED_BY_BIRTH.items() if looked_for else ())):
        match = _not_behind_no(pattern, note)
        if match:
            yield StayCode(code, LIKELY, (span_of(match),))


def _conditions_of_newborn(note: StayNote, *, is_preterm: bool) -> Iterator[StayCode]:
    said_otherwise = ["P59.9"] if note.says(*JAUNDICE) else []
    if _GESTATIONAL.search(note.text) or note.says("P70.0", "P70.1"):
        said_otherwise.append("P70.4")
    for code in (named.concept_id for named in note.named):
        instead = OF_NEWBORNS.get(code, "")
        spans = note.spans(code)
        if instead and instead not in said_otherwise and spans and not _is_of_mother(code, note):
            exact = OF_THE_PRETERM if is_preterm and instead == "P59.9" else instead
            yield StayCode(exact, max(LIKELY, note.chances.get(code, 0.0)), spans, (code,))


def _mother(note: StayNote) -> Iterator[StayCode]:
    weeks, birth = _weeks(note), _gave_birth(note)
    if weeks and not note.says(INCIDENTAL):
        number = int(weeks[1])
        code = f"Z3A.{number:02}" if number >= FIRST_CODED else "Z3A.01"
        yield StayCode(code, SURE, (span_of(weeks),))
    live = _LIVE_BIRTH.search(note.text)
    if birth and live:
        yield StayCode("Z37.2" if _TWINS.search(note.text) else "Z37.0", SURE, (span_of(live),))
    not_immune = _NOT_IMMUNE.search(note.text)
    if not_immune:
        yield StayCode("Z28.39", LIKELY, (span_of(not_immune),), ("B06.9",))
        if weeks and not birth:
            high_risk = f"O09.89{_trimester(int(weeks[1]))}"
            yield StayCode(high_risk, LIKELY, (span_of(not_immune),))
    carrier = next(note.affirmed(_GBS), None)
    if carrier and (weeks or birth):
        yield _carrying_streptococci(carrier, weeks, note)
    begins = [(code, begin) for code in note.codes if (begin := _complication(code))]
    is_after = _AFTER_BIRTH.search(note.text) is not None
    for code, begin in begins if weeks or birth or is_after else ():
        yield _complicating(code, begin, weeks, note)
    yield from _of_the_time(note, weeks, birth=birth)
    is_plain = birth and not begins and not note.says("O") and not _ASSISTED.search(note.text)
    if is_plain and live and weeks and int(weeks[1]) >= TERM:
        yield StayCode("O80", LIKELY, (span_of(live),))


def _complication(code: str) -> str:
    return next((beginning for beginning in COMPLICATES if code.startswith(beginning)), "")


def _complicating(code: str, begin: str, weeks: re.Match[str] | None, note: StayNote) -> StayCode:
    pregnant, at_birth, after = COMPLICATES[begin].split()
    stem = at_birth if _gave_birth(note) else after if _AFTER_BIRTH.search(note.text) else pregnant
    number = _trimester(int(weeks[1])) if weeks else 3
    spans = note.spans(code)
    is_said_by_it = begin in SAID_BY_IT
    chance = max(LIKELY, note.chances[code]) if is_said_by_it else note.chances[code]
    return StayCode(stem.format(number), chance, spans, (code,) if is_said_by_it else ())


def _of_the_time(note: StayNote, weeks: re.Match[str] | None, *, birth: bool) -> Iterator[StayCode]:
    """Yield what a condition "in pregnancy" is in childbirth, or after it.

    What has no title for childbirth goes by the trimester (I.C.15.a.3).
    """
    is_after = _AFTER_BIRTH.search(note.text) is not None
    for code in note.says("O") if birth or is_after else ():
        label = note.hierarchy[code].label()
        wanted = [
            _TRIMESTER.sub("", label.replace(words.strip(), instead))
            for words, instead in (AT_BIRTH if birth else AFTER_BIRTH).items()
            if words.strip() in label
        ]
        if weeks and not wanted and _UNSPECIFIED in label:
            trimester = TRIMESTERS[_trimester(int(weeks[1])) - 1][1]
            wanted = [label.replace(_UNSPECIFIED, f"{trimester} trimester")]
        # One title has a comma there, and another one of its category has none.
        titles = {title.replace(",", "") for title in wanted} - {label.replace(",", "")}
        for other in note.hierarchy.descendants(category_of(code)) if titles else ():
            if note.hierarchy[other].label().replace(",", "") in titles:
                yield StayCode(other, note.chances[code], note.spans(code), (code,))


def _carrying_streptococci(
    match: re.Match[str], weeks: re.Match[str] | None, note: StayNote
) -> StayCode:
    replaced = tuple(note.says("Z22.330", "B95.1"))
    pregnant, at_birth, after = COMPLICATES["Z22.330"].split()
    code = at_birth if _gave_birth(note) else pregnant if weeks else after
    return StayCode(code, LIKELY, (span_of(match),), replaced)


def said_of_birth(note: StayNote, codes: Sequence[str]) -> frozenset[str]:
    """Return the words that titles of chapter 15 have for the time of a pregnancy."""
    if not is_of(MOTHER, note) or not any(code.startswith("O") for code in codes):
        return frozenset()
    words = (
        "complicating in childbirth"
        if _gave_birth(note) and _knows_childbirth(codes[0], note)
        else ""
    )
    weeks = _weeks(note)
    if weeks and not words:
        words = f"{TRIMESTERS[_trimester(int(weeks[1])) - 1][1]} trimester"
    return frozenset(keys_of(words))


def _knows_childbirth(code: str, note: StayNote) -> bool:
    """Return whether a category has codes in childbirth; that of a large fetus has trimesters alone."""
    beside = note.hierarchy.descendants(category_of(code))
    return any("childbirth" in note.hierarchy[other].label() for other in beside)


def _trimester(weeks: int) -> int:
    return bisect_right([until for until, _ in TRIMESTERS], weeks) + 1


def _weeks(note: StayNote) -> re.Match[str] | None:
    """Return the first weeks of gestation that a note gives, with their days where it has any.

    Those of an earlier pregnancy, and of the scan that dated this one, are none.
    """
    possible = [
        match
        for match in _WEEKS.finditer(note.text)
        if FIRST_WEEK <= int(match[1]) <= LAST_WEEK
        and not _is_told_before(_ANOTHER_PREGNANCY, match, note)
    ]
    with_days = (match for match in possible if re.search(r"[+/d]", match.group()))
    return next(with_days, possible[0] if possible else None)


def _gave_birth(note: StayNote) -> bool:
    return bool(_DELIVERED.search(note.text) and _LIVE_BIRTH.search(note.text))

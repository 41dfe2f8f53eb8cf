"""A more specific code of a category, where the words beside its names say what it adds.

"XR left wrist: Colles fracture" is the fracture of the left radius, and moderate persistent asthma
with status asthmaticus is one code, though the note says these in two places.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.A.9.b and I.B.2 (as specific as
the record), I.B.13 (side), I.C.6.a (which side is dominant).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial

from core.clinical.names.clinical_words import key_of, keys_of, spelled_out
from core.clinical.names.mentions import Mention
from core.clinical.names.shorthand import read_by_context
from core.clinical.names.tables import patterns
from core.clinical.notation import category_of
from core.clinical.stays.births import said_of_birth
from core.clinical.stays.conditions.fractures import words_of_fracture
from core.clinical.stays.note import NO_BREATHS, NO_LITRES, StayCode, StayNote
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

ONE_SIDE = ("right", "left")
SIDES = (*ONE_SIDE, "bilateral")
_BILATERAL = key_of("bilateral")
_UNILATERAL = frozenset({key_of("unilateral")})
_SIDE = re.compile(
    rf"\b(?:(?P<both>[Rr]ight (?:and|&) left|[Ll]eft (?:and|&) right|[RL] ?[+&/] ?[LR])|(?P<right>[Rr]ight|RIGHT|[Rr]t(?!\w)|R(?!\.(?!\s|$)){NO_BREATHS}|RLE|RUE|OD)|(?P<left>[Ll]eft|LEFT|[Ll]t(?!\w)|{NO_LITRES}L(?!\.(?!\s|$))|LLE|LUE|OS)"
    r"|(?P<bilateral>[Bb]ilat(?:eral(?:ly)?)?|BILAT(?:ERAL)?|[Bb]oth|[Bb]/[Ll]|BL|OU))\b"
)
_LEFT_HANDED = re.compile(r"\bleft[- ]hand(?:ed)?\b", re.IGNORECASE)
# What a report is of: "MRI OF THE LEFT KNEE", "XR right wrist, 3 views".
_STUDY = re.compile(
    r"\b(?:MRI?|CT|X-?rays?|XR|radiographs?|ultrasound|US|arthrogram|arthroscopy"
    r"|clinical|indications?|reason for (?:exam|study))\b[^\n.;]{0,30}?"
    r"\b(?:(?P<left>left|lt|l)|(?P<right>right|rt|r))\b[ ,]{1,2}(?:\w+ )?"
    r"(?:knee|shoulder|hip|ankle|wrist|elbow|foot|hand|thumb|finger|toe|leg|arm|forearm|femur|humerus)\b",
    re.IGNORECASE,
)
_HEADER = 250
"""Characters of a report that say what it is of."""
_WORD = re.compile(r"[\w.-]+")
_CLAUSE_END = re.compile(r"[,.;]\s|\n")
# What a title says to be missing, and not the side and site behind it: "without foreign body of
# left hand", "without macular edema, right eye".
_WITHOUT = (
    r"\bwithout (?:foreign body(?= of\b)"
    r"|[^,]*?(?= of (?:right|left|unspecified|lower|upper)\b| (?:right|left) eye\b|,|$))"
)
# What a title leaves open, or says of the visit alone. "Severity" is compared as "severe" is.
_OPEN = re.compile(
    r"\binitial encounter.*|\bunspecified (?:severity|quadrant)\b|\bnot specified as .*|\bother(?: specified)?\b|\b(?:unspecified|not otherwise specified|NOS|uncomplicated)\b"
    rf"|\bnot (?:intractable|applicable)\b|\bwithout (?:behavioral disturbance|complaint).*|{_WITHOUT}|\([^()]*\)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\bother\b", re.IGNORECASE)
_MAY_BE_OPEN = (
    "site",
    "part",
    "type",
    "side",
    "stage",
    "trimester",
    "control",
    "eye",
    "ear",
    "joint",
)
_OPEN_WORDS = frozenset(map(key_of, _MAY_BE_OPEN))
# What a number behind them counts: the 2 of "type 2 diabetes, CKD stage 3" is no stage.
_NUMBERED = frozenset(map(key_of, ["stage", "type", "grade", "degree"]))
_OF_STAGES = f"{key_of('stage')} "
_STAGED = re.compile(r"\b(?:stage|grade|category|cat)[ -]?(\d[ab]?|I{1,3}|IV)\b", re.IGNORECASE)
_OF_SIDES = frozenset(map(key_of, (*SIDES, "unilateral", "dominant", "nondominant", "eye", "ear")))
# Parts of a limb, by the words that titles have for the whole of it.
LIMBS = {
    whole: frozenset(key_of(part) for part in parts.split())
    for parts, wholes in (
        ("arm forearm elbow wrist hand shoulder axilla", ("upper limb", "upper extremity")),
        ("leg thigh knee calf shin ankle foot", ("lower limb", "lower extremity")),
        (
            "pinna helix antihelix tragus earlobe concha auricle",
            ("ear and external auricular canal",),
        ),
        (
            "arm forearm elbow wrist hand shoulder axilla finger",
            ("upper limb, including shoulder",),
        ),
        ("leg thigh knee calf shin ankle foot toe hip", ("lower limb, including hip",)),
        ("nasal ala nostril", ("nose",)),
        ("eyelid lid canthus", ("eyelid, including canthus",)),
        ("scalp neck", ("scalp and neck",)),
        ("cheek forehead temple chin jaw face", ("parts of face", "part of face")),
        ("back chest abdomen flank buttock trunk", ("part of trunk",)),
        ("metatarsal toe hallux calcaneus heel forefoot midfoot talus", ("ankle and foot",)),
        ("metacarpal finger thumb", ("hand",)),
        ("tibia fibula", ("tibia and fibula",)),
        ("radius ulna", ("radius and ulna",)),
    )
    for whole in (frozenset(keys_of(words)) for words in wholes)
}
NEAR = 8
"""Names that begin before a word, of which one may have it."""
MOST_MENTIONS = 20
"""Of a code, that are compared with those of others."""
AT_LEAST = 0.6
"""Of a code whose every word the note says."""
# The site beside "metastatic" may be that of the first cancer.
_NO_SITE = ("C79.9",)
# How a disease is belongs to the name that it stands in: the "chronic" of CKD is no other one's.
_OF_DEGREE = frozenset(key_of(word) for word in patterns("words", "of degree"))
OF_PLACES = ("L89", "L97", "S", "T2")
"""Beginnings of codes that stand beside each other, one for each place."""
_VISIT = re.compile(r"[STMWXVY].{6}[A-Z]")
"""Codes whose last character says which visit it is."""


def detail(note: StayNote) -> Iterator[StayCode]:
    """Yield for each category the code that says most of what stands there."""
    said_at = cache(partial(_said_at, note))
    by_category: dict[str, list[str]] = defaultdict(list)
    for code in (code for code in note.codes if code not in _NO_SITE):
        by_category[category_of(code)].append(code)
    for category, codes in by_category.items():
        whole = [code for code in codes if not _is_within_another(code, codes, note)]
        said_here = _but_for_others(category, note, said_at)
        form = words_of_fracture(category, note)
        around = {
            code: [words | form for words in _words_around(note.mentions(code), note, said_here)]
            for code in whole
        }
        if any(around.values()):
            yield from _of_both_sides(category, around, note)


def _is_within_another(code: str, codes: Sequence[str], note: StayNote) -> bool:
    """Return whether a code is named only in longer names of its category: "DVT" of "DVT R arm"."""
    spans = note.spans(code)
    others = {
        (span.start, span.end)
        for other in codes
        if other != code
        for span in note.spans(other)[:MOST_MENTIONS]
    }
    return bool(spans) and all(
        any(
            start <= span.start and span.end <= end and end - start > span.end - span.start
            for start, end in others
        )
        for span in spans[:MOST_MENTIONS]
    )


def _of_both_sides(
    category: str, around: Mapping[str, Sequence[frozenset[str]]], note: StayNote
) -> Iterator[StayCode]:
    """Yield the code of a category; of what is bilateral without a code for that, one of each side."""
    found = list(_of_category(category, around, note))
    stated_words = [
        stated(note.hierarchy[code].label()) for code in (*around, *(f.code for f in found))
    ]
    if any(_BILATERAL in words for beside in around.values() for words in beside) and not any(
        _BILATERAL in words for words in stated_words
    ):
        sided = [list(_of_category(category, _on(side, around, note), note)) for side in ONE_SIDE]
        if all(_says_side(codes, side, note) for side, codes in zip(ONE_SIDE, sided, strict=True)):
            found = [code for codes in sided for code in codes]
    yield from found


def _on(
    side: str, around: Mapping[str, Sequence[frozenset[str]]], note: StayNote
) -> dict[str, list[frozenset[str]]]:
    """Return the words beside the bilateral mentions of each code as those of one side."""
    of_both, of_one = _words_of_side("bilateral", note), _words_of_side(side, note)
    return {
        code: [(words - of_both) | of_one for words in beside if _BILATERAL in words]
        for code, beside in around.items()
    }


def _says_side(found: Sequence[StayCode], side: str, note: StayNote) -> bool:
    titles = [stated(note.hierarchy[stay_code.code].label()) for stay_code in found]
    return bool(titles) and all(
        key_of(side) in words and not words & _UNILATERAL for words in titles
    )


def _of_category(
    category: str, around: Mapping[str, Sequence[frozenset[str]]], note: StayNote
) -> Iterator[StayCode]:
    """Yield the code of a category that says most, where the words are beside one mention.

    Args:
        around: by code of the category the words beside each of its mentions.
    """
    best: dict[int, list[tuple[str, list[str]]]] = defaultdict(list)
    below = note.hierarchy.descendants(category) if category in note.hierarchy else ()
    stated_by = {part: stated(note.hierarchy[part].label()) for part in around}
    of_birth = said_of_birth(note, list(around))
    for code in sorted(below):
        words = stated(note.hierarchy[code].label())
        is_said = any(words - _OPEN_WORDS <= other for other in stated_by.values())
        if is_said or not note.hierarchy[code].assignable:
            continue
        general = [part for part in around if is_part(part, code, note.hierarchy)]
        left = words.difference(of_birth, *(stated_by[part] for part in general))
        if any(
            left <= beside | _limb(words, beside) for part in general for beside in around[part]
        ):
            best[len(words - _OPEN_WORDS)].append((code, general))
    for code, general in _of_each_place(best, note):
        spans = tuple(span for part in general for span in note.spans(part))
        yield StayCode(
            code, max(AT_LEAST, *(note.chances[part] for part in general)), spans, tuple(general)
        )


def _of_each_place(
    best: Mapping[int, Sequence[tuple[str, list[str]]]], note: StayNote
) -> Iterator[tuple[str, list[str]]]:
    """Yield what says most; of injuries in several places, each with names of its own, one for each."""
    by_names: dict[tuple[str, ...], dict[int, list[tuple[str, list[str]]]]] = {}
    for n_words, items in best.items():
        for code, general in items:
            names = tuple(general) if code.startswith(OF_PLACES) else ()
            by_names.setdefault(names, {}).setdefault(n_words, []).append((code, general))
    names_of_all = [name for names in by_names for name in names]
    are_apart = len(names_of_all) == len(set(names_of_all))
    for of_place in by_names.values() if are_apart else (best,):
        yield from _most_said(of_place, note)


def _most_said(
    best: Mapping[int, Sequence[tuple[str, list[str]]]], note: StayNote
) -> Sequence[tuple[str, list[str]]]:
    """Return the one code that says most; of several places of a body one for each.

    Args:
        best: by the number of words that they say, codes with those that they say more than.
    """
    most = best[max(best)] if best else ()
    # Of the sprain of an unspecified ligament and that of another one, the note says the first.
    plain = [item for item in most if not _OTHER.search(note.hierarchy[item[0]].label())]
    most = plain or most
    parts = [part for _, general in most for part in general]
    are_places = len(parts) == len(set(parts)) and all(
        code.startswith(OF_PLACES) for code, _ in most
    )
    return most if len(most) == 1 or are_places else ()


def _limb(words: frozenset[str], around: frozenset[str]) -> frozenset[str]:
    """Return the words of a title for a limb of which the note names a part, or the whole."""
    return frozenset().union(
        *(
            whole
            for whole, parts in LIMBS.items()
            if whole <= words and (parts & around or any(other <= around for other in _same(parts)))
        )
    )


def is_part(general: str, code: str, hierarchy: Hierarchy) -> bool:
    """Return whether a code says all of a more general one, of the same visit, and more."""
    if _VISIT.fullmatch(code) and _VISIT.fullmatch(general) and code[-1] != general[-1]:
        return False
    less, more = (stated(hierarchy[i].label()) - _OPEN_WORDS for i in (general, code))
    return less - _UNILATERAL < more if _BILATERAL in more else less < more


def _same(parts: frozenset[str]) -> list[frozenset[str]]:
    return [whole for whole, of_whole in LIMBS.items() if of_whole == parts]


Said = tuple[tuple[str, int], ...]
"""Words as they are compared, and where they begin."""


def _said_at(note: StayNote, start: int) -> Said:
    """Return the words of the sentence that begins here, without those that it denies."""
    start, end = note.sentence(start)
    explained = {start + at: meaning for at, meaning in read_by_context(note.text[start:end])}
    return tuple(
        (key, word.start())
        for word in note.affirmed(_WORD, start, end)
        for key in keys_of(explained.get(word.start()) or spelled_out(word.group()))
    )


def _but_for_others(
    category: str, note: StayNote, said_at: Callable[[int], Said]
) -> Callable[[int], frozenset[str]]:
    """Return what gives the words of a sentence, but for how the diseases of other categories are."""
    others = sorted(
        (mention.span.start, mention.span.end)
        for named in note.named
        if category_of(named.concept_id) != category
        for mention in named.mentions
        if mention.span.field == "text"
    )
    starts = [start for start, _ in others]

    def words(start: int) -> frozenset[str]:
        keys = [
            key
            for key, at in said_at(start)
            if key not in _OF_DEGREE or not _is_within(at, others, starts)
        ]
        return frozenset(_numbered(keys))

    return words


def _is_within(at: int, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    behind = bisect_right(starts, at)
    return any(end > at for _, end in spans[max(behind - NEAR, 0) : behind])


def _words_around(
    mentions: Sequence[Mention], note: StayNote, said_at: Callable[[int], frozenset[str]]
) -> list[frozenset[str]]:
    """Return the words of the sentence of each mention, and its side; else that of another one."""
    sides = [_side(mention, note) for mention in mentions]
    other = next(filter(None, sides), "") or side_of_study(note.document.title, note.text)
    return [
        _with_own_stage(said_at(note.sentence(mention.span.start)[0]) - _OF_SIDES, mention, note)
        | _words_of_side(side or other, note)
        for mention, side in zip(mentions, sides, strict=True)
    ]


def _with_own_stage(words: frozenset[str], mention: Mention, note: StayNote) -> frozenset[str]:
    """Return the words of a sentence, of several stages only that which is nearest to a mention."""
    stages = {key for key in words if key.startswith(_OF_STAGES)}
    if len(stages) < 2:
        return words
    matches = _STAGED.finditer(note.text, *note.sentence(mention.span.start))
    nearest = min(matches, key=lambda match: _distance(match, mention.span, note), default=None)
    stage_key = f"{_OF_STAGES}{key_of(nearest[1])}" if nearest else ""
    return words - stages | ({stage_key} & stages)


def _words_of_side(side: str, note: StayNote) -> frozenset[str]:
    if not side:
        return frozenset()
    is_dominant = (side == "left") == is_left_handed(note.text)
    words = (side, "dominant" if is_dominant else "nondominant", "eye", "ear", "unilateral")
    return frozenset(map(key_of, words))


@lru_cache(maxsize=8)
def is_left_handed(text: str) -> bool:
    """It is asked for each mention, and a long note has thousands."""
    return bool(_LEFT_HANDED.search(text))


@lru_cache(maxsize=8)
def side_of_study(title: str, text: str) -> str:
    """Return the side that a picture was taken of, by the first words of its report; or ""."""
    study = _STUDY.search(f"{title}\n{text[:_HEADER]}")
    return next((side for side in ("left", "right") if study and study[side]), "")


def _side(mention: Mention, note: StayNote) -> str:
    """Return the side that stands nearest to a mention in its sentence; "" where there is none."""
    start, end = note.sentence(mention.span.start)
    sides = list(_SIDE.finditer(note.text, start, end))
    if not sides:
        return ""
    side = min(sides, key=lambda match: _distance(match, mention.span, note)).lastgroup or ""
    return "bilateral" if side == "both" else side


def _distance(match: re.Match[str], span: Span, note: StayNote) -> int:
    """Return how far words are from a mention, and farther where clauses end between them."""
    between = note.text[match.end() : span.start] or note.text[span.end : match.start()]
    apart = max(match.start() - span.end, span.start - match.end(), 0)
    return apart + 20 * len(_CLAUSE_END.findall(between))


@lru_cache(maxsize=50_000)
def stated(label: str) -> frozenset[str]:
    """Return the words of a label that say something, as texts are compared."""
    return frozenset(_numbered(keys_of(_OPEN.sub("", label))))


def _numbered(keys: Iterable[str]) -> Iterator[str]:
    """Yield words, and a number together with the word before it that it counts."""
    before = ""
    for key in keys:
        yield f"{before} {key}" if before in _NUMBERED and key[:1].isdigit() else key
        before = key

"""The tree of ICD-10-PCS, which follows from its codes: section, body system, table, body part.

A list of codes may have titles of tables, as order files do; where it has none, a table is called by
the words with which the titles of its codes begin.

Source: CMS, ICD-10-PCS, official guidelines and tables: the first character of a code is its section,
the first two its body system, the first three its table.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from core.clinical.names.tables import meanings
from core.clinical.notation import ICD10PCS
from core.vocabulary.concepts import Concept
from core.vocabulary.conventions import conventions_of

CODE_LENGTH = 7
TABLE_LENGTH = 3
LARGE_TABLE = 60  # codes of a table from which its body parts are a level
# No list titles the first character; these are the names of its sections.
SECTIONS = meanings("pcs", "section")
# Body systems of most sections, where no title of a table names them.
_COMMON = meanings("pcs", "body system")
# Those of one section that have a name of their own there.
_OF_SECTION = meanings("pcs", "body system of a section")
# Tables of which the titles of codes do not begin alike: by their three characters, or by the first
# and the third, where they are of several body systems.
_UNLIKE = meanings("pcs", "table")
SMALL_WORDS = frozenset({"of", "with", "to", "from", "into", "in", "and", "by", "using", "for"})


def pcs_tree(
    codes: Mapping[str, str],
    tables: Mapping[str, str],
    synonyms: Mapping[str, tuple[str, ...]] | None = None,
) -> Iterator[Concept]:
    """Yield section, body system, table, body part where a table is large, and code.

    Args:
        codes: titles of codes of seven characters.
        tables: titles of tables, such as "Gastrointestinal System, Resection"; of some or none.
        synonyms: other names of codes.
    """
    system = f"{conventions_of(ICD10PCS).system}/"
    titles = _titles_with_those_above(codes, tables)
    named = synonyms or {}
    above: dict[str, str] = {}
    for code in codes:
        step = code
        for length in (4, TABLE_LENGTH, 2, 1):
            broader = code[:length]
            if broader in titles:
                above[step] = broader
                step = broader
    for code in sorted({*above, *above.values()}):
        yield Concept(
            _concept_id(code),
            system + code,
            code,
            {"en": titles[code]},
            alt_labels={"en": named[code]} if named.get(code) else {},
            broader=(_concept_id(above[code]),) if code in above else (),
            assignable=len(code) == CODE_LENGTH,
        )


def _concept_id(code: str) -> str:
    """Return the id of a code or a division; B00 is a category of ICD-10-CM as well."""
    return code if len(code) == CODE_LENGTH else f"PCS-{code}"


def _titles_with_those_above(codes: Mapping[str, str], tables: Mapping[str, str]) -> dict[str, str]:
    titles = dict(codes)
    below: defaultdict[str, list[str]] = defaultdict(list)
    systems: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for code in codes:
        below[code[:TABLE_LENGTH]].append(code)
    for table, inside in below.items():
        named = tables.get(table) or _table_title(table, [titles[code] for code in inside])
        body_system, _, operation = named.rpartition(", ") if table in tables else ("", "", named)
        systems[table[:2]][body_system or _body_system(table[:2]) or named] += 1
        titles[table] = operation or named
        titles[table[0]] = SECTIONS.get(table[0], table[0])
        if len(inside) > LARGE_TABLE:
            titles |= _body_parts(inside, titles)
    return titles | {start: counted.most_common(1)[0][0] for start, counted in systems.items()}


def _table_title(table: str, titles: Sequence[str]) -> str:
    alike = _shared_words(titles)
    return alike or _UNLIKE.get(table) or _UNLIKE.get(table[0] + table[2]) or table


def _body_system(start: str) -> str:
    """Return the name of a body system; "" of one that is not known."""
    return _OF_SECTION.get(start) or _COMMON.get(start[1], "")


def _body_parts(codes: list[str], titles: Mapping[str, str]) -> dict[str, str]:
    """Return the titles of body parts; one of which the titles of codes share no word has none."""
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for code in codes:
        parts[code[:4]].append(titles[code])
    alike = {part: _shared_words(named) for part, named in parts.items()}
    return {part: words for part, words in alike.items() if words}


def _shared_words(titles: Iterable[str]) -> str:
    split = [title.replace(",", " ,").split() for title in titles]
    alike = takewhile(lambda words: len({*words}) == 1, zip(*split, strict=False))
    words = [first for first, *_ in alike]
    while words and (words[-1] == "," or words[-1].lower() in SMALL_WORDS):
        words.pop()
    return " ".join(words).replace(" ,", ",")

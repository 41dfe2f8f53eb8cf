"""What some phrases of the ward mean: overdoses and effects of drugs, fractures, histories.

Sites, drugs, intents and histories are lines of `assets/clinical/queries.tsv`; drugs are those of the
table of drugs as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import meanings, phrases, phrases_by_meaning, whole_words

DRUGS = meanings("drugs-icd10cm", "drug") | meanings("queries", "drug")
SITES = meanings("queries", "site of a fracture")
PERSONAL = meanings("queries", "personal history")
FAMILY = meanings("queries", "family history")
_WORDS = meanings("words", "in a query")
_INTENTS = phrases_by_meaning("queries", "intent")
_BROKEN = phrases("queries", "fracture")
_SITE = whole_words("|".join(sorted(SITES, key=lambda site: (-len(site), site))))
# What a fracture in plain words says nothing of; labels do.
_SAYS_MORE = whole_words("shaft|open|compound|greenstick|torus|displaced|stress|spiral")
_WORD = re.compile(r"[a-z]+")
_LEFT, _RIGHT = (whole_words(words) for words in ("left|lt|l", "right|rt|r"))
_HISTORY = {
    whose: re.compile(rf"^\s*(?:{words})\s+(?:of\s+)?(?=\S)", re.IGNORECASE)
    for whose, words in (
        ("family", r"fhx?|f/?h|fam(?:ily)? (?:hx|history)"),
        ("personal", r"h/o|hx|history|past (?:medical )?history|phx|pmh(?:x)?|personal history"),
        ("status", r"s/p|status[- ]post|sp"),
    )
}
_HAVING = re.compile(r"(?<=\w) status\s*$", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z0-9]+")
LITTLE = frozenset(("of", "the", "with", "in", "due", "to", "from", "a"))


def _words_of(query: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(query.lower())) - LITTLE


_AFTER = {_words_of(name): code for name, code in meanings("queries", "after an operation").items()}
_NAMES = {_words_of(name): code for name, code in meanings("queries", "name").items()}
ACCIDENTAL, OVERDOSE = "1", "overdose"


def spelled_query(query: str) -> str:
    """Return a query of several words with the short ones of the ward in full."""
    words = query.split()
    return " ".join(_WORDS.get(word.lower(), word) for word in words) if words[1:] else query


def named_codes(query: str) -> list[str]:
    """Return the code of a query that is a name of the table, its words in any order."""
    code = _NAMES.get(_words_of(query))
    return [code] if code else []


def after_codes(whose: str, words: str) -> list[str]:
    """Return the status of having had an operation that a query names behind "s/p" or "h/o"."""
    code = _AFTER.get(_words_of(words)) if whose in ("status", "personal") else None
    return [code] if code else []


def drug_codes(query: str) -> list[str]:
    """Return the code of a drug with the intent or the effect that a query says; or none."""
    text = query.lower()
    begin = next((DRUGS[word] for word in _WORD.findall(text) if word in DRUGS), "")
    intents = [intent for intent, words in _INTENTS.items() if words.search(text)]
    if not begin or not intents:
        return []
    exact = [intent for intent in intents if intent != OVERDOSE]
    return [f"{begin}{exact[0] if exact else ACCIDENTAL}A"]


def fracture_codes(query: str) -> list[str]:
    """Return the code of a fracture by the site and side that a query names in plain words."""
    site = _SITE.search(query)
    if site is None or not _BROKEN.search(query) or _SAYS_MORE.search(query):
        return []
    right, left, unknown = SITES[site.group().lower()].split()
    rest = query.replace(site.group(), " ")
    return [right if _RIGHT.search(rest) else left if _LEFT.search(rest) else unknown]


def history_asked(query: str) -> tuple[str, str]:
    """Return whose history a query asks for ("family", "personal", "status") and of what; or ""."""
    having = _HAVING.search(query)
    if having and _words_of(query[: having.start()]) in _AFTER:
        return "status", query[: having.start()]
    for whose, words in _HISTORY.items():
        match = words.match(query)
        if match:
            return whose, query[match.end() :].strip()
    return "", query


def history_codes(whose: str, code: str) -> Iterator[str]:
    """Yield the codes of having had a condition, or of having it in the family, by the tables."""
    table = FAMILY if whose == "family" else PERSONAL
    begins = sorted((begin for begin in table if code.startswith(begin)), key=len, reverse=True)
    yield from dict.fromkeys(table[begin] for begin in begins)

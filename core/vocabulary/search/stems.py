"""Stems: the common form of the words of queries and labels.

Plurals, cases and derivations by the rules of Snowball for each language, without accents. Codes
have clinical words, whose synonyms and spellings are those that are looked for in notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from core.vocabulary.conventions import WordsOfCodes, words_of_codes
from core.vocabulary.folding import ENGLISH_SMALL_WORDS, WORD, fold_text, stemming

TermsOf = Callable[[str, str], list[str]]
"""A text and its language to its terms, without those that say nothing."""

_JOINING = "-‐‑/&"
_HYPHENATED = re.compile(rf"(?<![^\W_])[^\W_]+(?:[{_JOINING}][^\W_]+)+")
LONGEST_JOINED = 16


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of languages that are often searched in; of the others, frequent words weigh little.
_SMALL = {
    "en": ENGLISH_SMALL_WORDS | {"my", "not", "no", "up", "out", "about", "between", "against"},
    "fr": _words("le la les l un une des de du d et ou à au aux en dans sur par pour"),
    "de": _words("der die das den dem des ein eine und oder von zu im in für mit auf"),
    "es": _words("el la los las un una de del y o en por para con a al"),
    "it": _words("il lo la i gli le un una di del della dei e o in per con a al"),
    "pt": _words("o a os as um uma de do da dos das e ou em no na por para com"),
    "nl": _words("de het een en of van in op voor met te"),
}
# What rules of stemming leave apart: plurals of another stem, and the two spellings of English.
_ENGLISH = {
    "wolves": "wolf", "calves": "calf", "knives": "knife", "wives": "wife", "halves": "half",
    "leaves": "leaf", "thieves": "thief", "shelves": "shelf", "loaves": "loaf", "scarves": "scarf",
    "mice": "mouse", "lice": "louse", "geese": "goose", "feet": "foot", "teeth": "tooth",
    "men": "man", "women": "woman", "children": "child", "people": "person", "persons": "person",
    "oxen": "ox", "indices": "index", "matrices": "matrix", "criteria": "criterion",
    "centre": "center", "centres": "center", "theatre": "theater", "fibre": "fiber",
    "fibres": "fiber", "programme": "program", "programmes": "program", "licence": "license",
    "licences": "license", "defence": "defense", "tyre": "tire", "tyres": "tire",
    "aluminium": "aluminum", "sulphur": "sulfur", "catalogue": "catalog", "jewellery": "jewelry",
    "plough": "plow", "mould": "mold", "moulds": "mold", "grey": "gray", "litre": "liter",
    "metre": "meter", "storey": "story", "kerb": "curb", "pyjamas": "pajamas", "cosy": "cozy",
    "bought": "buy", "sold": "sell", "stolen": "steal", "died": "death",
    "dead": "death", "dying": "death", "births": "birth", "born": "birth", "fell": "fall",
    "broke": "break", "broken": "break", "bitten": "bite", "torn": "tear", "swollen": "swell",
}  # fmt: skip
_ISE = re.compile(r"i[sz](e|es|ed|er|ers|ing|ation|ations)$")
_YSE = re.compile(r"yz(e|ed|es|er|ing)$")
_OUR = re.compile(r"(?<=\w\w)our(?=s?$|ed$|ing$|er|ist|able|al|ful|hood)")
SHORTEST_OUR = 6


def terms_in(vocabulary_id: str) -> TermsOf:
    """Return what cuts labels of a vocabulary, and queries to it, into terms."""
    words = words_of_codes(vocabulary_id)
    return partial(_terms_of_codes, words) if words else terms_of


def terms_of(text: str, language: str) -> list[str]:
    """Return the distinct terms of a text in a language, in their order."""
    tag = language.partition("-")[0].lower()
    small = _SMALL.get(tag, frozenset())
    words = [word for word in WORD.findall(text.lower()) if word not in small]
    stems = (_stemmed(word, tag) for word in words if len(word) > 1 or word.isdigit())
    return [*dict.fromkeys(stem for stem in stems if stem)]


def _terms_of_codes(words: WordsOfCodes, text: str, language: str) -> list[str]:
    if language.partition("-")[0].lower() not in ("en", ""):
        return terms_of(text, language)
    terms = (_ascii(term) for term in words.terms(text))
    return [*dict.fromkeys(term for term in terms if term)]


def joined_terms(text: str, language: str) -> list[str]:
    """Return hyphenated words as people write them in one: “x-ray” as “xray”."""
    if not any(mark in text for mark in _JOINING):
        return []
    tag = language.partition("-")[0].lower()
    pieces = ("".join(WORD.findall(word)) for word in _HYPHENATED.findall(text.lower()))
    return [_stemmed(word, tag) for word in pieces if len(word) <= LONGEST_JOINED]


def said_by(label: str, vocabulary_id: str) -> str:
    """Return a label without what says that nothing more is known, where labels of codes do so."""
    words = words_of_codes(vocabulary_id)
    return words.said_by(label) if words else label


def is_half_said(alternative: str, label: str, vocabulary_id: str) -> bool:
    """Return whether an alternative label of a code leaves out what the label is about."""
    words = words_of_codes(vocabulary_id)
    return words is not None and words.is_half_said(alternative, label)


@lru_cache(maxsize=200_000)
def _stemmed(word: str, tag: str) -> str:
    if tag in ("en", ""):
        return _ascii(_stemmer("en")(_spelled(_ENGLISH.get(word, word))))
    return _ascii(_stemmer(tag)(word))


@lru_cache(maxsize=64)
def _stemmer(tag: str) -> Callable[[str], str]:
    return stemming(tag)


def _spelled(word: str) -> str:
    word = _YSE.sub(r"ys\1", _ISE.sub(r"is\1", word))
    return _OUR.sub("or", word) if len(word) >= SHORTEST_OUR else word


@lru_cache(maxsize=200_000)
def _ascii(stem: str) -> str:
    return fold_text(stem).replace(" ", "")

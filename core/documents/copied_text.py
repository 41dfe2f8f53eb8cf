"""Texts as they are copied: with running heads, divided words, and numbers above their text."""

from __future__ import annotations

import re

from core.documents.acts import WRAPPED_CHARACTERS, without_running_heads

# What acts say, and notes of patients do not: there "History-" ends a line, and no word goes on.
ACT_WORDS = re.compile(
    r"\b(?:Having regard to|HA(?:S|VE) ADOPTED|Article \d|Member States?|(?:Regulation|Directive) \()"
)
LETTERS = r"[^\W\d_]+"
BROKEN_WORD = re.compile(
    rf"(?<=[^\W\d_]{{2}})-[ \t]*\n[ \t]*(?P<rest>{LETTERS})(?P<more>-[^\W\d_])?"
)
LAST_WORD = re.compile(r"(?P<link>-?)(?P<letters>[^\W\d_]{1,60})\Z")
LONGEST_WORD = 61  # with the hyphen before it
HYPHENATED_WORD = re.compile(rf"(?<![^\W\d_]){LETTERS}-{LETTERS}")
# They begin compounds oftener than they are a part of a word that a line broke.
FIRST_OF_COMPOUNDS = frozenset(
    {"above", "anti", "below", "cross", "full", "half", "high", "long", "low", "non", "self"}
    | {"short", "vice", "well", "year"}
)
LAST_OF_COMPOUNDS = frozenset(
    {"based", "free", "induced", "negative", "old", "positive", "related", "specific", "wide"}
    | {"year"}
)
SHORTEST_PROSE, PROSE_SHARE = 40, 0.6  # characters of a line, and its share of the one below
LONGEST_LINK = 4  # letters of "of" in "end-of-life", and of "year" in "two-year-old"
# "Short-\nand long-term": the word goes on further behind.
ANOTHER_FOLLOWS = frozenset({"and", "or", "nor", "to", "vs"})
# The number of a recital, paragraph or point, alone on a line: EUR-Lex copies it above its text.
NUMBER_LINE = re.compile(
    r"^[ \t\u00a0]*+(?P<number>\((?:\d{1,3}|[a-z]{1,4}|[ivx]{1,6})\)|\d{1,3}\.|[a-z]\)|[—–•-])[ \t\u00a0]*+\n"
    r"(?:[ \t\u00a0]*+\n){0,2}+[ \t\u00a0]*+(?=[^\W\d_]|[‘“\"'])",
    re.MULTILINE,
)


def as_published(text: str) -> str:
    """Return a text as it was before it was copied, as far as an act, or prose, shows that."""
    whole = without_running_heads(text) or text
    is_act = bool(ACT_WORDS.search(whole))
    whole = with_whole_words(whole, is_act=is_act)
    return NUMBER_LINE.sub(r"\g<number> ", whole) if is_act else whole


def with_whole_words(text: str, *, is_act: bool) -> str:
    """Join the words that line ends have broken, as text is copied from a PDF.

    Args:
        is_act: of another text only lines of prose are joined, as notes have "History-" on a line.
    """
    hyphenated = frozenset(HYPHENATED_WORD.findall(text))

    def join(match: re.Match[str]) -> str:
        end, rest, more = match.start(), match["rest"], match["more"] or ""
        before = LAST_WORD.search(text, max(end - LONGEST_WORD, 0), end)
        beginning = before["letters"] if before else ""
        if not (beginning[-1:].islower() and rest[0].islower()):
            return match[0]
        if rest in ANOTHER_FOLLOWS and not more:
            return match[0]
        if not is_act and not _is_prose(text, end):
            return match[0]
        is_linked = before is not None and before["link"] and len(beginning) <= LONGEST_LINK
        is_link = more and len(rest) <= LONGEST_LINK
        is_compound = (
            beginning.lower() in FIRST_OF_COMPOUNDS
            or rest in LAST_OF_COMPOUNDS
            or f"{beginning}-{rest}" in hyphenated
        )
        return f"-{rest}{more}" if is_linked or is_link or is_compound else f"{rest}{more}"

    return BROKEN_WORD.sub(join, text)


def _is_prose(text: str, end: int) -> bool:
    """Return whether the line that ends here is about as long as a line of wrapped text."""
    start = text.rfind("\n", 0, end) + 1
    follows = text.find("\n", end) + 1
    behind = text.find("\n", follows)
    following = text[follows : behind if behind >= 0 else len(text)]
    n_characters = end - start
    return n_characters >= SHORTEST_PROSE and n_characters >= PROSE_SHARE * min(
        len(following), WRAPPED_CHARACTERS
    )

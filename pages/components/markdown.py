"""Words for Markdown: text that stays text, and numbers with their nouns."""

from __future__ import annotations

import re

# An underscore inside a word is no sign; an ampersand may begin an entity.
SIGNS = re.compile(r"[\\`*\[\]<>#|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
# Names of emoji, and colons that may begin an icon or a colour. Streamlit looks for these behind
# Markdown, where it sees no backslash, but leaves what was written as an entity.
COLONS = re.compile(r":(?:[\w+-]+:)+|:(?=\w)")
COLON = "&#58;"
# Addresses, of which Markdown makes links wherever they stand; they are parted behind what shows one.
ADDRESSES = re.compile(r"(?i:https?:)(?=//\w)|(?i:www)(?=\.)|@(?=[\\\w-]{1,253}+\.[\w-])")
WORD_JOINER = "\u2060"  # has no width, and no line ends there
NOT_IN_CODE = re.compile(r"[`\r\n]+")
# Embeddings, overrides and isolates of Unicode, which hold beyond the text that they stand in.
ORDER_SIGNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def in_order(text: str) -> str:
    """Return text without the signs that turn round what stands behind it on the screen."""
    return ORDER_SIGNS.sub("", text)


def escaped(text: str) -> str:
    """Return text that Markdown leaves as it is: no link, picture, formula, emoji or colour in it."""
    without_signs = SIGNS.sub(r"\\\g<0>", in_order(text))
    without_links = ADDRESSES.sub(rf"\g<0>{WORD_JOINER}", without_signs)
    return COLONS.sub(lambda match: match[0].replace(":", COLON), without_links)


def shortened(text: str, most: int = 120) -> str:
    """Return text in one line, cut where it is long."""
    line = " ".join(in_order(text[: 2 * most]).split())
    return line if len(line) <= most else f"{line[:most].rstrip()} …"


def plain(text: str, most: int = 120) -> str:
    """Return the text of a document or a file name, escaped, in one short line."""
    return escaped(shortened(text, most))


def code(text: str) -> str:
    """Return text as code, whatever is in it."""
    return f"`{NOT_IN_CODE.sub(' ', in_order(text))}`"


def concepts(number: int, n_withdrawn: int = 0) -> str:
    """Return how many concepts a vocabulary offers, such as “28 concepts, 3 withdrawn”."""
    withdrawn = f", {n_withdrawn:,} withdrawn" if n_withdrawn else ""
    return f"{count(number, 'concept')}{withdrawn}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun, such as “1 document” or “1,200 documents”."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""Acts as they are copied from EUR-Lex or the Official Journal: running heads, broken words, and
the title.

A page of the Official Journal has its name, number, date and language above the text. Between
paragraphs of an act they are no words of it, and above the act they stand where a title is looked
for; so they are taken out before a text is stored, and no offset has to be corrected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from core.documents.plain_text import split_title

LANGUAGES = "BG|CS|DA|DE|EL|EN|ES|ET|FI|FR|GA|HR|HU|IT|LT|LV|MT|NL|PL|PT|RO|SK|SL|SV"
OF_UNION = r"of[ ]the[ ]European[ ](?:Union|Communities)"  # since 2023 on the second line of a head
JOURNAL = rf"Official[ ]Journal(?:[ ]{OF_UNION})?"
DATE = r"\d{1,2}[ ]?[./][ ]?\d{1,2}[ ]?[./][ ]?(?:\d{4}|\d{2})"
PAGE = r"(?:No[ ]?)?[LC](?:[ ]?I)?[ ]?\d{1,3}(?:[ ]?[AE])?[ ]?/[ ]?\d{1,4}"
SERIES = r"[LC][ ]series"
# The pieces of a running head, in whatever order, on one line or on several.
PIECE = re.compile(
    rf"(?<!\w)(?:{JOURNAL}|{OF_UNION}|{DATE}|{PAGE}|{SERIES}|\d{{4}}/\d{{1,5}}|{LANGUAGES})(?!\w)"
)
BETWEEN_PIECES = " \t|"
NAMES_JOURNAL = re.compile(JOURNAL)
# What on its own is a head in an act that was copied, and nothing else.
PAGE_LINE = re.compile(rf"{PAGE}(?:\s+(?:{LANGUAGES}))?|(?:{LANGUAGES})\s+{PAGE}")
LINK_LINE = re.compile(r"(?:ELI:\s*)?https?://data\.europa\.eu/eli/\S+(?:\s+\d+/\d+)?")

# What EUR-Lex puts above an old act: its number, its title, and where it was published.
CELEX_LINE = re.compile(r"[1-9]\d{4}[A-Z]{1,2}\d{4}(?:\(\d+\)|R\(\d+\))?")
PUBLISHED_LINE = re.compile(
    rf"Official[ ]Journal[ ](?:[LC][ ])?\d+[ ]?,[ ]?{DATE}[ ]P\..*|.{{2,40}}[ ]special[ ]edition.*"
)

KINDS = (
    "REGULATION|DIRECTIVE|DECISION|RECOMMENDATION|OPINION|GUIDELINE|JOINT ACTION|COMMON POSITION|"
    "RESOLUTION|AGREEMENT|PROTOCOL|CONVENTION|RULES OF PROCEDURE|DECLARATION|COMMUNICATION|NOTICE"
)
INSTITUTIONS = (
    "COMMISSION|COUNCIL|EUROPEAN PARLIAMENT|EUROPEAN CENTRAL BANK|COURT OF AUDITORS|EURATOM|EEC|ECSC|"
    "EAEC|EC|HIGH AUTHORITY|JOINT COMMITTEE|POLITICAL AND SECURITY COMMITTEE"
)
QUALITIES = "IMPLEMENTING|DELEGATED|FRAMEWORK|SUPPLEMENTARY|FINANCIAL|STAFF|JOINT"
ORDINALS = r"(?:[A-Z]{1,12}-)?(?:FIRST|SECOND|THIRD|[A-Z]{3,12}TH)"
HEADING = re.compile(
    rf"(?:CORRIGENDUM TO (?:THE )?)?(?:{ORDINALS}\s+)?"
    rf"(?:\d{{2,4}}/\d{{1,4}}/[A-Z, ]{{2,20}}:\s*)?(?:(?:{INSTITUTIONS})(?:\s+AND(?:\s+THE)?)?(?:\s*:)?\s+){{0,8}}"
    rf"(?:(?:{QUALITIES})\s+){{0,4}}(?:{KINDS})(?:\s*\(|\s*No\b|\s+\d|\s+OF\b|\s*$|\s+ON\b|\s+BETWEEN\b|\s+CONCERNING\b)",
    re.IGNORECASE,
)
# Its heading goes on with the kind of the act, often on a line of its own.
PROPOSAL = re.compile(r"(?:Amended[ ])?Proposal[ ]for[ ]an?\b[ ]*", re.IGNORECASE)
# Agreements are called by what they are about: words in capitals before what they are.
IN_CAPITALS = re.compile(
    r"(?:[^a-z]{2,90}\s)?(?:AGREEMENT|CONVENTION|PROTOCOL|TREATY|CHARTER)(?:\s[^a-z]{2,160})?"
)
CAPITALS_LINES = 4  # on one of the first lines
# The whole page of EUR-Lex, copied with its menus.
SITE_MENU = re.compile(r"(?:Skip to main content|My EUR-Lex)")
DATED = re.compile(r"(?:of|OF) \d{1,2} \w+ \d{4}")
PUBLISHER_NOTE = re.compile(r"/\*.{0,300}?\*/")
# Where a title ends: who adopts the act, on what grounds, or a note in parentheses.
BEHIND_TITLE = re.compile(
    r"(?:\((?:.{2,200}\))?|THE[ ](?:[A-Z]{2,}[ ,.’'-]*)+|(?:HAVE|HAS)[ ]\w+|Having[ ]regard\b|Whereas\b|Article[ ]1\b|"
    r"(?:CHAPTER|PART|TITLE|SECTION|ANNEX)\b|(?:TABLE[ ]OF[ ])?CONTENTS\b|Text[ ]with[ ]EEA).*",
)
# Who adopts an act: above it stands the heading, where it was copied with it.
ADOPTED_BY = re.compile(rf"THE[ ](?:EUROPEAN[ ])?(?:{INSTITUTIONS})\b")
FIRST_RECITAL = re.compile(r"^(?:Whereas\b[:,]?|\(1\))\s*", re.IGNORECASE)
ANOTHER_ITEM = re.compile(r"\(\d|$")
OPEN_ENDS = {
    "of",
    "the",
    "and",
    "on",
    "in",
    "to",
    "for",
    "with",
    "no",
    "a",
    "between",
    "council",
    "or",
}
SMALL_WORDS = {"OF", "THE", "AND", "ON", "FOR", "TO", "IN", "BY", "BETWEEN"}
KEPT_WORDS = {"EU", "EC", "EEC", "EEA", "ECSC", "CFSP", "JHA", "EAEC", "II", "III", "IV", "ECB"}
SEARCHED_LINES = 60
LONGEST_HEAD = 200
HEADING_LINES = 12  # a heading further down is of something that the text is about
MENU_LINES = 600
LONGEST_TITLE_LINES = 14
LONGEST_TITLE = 2_000
WRAPPED_CHARACTERS = 110  # no line of a text that was wrapped by hand is longer


FIRST_LINE_TITLE = "No title and no heading of an act was found, so the first line or recital stands for the title."


@dataclass(frozen=True, slots=True)
class FoundTitle:
    """The title of a text that came without one.

    Attributes:
        title: in one line; the kind of an act as a library writes it, not in capitals.
        rest: the text without it; all of it where a recital stands for the title.
        is_first_line: whether it is the first line, or recital, for want of a heading.
    """

    title: str
    rest: str
    is_first_line: bool = False


def find_title(text: str) -> FoundTitle:
    """Return the title that an act has in its heading, or else the first line of a text.

    The first recital stands for the title of an act without a heading, and stays in its text.

    Args:
        text: without running heads.
    """
    act_title_found = act_title(text)
    if act_title_found is not None:
        return act_title_found
    recital = _first_recital(text) if ADOPTED_BY.match(text) else ""
    if recital:
        return FoundTitle(split_title(recital)[0], text, is_first_line=True)
    return FoundTitle(*split_title(text), is_first_line=True)


def _first_recital(text: str) -> str:
    """Return the words of an act's first recital in one line; or "" where it has none."""
    lines = [line.strip() for line in text.split("\n", SEARCHED_LINES)[:SEARCHED_LINES]]
    behind = dropwhile(lambda line: not FIRST_RECITAL.match(line), lines)
    recital_lines = dropwhile(
        lambda line: not line, (FIRST_RECITAL.sub("", line, count=1) for line in behind)
    )
    return " ".join(takewhile(lambda line: not ANOTHER_ITEM.match(line), recital_lines))


def without_running_heads(text: str) -> str:
    """Return a text without the running heads of the Official Journal, unless it has none."""
    lines = text.split("\n")
    gone = running_heads(lines)
    if not gone:
        return text
    kept_lines: list[str] = []
    for number, line in enumerate(lines):
        if number in gone:
            continue
        if not line.strip() and number - 1 in gone and kept_lines and not kept_lines[-1].strip():
            continue  # one empty line is enough where a head stood between two
        kept_lines.append(line)
    return "\n".join(kept_lines).strip()


def running_heads(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that make running heads of the Official Journal."""
    return set(_heads(lines)) if any(map(NAMES_JOURNAL.search, lines)) else set()


def _heads(lines: Sequence[str]) -> Iterator[int]:
    start = 0
    while start < len(lines):
        run = [start]
        if _is_piece(lines[start]) and not re.fullmatch(OF_UNION, lines[start].strip()):
            run = _run(lines, start)
            words = " ".join(lines[number].strip() for number in run)
            alone = all(PAGE_LINE.fullmatch(lines[n].strip()) for n in run if lines[n].strip())
            if (NAMES_JOURNAL.search(words) or alone) and not _is_wrapped(lines, run):
                yield from run
        elif LINK_LINE.fullmatch(lines[start].strip()):
            yield start
        start = run[-1] + 1


def _is_wrapped(lines: Sequence[str], run: Sequence[int]) -> bool:
    """Return whether the name of the journal stands in a sentence that a line end has cut."""
    before = lines[run[0] - 1].split() if run[0] else []
    return bool(before) and before[-1].lower() in OPEN_ENDS


def _run(lines: Sequence[str], start: int) -> list[int]:
    """Return the lines from here on that are pieces of a head, with the empty ones between them."""
    numbers = range(start, len(lines))
    run = list(takewhile(lambda n: not lines[n].strip() or _is_piece(lines[n]), numbers))
    while not lines[run[-1]].strip():
        run.pop()
    return run


def _is_piece(line: str) -> bool:
    if len(line) > LONGEST_HEAD or not line.strip():
        return False
    return not PIECE.sub(" ", line).strip(BETWEEN_PIECES + "\r\n\u00a0")


# ---------------------------------------------------------------------- the title


def act_title(text: str) -> FoundTitle | None:
    """Return the title of an act, which its heading has in one line or several; None without one.

    Args:
        text: without running heads.
    """
    lines = text.split("\n")
    title_and_rest = title_lines(lines)
    if title_and_rest is None:
        return None
    title, rest = title_and_rest
    return FoundTitle(title, "\n".join(lines[n] for n in rest).strip())


def title_lines(lines: Sequence[str]) -> tuple[str, list[int]] | None:
    """Return the title of an act, and the numbers of the lines that remain; None without a title."""
    noted = _noted_title(lines)
    if noted is not None:
        title, behind = noted
        return title, list(range(behind, len(lines)))
    there = [n for n, line in enumerate(lines) if line.strip()]
    is_page = any(SITE_MENU.match(lines[n].strip()) for n in there[:SEARCHED_LINES])
    for place, number in enumerate(there[: MENU_LINES if is_page else HEADING_LINES]):
        if not _is_heading(lines[number], place):
            continue
        end = _title_end(lines, number)
        title = _joined_title(lines[number:end])
        if _says_something(title):
            return title, [*range(0 if is_page else number), *range(end, len(lines))]
    return None


def _noted_title(lines: Sequence[str]) -> tuple[str, int] | None:
    """Return the title between the number of an act and where it was published, as EUR-Lex has it.

    With it, the number of the line behind all that.
    """
    there = [n for n, line in enumerate(lines) if line.strip()][:SEARCHED_LINES]
    numbered = next((n for n in there if CELEX_LINE.fullmatch(lines[n].strip())), None)
    if numbered is None:
        return None
    first = next((n for n in there if PUBLISHED_LINE.fullmatch(lines[n].strip())), None)
    if first is None or first <= numbered + 1:
        return None
    noted = PUBLISHER_NOTE.sub(" ", " ".join(lines[numbered + 1 : first]))
    title = " ".join(noted.split())
    behind = first
    while behind < len(lines) and PUBLISHED_LINE.fullmatch(lines[behind].strip()):
        behind += 1
    return (title, behind) if 0 < len(title) <= LONGEST_TITLE else None


def _is_heading(line: str, place: int) -> bool:
    """Return whether a line begins the heading of an act, in capitals or as a library writes it.

    Args:
        place: how many lines with words are above it.
    """
    line = line.strip()
    if len(line) > LONGEST_TITLE or line.endswith((":", ";", ",")):
        return False
    if place < CAPITALS_LINES and IN_CAPITALS.fullmatch(line):
        return True
    kind = PROPOSAL.sub("", line, count=1) if PROPOSAL.match(line) else line
    match = HEADING.match(kind)
    if match is None:
        return not kind
    words = re.findall(r"[^\W\d_]{4,}", match.group())
    return bool(words) and all(word[0].isupper() for word in words)


def _title_end(lines: Sequence[str], start: int) -> int:
    is_wrapped = max(map(len, lines[start : start + SEARCHED_LINES])) <= WRAPPED_CHARACTERS
    last, n_lines, size = start, 1, len(lines[start])
    for number in range(start + 1, len(lines)):
        line = lines[number].strip()
        if not line:
            continue
        if n_lines == LONGEST_TITLE_LINES or size + len(line) > LONGEST_TITLE:
            break
        if not _goes_on(line, lines[last].strip(), is_wrapped=is_wrapped and number == last + 1):
            break
        last, n_lines, size = number, n_lines + 1, size + len(line) + 1
    return last + 1


def _goes_on(line: str, before: str, *, is_wrapped: bool) -> bool:
    if BEHIND_TITLE.fullmatch(line):
        return False
    if line[0].islower() or before.rpartition(" ")[2].lower() in OPEN_ENDS:
        return True
    if DATED.fullmatch(before):  # what it is about is still to come
        return True
    is_capitals = line == line.upper() and line.startswith(("OF ", "ON ", "FOR ", "AMENDING "))
    return is_capitals or (is_wrapped and len(before) > WRAPPED_CHARACTERS // 2)


def _joined_title(lines: Sequence[str]) -> str:
    """Return a title in one line, words in capitals as a library writes them."""
    title = " ".join(" ".join(lines).split())
    letters = [character for character in title if character.isalpha()]
    is_all_capitals = sum(map(str.isupper, letters)) > 0.9 * len(letters)
    head, joint, about = title, "", ""
    if not is_all_capitals:
        first = " ".join(lines[0].split())
        if PROPOSAL.fullmatch(first):  # what is proposed is on the next line
            first = " ".join([first, *next(filter(None, map(str.split, lines[1:])), [])])
        head, joint, about = first, title[len(first) : len(first) + 1], title[len(first) + 1 :]
    words = [_written(word, at=place) for place, word in enumerate(head.split(" "))]
    return f"{' '.join(words)}{joint}{about}"


def _written(word: str, *, at: int) -> str:
    """Return a word that is in capitals with one at its beginning, or none where it is small."""
    bare = word.strip("(),.:;")
    if len(bare) < 2 or bare != bare.upper() or not bare.isalpha() or bare in KEPT_WORDS:
        return word
    if at and bare in SMALL_WORDS:
        return word.lower()
    return word.replace(bare, bare.capitalize())


def _says_something(title: str) -> bool:
    """Return whether a title says more than what kind of act it is."""
    return len(re.findall(r"[^\W\d_]{3,}", title)) >= 4

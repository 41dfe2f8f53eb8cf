r"""Invented lines of notes with a condition each, and what they assert of it.

`assertion_lines.tsv` has a line for each: development or held out, one of `ASSERTED`, and the line
with the condition in double brackets; `\n` is a line break. People who had not seen the tables of
cues wrote them. Those held out were scored three times.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from core.clinical.asserting.network import ASSERTED, RULES, Window
from core.clinical.assertions import Assertions
from core.clinical.names.matcher import LexicalMatcher
from core.errors import ConfigError
from training.corpora.corpus import LabelledDocument

MASK = "[MASK]"  # as tokenizers call what is not to be read
LINES = Path(__file__).parent / "assertion_lines.tsv"
DEVELOPMENT, HELD_OUT = "development", "held out"
_CONDITION = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)
_BESIDE_WORDS = re.compile(r"\W+")
ALIKE = 40
"""Characters in which lines agree that are of one sentence."""
SHARE_OF_DEV = 0.1
# Of lines that do nothing but name conditions.
OPENINGS = (
    *(
        "",
        "",
        "1. ",
        "- ",
        "Admitted with ",
        "Seen for ",
        "Known ",
        "Treated for ",
        "Here for ",
        "Has ",
    ),
    *("Diagnoses:\n1. ", "Dx: ", "Impression: ", "Problems: ", "Assessment:\n", "In clinic with "),
)
JOINTS = (" with ", ", ", " and ", "; ", "\n", "\n2. ", ". ", " / ")
MOST_NAMED = 4
# How often a line is varied in each way.
HIDDEN, OTHER_CONDITION, LINE_BEFORE, LINE_BEHIND, SMALL_LETTERS = 0.15, 0.5, 0.35, 0.35, 0.15


class NoteLine(NamedTuple):
    """A line of a note.

    Attributes:
        start, end: of the condition.
        asserted: one of `ASSERTED`, by its number.
        rule: what the rules say of the condition, by its number among `RULES`.
    """

    text: str
    start: int
    end: int
    asserted: int
    rule: int

    @classmethod
    def of(cls, text: str, start: int, end: int, asserted: str) -> NoteLine:
        """Ask the rules."""
        assertion = Assertions(text).at(start, end)
        rule = RULES.index(assertion.status if assertion else "")
        return cls(text, start, end, ASSERTED.index(asserted), rule)

    @property
    def condition(self) -> str:
        """The words of the condition."""
        return self.text[self.start : self.end]

    @property
    def window(self) -> Window:
        """What the network reads of it."""
        return Window.around(self.start, self.end, self.text)


def read_lines(half: str, path: Path = LINES) -> list[NoteLine]:
    """Return the lines of one half of a table.

    Raises:
        ConfigError: a line has no condition, or asserts nothing that is known.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        return [_line(row, path) for row in rows if row["half"] == half]


def apart(lines: Sequence[NoteLine]) -> tuple[list[NoteLine], list[NoteLine]]:
    """Return lines to learn, and lines to judge; those of one sentence are on one side."""
    learned: list[NoteLine] = []
    dev: list[NoteLine] = []
    for line in lines:
        chance = random.Random(_BESIDE_WORDS.sub(" ", line.text.lower())[:ALIKE]).random()
        (dev if chance < SHARE_OF_DEV else learned).append(line)
    return learned, dev


def of_cases(cases: Iterable[LabelledDocument], matcher: LexicalMatcher) -> list[NoteLine]:
    """Return windows around names of codes that cases have, and that the rules take as affirmed."""
    affirmed, lines = ASSERTED.index("affirmed"), []
    for case in cases:
        text, assertions = case.document.text, Assertions.of_document(case.document)
        for match in matcher.matches(text):
            if match.concept_id in case.assigned and not assertions.at(match.start, match.end):
                window = Window.around(match.start, match.end, text)
                lines.append(
                    NoteLine(window.text, window.start, window.end, affirmed, RULES.index(""))
                )
    return lines


def plain(affirmed: Sequence[NoteLine], rng: random.Random) -> NoteLine:
    """Return a line that does nothing but name conditions of affirmed ones, one of which is meant."""
    conditions = [line.condition for line in rng.sample(affirmed, rng.randint(1, MOST_NAMED))]
    before = rng.choice(OPENINGS)
    meant = rng.randrange(len(conditions))
    joint = rng.choice(JOINTS)
    start = len(before + joint.join([*conditions[:meant], ""]))
    text = before + joint.join(conditions) + rng.choice((".", "", "\n"))
    return NoteLine(text, start, start + len(conditions[meant]), ASSERTED.index("affirmed"), 0)


def varied(line: NoteLine, others: Sequence[NoteLine], rng: random.Random) -> NoteLine:
    """Return a line with another condition or none, among others' words, or in small letters, by chance.

    What is asserted of a condition depends on none of these, nor what the rules say of it.
    """
    before, condition, behind = line.text[: line.start], line.condition, line.text[line.end :]
    if rng.random() < OTHER_CONDITION:
        condition = rng.choice(others).condition
    if rng.random() < LINE_BEFORE:
        before = rng.choice(others).text + rng.choice([". ", "\n"]) + before
    if rng.random() < LINE_BEHIND:
        stop = "" if behind.rstrip().endswith((".", ";", ":")) else "."
        behind = behind.rstrip() + stop + rng.choice([" ", "\n"]) + rng.choice(others).text
    if rng.random() < SMALL_LETTERS:
        before, condition, behind = before.lower(), condition.lower(), behind.lower()
    if rng.random() < HIDDEN:
        condition = MASK
    start, end = len(before), len(before) + len(condition)
    return line._replace(text=f"{before}{condition}{behind}", start=start, end=end)


def _line(row: dict[str, str], path: Path) -> NoteLine:
    text = row["line"].replace("\\n", "\n")
    condition = _CONDITION.search(text)
    if condition is None or row["asserted"] not in ASSERTED:
        raise ConfigError(
            f"{path} has a line without a condition, or with an unknown assertion: {row['line']}"
        )
    start = condition.start()
    plain = f"{text[:start]}{condition[1]}{text[condition.end() :]}"
    return NoteLine.of(plain, start, start + len(condition[1]), row["asserted"])

"""Every number with a decimal in the text of the results is one of a table, or is listed here.

A table beside it is made from rows (`training results --check`), so that the text follows from the
rows too: as a number of a table in the same section, or as the difference of two in one column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from core.settings import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "results.md").read_text("utf-8")
README = (PROJECT_ROOT / "README.md").read_text("utf-8")

CELL = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
IN_TEXT = re.compile(r"(?<![\w.,/-])\d+(?:,\d{3})*\.\d+(?!\w|\.\d)")
MARKED = re.compile(r"<!-- table: [^\n]+? -->\n.*?<!-- end -->", re.DOTALL)
FENCED = re.compile(r"```.*?```", re.DOTALL)

ELSEWHERE = {
    "4": "3.4",  # e^1.23
    "6": "0.006 0.014",  # p, which the table has with a fourth digit
    # Losses in training, an earlier rate on dev, and learning rates: of runs that were not kept.
    "10": "76.4 0.025 0.003 0.008 79.6 72.6 67.4 0.001",
    # Published seconds, and F1 of section 10.
    "11": "30.3 86.4 86.8 89.8 87.2",
    "12": "49.6 59.8 59.1",  # losses in training
    "13": "83.0 74.4",  # section 1
}
"""Section -> its numbers that no table of it has."""


def sections() -> Iterator[tuple[str, str]]:
    for part in re.split(r"^## (?=\d+\. )", PAGE, flags=re.MULTILINE)[1:]:
        yield part.partition(".")[0], part


def numbers_of_tables(text: str) -> set[str]:
    """Return the numbers of all cells, and the differences of those that a column begins with."""
    found: set[str] = set()
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip("|").split("|") for line in block.splitlines() if line[:1] == "|"]
        rows = [[CELL.findall(cell) for cell in line] for line in lines]
        found.update(number for row in rows for cell in row for number in cell)
        for column in zip(*rows, strict=False):
            firsts = [float(cell[0].replace(",", "")) for cell in column if cell and "." in cell[0]]
            for digits in (1, 2):
                found.update(f"{abs(a - b):.{digits}f}" for a in firsts for b in firsts)
    return found


def numbers_of_text(text: str) -> set[str]:
    prose = FENCED.sub("", MARKED.sub("", text))
    lines = [line for line in prose.splitlines() if not line.startswith("|")]
    return set(IN_TEXT.findall("\n".join(lines)))


@pytest.mark.parametrize(("section", "text"), list(sections()), ids=lambda of: of[:3].strip())
def test_a_number_of_a_section_stands_in_its_tables(section: str, text: str) -> None:
    loose = numbers_of_text(text) - numbers_of_tables(text)
    assert loose == set(ELSEWHERE.get(section, "").split()), (
        "a number of the text that no table of its section has: correct it, or list it above"
    )


def test_a_number_of_the_readme_stands_in_the_results() -> None:
    known = set(CELL.findall(PAGE)) | numbers_of_tables(README)
    said = numbers_of_text(README.replace("Python 3.11", "Python"))
    assert said <= known


def test_a_number_that_no_table_has_is_found() -> None:
    text = (
        "| Arm | F1 |\n| --- | --- |\n| a | 80.0 |\n| b | 77.5 |\n\nIt is 80.0, 2.5 above, not 2.4."
    )
    assert numbers_of_text(text) - numbers_of_tables(text) == {"2.4"}

"""Every number with a decimal in the text of the results is one of a table, or is listed here.

A table beside it is made from rows (`training results --check`), so that the text follows from the
rows too: as a number of a table in the same section, or as the difference of two in one column. A
difference that is given with its interval must be that of one row, interval and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from core.settings import PROJECT_ROOT

DOCS = PROJECT_ROOT / "docs"
PAGE = (DOCS / "results.md").read_text("utf-8")
README = (PROJECT_ROOT / "README.md").read_text("utf-8")

CELL = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
IN_TEXT = re.compile(r"(?<![\w.,/-])\d+(?:,\d{3})*\.\d+(?!\w|\.\d)")
MARKED = re.compile(r"<!-- table: [^\n]+? -->\n.*?<!-- end -->", re.DOTALL)
FENCED = re.compile(r"```.*?```", re.DOTALL)
LINKED = re.compile(r"\]\((results/[\w-]+/table-\w+\.md)")

SIGNED = r"[-+]?\d+\.\d+"
IN_ROW = re.compile(rf"({SIGNED})(?: ± [\d.]+)?\s*[|(]\s*({SIGNED}) (?:…|to) ({SIGNED})")
INTERVAL = re.compile(
    rf"(?:\((?:[^()]*[ \n](?<!from ))?|interval\s+from\s+)({SIGNED})\s+(?:to|…)\s+({SIGNED})"
)
"""In brackets, or called so; "(from -0.5 to +0.7)" is a range of several differences."""

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

Difference = tuple[str, str, str]
"""A difference and the ends of its interval, as they are printed."""


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


def prose_of(text: str) -> str:
    prose = FENCED.sub("", MARKED.sub("", text))
    return "\n".join(line for line in prose.splitlines() if not line.startswith("|"))


def numbers_of_text(text: str) -> set[str]:
    return set(IN_TEXT.findall(prose_of(text)))


def said_differences(text: str) -> Iterator[Difference]:
    """Yield each interval of the text with the number before it."""
    prose = prose_of(text)
    for interval in INTERVAL.finditer(prose):
        before = re.findall(rf"(?<![\w.]){SIGNED}", prose[: interval.start(1)])
        yield (before[-1], interval[1], interval[2])


def measured_differences(text: str) -> list[Difference]:
    """Return those of the rows of all tables, also those of tables that the text names by a link."""
    linked = [(DOCS / place).read_text("utf-8") for place in LINKED.findall(text)]
    rows = [line for page in (text, *linked) for line in page.splitlines() if line[:1] == "|"]
    return [found for row in rows for found in IN_ROW.findall(row)]


def unmeasured(text: str, tables: str) -> set[Difference]:
    measured = measured_differences(tables)
    return {said for said in said_differences(text) if not is_measured(said, measured)}


def is_measured(said: Difference, measured: Iterable[Difference]) -> bool:
    """Return whether one row has the three; "1.2 below (0.9 to 1.4)" is -1.2 and -1.4 … -0.9."""
    return any(
        is_rounded(said[0].lstrip("+-"), value.lstrip("+-"))
        and (
            (is_rounded(said[1], low) and is_rounded(said[2], high))
            or (is_rounded(said[1], negated(high)) and is_rounded(said[2], negated(low)))
        )
        for value, low, high in measured
    )


def is_rounded(said: str, measured: str) -> bool:
    """Return whether the text's number is the table's, or one that it may have been rounded to."""
    digits, all_digits = (len(number.partition(".")[2]) for number in (said, measured))
    # The table's digits are rounded themselves.
    off = 0.5 * (0.1**digits + 0.1**all_digits) if digits < all_digits else 0.0
    return digits <= all_digits and abs(float(said) - float(measured)) <= off + 1e-9


def negated(number: str) -> str:
    return number.replace("-", "+") if "-" in number else "-" + number.lstrip("+")


def other(number: str) -> str:
    return f"{float(number) + 0.2:.1f}"


@pytest.mark.parametrize(("section", "text"), list(sections()), ids=lambda of: of[:3].strip())
def test_a_number_of_a_section_stands_in_its_tables(section: str, text: str) -> None:
    loose = numbers_of_text(text) - numbers_of_tables(text)
    assert loose == set(ELSEWHERE.get(section, "").split()), (
        "a number of the text that no table of its section has: correct it, or list it above"
    )


@pytest.mark.parametrize("text", [text for _, text in sections()], ids=lambda of: of[:3].strip())
def test_a_difference_with_its_interval_is_of_one_row(text: str) -> None:
    assert unmeasured(text, text) == set()


def test_the_readme_says_what_the_first_section_measures() -> None:
    measured = dict(sections())["1"]
    assert unmeasured(README, measured) == set()

    prose = prose_of(README.replace("Python 3.11", "Python").replace("Apache 2.0", "Apache"))
    cells = {n for line in measured.splitlines() if line[:1] == "|" for n in CELL.findall(line)}
    # Its own table is no evidence, and neither is a difference that just two cells happen to have.
    assert numbers_of_text(prose) <= cells | {n for said in said_differences(prose) for n in said}


def test_a_difference_of_no_row_is_found() -> None:
    measured = measured_differences(dict(sections())["1"])
    for value, low, high in said_differences(README):
        for wrong in ((other(value), low, high), (value, low, other(high))):
            assert not is_measured(wrong, measured), wrong


def test_a_difference_is_found_with_either_sign_and_in_fewer_digits() -> None:
    table = (
        "| Arm | minus a | 95 % interval |\n| --- | --- | --- |\n| b | -1.24 | -1.46 … +0.31 |\n\n"
    )
    right = "It is 1.2 below a (-1.5 to +0.3), a 1.24 above it (-0.31\nto 1.46)."
    assert unmeasured(right, table) == set()
    for wrong in ("1.3 below (-1.5 to +0.3)", "1.2 (-0.3 to +1.4)", "1.24 (-1.46 to -0.31)"):
        assert len(unmeasured(wrong, table)) == 1
    assert not list(
        said_differences("It loses 1.2 and 1.3 (from 0.5 to 1.3), and falls 9.0 to 8.0.")
    )


def test_a_number_that_no_table_has_is_found() -> None:
    text = (
        "| Arm | F1 |\n| --- | --- |\n| a | 80.0 |\n| b | 77.5 |\n\nIt is 80.0, 2.5 above, not 2.4."
    )
    assert numbers_of_text(text) - numbers_of_tables(text) == {"2.4"}

"""Each row of the tables in `assets/clinical`: whole, with a source, and asked for by a rule."""

from __future__ import annotations

import re

import pytest

from core.clinical.names.tables import (
    COLUMNS,
    FOLDER,
    TableRow,
    all_rows,
    by_meaning,
    lists,
    meanings,
    names_in_notes,
    phrases,
    phrases_by_meaning,
)
from core.paths import PROJECT_ROOT
from core.vocabulary.concepts import Hierarchy

TABLES = sorted(path.stem for path in FOLDER.glob("*.tsv"))
CODE = re.compile(r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?")
# Of beginnings of codes, which are filled up by what a note says.
OPEN_ENDS = ("I63.", "T", "Y92.")


@pytest.mark.parametrize("table", TABLES)
def test_each_row_has_four_cells_a_pattern_that_can_be_read_and_a_source(table: str) -> None:
    lines = (FOLDER / f"{table}.tsv").read_text("utf-8").splitlines()
    assert tuple(lines[0].split("\t")) == COLUMNS
    for line in lines[1:]:
        row = TableRow(*line.split("\t"))
        assert row.kind.strip() == row.kind != ""
        assert row.pattern != ""
        assert row.source.strip() == row.source != "", line
        re.compile(row.pattern)


@pytest.mark.parametrize("table", TABLES)
def test_no_row_stands_twice(table: str) -> None:
    stated = [(row.kind, row.pattern, row.meaning) for row in all_rows(table)]
    assert len(stated) == len(set(stated))


def test_each_kind_is_asked_for() -> None:
    modules = (PROJECT_ROOT / "core" / "clinical").rglob("*.py")
    code = "\n".join(module.read_text("utf-8") for module in modules)
    unasked = {
        (table, row.kind)
        for table in TABLES
        for row in all_rows(table)
        if f'"{row.kind}"' not in code and f"'{row.kind}'" not in code
    }
    at_sites = [row.meaning.split()[0] for row in all_rows("said") if row.meaning.startswith("@")]
    of_sayings = {kind.removeprefix("@").partition("#")[0] for kind in at_sites}
    assert {kind for table, kind in unasked if table == "sites"} == of_sayings
    others = {kind for table, kind in unasked if table != "sites"}
    assert {kind.rpartition(" ")[0] for kind in others} == {"room in"}  # by their residence


def test_codes_that_a_row_means_are_codes_of_icd_10_cm(tree: Hierarchy) -> None:
    tables = (
        "births", "cancers", "drugs", "germs", "histories", "operations", "remission", "sites", "taken",
        "names-icd10cm",
    )  # fmt: skip
    lost = [
        (table, row.pattern, code)
        for table in tables
        for row in all_rows(table)
        for code in row.meaning.split()
        if CODE.fullmatch(code) and code not in tree and not code.startswith(OPEN_ENDS)
    ]
    assert lost == []


def test_a_saying_gives_codes_that_may_be_assigned(tree: Hierarchy) -> None:
    given = [
        (row.pattern, word)
        for row in all_rows("said")
        if row.kind in ("says", "says last")
        for word in row.meaning.split()
        if word[0] not in "!+-@"  # of a word without its mark, a beginning would be given
    ]
    assert [pair for pair in given if pair[1] not in tree or not tree[pair[1]].assignable] == []


def test_a_table_is_read_by_kind() -> None:
    assert meanings("words", "abbreviation")["CKD"] == "chronic kidney disease"
    assert lists("coding", "belongs to")["R07.2"] == ("I20", "I21", "I22")
    assert {"K50.012", "K43.0"} <= set(lists("beside", "belongs to")["K56.6"])  # in two rows
    assert by_meaning("words", "everyday name")["viral hepatitis b"] == (
        "hepatitis B infection",
        "hepatitis B virus",
    )
    assert names_in_notes("icd10cm")["A17.0"] == ("TB meningitis", "tuberculosis meningitis")
    assert names_in_notes("icd9cm") == {}


def test_phrases_are_whole_words_in_capitals_and_small_letters() -> None:
    twins = phrases("births", "twins")
    assert twins.search("TWIN girl")
    assert not twins.search("twinkle")
    allergies = phrases_by_meaning("taken", "allergy")
    assert [code for code, pattern in allergies.items() if pattern.search("PCN, latex")] == [
        "Z88.0",
        "Z91.040",
    ]

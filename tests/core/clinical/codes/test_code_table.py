"""A table of codes is a vocabulary, with what could not stand in it said."""

from __future__ import annotations

import gzip
from pathlib import Path
from unicodedata import normalize

import pytest

from core.clinical.codes.code_table import is_code_table, name_of, read_code_table
from core.errors import VocabularyError
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from tests.support.files.code_files import LIST, write_list, write_table, write_tree


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    table = read_code_table(write_list(tmp_path, "Ward Rounds 2026.csv")).hierarchy
    assert table.vocabulary_id == "ward-rounds-2026"
    assert list(table) == ["A", "A1", "A2"]
    assert table.narrower("A") == ("A1", "A2")
    assert table["A1"].alt_labels == {"en": ("quick visit", "brief visit")}
    assert table["A1"].uri == "urn:codes:ward-rounds-2026:A1"
    assert all(table[code].assignable for code in table)


def test_accents_become_one_with_their_letters(tmp_path: Path) -> None:
    text = normalize("NFD", "code,parent,label,synonyms\né,,café,thé\né1,é,thé,\n")
    table = read_code_table(write_list(tmp_path, "x.csv", text)).hierarchy
    assert {code: table[code].label() for code in table} == {"é": "café", "é1": "thé"}
    assert (table["é"].alt_labels, table.narrower("é")) == ({"en": ("thé",)}, ("é1",))


def test_of_a_code_system_only_codes_with_none_below_are_assignable(tmp_path: Path) -> None:
    text = "code,parent,label\n0DT,,Resection\n0DTJ4ZZ,0DT,Resection of appendix\n"
    table = read_code_table(write_list(tmp_path, "icd10pcs_2026.csv", text)).hierarchy
    assert table.vocabulary_id == "icd10pcs"
    assert (table["0DT"].assignable, table["0DTJ4ZZ"].assignable) == (False, True)
    assert table["0DT"].uri == "http://www.cms.gov/Medicare/Coding/ICD10/0DT"


APPENDIX = """code,label
0DTJ0ZZ,"Resection of Appendix, Open Approach"
0DTJ4ZZ,"Resection of Appendix, Percutaneous Endoscopic Approach"
0DBN0ZX,"Excision of Sigmoid Colon, Open Approach, Diagnostic"
BW03ZZZ,Plain Radiography of Chest
DB10B6Z,Low Dose Rate Brachytherapy of Trachea
DB1097Z,High Dose Rate Brachytherapy of Trachea
"""


def test_codes_of_pcs_without_parents_get_the_tree_that_follows_from_them(tmp_path: Path) -> None:
    packed = tmp_path / "icd10pcs_2027.csv.gz"
    packed.write_bytes(gzip.compress(APPENDIX.encode()))
    table = read_code_table(packed).hierarchy
    assert (table.vocabulary_id, table.version) == ("icd10pcs", "2027")
    assert table.path("0DTJ4ZZ") == ("PCS-0", "PCS-0D", "PCS-0DT", "0DTJ4ZZ")
    labels = [table[step].label() for step in table.path("0DTJ4ZZ")[:-1]]
    assert labels == ["Medical and Surgical", "Gastrointestinal System", "Resection of Appendix"]
    assert table["PCS-BW"].label() == "Anatomical Regions"
    assert table["PCS-DB1"].label() == "Brachytherapy"
    assert not table["PCS-0DT"].assignable and table["0DTJ4ZZ"].assignable


def test_tables_of_pcs_may_stand_in_the_list(tmp_path: Path) -> None:
    text = 'code,label,synonyms\n0DT,"Digestive System, Resection",\n0DTJ4ZZ,Appendix,quick way\n'
    table = read_code_table(write_list(tmp_path, "icd10pcs.csv", text)).hierarchy
    labels = [table[step].label() for step in table.path("0DTJ4ZZ")]
    assert labels == ["Medical and Surgical", "Digestive System", "Resection", "Appendix"]
    assert table["0DTJ4ZZ"].alt_labels == {"en": ("quick way",)}


def test_a_list_of_ones_own_gets_no_tree_and_no_year(tmp_path: Path) -> None:
    table = read_code_table(write_list(tmp_path, "rounds 2027.csv", APPENDIX)).hierarchy
    assert len(table.top_concepts) == len(table) == 6
    assert table.version != "2027"


def test_codes_of_a_known_system_get_their_point_where_they_are_sure(tmp_path: Path) -> None:
    text = "code,parent,label\nE11,,Sugar\ne119,E11,Sugar alone\nE11.65,E11,Sugar high\n"
    table = read_code_table(write_list(tmp_path, "icd10cm.csv", text)).hierarchy
    assert list(table) == ["E11", "E11.9", "E11.65"]


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        (["401,", "4019,401"], ["401", "401.9"]),
        (["40,", "401,40", "4019,40"], ["40", "40.1", "40.19"]),
        (["25000,", "2501,", "99,", "9915,"], ["250.00", "250.1", "99", "99.15"]),
        (["250.00,", "991,", "9915,", "99.1,"], ["250.00", "991", "9915?", "99.1"]),
        (["V3000,", "7862,", "99.15,"], ["V30.00", "7862?", "99.15"]),
        (["40,", "8950,"], ["40", "8950?"]),
    ],
)
def test_what_a_code_without_a_point_means_follows_from_the_others_or_is_said(
    tmp_path: Path, lines: list[str], codes: list[str]
) -> None:
    text = "code,parent,label\n" + "".join(f"{line},x\n" for line in lines)
    reading = read_code_table(write_list(tmp_path, "icd9cm.csv", text))
    guesses = {"9915?": "991.5", "7862?": "786.2", "8950?": "89.50"}
    assert list(reading.hierarchy) == [guesses.get(code, code) for code in codes]
    guessed = [f"{one.problem}: {one.action}" for one in reading.repaired]
    assert len(guessed) == sum("?" in code for code in codes)
    if "7862?" in codes:
        assert guessed == [
            "7862 has no point, and may be 786.2 or 78.62: "
            "it was read as 786.2; write the point where it is 78.62"
        ]


def test_control_characters_are_no_part_of_a_title(tmp_path: Path) -> None:
    reading = read_code_table(write_list(tmp_path, text="code,label,synonyms\nA,a\0b,c\x07|\x01\n"))
    assert (reading.hierarchy["A"].label(), reading.hierarchy["A"].alt_labels) == (
        "a b",
        {"en": ("c",)},
    )


def test_a_code_that_nobody_can_see_is_left_out_and_said(tmp_path: Path) -> None:
    reading = read_code_table(write_list(tmp_path, text="code,label\nA\0,a\nB,b\n"))
    assert list(reading.hierarchy) == ["B"]
    assert "cannot be seen, 'A\\x00'" in reading.repaired[0].problem


@pytest.mark.parametrize(
    "text",
    [
        LIST.replace(",", ";"),
        LIST.replace(",", "\t"),
        LIST.replace("Parent", "broader").replace("Label", "Description"),
        "\ufeff" + LIST,
        LIST.replace("\n", "\r\n"),
    ],
)
def test_tables_as_programs_write_them(tmp_path: Path, text: str) -> None:
    path = write_list(tmp_path, "rounds.csv", text)
    assert is_code_table(path)
    assert read_code_table(path).hierarchy.narrower("A") == ("A1", "A2")


def test_a_packed_table_and_one_in_the_letters_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv.gz"
    path.write_bytes(gzip.compress("code,label\nB,Ménière’s disease\n".encode("cp1252")))
    assert is_code_table(path)
    assert read_code_table(path).hierarchy["B"].label() == "Ménière’s disease"


def test_what_cannot_stand_is_mended_and_said(tmp_path: Path) -> None:
    text = "code,parent,label\nA,B,a\nB,A,b\nC,gone,c\nC,,again\n,,nothing\nD,,\nE,E,e\n"
    reading = read_code_table(write_list(tmp_path, text=text))
    assert list(reading.hierarchy) == ["A", "B", "C", "E"]
    said = [f"{one.problem}: {one.action}" for one in reading.mended]
    assert "C occurs again on line 5: the line was left out" in said
    assert "line 6 has no code: the line was left out" in said
    assert "line 7 has no label: the line was left out" in said
    assert any("gone of C (c) is no concept of the file" in one for one in said)
    assert any("closes a cycle" in one for one in said)
    assert any("E (e) is named as broader than itself" in one for one in said)


def test_what_is_no_table_of_codes_is_refused(tmp_path: Path) -> None:
    assert not is_code_table(write_table(tmp_path))
    assert not is_code_table(write_tree(tmp_path))
    assert not is_code_table(tmp_path / "missing.csv")
    with pytest.raises(VocabularyError, match="names the columns: code, parent, label"):
        read_code_table(write_list(tmp_path, "x.csv", "name,value\na,b\n"))
    with pytest.raises(VocabularyError, match="holds no code"):
        read_code_table(write_list(tmp_path, "y.csv", "code,label\n"))


@pytest.mark.parametrize(
    "row", ['A,"one', 'A,"one\nB,two\nC,"three"\nD,four', 'A,"one\nB,two\nC,three"x']
)
def test_a_quotation_mark_that_takes_other_codes_in_is_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "ward.csv"
    path.write_text(f"code,label\n9,nine\n{row}\nE,five\n", "utf-8")
    with pytest.raises(VocabularyError, match="quotation mark on line 3"):
        read_code_table(path)


def test_a_title_may_stand_on_two_lines_and_have_quotation_marks(tmp_path: Path) -> None:
    path = tmp_path / "ward.csv"
    path.write_text('code,label\nA,"one\n""1"""\nB,"Stroke" NOS\n', "utf-8")
    hierarchy = read_code_table(path).hierarchy
    assert [hierarchy[i].label() for i in hierarchy] == ['one "1"', "Stroke NOS"]


@pytest.mark.parametrize(
    ("name", "vocabulary_id"),
    [
        ("ICD-10-PCS 2026.csv", "icd10pcs"),
        ("icd9cm.v32.csv.gz", "icd9cm"),
        ("Ward 7!.csv", "ward-7"),
        ("….csv", "codes"),
    ],
)
def test_the_name_of_the_file_says_which_vocabulary_it_is(name: str, vocabulary_id: str) -> None:
    assert name_of(Path(name)) == vocabulary_id


def test_codes_are_found_with_their_point_and_without_the_shortest_first(tmp_path: Path) -> None:
    text = "code,parent,label\nE11,,Sugar\nE11.6,E11,Sugar six\nE11.65,E11.6,Sugar e11 six five\n"
    table = read_code_table(write_list(tmp_path, "icd10cm.csv", text)).hierarchy
    index = VocabularyIndex.build(table, tmp_path / "index.sqlite")
    found = {q: [hit.concept_id for hit in index.search(q)] for q in ("e11.65", "e1165", "e11")}
    assert found["e11.65"][0] == found["e1165"][0] == "E11.65"
    assert found["e11"] == ["E11", "E11.6", "E11.65"]
    index.close()

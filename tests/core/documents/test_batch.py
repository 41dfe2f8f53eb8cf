"""Batches of documents: columns are guessed, bad rows named, and concepts resolved."""

from __future__ import annotations

import csv
import io
import json
import time
import warnings
import zipfile

import pytest

from core.documents.batches.assigned_concepts import ConceptNames
from core.documents.batches.batch import (
    as_one_encounter,
    documents_of,
    first_problem,
    is_batch,
    open_batch,
)
from core.documents.batches.document_batch import BatchDocument, ColumnMapping, guess_columns
from core.documents.rows.records import BadLine
from core.errors import DocumentError
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.fakes import hierarchy
from tests.support.files.office_files import docx_file, eurlex, scanned_pdf, zip_file

ROWS = [
    {
        "celex_id": "32031R0001",
        "title": "On herring",
        "text": "Fish.",
        "eurovoc_concepts": "101;102",
    },
    {"celex_id": "32031R0002", "title": "On honey", "text": "Café.", "eurovoc_concepts": "honey"},
]


def table(rows: list[dict[str, str]], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def read(name: str, content: bytes) -> tuple[list[BatchDocument], list[BadLine]]:
    batch = open_batch(name, content)
    found = list(documents_of(batch, batch.guessed, ConceptNames(hierarchy())))
    good = [item for item in found if isinstance(item, BatchDocument)]
    return good, [item for item in found if isinstance(item, BadLine)]


def facts(documents: list[BatchDocument]) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [
        (
            document.document.document_id,
            document.document.title,
            document.document.text,
            document.given,
        )
        for document in documents
    ]


BOTH = [
    ("32031R0001", "On herring", "Fish.", ("101", "102")),
    ("32031R0002", "On honey", "Café.", ("201",)),
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiter_encoding_and_columns_of_a_table_are_found(delimiter: str, encoding: str) -> None:
    good, bad = read("acts.csv", table(ROWS, delimiter).encode(encoding))
    assert facts(good) == BOTH
    assert bad == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("acts.jsonl", lines([*ROWS])),
        ("acts.json", json.dumps(ROWS).encode()),
        ("acts.zip", zip_file({"a.csv": table(ROWS[:1]), "sub/b.jsonl": lines([*ROWS[1:]])})),
    ],
    ids=["json lines", "json list", "zip of tables"],
)
def test_json_and_zips_of_tables_are_read_alike(name: str, content: bytes) -> None:
    batch = open_batch(name, content)
    assert batch.guessed == ColumnMapping("celex_id", "title", "text", "eurovoc_concepts")
    assert (batch.n_rows, len(batch.preview)) == (2, 2)
    good, bad = read(name, content)
    assert facts(good) == BOTH
    assert bad == []


def test_a_bad_row_is_named_and_stops_no_other() -> None:
    content = (
        table([*ROWS, {**ROWS[0], "text": "Zwölf Bären"}]).encode()
        + b'3,,,\n4,"On \xff","x",\n5,On sole,Sole.,"104|no such fish"\n'
    )
    good, bad = read("acts.csv", content)
    assert [item.document.document_id for item in good] == [
        "32031R0001",
        "32031R0002",
        "32031R0001",
        "5",
    ]
    assert [(item.where, item.reason) for item in bad] == [
        ("line 5", "neither title nor text"),
        ("line 6", "not text in UTF-8"),
    ]
    assert (good[3].given, good[3].unknown) == (("104",), ("no such fish",))


def test_a_text_of_a_batch_is_tidied_and_cut_like_a_pasted_one() -> None:
    good, _ = read(
        "acts.jsonl", lines([{"text": "On lamps\r\nArticle 1\r\nShine.\r\nANNEX\r\nList"}])
    )
    document = good[0].document
    assert (document.document_id, document.title) == ("", "On lamps")
    assert [part.kind for part in document.parts] == ["body", "annex"]


def test_a_zip_of_documents_needs_no_columns() -> None:
    content = zip_file(
        {
            "acts/lamps.html": eurlex(),
            "acts/bees.docx": docx_file(),
            "scan.pdf": scanned_pdf(),
            "__MACOSX/._x": b"junk",
            "table.csv": "a,b",
        }
    )
    batch = open_batch("acts.zip", content)
    assert (batch.columns, batch.n_rows, batch.n_unread) == ((), 3, 1)
    good, bad = read("acts.zip", content)
    assert {item.document.document_id for item in good} == {"lamps", "bees"}
    assert [(item.where, item.reason.partition(" ")[0]) for item in bad] == [
        ("scan.pdf", "scan.pdf"),
        ("table.csv", "table.csv"),
    ]


def test_files_of_a_zip_are_called_as_they_are_and_are_there_once() -> None:
    content = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(content, "w") as archive:
        warnings.simplefilter("ignore")  # a second file of the same name, which takes its place
        for name, text in (("beeXX.txt", "old"), ("beeXX.txt", "On bees"), ("~$bee.docx", "lock")):
            archive.writestr(name, text)
    # As macOS writes names: in UTF-8, without saying so.
    batch = open_batch("acts.zip", content.getvalue().replace(b"beeXX", "beeß".encode()))
    documents = list(documents_of(batch, batch.guessed))
    assert [(item.document.document_id, item.document.title) for item in documents] == [
        ("beeß", "On bees")
    ]


def test_folders_of_a_zip_are_folders_however_windows_writes_them() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in ("stays\\", "stays\\jo\\a.txt", "stays\\jo\\b.txt", "stays\\kim\\a.txt"):
            info = zipfile.ZipInfo(name)
            info.create_system = 0
            archive.writestr(info, "" if name.endswith("\\") else f"Cough of {name[-5]}.")
    batch = open_batch("stays.zip", content.getvalue(), encounters=True)
    stays = [item.document for item in documents_of(batch, batch.guessed)]
    assert [(stay.title, len(stay.parts)) for stay in stays] == [("jo", 2), ("kim", 1)]


def test_files_of_a_zip_that_are_no_documents_are_counted_apart_and_named() -> None:
    readable = {"a/1.txt": "On fish\nHerring.", "a/2.TXT": "On bees\nHoney."}
    others = {"a/fish.eml": "Subject: Fish", "a/README": "See 1.", "a/scan.png": b"\x89PNG"}
    litter = {"__MACOSX/1.txt": "x", "a/.DS_Store": "x", "a/thumbs.db": "x", "a/desktop.ini": "x"}
    content = zip_file(readable | others | litter)
    batch = open_batch("acts.zip", content)
    assert (batch.n_rows, batch.n_unread) == (2, 3)
    good, bad = read("acts.zip", content)
    assert [item.document.title for item in good] == ["On fish", "On bees"]
    assert [(item.where, item.reason.partition(". ")[0]) for item in bad] == [
        ("a/README", "README has no ending that says what it is"),
        ("a/fish.eml", "fish.eml is an e-mail"),
        ("a/scan.png", "scan.png is a picture"),
    ]
    stay = open_batch("ward.zip", content, encounters=True)
    assert (stay.is_flat, stay.n_rows, stay.n_unread) == (True, 2, 3)
    alone = open_batch("ward.zip", zip_file({"1.txt": "Cough.", "README": "x"}), encounters=True)
    assert not alone.is_flat
    nothing = open_batch("acts.zip", zip_file(others))
    assert first_problem(nothing, nothing.guessed) == bad[0]


def test_a_flat_zip_can_be_the_notes_of_one_encounter() -> None:
    packed = {"stay/2026-03-04 Discharge summary.txt": b"Cough.", "stay/Consultation.txt": b"Rest."}
    batch = open_batch("ward.zip", zip_file(packed), encounters=True)
    assert (batch.is_flat, batch.n_rows) == (True, 2)
    (one,) = documents_of(as_one_encounter(batch), batch.guessed)
    assert isinstance(one, BatchDocument)
    assert (one.document.title, len(one.document.parts)) == ("stay", 2)
    folders = {"a/1.txt": b"Cough.", "b/1.txt": b"Rest."}
    assert not open_batch("ward.zip", zip_file(folders), encounters=True).is_flat
    assert not open_batch("ward.zip", zip_file({"1.txt": b"Cough."}), encounters=True).is_flat


def test_a_batch_of_bad_rows_alone_is_known_by_its_first() -> None:
    batch = open_batch("bad.jsonl", lines([{"text": ""}, {"text": " "}]))
    bad = first_problem(batch, ColumnMapping(None, "text", None, None))
    assert bad is not None
    assert bad.where == "line 1"
    good = open_batch("one.jsonl", lines([{"text": ""}, {"text": "Fish."}]))
    assert first_problem(good, ColumnMapping(None, "text", None, None)) is None


@pytest.mark.parametrize(
    "columns",
    [
        ("Nr.", "Titel", "Volltext", "Schlagwörter"),
        ("number", "Titre", "Texte", "Mots-clés"),
        ("CELEX number", "Title", "Text", "EUROVOC descriptor"),  # as EUR-Lex exports a search
    ],
)
def test_columns_are_found_by_what_others_call_them(columns: tuple[str, ...]) -> None:
    rows = [dict.fromkeys(columns, "Lamps")]
    assert guess_columns(columns, rows) == ColumnMapping(*columns)


def test_columns_that_nobody_can_guess_are_left_to_the_person_and_long_cells_are_text() -> None:
    rows = [{"Aktenzeichen": "7", "Betreff": "Bienen", "Inhalt": "Honig " * 60}]
    batch = open_batch("acts.csv", table(rows, ";").encode())
    assert batch.columns == ("Aktenzeichen", "Betreff", "Inhalt")
    assert batch.guessed == ColumnMapping(None, None, "Inhalt", None)
    mapping = ColumnMapping("Aktenzeichen", "Betreff", "Inhalt", None)
    found = next(documents_of(batch, mapping))
    assert isinstance(found, BatchDocument)
    assert (found.document.document_id, found.document.title) == ("7", "Bienen")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("acts.csv", b"id,title,text\n", "holds no row"),
        ("acts.jsonl", b"not json\n", r"holds no row that can be read \(line 1: not JSON"),
        ("acts.json", b"[1, 2", r"holds no row that can be read \(the file: not JSON"),
        ("acts.csv", b"", "is empty"),
        ("acts.zip", zip_file({}), "is empty"),
        ("acts.zip", zip_file({"a.csv": b"0" * 60_000_000}), "60 MB when unpacked"),
        ("acts.zip", zip_file({"a.txt": "A"})[:-30], "is damaged"),
    ],
)
def test_an_unusable_batch_gets_a_sentence(name: str, content: bytes, sentence: str) -> None:
    with pytest.raises(DocumentError, match=f"{name} .*{sentence}|{sentence}"):
        open_batch(name, content)


def test_what_is_a_batch_is_known_by_content_and_name() -> None:
    assert is_batch("acts.csv", b"id,title\n1,A\n")
    assert is_batch("acts.zip", zip_file({"a.txt": "A"}))
    assert not is_batch("act.txt", b"On herring, sole, honey")
    assert not is_batch("act.zip", docx_file())


def test_three_thousand_rows_are_read_in_seconds() -> None:
    row = {"id": "1", "title": "On herring", "text": "Herring in the sea. " * 150}
    content = table([row] * 3_000).encode()
    assert 9e6 < len(content) < 20e6
    started = time.process_time()
    good, _ = read("acts.csv", content)
    assert len(good) == 3_000
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (None, []),
        ("", []),
        (" 101 ; 102|103\n104 ", ["101", "102", "103", "104"]),
        ('["101", "102"]', ["101", "102"]),
        ("['101', '102']", ["101", "102"]),
        ("[broken", ["[broken"]),
        ("__import__('os')", ["__import__('os')"]),
        ([101, "102", {"id": "103", "label": "x"}, None], ["101", "102", "103"]),
        (101, ["101"]),
        (True, []),
    ],
)
def test_the_names_in_a_cell(value: object, names: list[str]) -> None:
    assigned = ConceptNames(hierarchy()).read(value)
    assert [*assigned.concept_ids, *assigned.unknown] == names


@pytest.mark.parametrize(
    ("value", "found", "unknown"),
    [
        ("101", ("101",), ()),
        ("https://example.org/101", ("101",), ()),
        ("<https://example.org/101>", ("101",), ()),
        ("tiny:101", ("101",), ()),
        ("Fishing Quota", ("101",), ()),
        ("CATCH LIMIT", ("101",), ()),
        ("101, 102", ("101", "102"), ()),
        ("101 102 101", ("101", "102"), ()),
        ("fishing quota, herring", ("101", "102"), ()),
        ("d1", (), ("d1",)),
        ("101; nothing; nothing", ("101",), ("nothing",)),
    ],
)
def test_concepts_are_found_by_id_uri_notation_and_label(
    value: str, found: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    assigned = ConceptNames(hierarchy()).read(value)
    assert (assigned.concept_ids, assigned.unknown) == (found, unknown)


NUMBERED = {"679": "school", "2015": "car", "2030": "party", "7": "tin", "2": "zinc", "100": "iron",
            "1999": "C", "12": "vitamin"}  # fmt: skip


def numbered() -> ConceptNames:
    """A vocabulary whose ids are numbers, as those of many thesauri."""
    base = "http://thesaurus.example/"
    concepts = [Concept(i, base + i, None, {"en": name}) for i, name in NUMBERED.items()]
    return ConceptNames(Hierarchy(concepts, vocabulary_id="thesaurus-x", version="1"))


@pytest.mark.parametrize(
    "keyword",
    ["Regulation 2016/679", "ISO 9001:2015", "Agenda 2030", "24/7", "World War 2", "pp. 12/100",
     "COM(2015) 100", "http://elsewhere.example/2030", "other:2030", "No 100", "2016/679", "2.",
     "#7", "C++", "+7", "C 100/2", "-2030", "<100", "12%", "B-12", "1:100", "urn:isbn:679",
     "www.example.org/12/", "thesaurus-x:2030/12", "http://thesaurus.example/12/100",
     {"id": "2030", "uri": "http://elsewhere.example/2030"}, {"id": 2030, "label": "development"},
     {"id": "2030", "uri": "http://thesaurus.example/2030", "decision": "rejected"}],
)  # fmt: skip
def test_a_number_at_the_end_of_a_keyword_is_no_concept(keyword: object) -> None:
    assert numbered().read(keyword).concept_ids == ()


@pytest.mark.parametrize(
    ("value", "found", "unknown"),
    [
        ("2030", ("2030",), ()),
        ("<https://thesaurus.example/2030/>", ("2030",), ()),
        ("thesaurus-x:2030; Thesaurus X: 679", ("2030",), ("Thesaurus X: 679",)),
        ("Thesaurus-X:2030", ("2030",), ()),
        ("Agenda 2030; party", ("2030",), ("Agenda 2030",)),
        ("Treaty of Rome, 2015", (), ("Treaty of Rome, 2015",)),
        ("school, 2015, nothing", ("679",), ("2015", "nothing")),
        ("2015 ,9999, 2030", ("2015", "2030"), ("9999",)),
        ("COVID-19, 2015", (), ("COVID-19, 2015",)),
        ([2030.0, "c"], ("2030", "1999"), ()),
        ([{"id": "2030", "label": "Party"}, {"name": "school"}], ("2030", "679"), ()),
        ([{"concept": "2030"}], (), ("{'concept': '2030'}",)),
        ("x" * 100_001 + ";party", (), ("x" * 100_000, "… and what stands behind the first 100,000 characters")),
    ],
)  # fmt: skip
def test_an_id_is_a_whole_text_and_what_is_known_of_a_list_is_taken(value, found, unknown):
    assigned = numbered().read(value)
    assert (assigned.concept_ids, assigned.unknown) == (found, unknown)


@pytest.mark.parametrize(
    ("cell", "found", "unknown"),
    [
        ("I801 ,N179 ,I10", ("I80.1", "I10"), ("N179",)),
        ("I801 N179 i10", ("I80.1", "I10"), ("N179",)),
        ("ICD-10-CM:I10; urn:I80.1", ("I10", "I80.1"), ()),
        ("hypertension, I80.1, fever", ("I10", "I80.1"), ("fever",)),
        ("I801 Phlebitis; I10: hypertension; I10 fever", ("I80.1", "I10"), ("I10 fever",)),
        ("I10 - Hypertension, I80.1", ("I10", "I80.1"), ()),
        ("I10 chronic hypertension; I10 phlebitis", ("I10",), ("I10 phlebitis",)),
    ],
)
def test_one_unknown_code_does_not_lose_its_list(cell, found, unknown):
    names = {"I80.1": "phlebitis", "I10": "hypertension"}
    concepts = [Concept(i, f"urn:{i}", i, {"en": name}) for i, name in names.items()]
    tree = Hierarchy(concepts, vocabulary_id="icd10cm", version="1")
    assigned = ConceptNames(tree).read(cell)
    assert (assigned.concept_ids, assigned.unknown) == (found, unknown)


def test_a_label_of_two_concepts_names_neither() -> None:
    assert ConceptNames(hierarchy({"102": "honey"})).find("honey") is None


@pytest.mark.parametrize(
    ("written", "code"),
    [("4019", "401.9"), ("v30.00", "V30.00"), ("9915", None), ("99.15", "99.15"), ("4.019", None)],
)
def test_codes_are_known_without_their_point_unless_they_are_two(written, code):
    codes = ("401.9", "V30.00", "991.5", "99.15")
    concepts = [Concept(i, f"urn:{i}", i, {"en": f"name {i}"}) for i in codes]
    tree = Hierarchy(concepts, vocabulary_id="icd9cm", version="1")
    assert ConceptNames(tree).find(written) == code

"""What is known of a stay: read from records, and shown to be wrong where it is."""

from __future__ import annotations

from datetime import date

import pytest

from core.clinical.encounters import Note, encounter, future_days, last_day, note_file
from core.clinical.kinds import kind_of_heading, parts_of_file_name
from core.clinical.stay import Identifier, Stay, is_future, stay_of
from core.documents.batches.batch import documents_of, open_batch
from core.documents.batches.document_batch import BatchDocument
from core.documents.rows.records import BadLine
from core.errors import DocumentError
from tests.support.encounters import ROW, jsonl

FIELDS = {
    "admitted": "2026-03-01",
    "discharged": "2026-03-08T11:00",
    "age": 72,
    "sex": "M",
    "disposition": 1,
    "patient": {"system": "urn:oid:1.2.3", "value": "P 7"},
    "encounter": 4711,
}
STAY = Stay(
    date(2026, 3, 1),
    date(2026, 3, 8),
    72,
    "male",
    "01",
    Identifier("P 7", "urn:oid:1.2.3"),
    Identifier("4711"),
)


def test_the_fields_of_a_record_describe_a_stay() -> None:
    assert stay_of(FIELDS) == STAY
    assert stay_of({"age": "0", "sex": "unknown"}) == Stay(age_years=0)
    assert stay_of({"title": "x", "age": "", "sex": None}) is None


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"admitted": "1.3.2026"}, "date admitted is “1.3.2026”: write it as 2026-03-31"),
        ({"admitted": 20260301}, "admitted must be a date in quotes"),
        ({"age": "72 years"}, "whole years from 0 to 130"),
        ({"age": 131}, "whole years from 0 to 130"),
        ({"age": True}, "whole years from 0 to 130"),
        ({"sex": "diverse?"}, "write female, male or nothing"),
        ({"disposition": "99"}, "patient discharge status of UB-04"),
        ({"patient": ["x"]}, "the patient must be an identifier"),
        ({"encounter": "x" * 201}, "longer than 200 characters"),
        ({"admitted": "2026-03-08", "discharged": "2026-03-01"}, "is before the admission"),
    ],
)
def test_a_field_that_is_wrong_is_named(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        stay_of(fields)


def test_rows_of_encounters_have_their_stay() -> None:
    text = "id,text,age,sex,admitted\nA,Cough for a week.,72,f,2026-03-01\nB,Cough.,old,f,\n"
    for name, content in (
        ("e.jsonl", jsonl(ROW | FIELDS, ROW | {"age": -1})),
        ("e.csv", text.encode()),
    ):
        batch = open_batch(name, content, encounters=True)
        good, bad = documents_of(batch, batch.guessed)
        assert isinstance(good, BatchDocument)
        assert isinstance(bad, BadLine)
        assert good.document.stay is not None
        assert good.document.stay.age_years == 72
        assert "whole years" in bad.reason
    plain = open_batch("e.csv", text.encode())  # elsewhere, such a column means something else
    assert all(
        isinstance(row, BatchDocument) and row.document.stay is None
        for row in documents_of(plain, plain.guessed)
    )


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("2026-03-12 Discharge summary", ("Discharge summary", date(2026, 3, 12), "Discharge summary")),
        ("Willow_DOB_1950-01-02_dc summary_2026-03-08", ("Discharge summary", date(2026, 3, 8))),
        ("dob 2020-01-02 consult", ("Consultation", None)),
        ("1950-01-02 Willow 20260308 op note", ("Operation note", date(2026, 3, 8))),
        ("Willow 1950-01-02", ("", None)),
        ("2026-03-08 CT chest", ("Radiology report", date(2026, 3, 8))),
        ("2026-03-08 round", ("", date(2026, 3, 8), "round")),
        ("2026-02-31 actor", ("", None)),
    ],
)  # fmt: skip
def test_a_file_name_gives_kind_and_day_but_no_day_of_birth(
    stem: str, expected: tuple[object, ...]
) -> None:
    assert parts_of_file_name(stem)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("INVENTED HOSPITAL\nMrs. Sample\n\nHistory and Physical\nPain.", "Admission note"),
        ("H&P\nPain.", "Admission note"),
        ("CT CHEST\nFindings: clear.", "Radiology report"),
        ("Chief complaint: cough\nLabs\nWBC 12", ""),
        ("Ward 3\nOP NOTE", "Operation note"),
        ("The patient had a CT of the chest on the ward\n", ""),
    ],
)
def test_a_heading_gives_the_kind(text: str, kind: str) -> None:
    assert kind_of_heading(text) == kind


def test_a_heading_does_not_double_the_day() -> None:
    note = note_file("a/2026-03-08 round.txt", "Well.")
    assert encounter("", "", [note]).title == "Note, 8 March 2026: round"


def test_days_to_come_are_named_and_the_last_day_is_known() -> None:
    assert not is_future(date(2026, 3, 8))
    note = Note("x", "Operation note", date(2131, 5, 12))
    stay = Stay(admitted=date(2131, 5, 11), discharged=date(2131, 5, 20))
    shifted = encounter("", "", [note], stay=stay)
    assert [sentence.partition(":")[0] for sentence in future_days(shifted)] == [
        "Operation note, 12 May 2131",
        "The admission",
        "The discharge",
    ]
    assert last_day(shifted) == date(2131, 5, 20)
    assert last_day(encounter("", "", [Note("x")])) is None

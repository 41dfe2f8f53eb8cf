"""Encounters: several notes as one document, and how they come in."""

from datetime import date

import pytest

from core.clinical.encounters import (
    Note,
    encounter,
    is_called_by_note,
    note_name,
    with_sections,
)
from core.clinical.kinds import complete_kind, kind_of_heading, note_of_file_name
from core.documents.batches.batch import documents_of, open_batch
from core.documents.batches.document_batch import BatchDocument
from core.documents.document import Document
from core.documents.inputs import read_inputs
from core.documents.intake import read_text
from core.documents.rows.records import BadLine
from core.documents.rows.row_documents import document_of
from core.errors import DocumentError
from tests.support.encounters import ROW, SUMMARY, jsonl
from tests.support.files.office_files import zip_file


def read_all(name: str, content: bytes, *, encounters: bool = True) -> list[object]:
    batch = open_batch(name, content, encounters=encounters)
    return list(documents_of(batch, batch.guessed))


def test_a_note_becomes_a_part_with_its_kind_date_and_sections():
    found = encounter("E1", "", [Note(SUMMARY, "Admission note", date(2026, 3, 1))])
    (part,) = found.parts
    assert (part.kind, part.date) == ("Admission note", date(2026, 3, 1))
    assert [part.text[h.start : h.end] for h in part.headings] == [
        "Chief complaint:",
        "Family history:",
    ]
    assert found.title == "Admission note, 1 March 2026"


def test_an_encounter_is_called_by_its_note_until_somebody_titles_it():
    written = [Note(SUMMARY, "Admission note", date(2026, 3, 1))]
    assert is_called_by_note(encounter("E1", "", written))
    assert is_called_by_note(encounter("E1", "Admission note", written))
    assert not is_called_by_note(encounter("E1", "Admission for a fall", written))
    assert not is_called_by_note(Document.from_text("a", "A title alone", ""))


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("Discharge", "Discharge summary"),
        ("radiology ", "Radiology report"),
        ("CONSULTATION", "Consultation"),
        ("ad", "ad"),  # an admission note or an addendum
        ("Dietetics", "Dietetics"),
        ("", ""),
    ],
)
def test_a_kind_that_was_begun_is_the_known_one(typed: str, kind: str):
    assert complete_kind(typed) == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("EMERGENCY DEPARTMENT NOTE", "Emergency note"),
        ("ED note, 3 March 2031", "Emergency note"),
        ("*** Discharge Summary ***", "Discharge summary"),
        ("Invented Hospital - Operation Note", "Operation note"),
        ("Operative report:", "Operation note"),
        ("Admission Date: 2031-03-01", ""),
        ("Discharge summary was sent to the invented doctor by post", ""),
        ("Impression: clear.", ""),
    ],
)
def test_a_first_line_may_name_the_kind(line: str, kind: str):
    assert kind_of_heading(f"\n{line}\nInvented patient.") == kind


def test_a_note_without_a_kind_takes_that_of_its_first_line():
    text = "DISCHARGE SUMMARY\nInvented patient."
    found = encounter("", "", [Note(text), Note(text, "Letter"), Note("Well.")])
    assert [part.kind for part in found.parts] == ["Discharge summary", "Letter", "Note"]
    (part,) = with_sections(read_text("x.txt", text.encode()).document("x"), "x").parts
    assert part.kind == "Discharge summary"


def test_notes_without_a_text_are_left_out_and_none_at_all_is_refused():
    assert len(encounter("", "Cough", [Note(" \n"), Note("x")]).parts) == 1
    with pytest.raises(DocumentError, match="nothing to read"):
        encounter("", " ", [Note("")])


def test_too_many_notes_and_unreadable_ones_are_refused():
    with pytest.raises(DocumentError, match="200 are the most"):
        encounter("", "", [Note("x")] * 201)
    with pytest.raises(DocumentError, match="Note 1 is not plain text"):
        encounter("", "", [Note("\1\2\3")])


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (Note("x", "consultation"), "Consultation"),
        (Note("x", "", date(2026, 3, 31)), "Note, 31 March 2026"),
        (Note("x", "Radiology report", None, "Chest"), "Radiology report: Chest"),
    ],
)
def test_a_note_is_called_by_its_kind_date_and_title(part, name):
    assert note_name(encounter("", "t", [part]).parts[0]) == name


def test_json_lines_of_encounters_are_read_with_their_notes_and_codes():
    (found,) = read_all("e.jsonl", jsonl(ROW))
    assert isinstance(found, BatchDocument)
    assert (found.document.document_id, found.document.title) == ("E1", "Cough of a week")
    assert [(p.kind, p.date, p.title) for p in found.document.parts] == [
        ("Admission note", date(2026, 3, 1), ""),
        ("Radiology report", date(2026, 3, 2), "Chest"),
    ]
    assert open_batch("e.jsonl", jsonl(ROW)).guessed.concepts == "codes"


@pytest.mark.parametrize(
    ("notes", "reason"),
    [
        ([], "a list of notes"),
        ("cough", "a list of notes"),
        ([{"kind": "x"}], "note 1 has no text"),
        (["a", 3], "note 2 is neither an object nor a text"),
        ([{"text": "a", "date": "31.3.2026"}], "write it as 2026-03-31"),
        ([{"text": 5}], "the text of note 1 must be text"),
    ],
)
def test_what_is_wrong_with_an_encounter_is_said_and_the_others_come_in(notes, reason):
    good, bad = read_all("e.jsonl", jsonl(ROW, {"id": "E2", "notes": notes}))
    assert isinstance(good, BatchDocument)
    assert isinstance(bad, BadLine)
    assert bad.where == "line 2"
    assert reason in bad.reason


def test_a_list_called_notes_beside_a_text_is_none_of_an_encounter():
    row = {"id": 1, "title": "On honey", "text": "Bees.", "notes": [{"text": "seen"}]}
    found = document_of(row, default_id=1, where="line 1")
    assert found.document.text == "Bees."
    assert open_batch("a.jsonl", jsonl(row)).guessed.notes is None


def test_the_command_line_reads_encounters(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(jsonl(ROW))
    (found,) = read_inputs(path)
    assert len(found.document.parts) == 2


def test_the_texts_of_a_folder_are_the_notes_of_an_encounter_by_date():
    content = zip_file(
        {
            "E7/2026-03-05 Discharge summary.txt": SUMMARY,
            "E7/2026-03-01_radiology_report.txt": "IMPRESSION: clear.",
            "alone.txt": "A visit\n\nFeels well.",
        }
    )
    assert open_batch("e.zip", content, encounters=True).n_rows == 2
    folder, alone = (item.document for item in read_all("e.zip", content))
    assert (folder.document_id, folder.title, [p.kind for p in folder.parts]) == (
        "",  # names of patients stand in those of folders
        "E7",
        ["Radiology report", "Discharge summary"],
    )
    assert folder.parts[1].text.startswith("Chief complaint: cough.")
    assert (alone.document_id, alone.title, len(alone.parts)) == ("", "A visit", 1)


def test_without_encounters_every_file_of_a_zip_is_a_document():
    content = zip_file({"a/one.txt": "One\nx", "a/two.txt": "Two\ny"})
    assert [d.document.title for d in read_all("e.zip", content, encounters=False)] == [
        "One",
        "Two",
    ]


@pytest.mark.parametrize("rows", [1, 60])  # found where the first rows have none, too
def test_no_notes_are_lost_beside_rows_with_a_text(rows):
    texts = [{"id": f"T{n}", "title": "Visit", "text": "Well."} for n in range(rows)]
    plain = {"id": "E2", "title": "Anna", "text": "", "notes": [{"text": "Cough."}]}
    both = {"id": "E3", "title": "Bert", "text": "Fever.", "notes": [{"text": "Cough."}]}
    found = read_all("e.jsonl", jsonl(*texts, plain, both, {"id": "E4", "notes": ["Rash."]}))
    notes = [[part.text for part in item.document.parts] for item in found[rows - 1 :]]
    assert notes == [["Well."], ["Cough."], ["Fever.", "Cough."], ["Rash."]]


def test_notes_that_are_no_list_are_said_where_others_are_lists():
    good, bad = read_all("e.jsonl", jsonl(ROW, {"id": "2", "text": "x", "notes": "y"}))
    assert isinstance(good, BatchDocument)
    assert "a list of notes" in bad.reason


@pytest.mark.parametrize("folder", ["", "encounters/", "a/b/"])
def test_a_packed_folder_of_texts_is_as_many_encounters(folder):
    names = ("anna", "bert", "carl")
    content = zip_file({f"{folder}{name}.txt": f"{name.title()}\n\nFever." for name in names})
    assert open_batch("e.zip", content, encounters=True).n_rows == 3
    found = [item.document for item in read_all("e.zip", content)]
    assert [(item.document_id, item.title, len(item.parts)) for item in found] == [
        ("", name.title(), 1) for name in names
    ]


def test_folders_in_a_packed_folder_are_encounters_and_tell_their_names_apart():
    files = ("root/a/enc1/x.txt", "root/a/enc1/y.txt", "root/b/enc1/x.txt", "root/b/enc2/x.txt")
    found = [item.document for item in read_all("e.zip", zip_file(dict.fromkeys(files, "A\nb")))]
    assert [(item.title, len(item.parts)) for item in found] == [
        ("a/enc1", 2), ("b/enc1", 1), ("enc2", 1)
    ]  # fmt: skip


def test_an_empty_file_is_left_out_of_its_encounter_and_said():
    files = {"a/one.txt": "One\nx", "a/two.txt": " \n", "b/one.txt": "", "c/x.csv": "y"}
    some, empty, bad = read_all("e.zip", zip_file(files))
    assert [part.title for part in some.document.parts] == ["one"]
    assert [(note.where, "is empty" in note.reason) for note in some.left_out] == [
        ("a/two.txt", True)
    ]
    assert (empty.where, bad.where) == ("b", "c/x.csv")
    assert "empty files alone" in empty.reason


def test_a_row_of_plain_text_becomes_an_encounter_of_one_note():
    (found,) = read_all("e.csv", b"id,title,text\n1,Cough,Allergies: none\n")
    (part,) = found.document.parts
    assert (part.kind, len(part.headings)) == ("Note", 1)


def test_a_first_line_that_heads_a_section_stays_in_the_text():
    intake = read_text("x.txt", b"CHIEF COMPLAINT: cough\nPlan: rest\n")
    found = with_sections(intake.document("x"), "2026-03-01 consultation")
    assert found.title == "2026-03-01 consultation"
    assert found.text == "CHIEF COMPLAINT: cough\nPlan: rest"
    assert (found.parts[0].kind, found.parts[0].date) == ("Consultation", date(2026, 3, 1))


def test_a_title_stays_a_title():
    found = with_sections(Document.from_text("x", "Cough of a week", "Plan: rest"))
    assert (found.title, found.text) == ("Cough of a week", "Plan: rest")


@pytest.mark.parametrize(
    ("stem", "kind", "day"),
    [
        ("2026-03-12 Discharge summary", "Discharge summary", date(2026, 3, 12)),
        ("1_radiology", "Radiology report", None),
        ("progress_note_2", "Progress note", None),
        ("20260230-admission-note", "Admission note", None),
        ("4711", "", None),
    ],
)
def test_the_name_of_a_file_says_kind_and_date(stem, kind, day):
    assert note_of_file_name(stem) == (kind, day)

from __future__ import annotations

import io
from unicodedata import normalize

import pytest
from pymarc import Field, Indicators, MARCReader, Record, Subfield, parse_xml_to_array

from core.documents.document import Document
from core.errors import DocumentError
from core.export.gathering import Selection
from core.export.marc.fields import XML_END, XML_START, as_xml
from core.export.marc.updating import UpdatedRecords, write_into
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.exports import HIERARCHY
from tests.support.stores import send


def add(store: Store, document_id: str, *actions: tuple[str, str]) -> None:
    project_id = default_project(store, "tiny").project_id
    document = Document.from_text(document_id, "Title", "Text.")
    add_document(store, document, project_id=project_id, given=["sum"])
    operations = [
        Operation(n, *action, shown=0 if action[0] == "finish" else None)
        for n, action in enumerate(actions, start=1)
    ]
    assert not send(store, *operations, document_id=document_id, client_id=document_id).refused


def field(tag: str, *subfields: tuple[str, str], second: str = "7") -> Field:
    return Field(tag, Indicators(" ", second), [Subfield(*pair) for pair in subfields])


def record(control_number: str, *fields: Field) -> Record:
    made = Record(leader="00000nam a2200000 i 4500")
    made.add_field(Field("001", data=control_number), field("245", ("a", "Öl"), second="0"))
    made.add_ordered_field(*fields)
    return made


def write(store: Store, content: bytes, selection: Selection | None = None) -> UpdatedRecords:
    return write_into(content, store, selection or Selection(), HIERARCHY, language="en")


def in_iso2709(*records: Record) -> bytes:
    return b"".join(record.as_marc() for record in records)


def in_xml(*records: Record) -> bytes:
    return XML_START + b"".join(map(as_xml, records)) + XML_END


def read(content: bytes) -> list[Record]:
    if content.startswith(b"<"):
        return list(parse_xml_to_array(io.BytesIO(content), strict=True))
    return [record for record in MARCReader(content) if record is not None]


def subjects(found: Record) -> list[str]:
    return [str(field)[6:] for field in found.get_fields("650", "655")]


OIL = "\\7$aolive, oil$2local$0http://x/oil"


@pytest.mark.parametrize("packed", [in_iso2709, in_xml])
def test_matched_records_get_the_subjects_and_others_stay(store: Store, packed: object) -> None:
    add(store, "act", ("accept", "oil"))
    theirs = field("650", ("a", "Olives"), second="0")
    content = packed(record("other"), record("act", theirs, field("700", ("a", "X"))))  # type: ignore[operator]
    written = write(store, content)
    assert (written.n_records, written.n_matched, written.n_changed) == (2, 1, 1)
    other, act = read(written.content)
    assert other.as_dict() == record("other").as_dict() | {"leader": str(other.leader)}
    assert subjects(act) == ["\\0$aOlives", OIL]
    assert [field.tag for field in act.fields] == ["001", "245", "650", "650", "700"]
    again = write(store, written.content)
    assert (again.n_matched, again.n_changed, again.content) == (1, 0, written.content)


def test_what_is_not_matched_stays_byte_for_byte(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    odd = record("other").as_marc().replace(b"\xc3\x96", b"\xff\xfe")
    written = write(store, odd + b"\r\n" + record("act").as_marc())
    assert written.content.startswith(odd)
    assert (written.n_records, written.n_matched, written.n_unread) == (2, 1, 1)


def test_an_earlier_export_is_replaced_and_what_people_added_stays(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("reject", "food"))
    present = [
        field("650", ("a", "food"), ("2", "local"), ("0", "http://x/food")),
        field("650", ("a", "old label"), ("2", "local"), ("0", "http://x/oil")),
        field("650", ("a", "Olive, Oil"), ("2", "local")),
        field("650", ("a", "own word"), ("2", "local")),
        field("650", ("a", "elsewhere"), ("2", "local"), ("0", "http://y/1")),
        field("650", ("a", "food"), ("2", "fast"), ("0", "http://x/food")),
        field("650", ("a", "=SUM(A1)"), ("2", "local"), ("0", "http://x/sum")),
    ]
    (found,) = read(write(store, record("act", *present).as_marc()).content)
    assert subjects(found) == [
        "\\7$aown word$2local",
        "\\7$aelsewhere$2local$0http://y/1",
        "\\7$afood$2fast$0http://x/food",
        "\\7$a=SUM(A1)$2local$0http://x/sum",
        OIL,
    ]


def test_a_document_that_nobody_finished_or_decided_changes_nothing(store: Store) -> None:
    add(store, "act", ("reject", "oil"))
    add(store, "done", ("reject", "oil"), ("finish", ""))
    present = field("650", ("a", "olive, oil"), ("2", "local"), ("0", "http://x/oil"))
    written = write(store, in_iso2709(record("act", present), record("done", present)))
    assert (written.n_matched, written.n_changed) == (2, 1)
    assert [subjects(found) for found in read(written.content)] == [[OIL], []]


def test_a_document_in_progress_takes_no_subjects_that_nobody_decided_on(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    add(store, "done", ("accept", "oil"), ("finish", ""))
    present = field("650", ("a", "food"), ("2", "local"), ("0", "http://x/food"))
    written = write(store, in_iso2709(record("act", present), record("done", present)))
    food = "\\7$afood$2local$0http://x/food"
    assert [subjects(found) for found in read(written.content)] == [[food, OIL], [OIL]]


@pytest.mark.parametrize(
    "names",
    [
        field("035", ("a", "(DE-1)act"), second=" "),
        field("035", ("a", "act "), second=" "),
        field("856", ("u", "http://z/files/act/"), second=" "),
    ],
)
def test_a_record_with_another_number_is_matched_by_035_and_856(store: Store, names: Field) -> None:
    add(store, "act", ("accept", "oil"))
    (found,) = read(write(store, record("000123", names).as_marc()).content)
    assert subjects(found) == [OIL]


@pytest.mark.parametrize(("here", "there"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_accents_that_stand_apart_make_no_other_id_and_no_other_label(
    store: Store, here: str, there: str
) -> None:
    vocabulary = Hierarchy(
        [Concept("sea", "http://x/sea", None, {"en": normalize(here, "pêche côtière")})],
        vocabulary_id="tiny",
        version="1",
    )
    add(store, normalize(here, "é1"), ("accept", "sea"))
    label, mine = normalize(there, "Pêche côtière"), ("2", "local")
    theirs = (
        record(normalize(there, "é1"), field("650", ("a", label), mine)),
        record(
            normalize(there, "é1"), field("650", ("a", label.lower()), mine, ("0", "http://x/sea"))
        ),
    )
    content = in_iso2709(*theirs)
    written = write_into(content, store, Selection(), vocabulary, language="en")
    assert (written.n_matched, written.n_changed) == (2, 1)
    (replaced,), (stays,) = map(subjects, read(written.content))
    assert replaced == f"\\7$a{normalize(here, label.lower())}$2local$0http://x/sea"
    assert stays == f"\\7$a{label.lower()}$2local$0http://x/sea"


def test_only_the_chosen_documents_are_matched(store: Store) -> None:
    add(store, "a", ("accept", "oil"))
    add(store, "b", ("accept", "oil"), ("finish", ""))
    content = in_iso2709(record("a"), record("b"))
    assert write(store, content, Selection(document_ids=("b", "c"))).n_matched == 1
    assert write(store, content, Selection(statuses=frozenset({"finished"}))).n_matched == 1
    assert write(store, content, Selection(batch="none")).n_matched == 0


def marc_8(control_number: str, title: bytes) -> bytes:
    made = record(control_number)
    made["245"].subfields[0] = Subfield("a", "#" * len(title))
    raw = made.as_marc().replace(b"#" * len(title), title)
    return raw[:9] + b" " + raw[10:]


def test_marc_8_becomes_utf_8_where_a_record_changes(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    add(store, "false", ("accept", "oil"))
    content = marc_8("act", b"\xe8Ol") + marc_8("false", "Öl".encode()) + marc_8("x", b"\xe8Ol")
    written = write(store, content)
    first, second, _ = read(written.content)
    assert [found["245"]["a"] for found in (first, second)] == ["Öl", "Öl"]
    assert str(first.leader)[9] == "a"
    assert written.content.endswith(marc_8("x", b"\xe8Ol"))


def test_a_record_in_marc_8_that_cannot_be_mapped_stays(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    content = marc_8("act", b"\xff\xfd")
    written = write(store, content)
    assert (written.content, written.n_unread, written.n_matched) == (content, 1, 0)


def test_a_record_that_would_become_too_large_stays(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    notes = [field("500", ("a", "x" * 9_000)) for _ in range(11)]
    n_left = 99_999 - len(record("act", *notes, field("500", ("a", ""))).as_marc())
    content = record("act", *notes, field("500", ("a", "y" * n_left))).as_marc()
    assert len(content) == 99_999
    written = write(store, content)
    assert (written.n_matched, written.n_changed) == (1, 0)
    assert written.content == content


# Files that are damaged, or built to break programs

BOMB = (
    b"""<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><record>&b;</record>"""
)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "neither MARC 21"),
        (b"id,title\n1,x\n", "neither MARC 21"),
        (b"99999nam a2200", "neither MARC 21"),
        (record("a").as_marc() + record("b").as_marc()[:-9], "record 2 is shorter"),
        (record("a").as_marc() + b"<html>", "record 2 is shorter"),
        (b"<html><p>No records</p></html>", "neither MARC 21"),
        (b"<collection><record>", "not valid MARCXML"),
        (b"<record><datafield/></record>", "not valid MARCXML"),
        (BOMB, "document type"),
        (BOMB.decode().encode("utf-16"), "document type"),
    ],
)
def test_a_file_that_is_none_gets_a_sentence(store: Store, content: bytes, sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        write(store, content)


def test_a_large_file_is_refused_before_it_is_read(store: Store) -> None:
    with pytest.raises(DocumentError, match="21 MB; 20 MB is the most"):
        write(store, b"0" * 21_000_000)


def test_fields_that_lie_over_one_another_are_not_read(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    body = b"x" * 9_000 + b"\x1e\x1d"
    directory = b"500900000000" * 5_000 + b"\x1e"
    base = 24 + len(directory)
    raw = b"%05dnam a22%05d   4500" % (base + len(body), base) + directory + body
    written = write(store, raw)
    assert (written.n_unread, written.content) == (1, raw)


def test_a_process_that_ends_gets_a_sentence(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.export.marc.updating.WORKER", "core.errors")
    with pytest.raises(DocumentError, match="built to break programs"):
        write(store, record("act").as_marc())
    monkeypatch.undo()
    monkeypatch.setattr("core.export.marc.updating.TIMEOUT_SECONDS", 0.0)
    with pytest.raises(DocumentError, match="more time"):
        write(store, record("act").as_marc())

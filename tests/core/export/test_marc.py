from __future__ import annotations

import io

import pytest
from pymarc import MARCReader, Record, parse_xml_to_array

from core.documents.document import Document
from core.errors import DocumentError, VocabularyError
from core.export.export import Export
from core.export.formats import FORMATS, forms_of
from core.export.gathering import DECISIONS, Selection
from core.export.marc.fields import SubjectSource, source_of
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.exports import FORMULAS, HIERARCHY, ODD_TITLES
from tests.support.stores import send

EVERYTHING = Selection(decisions=frozenset(DECISIONS), proposed_terms=True)


def add(store: Store, document_id: str, title: str, *actions: tuple[str, str]) -> None:
    project_id = default_project(store, "tiny").project_id
    document = Document(document_id, title, Document.from_text("", "", "Body of it.").parts)
    add_document(store, document, project_id=project_id, given=["sum"])
    operations = [Operation(n, *action) for n, action in enumerate(actions, start=1)]
    send(store, *operations, document_id=document_id, client_id=f"tab {document_id!r}")


def read(store: Store, form: str, selection: Selection = EVERYTHING) -> list[Record]:
    content = Export(store, selection, HIERARCHY).file(form)
    if form == "marcxml":
        return list(parse_xml_to_array(io.BytesIO(content), strict=True))
    reader = MARCReader(content)
    found = list(reader)
    assert None not in found
    return [record for record in found if record is not None]


@pytest.mark.parametrize("form", ["marc", "marcxml"])
def test_a_document_is_a_minimal_record_with_its_subjects(store: Store, form: str) -> None:
    add(store, "act", "Ölivenöl – prix", ("accept", "oil"), ("reject", "food"))
    (record,) = read(store, form)
    assert str(record.leader)[5:10] == "nam a" and len(str(record.leader)) == 24
    assert record["001"].data == "act"
    assert len(record["008"].data or "") == 40
    assert [str(field) for field in record.get_fields("245", "650")] == [
        "=245  00$aÖlivenöl – prix",
        "=650  \\7$aolive, oil$2local$0http://x/oil",
        "=650  \\7$a=SUM(A1)$2local$0http://x/sum",
    ]
    (record,) = read(store, form, Selection())
    assert [field["a"] for field in record.get_fields("650")] == ["olive, oil"]


def test_a_vocabulary_has_its_own_code_and_genres_their_own_field(store: Store) -> None:
    assert source_of("eurovoc") == SubjectSource("eurovoc", "650")
    assert source_of("STW").code == "stw" and source_of("own").code == "local"
    assert source_of("lcgft") == SubjectSource("lcgft", "655")
    project_id = default_project(store, "lcgft").project_id
    add_document(store, Document.from_text("film", "A film", "x"), project_id=project_id)
    send(store, Operation(1, "add", "western"), document_id="film")
    genres = Hierarchy(
        [Concept("western", "http://x/western", None, {"en": "Westerns"})],
        vocabulary_id="lcgft",
        version="1",
    )
    content = Export(store, Selection(), genres).file("marc")
    (record,) = MARCReader(content)
    assert record is not None
    assert str(record["655"]) == "=655  \\7$aWesterns$2lcgft$0http://x/western"


@pytest.mark.parametrize("form", ["marc", "marcxml"])
def test_no_title_breaks_a_record(store: Store, form: str) -> None:
    titles = [*ODD_TITLES, *FORMULAS, "a\x1d\x1e\x1fb\x1b", "</a>&<b>", "é" * 6_000, "\ufffe"]
    for number, title in enumerate(titles):
        add(store, f"act {number:02}", title, ("accept", "oil"))
    records = {str(record["001"].data): record for record in read(store, form)}
    assert len(records) == len(titles)
    for (act, record), title in zip(sorted(records.items()), titles, strict=True):
        words = "".join(c if c.isprintable() or c.isspace() else " " for c in title)
        assert record["245"]["a"] == (" ".join(words.split())[:2_000] or act)
        assert record["650"]["a"] == "olive, oil"


def test_a_concept_without_a_uri_has_none(store: Store) -> None:
    add(store, "act", "T", ("add", "never known"))
    (record,) = read(store, "marc", Selection())
    assert str(record["650"]) == "=650  \\7$anever known$2local"


def test_more_subjects_than_a_record_holds_are_said(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, "act", "T", ("accept", "oil"))
    monkeypatch.setattr("core.export.marc.fields.MOST_RECORD_BYTES", 150)
    with pytest.raises(DocumentError, match="more subjects than a record"):
        read(store, "marc")
    assert len(read(store, "marcxml")) == 1


def test_codes_are_no_subjects_of_a_catalogue(store: Store) -> None:
    assert {"marc", "marcxml"} <= set(forms_of("eurovoc"))
    assert not {"marc", "marcxml"} & set(forms_of("icd10cm"))
    codes = Hierarchy([], vocabulary_id="icd10cm", version="1")
    with pytest.raises(VocabularyError, match="only subjects of a thesaurus as MARC"):
        Export(store, Selection(), codes).file("marc")


def test_a_record_is_shown_a_line_a_field(store: Store) -> None:
    add(store, "act", "On olives", ("accept", "oil"))
    content = Export(store, Selection(), HIERARCHY).file("marc")
    lines = FORMATS["marc"].as_text(content).splitlines()
    assert lines[0].startswith("=LDR") and "=245  00$aOn olives" in lines
    content = Export(store, Selection(), HIERARCHY).file("marcxml")
    lines = FORMATS["marcxml"].as_text(content).splitlines()
    assert lines[2] == "<record>" and '<subfield code="a">On olives</subfield>' in lines


@pytest.mark.parametrize("form", ["marc", "marcxml"])
def test_a_main_topic_and_the_language_of_the_text_are_said(store: Store, form: str) -> None:
    project_id = default_project(store, "tiny").project_id
    texts = {
        "fr": "Le règlement établit des règles pour la commercialisation de l'huile d'olive. " * 5,
        "en": "The regulation lays down rules for the marketing of olive oil in the Union. " * 5,
        "short": "Oil.",
    }
    for document_id, text in texts.items():
        document = Document.from_text(document_id, "", text)
        add_document(store, document, project_id=project_id, given=["sum"])
    send(store, Operation(1, "accept", "oil"), Operation(2, "mark", "oil"), document_id="fr")
    records = read(store, form)
    assert [record["008"].data[35:38] for record in records] == ["fre", "eng", "und"]
    assert [field.indicators.first for field in records[0].get_fields("650")] == ["1", " "]

"""A note is read the same, whether its first line was taken for a title or not."""

from __future__ import annotations

from core.clinical.encounters import Note, encounter
from core.clinical.ranking.reading import AsRead
from core.documents.document import Document
from core.suggest.evidence.spans import Span

TEXT = "Cough for a week.\n\nNo fever."


def test_names_of_the_program_and_repeated_beginnings_are_not_read() -> None:
    notes = encounter("n", "", [Note(TEXT, "Discharge summary")])
    cut = Document.from_text("n", "Cough for …", TEXT)
    for document in (notes, cut, Document.from_text("n", "", TEXT)):
        read = AsRead.of(document)
        assert (read.document.title, read.document.text, read.n_title) == ("", TEXT, 0)


def test_a_title_that_says_something_is_read_with_the_text() -> None:
    document = Document.from_text("n", "Cough for a week.", "No fever.")
    read = AsRead.of(document)
    assert read.document.text == TEXT
    assert AsRead.of(Document.from_text("n", "Cough", "")).document.text == "Cough"


def test_places_are_given_back_in_the_document_as_it_was() -> None:
    document = Document.from_text("n", "Cough for a week.", "No fever.")
    read = AsRead.of(document)
    start = read.document.text.index("fever")
    span = read.given(Span("text", start, start + len("fever")))
    assert document.text[span.start : span.end] == "fever"
    cough = read.given(Span("text", 0, len("Cough")))
    assert cough == Span("title", 0, len("Cough"))
    assert read.read([span, cough]) == [Span("text", start, start + 5), Span("text", 0, 5)]

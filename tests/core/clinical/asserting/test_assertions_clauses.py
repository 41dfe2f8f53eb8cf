"""What a reviewer's harder sentences say: doubt, new clauses, answers, and people in the family.

`clauses.tsv` has a line for each, with the mention that is meant in brackets. Line breaks and tabs of
a text are written as `\\n` and `\\t`.
"""

from __future__ import annotations

import csv
from pathlib import Path

from core.clinical.assertions import Assertion, Assertions
from core.documents.document import Document

with (Path(__file__).parent / "clauses.tsv").open(encoding="utf-8", newline="") as file:
    CLAUSES = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def status(clause: dict[str, str]) -> str:
    marked = clause["text"].replace("\\n", "\n").replace("\\t", "\t")
    start, end = marked.index("["), marked.index("]") - 1
    text = marked.replace("[", "").replace("]", "")
    assertion = Assertions(text).at(start, end)
    return assertion.status if assertion else "affirmed"


def test_a_mention_has_the_status_that_its_sentence_gives_it() -> None:
    assert [clause for clause in CLAUSES if status(clause) != clause["status"]] == []


def assertion_of(text: str, mention: str) -> Assertion:
    start = text.index(mention)
    assertion = Assertions(text).at(start, start + len(mention))
    assert assertion is not None
    return assertion


def test_an_answer_is_told_without_its_colon() -> None:
    assert assertion_of("Fever: none\nCough", "Fever").cue == "none"


def test_white_space_without_end_takes_no_time() -> None:
    assert assertion_of(" \n" * 3_000 + "No fever", "fever").status == "negated"


def test_a_document_is_looked_through_once() -> None:
    first, again = (Document.from_text("n", title, "No fever.") for title in ("One", "Two"))
    assert Assertions.of_document(first) is Assertions.of_document(again)

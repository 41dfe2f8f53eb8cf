"""What cases that were coded years ago say of today's codes."""

from __future__ import annotations

from core.clinical.names.mentions import Mention, Named
from core.clinical.names.wordings import Kind, LexicalMatch
from core.documents.document import Document
from core.suggest.evidence.spans import Span
from training.codes.fitting import ReadCase, counts_of
from training.corpora.corpus import LabelledDocument


def case(text: str, code: str, *assigned: str) -> ReadCase:
    """A case whose text is a name of a code."""
    match = LexicalMatch(code, "", 0, len(text), Kind.PREFERRED, 1)
    mention = Mention(match, Span("text", 0, len(text)), text, None)
    document = Document.from_text(text, "", text)
    return ReadCase(LabelledDocument(document, assigned), (Named(code, 0.8, (mention,)),), None)


def test_a_code_that_came_later_is_right_where_its_category_was_given() -> None:
    # F32.A is of October 2021; until then F32.9 stood for it. I10 is older than both.
    cases = [
        case("depression", "F32.A", "F32.9", "I10"),
        case("depressed", "F32.A", "I10"),
        case("hypertension", "I10", "I11.9"),
    ]
    counts = counts_of(cases)
    assert (counts.named["F32.A"], counts.right["F32.A"], counts.given["F32.A"]) == (2, 1, 1)
    assert (counts.named["I10"], counts.right.get("I10", 0), counts.given["I10"]) == (1, 0, 2)

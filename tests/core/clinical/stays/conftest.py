"""Notes of stays with the codes that they name, as rules read them."""

from __future__ import annotations

from typing import Protocol

import pytest

from core.clinical.assertions import Assertions, is_denying
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import Mention, Named
from core.clinical.names.wordings import Kind, LexicalMatch
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.clinical.stays.note import StayNote
from core.documents.document import Document
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

CATEGORIES = ("E11", "E66", "I10", "I16", "J18", "J44", "S27", "S36", "S51", "Z68", "Z87")


class MakesNote(Protocol):
    """Makes a note of a text, and the codes that some of its words name."""

    def __call__(self, text: str, **named: str) -> StayNote: ...


@pytest.fixture
def note(tree: Hierarchy) -> MakesNote:
    """Codes are written without a point, as they are names of arguments."""

    def made(text: str, **named: str) -> StayNote:
        document = Document.from_text("d", "", text)
        codes = {
            _pointed(code): _named(_pointed(code), text, words) for code, words in named.items()
        }
        denied = tuple(code for code in codes.values() if is_denying(code.mentions[0].assertion))
        return StayNote(
            document, tree, dict.fromkeys(codes, 0.8), tuple(codes.values()), denied=denied
        )

    return made


@pytest.fixture(scope="module")
def stays(tree: Hierarchy) -> CodesSuggester:
    below = {i for one in CATEGORIES for i in (*tree.path(one), *tree.descendants(one))}
    few = Hierarchy([tree[i] for i in tree if i in below], vocabulary_id="icd10cm", version="few")
    return CodesSuggester(LexicalMatcher(few), shipped("alone"))


def _pointed(code: str) -> str:
    return f"{code[:3]}.{code[3:]}".rstrip(".")


def _named(code: str, text: str, words: str) -> Named:
    start = text.index(words)
    end = start + len(words)
    match = LexicalMatch(code, "", start, end, Kind.ALTERNATIVE, len(words.split()))
    assertion = Assertions(text).at(start, end)
    return Named(code, 0.8, (Mention(match, Span("text", start, end), words, assertion),))

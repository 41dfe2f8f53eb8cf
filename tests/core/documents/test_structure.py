"""Headings and annexes of plain text, by rule."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.documents.structure import Block, assembled, is_annex, level_of, parts_of

ACT = """CHAPTER I
General provisions

Article 1
Subject matter
This Regulation is on lamps.

HAS ADOPTED THIS REGULATION:

  Article 2
Lamps shall shine.

LAMPS IN TUNNELS

Red lamps.

ANNEX I

List of lamps

Annex II — Other lamps
None."""


def headings(text: str) -> list[list[tuple[int, str]]]:
    return [
        [(heading.level, part.text[heading.start : heading.end]) for heading in part.headings]
        for part in parts_of(text)
    ]


def test_an_act_in_plain_text_is_cut_at_its_annexes_and_keeps_its_headings() -> None:
    assert headings(ACT) == [
        [
            (2, "CHAPTER I"),
            (3, "General provisions"),
            (4, "Article 1"),
            (5, "Subject matter"),
            (4, "Article 2"),
            (2, "LAMPS IN TUNNELS"),
        ],
        [(1, "ANNEX I")],
        [(1, "Annex II — Other lamps")],
    ]
    parts = parts_of(ACT)
    assert [part.kind for part in parts] == ["body", "annex", "annex"]
    assert [part.title for part in parts] == ["", "ANNEX I", "Annex II — Other lamps"]


def test_the_text_of_all_parts_is_the_text() -> None:
    document = Document("a", "T", parts_of(ACT))
    assert document.text.split() == ACT.split()


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("Article 12a", 4),
        ("Article 3 — Definitions", 4),
        ("ARTICLE 3", 4),
        ("Article 3 of the Treaty applies.", 0),
        ("TITLE IV", 1),
        ("SECTION 2", 3),
        ("THE EUROPEAN COMMISSION,", 0),
        ("EUR", 0),
        ("EUROPEAN UNION", 2),
        ("12 345 678", 0),
        ("A | B", 0),
        ("", 0),
        ("LONG " * 60, 0),
    ],
)
def test_the_level_of_a_line(line: str, level: int) -> None:
    assert level_of(line) == level


@pytest.mark.parametrize("line", ["ANNEX", "ANNEX IV", "Annex 2", "ANNEX II - Lamps", "APPENDIX A"])
def test_what_names_an_annex(line: str) -> None:
    assert is_annex(line)


@pytest.mark.parametrize("line", ["Annex II to Regulation 5 is amended.", "Annexed to this", ""])
def test_what_names_none(line: str) -> None:
    assert not is_annex(line)


def test_headings_that_a_format_marks_are_kept_and_no_others_are_looked_for() -> None:
    (part,) = assembled([Block("Scope", 2), Block("ALL IN CAPITALS"), Block("Text")])
    assert [
        (heading.level, part.text[heading.start : heading.end]) for heading in part.headings
    ] == [(2, "Scope")]


def test_nothing_has_no_parts() -> None:
    assert parts_of(" \n ") == ()
    assert assembled([]) == ()

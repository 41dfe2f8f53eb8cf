"""`python -m core search` answers as the box does, from a file, an id or a bundle."""

from __future__ import annotations

import io
import json
import sys

import pytest

from core.__main__ import main
from tests.support.places import TINY_SKOS

TINY = ["--vocabulary", str(TINY_SKOS)]


pytestmark = pytest.mark.usefixtures("own_home")


def searched(capsys, *arguments: str) -> list[dict]:
    assert main(["search", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def typed(monkeypatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="ascii"))


def test_the_words_are_one_query(capsys) -> None:
    (answer,) = searched(capsys, "productions", "of", "bread", *TINY)
    assert answer == {
        "query": "productions of bread",
        "hits": [
            {
                "concept_id": "204",
                "label": "bread production",
                "notation": "204",
                "matched": "bread production",
                "why": "inflected",
            }
        ],
    }


def test_labels_of_every_language_are_searched_and_shown_in_the_one_asked_for(capsys) -> None:
    (english,) = searched(capsys, "beche", *TINY)
    (french,) = searched(capsys, "spade", "--language", "fr", *TINY)
    assert [english["hits"][0][key] for key in ("label", "matched")] == ["spade", "bêche"]
    assert [french["hits"][0][key] for key in ("label", "matched")] == ["bêche", "spade"]


def test_without_words_each_line_of_standard_input_is_a_query(capsys, monkeypatch) -> None:
    typed(monkeypatch, "\ufeffspade\n\nbêche\r\nxyzzy".encode())
    answers = searched(capsys, *TINY)
    assert [answer["query"] for answer in answers] == ["spade", "", "bêche", "xyzzy"]
    assert [bool(answer["hits"]) for answer in answers] == [True, False, True, False]


def test_only_what_can_be_assigned_is_found_as_in_the_box(capsys) -> None:
    (answer,) = searched(capsys, "cooking", *TINY)
    assert "t0806" not in [hit["concept_id"] for hit in answer["hits"]]


def test_so_many_hits_are_shown_as_were_asked_for(capsys) -> None:
    (answer,) = searched(capsys, "p", "--limit", "2", *TINY)
    assert len(answer["hits"]) == 2


def test_for_people_every_hit_says_why(capsys) -> None:
    assert main(["search", "spades", *TINY]) == 0
    assert "106  spade  (inflected)" in capsys.readouterr().out
    assert main(["search", "xyzzy", *TINY]) == 0
    assert capsys.readouterr().out == "xyzzy: nothing found\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--vocabulary", "nowhere.ttl"], "There is no file nowhere.ttl"),
        (["--bundle", "nowhere"], "nowhere"),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(capsys, arguments, said) -> None:
    assert main(["search", "spade", *arguments]) == 1
    caught = capsys.readouterr()
    assert said in caught.err
    assert caught.out == ""
    assert caught.err.count("\n") == 1


@pytest.mark.parametrize("wrong", [["--limit", "0"], ["--vocabulary", "a", "--bundle", "b"]])
def test_options_that_make_no_sense_are_refused(wrong, capsys) -> None:
    assert main(["search", "spade", *wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_no_utf_8_is_refused_by_line(capsys, monkeypatch) -> None:
    typed(monkeypatch, b"spade\nb\xeache\n")
    assert main(["search", "--json", *TINY]) == 1
    caught = capsys.readouterr()
    assert len(caught.out.splitlines()) == 1
    assert caught.err == "Line 2 of standard input is not in UTF-8.\n"

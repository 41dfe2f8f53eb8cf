"""Both kinds of suggesters elsewhere on loopback: what is sent, what counts, and every failure."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from core.documents.document import Document
from core.suggest.elsewhere.asking import Asker
from core.suggest.elsewhere.choice import (
    ANNIF,
    CHAT,
    MOST_TEXT,
    AllowedSuggesters,
    SuggesterElsewhere,
)
from core.suggest.elsewhere.member import (
    MOST_FAILURES,
    REST_SECONDS,
    ElsewhereMember,
    Failures,
    Said,
)
from tests.core.suggest.elsewhere.conftest import MemberOf
from tests.support.annif import MISSING, annif_program, annif_server, run_annif
from tests.support.fakes import hierarchy
from tests.support.suggester_host import SuggesterHost

ACT = Document.from_text("act", "On bees", "Honey is sold by the railway.")


def said(member: ElsewhereMember, document: Document = ACT) -> Said:
    return member.answer(member.ask(document))


def uri(concept_id: str) -> str:
    return f"https://example.org/{concept_id}"


# ---------------------------------------------------------------------- what counts


def test_an_annif_project_is_sent_title_and_text_and_names_concepts_by_uri(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    host.results = [
        {"uri": uri("201"), "label": "honey", "notation": None, "score": 0.75},
        {"uri": uri("301").replace("https", "http"), "label": "whatever", "score": 1.5},
    ]
    assert said(member_of()) == Said({"201": 0.75, "301": 1.0})
    ((path, headers, body),) = host.asked
    assert path == "/v1/projects/tiny-en/suggest"
    assert parse_qs(body) == {
        "text": ["On bees\n\nHoney is sold by the railway."],
        "limit": ["30"],
    }
    assert "Authorization" not in headers


@pytest.mark.parametrize(
    "result",
    [
        {"uri": "https://evil.example/201", "label": "honey", "score": 0.9},
        {"uri": uri("m2"), "label": "foodstuffs", "score": 0.9},  # only divides the vocabulary
        {"label": "honey", "score": 0.9},
        {"uri": uri("201"), "score": "0.9"},
        {"uri": uri("201"), "score": float("nan")},
        {"uri": uri("201"), "score": 10**400},
        {"uri": 201, "score": 0.9},
        ["honey"],
    ],
)
def test_what_is_no_concept_of_the_vocabulary_counts_for_nothing(
    result: object, host: SuggesterHost, member_of: MemberOf
) -> None:
    host.results = [result, {"uri": uri("102"), "score": 0.25}]  # type: ignore[list-item]
    assert said(member_of()) == Said({"102": 0.25})


def test_a_language_model_is_asked_for_labels_and_believed_where_they_are_known(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    host.content = (
        'Here you are:\n```json\n["Honey", "quantum bees", "RAILWAYS", 7, "travel tickets"]\n```'
    )
    # The first counts 1, the nth 1 / n, of the labels alone; an alternative label and plurals do.
    assert said(member_of(CHAT)) == Said({"201": 1.0, "301": 1 / 3, "302": 0.25})
    ((path, _, body),) = host.asked
    assert path == "/chat/completions"
    sent = json.loads(body)
    assert sent["model"] == "tiny-en"
    assert sent["messages"][1] == {
        "role": "user",
        "content": "On bees\n\nHoney is sold by the railway.",
    }


@pytest.mark.parametrize(
    "content", ["", "I cannot do that.", "[", "]honey[", '{"a": 1}', "[" * 50_000 + "]" * 50_000]
)
def test_what_a_language_model_writes_beside_a_list_counts_for_nothing(
    content: str, host: SuggesterHost, member_of: MemberOf
) -> None:
    host.content = content
    assert said(member_of(CHAT)) == Said({})


def test_a_key_is_sent_to_its_host_and_is_in_no_representation(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    member = member_of(key="secret-7")
    said(member)
    assert host.asked[0][1]["Authorization"] == "Bearer secret-7"
    allowed = AllowedSuggesters((host.name,), {host.name: "secret-7"})
    assert "secret-7" not in repr(allowed)


def test_long_documents_are_cut_and_halves_of_characters_replaced(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    said(member_of(), Document.from_text("long", "\ud800", "x" * (MOST_TEXT + 9)))
    assert host.texts == ["?\n\n" + "x" * MOST_TEXT]


def test_nobody_is_asked_before_it_begins_nor_twice_about_the_same_text(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    allowed = AllowedSuggesters((host.name,), allows_loopback=True)
    chosen = SuggesterElsewhere(ANNIF, host.address, "tiny-en")
    assert said(ElsewhereMember(chosen, allowed, hierarchy())) == Said({})
    assert host.asked == []
    member = member_of()
    said(member)
    said(member, Document.from_text("the same", ACT.title, ACT.text))
    assert len(host.asked) == 1


@pytest.mark.skipif(annif_program("annif") is None, reason=MISSING)
def test_an_annif_server_as_it_is_installed_is_understood(
    host: SuggesterHost, tmp_path: Path
) -> None:
    # Its project asks the host in turn, so that nothing has to be trained.
    host.results = [{"uri": uri("201"), "label": "honey", "score": 0.75}]
    endpoint = f"{host.address}/v1/projects/x/suggest"
    (tmp_path / "tiny.tsv").write_text(f"<{uri('201')}>\thoney\n<{uri('999')}>\tother\n")
    (tmp_path / "projects.cfg").write_text(
        f"[remote]\nname=R\nlanguage=en\nbackend=http\nvocab=tiny\nendpoint={endpoint}\n"
    )
    run_annif(tmp_path, "load-vocab", "--language", "en", "tiny", "tiny.tsv")
    with annif_server(tmp_path) as name:
        allowed = AllowedSuggesters((name,), allows_loopback=True)

        def asked(project: str) -> Said:
            chosen = SuggesterElsewhere(ANNIF, f"http://{name}", project)
            member = ElsewhereMember(chosen, allowed, hierarchy())
            member.begin()
            return said(member, Document.from_text("a", "On honey", "100 % Ünïcode & bees + hives"))

        assert asked("remote") == Said({"201": 0.75})
        assert asked("missing").problem.endswith("refused with the status 404 and is left out.")
    assert host.texts == ["On honey\n\n100 % Ünïcode & bees + hives"]


# ---------------------------------------------------------------------- failures


@pytest.mark.parametrize("kind", [ANNIF, CHAT])
@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        ("status", "refused with the status 500"),
        ("redirect", "sends on to another address, which is not followed,"),
        ("huge", "sent more than 1 MB"),
        ("no json", "did not answer as "),
        ("other json", "did not answer as "),
        ("deep json", "did not answer as "),
        ("broken", "broke off, or did not answer as a website does"),
    ],
)
def test_what_fails_is_left_out_with_a_sentence(
    kind: str, failing: str, reason: str, host: SuggesterHost, member_of: MemberOf
) -> None:
    host.failing = failing
    found = said(member_of(kind))
    assert found.scores == {}
    assert found.problem.startswith(f"tiny-en at {host.name} {reason}")
    assert found.problem.endswith(" and is left out.")
    assert len(host.asked) == 1  # no second try, and no redirect followed


def test_a_key_that_is_not_accepted_is_named_by_its_setting(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    host.failing, host.status = "status", 401
    assert "does not accept the key that STRATA_SUGGESTER_KEYS names" in said(member_of()).problem


def test_a_slow_answer_and_a_dripping_one_end_when_the_time_is_up(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    for how in ("slow", "drip"):
        host.failing, host.seconds = ("drip", 0.0) if how == "drip" else ("", 3.0)
        began = time.monotonic()
        found = said(member_of(seconds=0.3))
        assert time.monotonic() - began < 1.5
        assert found.scores == {}
        assert "did not answer within 0.3 seconds and is left out" in found.problem


def test_a_host_that_is_down_or_not_allowed_is_left_out(host: SuggesterHost) -> None:
    def problem(address: str, *hosts: str) -> str:
        chosen = SuggesterElsewhere(ANNIF, address, "tiny-en")
        member = ElsewhereMember(
            chosen, AllowedSuggesters(hosts, allows_loopback=True), hierarchy()
        )
        member.begin()
        return said(member).problem

    assert problem("http://127.0.0.1:9", "127.0.0.1:9") == (
        "tiny-en at 127.0.0.1:9 is not reached and is left out."
    )
    assert "may not be asked from here" in problem(host.address, "other.example")
    assert host.asked == []


def test_an_allowed_name_that_leads_inside_the_network_is_not_asked(host: SuggesterHost) -> None:
    chosen = SuggesterElsewhere(ANNIF, "https://annif.example", "tiny-en")
    allowed = AllowedSuggesters(("annif.example",))
    asker = Asker(allowed.policy, chosen.said, resolver=lambda *_: ["10.0.0.7"])
    member = ElsewhereMember(chosen, allowed, hierarchy(), asker=asker)
    member.begin()
    assert "may not be asked from here" in said(member).problem


def test_after_failures_in_a_row_it_rests_and_is_tried_again(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    now = [100.0]
    member = member_of(failures=Failures(clock=lambda: now[0]))
    host.failing = "status"
    texts = (Document.from_text(str(n), str(n), "") for n in range(99))
    for _ in range(MOST_FAILURES):
        assert "status 500" in said(member, next(texts)).problem
    for _ in range(5):
        assert "has failed 3 times in a row" in said(member, next(texts)).problem
    assert len(host.asked) == MOST_FAILURES
    now[0] += REST_SECONDS
    assert "status 500" in said(member, next(texts)).problem  # one tries, and it rests again
    assert "has failed" in said(member, next(texts)).problem
    now[0] += REST_SECONDS
    host.failing = ""
    assert said(member, next(texts)) == Said({})
    assert said(member, next(texts)) == Said({})
    assert len(host.asked) == MOST_FAILURES + 3


def test_no_text_is_logged(
    host: SuggesterHost, member_of: MemberOf, caplog: pytest.LogCaptureFixture
) -> None:
    host.failing = "status"
    with caplog.at_level(logging.DEBUG):
        said(member_of(key="secret-7"))
    assert "is left out" in caplog.text
    for hidden in ("Honey", "bees", "secret-7"):
        assert hidden not in caplog.text

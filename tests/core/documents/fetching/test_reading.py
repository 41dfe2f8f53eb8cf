"""Lines as documents: their titles, languages and ids, and a sentence for each that fails."""

from __future__ import annotations

import re

import pytest

from core.documents.batches.document_batch import BatchDocument
from core.documents.fetching.download import Downloader
from core.documents.fetching.reading import fetched_documents, lines_of
from core.documents.rows.records import BadLine
from core.errors import DocumentError
from tests.support.fetch_host import FetchHost


def fetch(downloader: Downloader, *lines: str, language: str = "en") -> list[object]:
    return list(fetched_documents(lines, language, downloader))


def reason(found: object) -> str:
    assert isinstance(found, BadLine)
    return found.reason


def test_a_list_becomes_documents_and_sentences_in_its_order(
    downloader: Downloader, host: FetchHost
) -> None:
    first, missing, second = fetch(downloader, "32019R1020", "32099R0001", "celex:32014l0089")
    assert isinstance(first, BatchDocument) and isinstance(second, BatchDocument)
    assert first.document.document_id == "32019R1020"
    assert first.document.title == "Regulation on market surveillance"
    assert first.document.text == "Products are watched on the market."
    assert second.document.document_id == "32014L0089"
    assert isinstance(missing, BadLine) and missing.where == "32099R0001"
    assert "has no 32099R0001 in English" in missing.reason
    assert host.paths[0] == "/legal-content/EN/TXT/HTML/?uri=CELEX:32019R1020"


def test_the_language_is_asked_for_and_the_stated_encoding_read(downloader: Downloader) -> None:
    (german,) = fetch(downloader, "32019R1020", language="de")
    assert isinstance(german, BatchDocument)
    assert german.document.title == "Verordnung über die Marktüberwachung"
    assert german.said == ()
    (french,) = fetch(downloader, "32019R1020", language="fr")
    assert "in French. Look at the number, or take another language." in reason(french)


def test_another_language_than_was_asked_for_is_said(
    downloader: Downloader, host: FetchHost
) -> None:
    host.redirects["/legal-content/FR/TXT/HTML/"] = (
        "/legal-content/DE/TXT/HTML/?uri=CELEX:32019R1020"
    )
    (act,) = fetch(downloader, "32019R1020", language="fr")
    assert isinstance(act, BatchDocument)
    assert act.said == ("asked for in French, it came in German.",)


@pytest.mark.parametrize("charset", ["utf-8", "idna", "undefined", "hex", "no-such", "x" * 500])
def test_a_senseless_charset_is_passed_over(
    charset: str, downloader: Downloader, host: FetchHost
) -> None:
    (found,) = fetch(downloader, f"http://{host.name}/charset/{charset}")
    assert isinstance(found, BatchDocument) and found.document.title == "Café"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/challenge", r"refused to answer a program \(202\); .* Download it in a browser"),
        ("/absent", "has no http"),
        ("/picture", "is not a text but image/png"),
        ("/archive", "is not a text but application/zip"),
    ],
)
def test_what_is_no_act_is_said_in_a_sentence(
    path: str, sentence: str, downloader: Downloader, host: FetchHost
) -> None:
    (found,) = fetch(downloader, f"http://{host.name}{path}")
    assert re.search(sentence, reason(found))


def test_a_host_that_refuses_three_times_is_left_alone(
    downloader: Downloader, host: FetchHost
) -> None:
    lines = [f"http://{host.name}/challenge/{n}" for n in range(5)]
    found = fetch(downloader, *lines)
    assert len(host.asked) == 3
    assert reason(found[4]).startswith("Not asked")


def test_nothing_but_the_number_and_the_language_is_sent(
    downloader: Downloader, host: FetchHost
) -> None:
    fetch(downloader, "32019R1020")
    ((_, headers),) = host.asked
    assert set(headers) == {
        "Host", "User-Agent", "Accept", "Accept-Encoding", "Connection", "Accept-Language",
    }  # fmt: skip
    assert headers["User-Agent"].startswith("Strata/")
    assert headers["Accept-Language"] == "en"


def test_lines_are_taken_once_and_not_without_end() -> None:
    assert lines_of(" a\n\nb \na") == ["a", "b"]
    with pytest.raises(DocumentError, match="Type a CELEX number"):
        lines_of(" \n")
    with pytest.raises(DocumentError, match="500 is the most"):
        lines_of("\n".join(map(str, range(501))))

"""The process that parses files: bounded in time and memory, and never missed when it dies."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.documents import uploads
from core.documents.kinds import HTML, OPEN_DOCUMENT, PDF, WORD
from core.documents.uploads import ParserPool, ParserProcess
from core.errors import DocumentError
from core.paths import PROJECT_ROOT
from tests.support import hungry
from tests.support.files.office_files import ODT_BODY, eurlex, nested_docx, odt_file, pdf_file
from tests.support.waiting import PATIENCE_SECONDS, wait_until

SLOW = b"<html><body>" + b"<p>a</p>" * 2_000_000
TITLE = "COMMISSION REGULATION (EU) 2031/77 of 1 February 2031 on lamps in tunnels"


def test_one_process_serves_many_files(parser: ParserProcess) -> None:
    parser.read(HTML, "a.html", eurlex())
    first = parser._process
    assert parser.read(PDF, "a.pdf", pdf_file()).title == "Regulation on lamps in tunnels"
    assert parser._process is first


def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_read() -> None:
    parser = ParserProcess(timeout_seconds=1)
    started = time.monotonic()
    with pytest.raises(DocumentError, match=r"slow.html could not be read within 1 seconds"):
        parser.read(HTML, "slow.html", SLOW)
    assert time.monotonic() - started < 20
    parser.timeout_seconds = 60
    assert parser.read(HTML, "a.html", eurlex()).title == TITLE
    parser.close()


def test_a_process_that_was_killed_is_replaced(parser: ParserProcess) -> None:
    parser.read(HTML, "a.html", eurlex())
    assert parser._process is not None
    parser._process.kill()
    parser._process.wait(30)
    assert parser.read(HTML, "a.html", eurlex()).title == TITLE


def test_a_reader_that_breaks_gets_a_sentence_and_the_next_file_is_read(
    parser: ParserProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DocumentError, match=r"odd.xyz could not be read: it is damaged"):
        parser.read("no such kind", "odd.xyz", b"x")
    assert capfd.readouterr().err == ""  # it may have words of the document
    assert parser.read(HTML, "a.html", eurlex()).title == TITLE


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process's memory so")
def test_a_file_that_takes_too_much_memory_is_given_up(parser: ParserProcess) -> None:
    # 40 MB of XML that is nothing but elements, in a file of some kilobytes.
    swollen = odt_file("<b/>" * 11_000_000 + ODT_BODY)
    assert len(swollen) < 200_000
    with pytest.raises(DocumentError, match=r"memory|damaged|within"):
        parser.read(OPEN_DOCUMENT, "swollen.odt", swollen)
    assert parser.read(HTML, "a.html", eurlex()).title == TITLE


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process's memory so")
@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [(hungry.MEMORY, "needs more memory than is given"), (hungry.WORK, "takes more work to read")],
)
def test_a_reader_that_takes_all_there_is_is_ended_and_the_sentence_says_so(
    parser: ParserProcess, monkeypatch: pytest.MonkeyPatch, wanted: bytes, sentence: str
) -> None:
    monkeypatch.setattr(uploads, "WORKER", hungry.NAME)
    monkeypatch.setattr(uploads, "PROCESSOR_SECONDS", 1.0)
    monkeypatch.setenv(hungry.WORKER_NAMED, "core.documents.worker")
    with pytest.raises(DocumentError, match=f"x.odd {sentence}"):
        parser.read("hungry", "x.odd", wanted)
    monkeypatch.setattr(uploads, "PROCESSOR_SECONDS", 60.0)
    assert parser.read(HTML, "a.html", eurlex()).title == TITLE


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process's work so")
def test_a_small_file_that_would_take_minutes_is_refused(
    parser: ParserProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = nested_docx(75, 100_000)
    assert len(hostile) < 153_000
    monkeypatch.setattr(uploads, "PROCESSOR_SECONDS", 0.1)
    monkeypatch.setattr(uploads, "PROCESSOR_SECONDS_PER_MEGABYTE", 0.0)
    with pytest.raises(DocumentError, match=r"hostile.docx takes more work to read"):
        parser.read(WORD, "hostile.docx", hostile)


def test_a_file_that_takes_for_ever_keeps_nobody_elses_from_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uploads, "WORKER", hungry.NAME)
    monkeypatch.setenv(hungry.WORKER_NAMED, "core.documents.worker")
    monkeypatch.setattr(uploads, "PROCESSOR_SECONDS", 3_600.0)
    parsers = ParserPool(2, timeout_seconds=3_600)
    with ThreadPoolExecutor(1) as another:
        reading = another.submit(parsers.read, "hungry", "x.odd", hungry.WORK)
        try:
            wait_until(lambda: any(parser._process for parser in parsers.parsers))
            titles = {parsers.read(HTML, "a.html", eurlex()).title for _ in range(3)}
            was_read = reading.done()
        finally:
            for parser in parsers.parsers:
                if parser._process is not None:
                    parser._process.kill()
            with pytest.raises(DocumentError, match=r"x.odd could not be read"):
                reading.result(PATIENCE_SECONDS)
            parsers.close()
    assert (titles, was_read) == ({TITLE}, False)


def test_threads_wait_for_their_turn(parser: ParserProcess) -> None:
    with ThreadPoolExecutor(4) as pool:
        reads = pool.map(lambda n: parser.read(HTML, f"{n}.html", eurlex()).title, range(12))
    assert list(reads) == [TITLE] * 12


def test_nothing_in_a_file_is_fetched(parser: ParserProcess) -> None:
    with socket.create_server(("localhost", 0)) as server:
        server.settimeout(0.5)
        address = f"http://localhost:{server.getsockname()[1]}"
        page = (
            f'<!DOCTYPE html SYSTEM "{address}/x.dtd"><html><head>'
            f'<link rel="stylesheet" href="{address}/x.css"><base href="{address}/">'
            f'<meta http-equiv="refresh" content="0;url={address}"></head><body><h1>Title</h1>'
            f'<p>Text.</p><img src="{address}/x.png"><iframe src="{address}"></iframe></body></html>'
        )
        assert parser.read(HTML, "a.html", page.encode()).text == "Text."
        entity = f'<!DOCTYPE x [<!ENTITY % e SYSTEM "{address}/e">%e;]>'
        with pytest.raises(DocumentError):
            parser.read(OPEN_DOCUMENT, "a.odt", odt_file(entity))
        with pytest.raises(TimeoutError):
            server.accept()


def test_the_process_loads_neither_the_page_nor_the_model() -> None:
    code = (
        "import sys, core.documents.worker as w, importlib\n"
        "for name in w.READERS.values(): importlib.import_module(name)\n"
        "print(*sorted({'torch', 'streamlit', 'sqlalchemy', 'numpy', 'pandas'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert run.stdout.strip() == ""

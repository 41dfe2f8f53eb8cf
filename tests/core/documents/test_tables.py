"""Tables and archives are unpacked in the process that parses files, within bounds and once."""

from __future__ import annotations

import json
import struct
import time

import pytest

from core.documents.batches.batch import documents_of, first_problem, open_batch
from core.documents.batches.document_batch import BatchDocument
from core.documents.kinds import ROWS, ZIP
from core.documents.rows import packed_rows
from core.documents.rows.packed_rows import TOO_DEEP, TOO_LONG, PackedRows, packed
from core.documents.rows.records import BadLine, Record
from core.documents.uploads import ParserProcess
from core.documents.worker import read_table
from core.errors import DocumentError
from tests.support.counting_parser import CountingParser
from tests.support.files.office_files import zip_file

ROW = {"id": "a", "title": "On bees", "text": "They hum."}


def lines(n_rows: int) -> str:
    return "".join(json.dumps(ROW | {"id": str(n)}) + "\n" for n in range(n_rows))


def test_rows_come_out_of_the_pack_as_they_went_in() -> None:
    rows = [
        Record("line 1", 1, {"a": "é\n\u2028\udc80", "n": 1.5, "nested": {"list": [None, True]}}),
        BadLine("line 2", "not CSV", 'x,"y'),
        Record("line 3", 3, {}),
    ]
    kept = packed("a.csv", ["a"], iter(rows))
    assert (kept.columns, len(kept), list(kept), list(kept)) == (["a"], 3, rows, rows)
    assert list(kept)[1].content == 'x,"y'  # type: ignore[union-attr]


def test_what_is_too_long_or_too_deep_spoils_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "MAX_ROW_BYTES", 100)
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    rows = [Record("1", 1, {"a": "x" * 101}), Record("2", 2, {"a": deep}), Record("3", 3, ROW)]
    found = list(packed("a.json", None, iter(rows)))
    assert found == [BadLine("1", TOO_LONG), BadLine("2", TOO_DEEP), Record("3", 3, ROW)]


@pytest.mark.parametrize(("bound", "most"), [("MAX_ROWS", 10), ("MAX_BYTES", 700)])
@pytest.mark.parametrize("kind", [ROWS, ZIP])
def test_of_too_many_rows_a_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, bound: str, most: int, kind: str
) -> None:
    monkeypatch.setattr(packed_rows, bound, most)
    content = (
        lines(11).encode() if kind == ROWS else zip_file({"1.jsonl": lines(6), "2.jsonl": lines(5)})
    )
    with pytest.raises(DocumentError, match=r"a\.x has more than .* rows or .* MB of text\. Split"):
        read_table(kind, "a.x", content)


def test_a_small_file_that_becomes_large_takes_nothing_of_the_server(
    parser: ParserProcess,
) -> None:
    # One array of 100 MB, in 100 kB: as objects it would take more than the process may have.
    bomb = zip_file({f"{n}.json": b"[" + b"{}," * 14_000_000 + b"{}]" for n in range(3)})
    assert len(bomb) < 400_000
    before = time.thread_time()
    with pytest.raises(
        DocumentError, match=r"bomb.zip (needs more memory|takes more work|has more)"
    ):
        parser.rows(ZIP, "bomb.zip", bomb)
    assert time.thread_time() - before < 1.0
    assert len(parser.rows(ROWS, "a.jsonl", lines(3).encode())) == 3


def test_a_table_is_read_once_however_often_a_page_is_drawn(counting: CountingParser) -> None:
    looked = open_batch("a.jsonl", lines(7).encode())
    assert (looked.n_rows, isinstance(looked.rows, PackedRows)) == (7, True)
    for _ in range(3):
        assert first_problem(looked, looked.guessed) is None
        assert len(list(documents_of(looked, looked.guessed))) == 7
    assert counting.asked == ["table"]


def test_files_of_an_archive_are_unpacked_there_and_it_is_sent_once(
    counting: CountingParser,
) -> None:
    sent: list[int] = []
    process = counting._running()
    assert process.stdin is not None
    write = process.stdin.write
    process.stdin.write = lambda data: (sent.append(len(data)), write(data))[1]  # type: ignore[method-assign, assignment]
    archive = zip_file({f"{n}.txt": f"On bees {n}\n\nThey hum." for n in range(5)})
    looked = open_batch("acts.zip", archive)
    found = list(documents_of(looked, looked.guessed))
    titles = [row.document.title for row in found if isinstance(row, BatchDocument)]
    assert titles == [f"On bees {n}" for n in range(5)]
    assert counting.asked == ["member"] * 5
    assert sent.count(len(archive)) == 1


def test_after_a_file_that_ends_the_process_the_others_of_its_archive_are_read(
    counting: CountingParser,
) -> None:
    archive = zip_file({f"{n}.txt": f"On bees {n}\n\nThey hum." for n in range(3)})
    looked = open_batch("acts.zip", archive)
    found = []
    for row in documents_of(looked, looked.guessed):
        found.append(row.where)
        assert counting._process is not None
        counting._process.kill()
        counting._process.wait(30)
    assert found == ["0.txt", "1.txt", "2.txt"]


def test_an_archive_that_lists_more_than_it_says_is_refused() -> None:
    entry = b"PK\x01\x02" + bytes(42)
    listed = entry * 100_001
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), 4, 0)
    started = time.thread_time()
    with pytest.raises(DocumentError, match=r"would unpack to 100,001 files"):
        open_batch("many.zip", b"PK\x03\x04" + listed + end)
    assert time.thread_time() - started < 0.5

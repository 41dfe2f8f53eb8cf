"""One file of rows is read alike by the page, the command line and the laboratory's corpora."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from core.documents import kinds
from core.documents.batches.batch import documents_of, open_batch
from core.documents.batches.document_batch import BatchDocument
from core.documents.inputs import BadLine, read_inputs
from core.documents.rows import files
from core.documents.rows.delimited import NEVER_CLOSED, delimiter_of
from core.documents.rows.files import rows_of, suffix_of
from core.documents.rows.json_rows import NO_OBJECT
from core.documents.rows.records import Record
from core.documents.worker import read_table
from core.encoding import UTF_8, UTF_16, WINDOWS, encoding_of
from core.errors import ConfigError
from training.corpora.records import RecordError, rows_at

Answer = tuple[list[tuple[str, str, str]], list[tuple[str, str]]]

ROWS = [
    {"id": "a1", "title": "On bees", "text": "Café “Honig”, at noon.\nÄpfel"},
    {"id": "a2", "title": "On herring", "text": "Señor, the “sole” | is ; late"},
]
READ = [(row["id"], row["title"], row["text"]) for row in ROWS]


def table(delimiter: str = ",", rows: list[dict[str, str]] = ROWS) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def lines(rows: list[dict[str, str]] = ROWS) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def on_the_page(path: Path) -> Answer:
    batch = open_batch(path.name, path.read_bytes())
    found = list(documents_of(batch, batch.guessed))
    documents = [item.document for item in found if isinstance(item, BatchDocument)]
    bad = [(item.where, item.reason) for item in found if isinstance(item, BadLine)]
    return [(document.document_id, document.title, document.text) for document in documents], bad


def on_the_command_line(path: Path) -> Answer:
    good, bad = [], []
    for item in read_inputs(path):
        if isinstance(item, BadLine):
            bad.append((item.where, item.reason))
        else:
            good.append((str(item.given_id), item.document.title, item.document.text))
    return good, bad


def in_a_corpus(path: Path) -> Answer:
    good, bad = [], []
    for where, load in rows_at(path):
        try:
            record = load()
            good.append((record["id"], record["title"], record["text"]))
        except RecordError as error:
            bad.append((where.removeprefix(f"{path}, "), str(error)))
    return good, bad


READERS = [on_the_page, on_the_command_line, in_a_corpus]

GOOD: dict[str, tuple[str, bytes]] = {
    f"{suffix} with {delimiter!r} in {encoding}": (
        f"acts.{suffix}",
        table(delimiter).encode(encoding),
    )
    for suffix, delimiter in (
        ("csv", ","),
        ("csv", ";"),
        ("csv", "|"),
        ("csv", "\t"),
        ("tsv", "\t"),
    )
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252")
} | {
    f"{suffix} of {name} in {encoding}": (f"acts.{suffix}", text.encode(encoding))
    for suffix in ("jsonl", "ndjson", "json")
    for name, text in (
        ("lines", lines()),
        ("lines with blank ones", "\n" + lines().replace("\n", "\r\n\r\n")),
        ("an array", json.dumps(ROWS, ensure_ascii=False)),
        ("an array on lines", json.dumps(ROWS, ensure_ascii=False, indent=1)),
    )
    for encoding in ("utf-8", "utf-8-sig", "utf-16")
}


@pytest.mark.parametrize("read", READERS)
def test_a_good_file_gives_the_same_records(tmp_path: Path, read: Any) -> None:
    for kind, (name, content) in GOOD.items():
        (tmp_path / name).write_bytes(content)
        assert read(tmp_path / name) == (READ, []), kind


FIRST = 'a0,Ä é ö ü,"ß"\n'
BAD = {
    "a bad byte in UTF-8": (
        "acts.csv",
        f"id,title,text\n{FIRST}".encode() + b"a1,caf\xe9,x\n",
        [("line 3", "not text in UTF-8")],
    ),
    "a quotation mark that stays open": (
        "acts.csv",
        f'id,title,text\n{FIRST}a1,On bees,"They hum\na2,On ants,x\n'.encode(),
        [("line 3", NEVER_CLOSED)],
    ),
    "a bad line among good ones": (
        "acts.jsonl",
        '{"id": "a0", "title": "Ä é ö ü", "text": "ß"}\n[1, 2]\n{broken\n"x"\n'.encode()
        + b'{"id": "caf\xe9"}\n',
        [
            ("line 2", NO_OBJECT),
            ("line 3", "not JSON (Expecting property name enclosed in double quotes, column 2)"),
            ("line 4", NO_OBJECT),
            ("line 5", "not text in UTF-8 (byte 12)"),
        ],
    ),
    "a bad line before good ones": (
        "acts.jsonl",
        '[1, 2]\n{"id": "a0", "title": "Ä é ö ü", "text": "ß"}\n'.encode(),
        [("line 1", NO_OBJECT)],
    ),
    "a bad item of an array": (
        "acts.json",
        '[{"id": "a0", "title": "Ä é ö ü", "text": "ß"},\n 12]'.encode(),
        [("item 2", NO_OBJECT)],
    ),
}


@pytest.mark.parametrize("read", READERS)
def test_a_bad_row_gets_the_same_sentence(tmp_path: Path, read: Any) -> None:
    for kind, (name, content, problems) in BAD.items():
        (tmp_path / name).write_bytes(content)
        assert read(tmp_path / name) == ([("a0", "Ä é ö ü", "ß")], problems), kind


@pytest.mark.parametrize("read", [on_the_command_line, in_a_corpus])
def test_a_broken_array_is_one_problem(tmp_path: Path, read: Any) -> None:
    (tmp_path / "acts.json").write_text('[{"id": 1},\n {"id": 2},\n', "utf-8")
    good, bad = read(tmp_path / "acts.json")
    assert good == []
    assert [where for where, _ in bad] == ["the file"]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"", UTF_8),
        (b"plain", UTF_8),
        ("\ufeffmarked".encode(), UTF_8),
        ("Bären".encode("utf-16"), UTF_16),
        ("Bären".encode("cp1252"), WINDOWS),
        ("Bären ".encode() * 3 + b"B\xe4ren", UTF_8),
        ("é".encode() * (1 << 20), UTF_8),  # letters on the border of what is read at once
        (b"x" + "é".encode() * (1 << 20) + b"\xe9", UTF_8),
    ],
)
def test_the_encoding_follows_from_all_bytes(content: bytes, encoding: str) -> None:
    file = io.BytesIO(content)
    assert encoding_of(file) == encoding
    assert file.tell() == 0


@pytest.mark.parametrize("line_end", ["\n", "\r\n", ",\n"])
def test_objects_over_several_lines_are_read(line_end: str) -> None:
    content = line_end.join(json.dumps(row, indent=2) for row in ROWS).encode()
    _, rows = rows_of("a.json", io.BytesIO(content))
    read = list(rows)
    if line_end == ",\n":  # neither lines nor objects nor an array
        assert all(isinstance(row, BadLine) for row in read)
    else:
        assert [row.fields for row in read if isinstance(row, Record)] == ROWS


def test_the_delimiter_is_looked_for_outside_of_quotation_marks() -> None:
    assert delimiter_of('"Title, text, and more";id') == ";"
    assert delimiter_of("a, b, c\td", likeliest="\t") == "\t"


@pytest.mark.parametrize("above", ["sep=;\r\n", '"sep=;"\n', "\n\n", " \nsep=;\n"])
def test_what_stands_above_the_columns_is_no_row(above: str) -> None:
    content = f"{above}id;title, text;text\n7;Bees;Wax.\n8;Ants;;\n".encode()
    columns, rows = rows_of("a.csv", io.BytesIO(content))
    first = next(rows)
    assert columns == ["id", "title, text", "text"]
    assert isinstance(first, Record) and first.fields["text"] == "Wax."
    assert first.where == f"line {above.count(chr(10)) + 2}"


def test_a_column_that_is_there_twice_loses_no_cell() -> None:
    columns, rows = rows_of("a.csv", io.BytesIO(b"id,text,Text,text\n1,a,b,c\n"))
    assert columns == ["id", "text", "Text (2)", "text (3)"]
    assert [dict(row.fields) for row in rows if isinstance(row, Record)] == [
        {"id": "1", "text": "a", "Text (2)": "b", "text (3)": "c"}
    ]


def test_a_column_is_not_called_what_another_one_is() -> None:
    columns, _ = rows_of("a.csv", io.BytesIO(b"text,text,Text (2),TEXT (2),,\n"))
    assert columns == ["text", "text (3)", "Text (2)", "TEXT (2) (2)", "", ""]


def test_lines_are_read_as_they_are_asked_for() -> None:
    file = io.BytesIO(b'{"id": 1}\n' * 100_000)
    _, records = rows_of("a.jsonl", file)
    assert isinstance(next(records), Record)
    assert file.tell() < 100
    _, records = rows_of("a.csv", file := io.BytesIO(b"id\n" + b"1\n" * 100_000))
    assert isinstance(next(records), Record)
    assert file.tell() < 100_000


def test_another_format_of_rows_is_a_reader_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(file: Any, *, is_even: bool = False) -> files.NamedRows:
        assert is_even in (True, False)
        pairs = (line.decode().split("=") for line in file)
        return None, (
            Record(f"line {n}", n, {"id": key, "title": "T", "text": text.strip()})
            for n, (key, text) in enumerate(pairs, start=1)
        )

    monkeypatch.setitem(files.ROW_FORMATS, ".pairs", read)  # type: ignore[arg-type]
    (tmp_path / "acts.pairs").write_text("a=On bees\n", "utf-8")
    for reader in (on_the_command_line, in_a_corpus):
        assert reader(tmp_path / "acts.pairs") == ([("a", "T", "On bees")], [])
    # The page has this read in another process.
    rows = read_table(kinds.ROWS, "acts.pairs", b"a=On bees\n")
    assert [row.fields for row in rows if isinstance(row, Record)] == [
        {"id": "a", "title": "T", "text": "On bees"}
    ]


def test_a_corpus_wants_as_many_cells_as_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,title,text\na,b,c,d\n", "utf-8")
    assert in_a_corpus(tmp_path / "a.csv")[1] == [
        ("line 2", "the row has 4 fields for 3 columns"),
    ]
    assert on_the_command_line(tmp_path / "a.csv") == on_the_page(tmp_path / "a.csv")


def test_the_ending_of_a_packed_file_is_that_of_what_is_in_it() -> None:
    assert [suffix_of(name) for name in ("A.CSV", "a.b.jsonl.GZ", "a")] == [".csv", ".jsonl", ""]


def test_a_table_without_columns_is_refused_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("a;b\n1;2\n".encode("utf-16"))
    with pytest.raises(ConfigError, match="names its columns"):
        list(read_inputs(tmp_path / "a.csv"))


SWALLOWED = (
    "id,title,text\n"
    "a1,On bees,Bees are kept.\n"
    'a2,"On herring,Herring are caught.\n'
    "a3,On sole,Sole are caught.\n"
    'a4,"On honey, new",Honey is sold.\n'
    "a5,On ice,Ice melts.\n"
)


def test_a_mark_that_is_closed_in_another_row_is_said_and_makes_no_document_of_many() -> None:
    batch = open_batch("acts.csv", SWALLOWED.encode())
    read = list(documents_of(batch, batch.guessed))
    assert [row.where for row in read] == ["line 2", "line 3", "line 6"]
    bad = read[1]
    assert isinstance(bad, BadLine)
    assert "closed only 2 lines further down" in bad.reason


def test_lines_of_a_text_may_have_as_many_commas_as_there_are_columns() -> None:
    content = 'id,title,text\na1,On bees,"Bees, wasps, flies\n""hum"", all of them, at dusk"\n'
    batch = open_batch("acts.csv", content.encode())
    (row,) = documents_of(batch, batch.guessed)
    assert isinstance(row, BatchDocument)
    assert row.document.text == 'Bees, wasps, flies\n"hum", all of them, at dusk'


@pytest.mark.parametrize("name", ["id", "document_id"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_an_id_has_either_name_in_tables_and_in_json(
    tmp_path: Path, name: str, ending: str
) -> None:
    rows = [{name: "a7", "title": "On bees", "text": "Bees.", "assigned": "101; 102"}]
    content = table(rows=rows) if ending == "csv" else lines(rows)
    path = tmp_path / f"acts.{ending}"
    path.write_text(content, "utf-8")
    (read,) = read_inputs(path)
    assert not isinstance(read, BadLine)
    assert (read.given_id, read.document.document_id) == ("a7", "a7")
    batch = open_batch(path.name, content.encode())
    assert (batch.guessed.document_id, batch.guessed.concepts) == (name, "assigned")
    (found,) = documents_of(batch, batch.guessed)
    assert isinstance(found, BatchDocument)
    assert found.document.document_id == "a7"

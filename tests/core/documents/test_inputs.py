from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from core.documents.inputs import NO_DOCUMENT, NO_FILE, BadLine, InputDocument, read_inputs
from core.documents.intake import read_pasted
from core.errors import ConfigError
from tests.support.files.office_files import ole_file, pdf_of_pages, zip_file


def read(path: Path) -> list[InputDocument | BadLine]:
    return list(read_inputs(path))


def good(path: Path) -> list[tuple[object, str, str]]:
    return [
        (item.given_id, item.document.title, item.document.text)
        for item in read(path)
        if isinstance(item, InputDocument)
    ]


def bad(path: Path) -> list[tuple[str, str]]:
    return [(item.where, item.reason) for item in read(path) if isinstance(item, BadLine)]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


# JSON lines

THREE = [
    {"id": 7, "title": "Huile d’olive", "text": "Règlement."},
    {"id": "b", "title": "Only a title"},
    {"text": "Only a text."},
]
THREE_READ = [
    (7, "Huile d’olive", "Règlement."),
    ("b", "Only a title", ""),
    (3, "Only a text.", ""),
]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a"])
def test_json_lines_are_read_whatever_the_ending(tmp_path: Path, name: str) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in THREE)
    assert good(write(tmp_path / name, lines)) == THREE_READ


def test_json_lines_may_have_a_mark_crlf_empty_lines_and_no_last_line_end(tmp_path: Path) -> None:
    lines = '\ufeff{"id": 1, "title": "A"}\r\n\r\n{"id": 2, "title": "B", "text": null}'
    assert good(write(tmp_path / "a.jsonl", lines)) == [(1, "A", ""), (2, "B", "")]


def test_ids_are_kept_as_they_were_given(tmp_path: Path) -> None:
    ids = [1, "1", 1.5, "", "32017R0001", "a/b", -3]
    lines = "\n".join(json.dumps({"id": document_id, "title": "T"}) for document_id in ids)
    given = [record[0] for record in good(write(tmp_path / "a.jsonl", lines))]
    assert [(type(found), found) for found in given] == [
        (type(document_id), document_id) for document_id in ids
    ]


def test_every_bad_line_is_named_with_its_reason_and_skipped(tmp_path: Path) -> None:
    lines = [
        b'{"id": 1, "title": "first"}',
        b"{broken",
        b"[1, 2]",
        b'"text"',
        b'{"id": 5, "title": "caf\xe9"}',
        b'{"id": 6, "title": " ", "text": "\\n"}',
        b'{"id": 7}',
        b'{"id": 8, "title": 12}',
        b'{"id": 9, "text": ["a"]}',
        b'{"id": true, "title": "T"}',
        b'{"id": {}, "title": "T"}',
        b'{"id": NaN, "title": "T"}',
        b'{"id": 1e999, "title": "T"}',
        b'{"id": "\\ud800", "title": "T"}',
        b"[" * 100_000,
        b'{"id": 16, "text": "\\u0001", "title": "\\u200b"}',
        b'{"id": 17, "parts": [{"text": "\\u200b"}]}',
        b'{"id": 18, "title": "last"}',
    ]
    path = write(tmp_path / "a.jsonl", b"\n".join(lines))
    assert good(path) == [(1, "first", ""), (18, "last", "")]
    found = bad(path)
    assert [where for where, _ in found] == [f"line {n}" for n in range(2, 18)]
    reasons = dict(found)
    assert "not JSON (Expecting property name" in reasons["line 2"]
    assert reasons["line 3"] == "not a JSON object with named fields"
    assert "UTF-8" in reasons["line 5"]
    assert {reasons[f"line {n}"] for n in (6, 7, 16)} == {"neither title nor text"}
    assert reasons["line 17"] == "part 1 has no text"
    assert reasons["line 8"] == reasons["line 9"] == "title and text must be text"
    assert reasons["line 10"] == "the id is neither text nor a number"


def test_half_of_a_surrogate_pair_does_not_stop_a_document(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", r'{"id": 1, "title": "a\ud83d b", "text": "\ud83e\uded2"}')
    assert good(path) == [(1, "a? b", "🫒")]


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in THREE)
    path = write(tmp_path / "a.jsonl.gz", gzip.compress(lines.encode()))
    assert good(path) == THREE_READ


def test_a_compressed_file_that_breaks_off_gives_what_it_has(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": n, "title": f"T{n * 7919}"}) + "\n" for n in range(50_000))
    content = gzip.compress(lines.encode())
    path = write(tmp_path / "a.jsonl.gz", content[: len(content) // 2])
    assert len(good(path)) > 1000
    assert "breaks off" in bad(path)[-1][1]


def test_a_file_that_is_not_compressed_at_all_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", "plain text")
    assert (good(path), len(bad(path))) == ([], 1)


# CSV


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_by_the_names_of_its_columns_in_any_case(
    tmp_path: Path, delimiter: str
) -> None:
    rows = [
        ["Text", "Year", " TITLE ", "ID"],
        ['"On olives, oil; and\ttabs\nover two lines"', "2017", '"The ""olive"" act"', "32017R1"],
        ["Only a text.", "2018", "", ""],
    ]
    content = "\ufeff" + "".join(delimiter.join(row) + "\r\n" for row in rows)
    assert good(write(tmp_path / "a.CSV", content)) == [
        ("32017R1", 'The "olive" act', "On olives, oil; and\ttabs\nover two lines"),
        (2, "Only a text.", ""),
    ]


def test_bad_rows_are_named_by_their_line_and_skipped(tmp_path: Path) -> None:
    content = b'id,title,text\n1,"two\nlines",\xc3\xa9\n2,,\n3,caf\xe9,x\n\n4\n5,last\n'
    path = write(tmp_path / "a.csv", content)
    assert good(path) == [("1", "two lines", "é"), ("5", "last", "")]
    assert bad(path) == [
        ("line 4", "neither title nor text"),
        ("line 5", "not text in UTF-8"),
        ("line 7", "neither title nor text"),
    ]


def test_a_whole_act_fits_into_a_cell(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", f"id,text\n1,{'olive ' * 100_000}\n")
    assert len(good(path)[0][2]) == 599_999  # without the blank at its end


def test_a_csv_file_without_the_columns_is_refused(tmp_path: Path) -> None:
    for content in ("", "a,b\n1,2\n", "id\n1\n"):
        with pytest.raises(ConfigError, match="names its columns: at least title or text"):
            read(write(tmp_path / "a.csv", content))


def test_a_compressed_csv_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv.gz", gzip.compress(b"id,title\n1,A\n"))
    assert good(path) == [("1", "A", "")]


# Documents


def test_a_folder_gives_its_documents_by_name(tmp_path: Path) -> None:
    write(tmp_path / "b.txt", "\ufeffSecond.")
    write(tmp_path / "a.TXT", "First.")
    write(tmp_path / "c.txt", "Third, in UTF-16.".encode("utf-16"))
    write(tmp_path / "d.txt", b"\xff\xfe\x00")
    write(tmp_path / "e.txt", " \n")
    write(tmp_path / "g.txt", "Café in cp1252.".encode("cp1252"))
    write(tmp_path / "h.txt", b"\x00\xe9\x00binary")
    write(tmp_path / "f.pdf", "%PDF-1.7 cut short")
    write(tmp_path / "i.html", "<html><h1>On honey</h1><p>Honey is sold in jars.</p></html>")
    write(tmp_path / "j.csv", "id,title\n1,A\n")
    write(tmp_path / ".DS_Store", "x")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "gone.pdf").symlink_to(tmp_path / "nothing.pdf")
    assert good(tmp_path) == [
        ("a", "First.", ""),
        ("b", "Second.", ""),
        ("c", "Third, in UTF-16.", ""),
        ("g", "Café in cp1252.", ""),
        ("i", "On honey", "Honey is sold in jars."),
    ]
    reasons = dict(bad(tmp_path))
    left_out = ["d.txt", "e.txt", "f.pdf", "folder.txt", "gone.pdf", "h.txt", "j.csv"]
    assert list(reasons) == left_out
    assert reasons["folder.txt"] == NO_FILE
    assert reasons["gone.pdf"].startswith("cannot be read: No such file")
    assert reasons["f.pdf"].startswith("is damaged") and reasons["j.csv"] == NO_DOCUMENT


def test_a_document_alone_is_read_as_on_the_start_page(tmp_path: Path) -> None:
    page = b"<html><h1>On honey</h1><p>Honey is sold in jars.</p></html>"
    for name in ("act.html", "act.txt"):
        read_as = ("act", "On honey", "Honey is sold in jars.")
        assert good(write(tmp_path / name, page)) == [read_as]


@pytest.mark.parametrize("suffix", ["md", "html", "pdf"])
def test_a_note_keeps_the_name_of_the_section_that_it_begins_with(
    tmp_path: Path, suffix: str
) -> None:
    lines = (
        "PAST MEDICAL HISTORY:",
        "Breast cancer 1999, lobectomy.",
        "",
        "HOSPITAL COURSE: Gout.",
    )
    page = "".join(f"<p>{line}</p>" for line in lines if line)
    contents = {"md": "\n".join(lines), "html": f"<html>{page}</html>", "pdf": pdf_of_pages(lines)}
    ((_, title, text),) = good(write(tmp_path / f"note.{suffix}", contents[suffix]))
    assert title.startswith(lines[0])
    assert " ".join(text.split()) == " ".join(filter(None, lines))


def test_a_single_text_is_a_document(tmp_path: Path) -> None:
    assert good(write(tmp_path / "act.txt", "On olives.")) == [("act", "On olives.", "")]


def test_the_first_line_is_the_title_where_none_is_given_as_on_the_page(tmp_path: Path) -> None:
    text = "Regulation on olives\n\nThe first paragraph.\nThe second."
    assert good(write(tmp_path / "act.txt", text)) == [
        ("act", "Regulation on olives", "The first paragraph.\nThe second.")
    ]
    page = read_pasted("", text)
    assert good(write(tmp_path / "a.jsonl", json.dumps({"id": 1, "title": "", "text": text}))) == [
        (1, page.title, page.text)
    ]


def test_words_are_as_whole_as_on_the_page(tmp_path: Path) -> None:
    text = (
        "Olives and oil\n\nThe mar\u00adket of olive oil, and its regu\u00ad\nlation, and what the author-\n"
        "ities of each Member State do."
    )
    page = read_pasted("", text)
    assert page.text == (
        "The market of olive oil, and its regulation, and what the authorities of each Member State do."
    )
    for line_end in ("\n", "\r\n", "\r"):
        content = text.replace("\n", line_end).encode()
        assert good(write(tmp_path / "act.txt", content)) == [("act", page.title, page.text)]


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no text, PDF, Word"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("act.doc", ole_file("WordDocument"), "is in the old Word format"),
        ("act.rtf", b"{\\rtf1\nOn\nhoney\n}", "is an RTF file"),
        ("acts.xlsx", zip_file({"xl/workbook.xml": "<workbook/>"}), "is a spreadsheet"),
        ("acts", gzip.compress(b'{"title": "On honey"}'), "is compressed with gzip"),
    ],
)
def test_a_file_of_another_kind_is_no_heap_of_broken_lines(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    ((where, said),) = bad(write(tmp_path / name, content))
    assert where == name and said.startswith(reason)


def test_a_zip_is_refused_as_a_whole(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"acts\.zip is read on the Start page alone"):
        list(read_inputs(write(tmp_path / "acts.zip", b"PK\3\4")))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no file or folder .*nowhere\.jsonl"):
        read(tmp_path / "nowhere.jsonl")


def test_an_empty_file_has_no_documents(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.jsonl", "")) == []
    assert good(write(tmp_path / "a.txt", "")) == []

"""Files in every format that is read, and a sentence for every file that is not."""

from __future__ import annotations

import pypdfium2 as pdfium
import pytest

from core.documents.archives import MAX_ENTRIES
from core.documents.document import Part
from core.documents.intake import Intake
from core.documents.readers import pdf
from core.documents.readers.pdf import PARTLY_SCANNED
from core.documents.uploads import MAX_FILE_BYTES, ParserProcess, read_upload
from core.errors import DocumentError
from tests.support.files.office_files import (
    docx_file,
    docx_of,
    eurlex,
    odt_file,
    ole_file,
    partly_scanned_pdf,
    pdf_file,
    pdf_form,
    pdf_of_pages,
    scanned_pdf,
    zip_file,
)


def headings(part: Part) -> list[tuple[int, str]]:
    return [(heading.level, part.text[heading.start : heading.end]) for heading in part.headings]


def outline(intake: Intake) -> list[tuple[str, str, list[tuple[int, str]]]]:
    return [(part.kind, part.title, headings(part)) for part in intake.parts]


@pytest.mark.parametrize("prefix", ["oj-", ""], ids=["since 2023", "before"])
def test_an_act_of_eurlex_keeps_its_title_articles_and_annexes(prefix: str) -> None:
    read = read_upload("act.html", eurlex(prefix))
    assert read.title == "COMMISSION REGULATION (EU) 2031/77 of 1 February 2031 on lamps in tunnels"
    assert outline(read) == [
        ("body", "", [(2, "CHAPTER I"), (4, "Article 1"), (5, "Subject matter")]),
        ("annex", "ANNEX I — List of lamps", [(1, "ANNEX I"), (2, "List of lamps")]),
    ]
    body, annex = (part.text for part in read.parts)
    assert body.startswith("THE EUROPEAN COMMISSION,\n\n(1) Lamps shine.\n\nCHAPTER I")
    assert body.endswith("This Regulation is on lamps.")
    assert annex.endswith("Lamp | Watts\n\nRed | 5")


def test_an_old_act_without_classes_keeps_them_too() -> None:
    page = (
        "<html><head><title>EUR-Lex - 31999R0001 - EN</title></head><body><h1>31999R0001</h1>"
        '<nav>Home</nav><div id="TexteOnly"><p><txt_te><p><strong>Regulation on prun\u00e9s</strong>'
        "</p><p>Article 1<p>Prunes.<p>ANNEX<p>Table of prunes</txt_te></div></body></html>"
    )
    read = read_upload("31999R0001.html", page.encode("latin-1"))
    assert read.title == "Regulation on prunés"
    assert outline(read) == [
        ("body", "", [(4, "Article 1")]),
        ("annex", "ANNEX", [(1, "ANNEX")]),
    ]
    assert "Windows-1252" in read.notes[0]


def test_an_old_encoding_that_a_page_states_is_taken() -> None:
    page = '<meta charset="iso-8859-2"><h1>Nařízení</h1><p>Žluté lampy.'.encode("iso-8859-2")
    read = read_upload("act.html", page)
    assert (read.title, read.text, read.notes) == ("Nařízení", "Žluté lampy.", ())


@pytest.mark.parametrize(
    ("stated", "encoding"),
    [
        *[("iso-8859-1", "cp1252"), ("us-ascii", "cp1252"), ("iso-8859-9", "cp1254")],
        *[("iso-8859-1", "utf-8"), ("windows-1250", "utf-8")],
    ],
)
def test_a_page_is_read_as_browsers_read_it(stated: str, encoding: str) -> None:
    page = f'<meta charset="{stated}"><h1>Naïve “lamps”</h1><p>The lamps’ price – 5 €.'
    read = read_upload("act.html", page.encode(encoding))
    assert (read.title, read.text) == ("Naïve “lamps”", "The lamps’ price – 5 €.")


@pytest.mark.parametrize(
    "charset",
    [
        *("utf-7", "UTF7", "unicode-1-1-utf-7", "idna", "rot13", "rot-13", "punycode", "undefined"),
        *("unicode_escape", "raw-unicode-escape", "base64", "hex", "zip", "uu", "quopri"),
    ],
)
@pytest.mark.parametrize("page", ['<meta charset="{}">', "<meta content='text/html; charset={}'>"])
def test_an_odd_character_set_ends_in_a_sentence(page: str, charset: str) -> None:
    content = f"<html>{page.format(charset)}<p>{'a' * 70}.\xad+ADw-script+AD4-".encode()
    said = rf"act.html says that it is written in '{charset}', in which no text is read. Save it in UTF-8"
    with pytest.raises(DocumentError, match=said):
        read_upload("act.html", content)


@pytest.mark.parametrize("charset", ["x-none", "latin-0", "0" * 40, "..", "utf-8", "utf-16"])
def test_of_an_unknown_character_set_the_bytes_decide(charset: str) -> None:
    page = f'<html><meta charset="{charset}"><h1>Nařízení</h1><p>Žluté lampy.'.encode()
    assert read_upload("act.html", page).text == "Žluté lampy."


def test_of_a_hostile_page_only_what_is_seen_is_read() -> None:
    page = (
        "<!doctype html><title>T</title><style>p{}</style><body onload=alert(1)><h1>On lamps</h1>"
        "<script>alert(1)</script><script src='http://evil.example/x.js'></script>"
        "<p>Seen<span hidden>a</span><span style='display : none'>b</span>"
        "<b aria-hidden=true>c</b><i style='font-size:0px'>d</i> text.<!-- comment --></p>"
        "<iframe src='http://evil.example'>e</iframe><img src=x onerror=alert(1)>"
        "<noscript>f</noscript><template>g</template><svg><text>h</text></svg>"
        "<form><input value=i><textarea>j</textarea><button>k</button></form>"
        "<object data='http://evil.example'>l</object><p>&lt;script&gt;shown&lt;/script&gt;"
    )
    read = read_upload("page.html", page.encode())
    assert read.title == "On lamps"
    assert read.text == "Seen text.\n\n<script>shown</script>"


def test_a_word_document_keeps_headings_tables_and_annexes_and_drops_what_is_hidden() -> None:
    read = read_upload("act.docx", docx_file())
    assert read.title == "On bees"
    assert read.parts[0].text == "Chapter 1\n\nBees fly.\n\nwax | 5 kg\n\nHoney"
    assert outline(read) == [
        ("body", "", [(1, "Chapter 1")]),
        ("annex", "ANNEX I", [(1, "ANNEX I")]),
    ]


def test_what_word_shows_is_read_also_formulas_and_what_only_could_be_hidden() -> None:
    read = read_upload(
        "act.docx",
        docx_of(
            '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t xml:space="preserve">Give </w:t></w:r>',
            "<m:oMath><m:r><m:t>x=5</m:t></m:r></m:oMath>",
            '<w:r><w:t xml:space="preserve"> mg.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r>',
        ),
    )
    assert read.title == "Give x=5 mg."


def test_a_word_document_may_call_its_text_otherwise() -> None:
    content = docx_of("<w:r><w:t>Wax</w:t></w:r>", main="document2.xml")
    assert read_upload("act.docx", content).title == "Wax"


def test_an_opendocument_text_keeps_the_same() -> None:
    read = read_upload("act.odt", odt_file())
    assert read.title == "On bees"
    assert read.parts[0].text == "Chapter 1\n\nBees fly.\n\nhoney\n\nwax | 5 kg"
    assert outline(read) == [
        ("body", "", [(1, "Chapter 1")]),
        ("annex", "ANNEX I", [(1, "ANNEX I")]),
    ]


def test_a_pdf_is_read_in_paragraphs_without_running_heads_and_page_numbers() -> None:
    read = read_upload("act.pdf", pdf_file())
    assert read.title == "Regulation on lamps in tunnels"
    body = read.parts[0]
    assert [text for _, text in headings(body)] == [f"Article {n}" for n in range(1, 5)]
    first = ("First rule on the brightness of lamps in long tunnels. " * 4).strip()
    assert body.text.split("\n\n")[1] == first
    assert "Official Journal" not in body.text
    assert not any(paragraph.isdigit() for paragraph in body.text.split("\n\n"))


@pytest.mark.parametrize(
    ("pages", "is_said"),
    [("t p", True), ("ttp", True), ("pttptp", True), ("pttt", False), ("p tttp", False)],
)
def test_of_scanned_pages_of_a_pdf_it_is_said_that_they_were_not_read_but_not_of_covers(
    pages: str, is_said: bool
) -> None:
    read = read_upload("act.pdf", partly_scanned_pdf(pages))
    assert read.title.startswith("First rule") and (PARTLY_SCANNED in read.notes) is is_said


@pytest.mark.parametrize("subtype", ["Widget", "FreeText"])
def test_what_was_typed_into_a_form_or_onto_a_page_is_read_where_it_stands(subtype: str) -> None:
    read = read_upload("form.pdf", pdf_form("Name of lamp:", "12", "Ada", subtype=subtype))
    assert f"{read.title} {read.text}".strip() == "Name of lamp: 12 Ada Sign here."


@pytest.mark.parametrize("rotated", [0, 90])
def test_what_was_typed_on_each_page_of_a_form_stays_and_page_numbers_do_not(rotated: int) -> None:
    content = pdf_form("Name of the person:", "Jane Miller", "12", n_pages=4)
    content = content.replace(b"/Type/Page/", b"/Type/Page/Rotate %d/" % rotated)
    read = read_upload("form.pdf", content)
    assert f"{read.title} {read.text}".split() == ["Jane", "Miller", "12"] * 4


def test_a_form_that_cannot_be_opened_leaves_its_pages_readable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: pdfium.PdfDocument) -> None:
        raise pdfium.PdfiumError("Initializing form env failed.")

    monkeypatch.setattr(pdfium.PdfDocument, "init_forms", fail)
    assert pdf.read("act.pdf", pdf_file()).title == "Regulation on lamps in tunnels"


def test_pages_that_all_say_the_same_are_read() -> None:
    assert read_upload("form.pdf", pdf_of_pages(*[["Form on long lamps"]] * 3)).title == (
        "Form on long lamps Form on long lamps Form on long lamps"
    )


def test_a_word_that_goes_on_on_the_next_page_has_no_page_number_in_it() -> None:
    kinds = ("oil", "gas", "wax")
    pages = [
        (f"Lamps with {kind}", f"stood where {kind} was, at rail-", f"{number} / 3")
        for number, kind in enumerate(kinds, start=1)
    ]
    read = read_upload("lamps.pdf", pdf_of_pages(*pages, ("ways shine", "at night", "in", "vain")))
    text = f"{read.title} {read.text}".strip()
    assert "/ 3" not in text and text.endswith("railways shine at night in vain")


def test_of_numbers_at_the_edges_of_pages_only_those_that_count_them_are_left_out() -> None:
    figures = [("1250", "980"), ("1300", "4019"), ("700", "2031")]
    pages = [
        (first, "lamps", "were counted", "in", last, f"- {number} -")
        for number, (first, last) in enumerate(figures, start=57)
    ]
    read = read_upload("lamps.pdf", pdf_of_pages(("Lamps", "that shine"), *pages))
    text = f"{read.title} {read.text}"
    assert [figure in text for pair in figures for figure in pair] == [True] * 6
    assert "- 58 -" not in text


@pytest.mark.parametrize(
    "feet",
    [
        [["2"], ["4"], ["6"], ["8"]],
        [["5"], ["9"], ["20"]],
        [[f"{n}\t{n + 1}"] for n in (1, 3, 5)],
    ],
    ids=["sheets of two pages", "excerpt", "both of a sheet"],
)
def test_page_numbers_of_excerpts_and_of_sheets_are_left_out(feet: list[list[str]]) -> None:
    kinds = ("oil", "gas", "wax", "peat")
    pages = [
        (f"Lamps with {kind}", f"shine where {kind}", f"is at hand, and {kind}", "is cheap.", *foot)
        for kind, foot in zip(kinds, feet, strict=False)
    ]
    read = read_upload("lamps.pdf", pdf_of_pages(*pages))
    assert not any(character.isdigit() for character in f"{read.title} {read.text}")


def test_numbers_of_rows_at_the_heads_of_pages_are_no_page_numbers() -> None:
    rows = {"101": "oil", "143": "gas", "187": "wax"}
    pages = [
        (f"{number}\tlamp with {kind}", f"and {kind} of all", "kinds", "in it")
        for number, kind in rows.items()
    ]
    read = read_upload("lamps.pdf", pdf_of_pages(*pages))
    assert all(f"{number} lamp" in f"{read.title} {read.text}" for number in rows)


@pytest.mark.parametrize(
    ("content", "title"),
    [(docx_file(), "On bees"), (pdf_file(), "Regulation on lamps in tunnels")],
    ids=["docx", "pdf"],
)
def test_the_content_decides_and_not_the_name(content: bytes, title: str) -> None:
    assert read_upload("renamed.txt", content).title == title


def test_an_encoding_that_was_guessed_is_said() -> None:
    assert read_upload("act.md", b"# On fish\n\n## C# and #1\nx").text == "C# and #1\nx"
    assert read_upload("act.md", b"# On fish\n\n## C# and #1\nx").title == "On fish"
    fenced = b"# On fish\n\n```\n# as root\nls\n```\n## More\nx"
    assert read_upload("act.md", fenced).text == "```\n# as root\nls\n```\nMore\nx"
    read = read_upload("act.txt", "On fish\nCafé".encode("cp1252"))
    assert read.text == "Café"
    assert read.notes[0].startswith("What in it is not in UTF-8 was read as")


ENTITIES = (
    '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
    "<a><body><text>&a;&x;</text></body></a>"
)
REFUSED = {
    "scanned": (scanned_pdf(), "holds pictures of pages and no text"),
    "locked pdf": (pdf_file(1, password="secret"), "is protected by a password"),
    "locked odt": (odt_file(manifest="<encryption-data/>"), "is protected by a password"),
    "locked docx": (ole_file("EncryptedPackage"), "is protected by a password"),
    "doc": (ole_file("WordDocument"), "old Word format.*save it as .docx"),
    "xls": (ole_file("Workbook"), "is a spreadsheet. Save it as CSV"),
    "xlsx": (zip_file({"xl/workbook.xml": "<x/>"}), "is a spreadsheet. Save it as CSV"),
    "pptx": (zip_file({"ppt/presentation.xml": "<x/>"}), "is a presentation"),
    "epub": (zip_file({"META-INF/container.xml": "<x/>"}), "is an e-book"),
    "ods": (odt_file(media_type="application/vnd.oasis.opendocument.spreadsheet"), "but no text"),
    "rtf": (b"{\\rtf1 hello}", "is an RTF file.*save it as .docx"),
    "gzip": (b"\x1f\x8b\x08 ...", "compressed with gzip"),
    "rar": (b"Rar!\x1a\x07\x01\0 ...", "is a RAR archive"),
    "database": (b"SQLite format 3\0 ...", "is a database"),
    "parquet": (b"PAR1\x15\x04\x15\x10 ...", "is a Parquet file"),
    "picture": (b"\x89PNG\r\n...", "is a picture"),
    "empty": (b"", "is empty"),
    "blank": (b" \n\t\n", "is empty"),
    "empty page": (b"<html><body> </body></html>", "is empty"),
    "empty odt": (odt_file(""), "is empty"),
    "broken pdf": (b"%PDF-1.7 hello", "is damaged"),
    "half a pdf": (pdf_file()[:900], "is damaged"),
    "half a docx": (docx_file()[:9000], "is damaged"),
    "broken docx": (zip_file({"word/document.xml": "<w"}), "is damaged"),
    "broken odt": (odt_file("<text:p>"), "is damaged"),
    "odt with entities": (
        zip_file({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": ENTITIES}),
        "is damaged",
    ),
    "deep page": (b"<html>" + b"<div>" * 100_000 + b"text", "nested too deeply"),
    "deep odt": (odt_file("<text:list>" * 5_000 + "</text:list>" * 5_000), "damaged|too deeply"),
    "binary": (bytes(range(256)) * 40, "is not plain text"),
    "batch": (zip_file({"a.txt": "A", "b.txt": "B"}), "holds several documents"),
    "large": (b"a" * (MAX_FILE_BYTES + 1_000_000), "has 21 MB; 20 MB is the most"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_gets_a_sentence_that_names_the_file(case: str) -> None:
    content, sentence = REFUSED[case]
    with pytest.raises(DocumentError, match=f"^act.txt .*{sentence}"):
        read_upload("act.txt", content)


@pytest.mark.parametrize("title", ["PAR1 and thrombin", "SQLite format 3 in archives", "Rar! Rar!"])
def test_a_text_that_begins_like_another_kind_is_a_text(title: str) -> None:
    assert read_upload("act.txt", f"{title}\n\nIt is kept.".encode()).title == title


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("fish.eml", b"Subject: Fish\n\nHerring.", "is an e-mail. Save it as text or HTML"),
        (
            "style.css",
            b"body { color: red }",
            "is of a kind that is not read. Save it as text, PDF",
        ),
        ("lamps.bin", pdf_file(), "is of a kind that is not read"),
        ("README", b"Herring.", r"has no ending .* call it README\.txt"),
        ("old.xyz", ole_file("Workbook"), "is a spreadsheet"),
    ],
)
def test_a_file_whose_name_ends_otherwise_is_refused_with_what_to_do(
    name: str, content: bytes, sentence: str
) -> None:
    with pytest.raises(DocumentError, match=f"^{name} .*{sentence}"):
        read_upload(name, content)


def test_a_zip_that_is_called_a_document_is_no_batch() -> None:
    content = zip_file({"content.xml": "<x/>", "a.txt": "On bees"})
    for name, kind in (("act.docx", "a Word document"), ("act.odt", "an OpenDocument text")):
        with pytest.raises(DocumentError, match=f"{name} is called {kind}, but cannot be read"):
            read_upload(name, content)


def test_archives_that_unpack_to_too_much_are_refused() -> None:
    bomb = zip_file({"word/document.xml": bytes(250_000_000)})
    with pytest.raises(DocumentError, match=r"^act.any .*unpack to 250 MB"):
        read_upload("act.any", bomb)
    many = zip_file({str(n): "" for n in range(MAX_ENTRIES + 1)})
    with pytest.raises(DocumentError, match=r"^act.any .*unpack to 20,001 files"):
        read_upload("act.any", many)


def test_twenty_megabytes_of_a_page_are_read() -> None:
    page = b"<h1>On lamps</h1>" + (b"<p>" + b"Lamps shine. " * 80 + b"</p>") * 19_000
    assert len(page) < MAX_FILE_BYTES
    parser = ParserProcess(timeout_seconds=600)  # this machine may be busy with other tests
    assert len(read_upload("large.html", page, parser=parser).text) > 15_000_000
    parser.close()

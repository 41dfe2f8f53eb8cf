"""Columns, text boxes, notes and titles of files; letters that only look like letters."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.documents.intake import Intake, read_pasted, read_text
from core.documents.readers import html, open_document, pdf, word
from tests.support.files.office_files import docx_with_notes, odt_file, pdf_of_rows

ACT = (
    ("COMMISSION REGULATION (EU) 2031/77",),
    ("of 1 February 2031",),
    ("on lamps in tunnels",),
    ("THE EUROPEAN COMMISSION,",),
    ("Whereas lamps shine in tunnels,",),
)


def text_of(intake: Intake) -> str:
    return f"{intake.title} {intake.text}".replace("\n\n", " ").strip()


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (
            [
                ("The board examined the", "A committee looked at"),
                ("yearly accounts of ferries", "honey imports from abroad"),
                ("and found fares too high.", "and proposed new labels."),
            ],
            "The board examined the yearly accounts of ferries and found fares too high. "
            "A committee looked at honey imports from abroad and proposed new labels.",
        ),
        (
            [
                ("The board examined the ag-", "A committee looked at"),
                ("ricultural accounts of bees", "honey imports from abroad"),
                ("and found fares too high.", "and proposed new labels."),
            ],
            "The board examined the agricultural accounts of bees and found fares too high. "
            "A committee looked at honey imports from abroad and proposed new labels.",
        ),
        (
            [
                ("Country of the firm", "Quantity in tonnes"),
                ("Ruritania and others", "Five hundred tonnes"),
                ("Freedonia and others", "Seven hundred tonnes"),
                ("Sylvania and others", "Nine hundred tonnes"),
            ],
            "Country of the firm Quantity in tonnes Ruritania and others Five hundred tonnes "
            "Freedonia and others Seven hundred tonnes Sylvania and others Nine hundred tonnes",
        ),
    ],
    ids=["columns", "divided word", "table"],
)
def test_columns_are_read_one_after_the_other_and_tables_across(
    rows: list[tuple[str, str]], read: str
) -> None:
    assert text_of(pdf.read("a.pdf", pdf_of_rows(*rows))) == read


def test_three_columns_whose_lines_stand_at_different_heights_are_read_one_by_one() -> None:
    columns = [
        ["Alpha begins here and", "goes on with hives and", "then ends with honey."],
        ["Beta tells of wheat and", "then of barley and it", "also ends with some oats."],
        ["Gamma is about fish and", "about nets and quotas it", "also ends with some sole."],
    ]
    rows = [
        (*("", "", "")[:place], columns[place][line]) for line in range(3) for place in range(3)
    ]
    read = text_of(pdf.read("a.pdf", pdf_of_rows(*rows, lefts=(20, 80, 140), step=2)))
    assert read == " ".join(" ".join(column) for column in columns)


@pytest.mark.parametrize("turned", [90, -90, 180])
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_on_its_side_is_read_as_one_that_stands(turned: int, turn: int) -> None:
    rows = [(row,) for row in ("Where bees fly", "wax is made, and", "it is sold as", "candles.")]
    content = pdf_of_rows(*rows * 3, turned=turned)
    content = content.replace(b"/Type /Page\n", b"/Type /Page\n/Rotate %d\n" % turn)
    standing = pdf.read("a.pdf", pdf_of_rows(*rows * 3))
    assert pdf.read("a.pdf", content) == standing
    assert standing.title.startswith("Where bees fly wax is made, and it is sold as candles. Where")


@pytest.mark.parametrize(
    "head",
    [
        (),
        (("Official Journal of the European Union", "L 107/4"), ("26.4.2031",)),
        (("5 April 2031",),),
        (("EN",), ("L 107/4",), ("Official Journal of the European Union",)),
    ],
)
def test_the_title_of_a_pdf_is_that_of_the_act(head: tuple[tuple[str, ...], ...]) -> None:
    intake = pdf.read("a.pdf", pdf_of_rows(*head, *ACT, step=9))
    assert (
        intake.title == "Commission Regulation (EU) 2031/77 of 1 February 2031 on lamps in tunnels"
    )
    assert "THE EUROPEAN COMMISSION," in intake.text and "Journal" not in intake.text


MENU = '<ul class="menu"><li><a href="/a">Home</a><li><a href="/b">News</a><li><a href="/c">Contact</a></ul>'
TEXT = "<p>Lamps shine in tunnels, and where they do not shine nobody sees anything at all.</p>"


@pytest.mark.parametrize(
    ("page", "title", "is_first_line"),
    [
        (
            f"{MENU}<a href='#'>×</a><span>5 April 2031</span><h1>Library</h1>"
            + "".join(f"<p>{line}</p>" for (line,) in ACT),
            "Commission Regulation (EU) 2031/77 of 1 February 2031 on lamps in tunnels",
            False,
        ),
        (f"{MENU}<p>5 April 2031</p><h1>On lamps</h1>{TEXT}", "On lamps", False),
        (f"<head><title>Lamps today</title></head><body><div role=navigation>Go</div><p>1.2.2031</p>{TEXT}", "Lamps today", False),
        (f"<p>1 février 2031</p><p>Lamps in the dark</p>{TEXT}", "Lamps in the dark", True),
    ],
)  # fmt: skip
def test_the_title_of_a_page_is_no_menu_date_or_sign(
    page: str, title: str, is_first_line: bool
) -> None:
    intake = html.read("a.html", f"<html>{page}</html>".encode())
    assert intake.title == title
    assert bool(intake.notes) is is_first_line
    assert "Contact" not in intake.text and "×" not in intake.text
    assert "shine in tunnels" in intake.text


@pytest.mark.parametrize("name", ["social-policy", "inland-navigation", "share-capital", "menu"])
def test_a_section_is_no_menu_by_what_it_is_about(name: str) -> None:
    page = (
        f"<h1>On ports</h1>{MENU}{TEXT * 9}<h2 id='{name}'>On ships</h2>"
        f"<section id='{name}'><p>They pay <a href='/dues'>dues</a>.</p></section>"
        f"<div class='{name}'><a href='/b'>News</a></div>"
    )
    read = html.read("a.html", page.encode()).text
    assert read.endswith("On ships\n\nThey pay dues.") and "Contact" not in read


@pytest.mark.parametrize(
    "menu",
    [
        "<div id='cookie-law-info-bar'>We use cookies. <button>Fine</button></div>",
        "<div id='global-cookie-message'>We use cookies.</div>",
        "<div class='cookie_banner'>We use cookies.</div>",
        "<div class='cookies'>We use cookies.</div>",
        "<ul class='nav nav-tabs'><li><a href='#a'>Text</a><li><a href='#b'>Notes</a></ul>",
        "<div class='social-share'><a href='#'>Tell friends</a></div>",
        "<div class='top menu'>Home Law</div>",
    ],
)
def test_banners_and_small_menus_are_left_out(menu: str) -> None:
    page = f"<body>{menu}<h1>On ports</h1>{TEXT * 9}</body>"
    read = html.read("a.html", page.encode())
    assert read.title == "On ports"
    assert read.text == html.read("a.html", f"<h1>On ports</h1>{TEXT * 9}".encode()).text


def test_a_link_in_a_sentence_is_read_whatever_it_is_called() -> None:
    page = "<h1>On ports</h1><p class=reference>L 1</p><p>See <a class='reference external' href='/a'>ships</a>.</p>"
    assert html.read("a.html", page.encode()).text == "See ships."


def test_a_hanging_indent_hides_nothing() -> None:
    page = (
        "<h1>On ports</h1><p style='margin-left:141.75pt;text-indent:-141.75pt'>Ships: all.</p>"
        "<p style='text-indent:-9999px'>Logo</p><p style='text-indent: -999em'>Icon</p>"
    )
    assert html.read("a.html", page.encode()).text == "Ships: all."


def test_a_heading_that_unfolds_a_section_is_read() -> None:
    page = f"<h1>On ports</h1><h2><button>Ships</button></h2>{TEXT}<button>Print</button>"
    intake = html.read("a.html", page.encode())
    assert intake.text.startswith("Ships\n\nLamps") and "Print" not in intake.text
    assert [heading.level for part in intake.parts for heading in part.headings] == [2]


def test_a_list_of_links_alone_is_the_text() -> None:
    page = "<ul>" + "".join(f"<li><a href='/{n}'>Page {n}</a>" for n in "abcd") + "</ul>"
    assert "Page d" in html.read("a.html", page.encode()).text


def test_text_boxes_tables_in_tables_and_notes_of_word_stand_apart() -> None:
    assert word.read("a.docx", docx_with_notes()).text.split("\n\n") == [
        "Shellfish hygiene",
        "Water quality",
        "Bed",
        "Inner bank",
        "Oysters of 2031.",
        "Mussels, too.",
    ]


def test_text_boxes_and_notes_of_an_open_document_stand_apart() -> None:
    body = (
        '<text:p xmlns:d="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">On bees<d:frame><d:text-box>'
        "<text:p>In the box</text:p></d:text-box></d:frame>that fly</text:p><text:p>Honey<text:note>"
        "<text:note-body><text:p>Of 2031.</text:p></text:note-body></text:note>.</text:p>"
    )
    intake = open_document.read("a.odt", odt_file(body))
    assert (intake.title, intake.text.split("\n\n")) == (
        "On bees that fly",
        ["In the box", "Honey.", "Of 2031."],
    )


def test_a_cell_of_an_open_document_has_its_headings_and_neither_comments_nor_notes() -> None:
    note = "<text:note><text:note-body><text:p>Of 2031.</text:p></text:note-body></text:note>"
    comment = "<office:annotation><text:p>Check this!</text:p></office:annotation>"
    cells = (
        f"<text:h>Bees</text:h><text:p>in hives{note}</text:p>",
        f"<text:p>wax{comment}</text:p>",
    )
    row = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
    body = f"<text:p>On bees</text:p><table:table><table:table-row>{row}</table:table-row></table:table>"
    intake = open_document.read("a.odt", odt_file(body))
    assert intake.text.split("\n\n") == ["Bees in hives | wax", "Of 2031."]


def test_a_box_in_a_box_and_the_lines_of_a_shape_are_read_once_and_apart() -> None:
    box = "<d:frame><d:text-box><text:p>{}</text:p></d:text-box></d:frame>"
    shape = "<d:custom-shape><text:p>Wax</text:p><text:p>combs</text:p></d:custom-shape>"
    body = (
        '<text:p xmlns:d="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">On bees</text:p>'
        f"<text:p>{box.format('Outer' + box.format('Inner'))}{shape}</text:p>"
    ).replace("<text:p>", '<text:p xmlns:d="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">')
    intake = open_document.read("a.odt", odt_file(body))
    assert intake.text.split("\n\n") == ["Wax combs", "Outer", "Inner"]


@pytest.mark.parametrize(
    "styled",
    [
        "ﬁsheries and ﬂax",
        "ｆｉｓｈｅｒｉｅｓ and ｆｌａｘ",
        "𝐟𝐢𝐬𝐡𝐞𝐫𝐢𝐞𝐬 and 𝘧𝘭𝘢𝘹",
        "𝚏𝚒𝚜𝚑𝚎𝚛𝚒𝚎𝚜 and ﬂax",
        "\ufefffish\u200beries and fl\u2060ax",
    ],
)
def test_letters_that_look_like_letters_are_these(styled: str) -> None:
    assert read_pasted("A title", styled).text == "fisheries and flax"
    assert Document.from_text("", styled, styled).text == "fisheries and flax"


def test_signs_that_say_more_than_their_letters_stay() -> None:
    assert read_pasted("A title", "10 m² of ½ acre, bee‑keeping™").text == (
        "10 m² of ½ acre, bee-keeping™"
    )


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "The harbour board of the island examined the agri-\ncultural accounts of the year.",
            "The harbour board of the island examined the agricultural accounts of the year.",
        ),
        (
            "The harbour board of the island examined what is tax-\nfree in the accounts of it.",
            "The harbour board of the island examined what is tax-free in the accounts of it.",
        ),
        ("History-\npneumonia and cough", "History-\npneumonia and cough"),
        ("Allergies -\npenicillin", "Allergies -\npenicillin"),
    ],
)
def test_words_that_a_line_end_divides_are_joined_in_prose(text: str, read: str) -> None:
    intake = read_text("a.txt", f"Report\n\n{text}".encode())
    assert intake.text == read


def test_numbers_of_recitals_and_points_stand_before_their_text() -> None:
    text = (
        "Having regard to the Treaty,\nWhereas:\n\n(1)\n\nLamps shine.\n\n(2)\nThey shine in tunnels.\n\n"
        "Article 1\n\n1.\nLamps are lit:\n\n(a)\n\nin tunnels;\n\n—\n\nin mines.\n\n2.\n\n3.\nEnd."
    )
    assert read_pasted("On lamps", text).text == (
        "Having regard to the Treaty,\nWhereas:\n\n(1) Lamps shine.\n\n(2) They shine in tunnels.\n\n"
        "Article 1\n\n1. Lamps are lit:\n\n(a) in tunnels;\n\n— in mines.\n\n2.\n\n3. End."
    )
    assert read_pasted("A note", "Plan\n1.\nRest").text == "Plan\n1.\nRest"

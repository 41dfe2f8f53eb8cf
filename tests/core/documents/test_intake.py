"""What a person pastes or uploads becomes text, or a sentence that says why not."""

from __future__ import annotations

import codecs

import pytest

from core.documents.intake import MAX_TITLE_CHARACTERS, read_pasted, read_title
from core.documents.language import identify_language, language_warning
from core.documents.plain_text import GUESSED_ENCODING
from core.documents.uploads import MAX_FILE_BYTES, read_upload
from core.errors import DocumentError
from tests.support.documents import FRENCH

ENGLISH = (
    "This Regulation fixes fishing opportunities for certain fish stocks in the bay. Vessels of "
    "less than ten metres are exempted from the duty to land all catches until the end of the "
    "year, provided that the quantities returned to the sea are reported to the authorities. "
)


def test_title_and_text_are_kept_as_typed() -> None:
    read = read_pasted("  On  honey ", "First.\r\n\r\nSecond.  ")
    assert (read.title, read.text) == ("On honey", "First.\n\nSecond.")


def test_another_title_is_one_line_of_text() -> None:
    assert read_title("  On\n honey\u00ad ") == "On honey"
    for nothing in (" \n", "\u200b \u200b"):
        with pytest.raises(DocumentError, match="A document needs a title"):
            read_title(nothing)
    with pytest.raises(DocumentError, match="characters that cannot be read"):
        read_title("On\x01\x02\x03\x04")
    with pytest.raises(DocumentError, match=r"has 2,001 characters; at most 2,000 are kept"):
        read_title("x" * (MAX_TITLE_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("pasted", "read"),
    [
        ("Trans-  \r\n  humance of bees", "Transhumance of bees"),
        ("api\u00adcul\u00ad\nture", "apiculture"),
        ("été et pêche-\nrie", "été et pêcherie"),
        ("an anti-\ndumping duty", "an anti-dumping duty"),
        (
            "end-of-\nlife, long-lived and a long-\nlived",
            "end-of-life, long-lived and a long-lived",
        ),
        ("medium-term; of medium-\nterm", "medium-term; of medium-term"),
        (
            "a two-\nyear-old and a 65-year-\nold, up-\nto-date",
            "a two-year-old and a 65-year-old, up-to-date",
        ),
        ("Non-\ninvasive", "Non-invasive"),
        ("short-\nand long-term", None),
        ("Rhône-\nAlpes, 2019-\n2020, I-\nii, grade II-\nb", None),
    ],
)
def test_words_that_line_ends_have_broken_are_whole(pasted: str, read: str | None) -> None:
    of_act = "Having regard to the Treaty,\n"
    assert read_pasted("Title", of_act + pasted).text == of_act + (read or pasted)


def test_what_ends_a_line_of_a_note_with_a_dash_stays_a_word() -> None:
    note = "Past medical history-\nhypertension\nAllergies: none-\nmetoprolol"
    assert read_pasted("Note", note).text == note
    assert read_upload("note.txt", f"Note\n{note}".encode()).text == note
    assert read_pasted("Note", "acute exacer\u00adbation").text == "acute exacerbation"


def test_without_a_title_the_first_line_is_the_title() -> None:
    read = read_pasted("", "On honey\nFirst paragraph.")
    assert (read.title, read.text) == ("On honey", "First paragraph.")


def test_a_long_first_line_is_a_paragraph_and_stays_in_the_text() -> None:
    text = "word " * 200
    read = read_pasted("", text)
    assert read.title.endswith("…")
    assert len(read.title) < 310
    assert read.text == text.strip()


def test_a_title_alone_can_be_indexed() -> None:
    assert read_pasted("On honey", "").text == ""


@pytest.mark.parametrize(("title", "text"), [("", ""), (" ", "\n\t\n"), ("", "\ufeff")])
def test_nothing_is_refused_with_a_sentence(title: str, text: str) -> None:
    with pytest.raises(DocumentError, match="nothing to read yet"):
        read_pasted(title, text)


def test_pasted_binary_is_refused() -> None:
    with pytest.raises(DocumentError, match="not plain text"):
        read_pasted("", "".join(map(chr, range(1, 256))) * 10)


def test_one_character_that_cannot_be_read_refuses_no_short_text() -> None:
    read = read_pasted("On fish\x0band chips", "Fish\x1eand chips\x0bwith peas.\x07")
    assert (read.title, read.text) == ("On fish and chips", "Fish and chips\nwith peas.")


def test_a_cell_or_title_with_such_a_character_refuses_no_page() -> None:
    page = f"<h1>On \x96 fish</h1><p>{ENGLISH}<table><tr><td>Eels</td><td>\x96\x96\x96</td></tr></table>"
    read = read_upload("act.html", page.encode())
    assert read.title == "On fish" and read.text.split("\n\n") == [ENGLISH.strip(), "Eels |"]


def test_a_stray_control_character_is_replaced() -> None:
    assert read_pasted("Title", "a\x00b " + "text " * 100).text.startswith("a b")


@pytest.mark.parametrize(
    "content",
    [
        "On fish\nCafé £5 — “so”".encode(),
        "On fish\nCafé £5 — “so”".encode("utf-8-sig"),
        "On fish\nCafé £5 — “so”".encode("utf-16"),
        "On fish\nCafé £5 — “so”".encode("cp1252"),
        "On fish\r\nCafé £5 — “so”\r\n".encode(),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16", "windows-1252", "windows line ends"],
)
def test_encodings_are_recognised(content: bytes) -> None:
    read = read_upload("act.txt", content)
    assert (read.title, read.text) == ("On fish", "Café £5 — “so”")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("“Café”, näher".encode() + b" caf\xe9", "“Café”, näher café"),
        ("“Café”, näher ß".encode()[:-1], "“Café”, näher Ã"),
    ],
    ids=["joined of two", "cut"],
)
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_wrong_bytes_spoil_themselves_alone(mark: bytes, content: bytes, text: str) -> None:
    read = read_upload("act.txt", mark + b"On fish\n" + content)
    assert (read.title, read.text, read.notes[0]) == ("On fish", text, GUESSED_ENCODING)


def test_a_file_that_begins_with_a_paragraph_keeps_it_and_is_named_by_its_beginning() -> None:
    read = read_upload("act 7.txt", b"word " * 100)
    assert read.title.startswith("word word") and read.title.endswith("…")
    assert read.text == ("word " * 100).strip()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"%PDF-1.7 ...", "act.txt is damaged: open it in a PDF reader"),
        (b"PK\x03\x04....", "act.txt is damaged"),
        (bytes(range(256)) * 40, "act.txt is not plain text"),
        (b"", "act.txt is empty"),
        (b" \n ", "act.txt is empty"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(content: bytes, sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        read_upload("act.txt", content)


def test_a_file_over_the_cap_is_refused_with_both_sizes() -> None:
    with pytest.raises(DocumentError, match="has 21 MB; 20 MB is the most"):
        read_upload("act.txt", b"a" * (MAX_FILE_BYTES + 1_000_000))


def test_five_megabytes_are_read() -> None:
    assert len(read_pasted("Title", "word " * 1_000_000).text) == 4_999_999


def test_what_is_called_a_pdf_and_is_none_is_said_to_be_one_with_a_way_out() -> None:
    with pytest.raises(DocumentError) as refused:
        read_upload("junk.pdf", bytes(range(256)) * 40)
    assert "junk.pdf is called a PDF, but cannot be read as one" in str(refused.value)
    assert "copy its text and paste that" in str(refused.value)
    assert read_upload("plain.pdf", b"On lamps\nThey are lit.").title == "On lamps"


def test_another_language_gets_a_warning_that_names_it() -> None:
    warning = language_warning(FRENCH)
    assert warning is not None
    assert warning.startswith("This looks like French; the model learned English")


def test_the_learned_language_gets_none() -> None:
    assert language_warning(ENGLISH) is None
    assert language_warning(FRENCH, learned="fr") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "Le conseil a décidé d'ouvrir une nouvelle bibliothèque près de la gare afin que les "
            "habitants du quartier puissent emprunter des livres le soir.",
            "French",
        ),
        (
            "Der Rat hat beschlossen, in der Nähe des Bahnhofs eine neue Bücherei zu eröffnen, damit "
            "die Bewohner auch abends und am Sonntag Bücher ausleihen können.",
            "German",
        ),
        (
            "Rada miasta postanowiła otworzyć nową bibliotekę w pobliżu dworca, aby mieszkańcy "
            "dzielnicy mogli wypożyczać książki także wieczorem.",
            "Polish",
        ),
    ],
)
def test_another_language_is_told_from_two_dozen_words(text: str, language: str) -> None:
    assert len(text.split()) <= 26
    warning = language_warning(text)
    assert warning is not None
    assert warning.startswith(f"This looks like {language};")


def test_a_short_english_text_with_foreign_names_is_english() -> None:
    named = "Decision on the merger of Société Générale de Pêche with Fischhandel Müller und Söhne"
    assert language_warning(named) is None


def test_a_title_that_is_cut_and_a_first_line_that_is_taken_for_one_are_said() -> None:
    cut = read_pasted("On honey " * 300, "Text.")
    assert len(cut.title) <= 2000
    assert "more than 2,000 characters was cut" in cut.notes[0]
    assert "stands for the title" in read_pasted("", "On honey\nText.").notes[0]
    assert read_pasted("On honey", "Text.").notes == ()


def test_a_short_text_is_not_judged() -> None:
    assert identify_language("Règlement sur le miel") is None
    assert language_warning("Règlement sur le miel") is None


def test_the_long_title_of_an_act_is_a_title_where_it_stands_alone() -> None:
    title = "Commission Delegated Regulation supplementing Directive 2030/1/EU " + "on this " * 40
    intake = read_pasted("", f"{title.strip()}\n\nHaving regard to the Treaty,")
    assert intake.title == title.strip()
    assert intake.parts[0].text == "Having regard to the Treaty,"


def test_a_long_first_paragraph_of_several_sentences_stays_text() -> None:
    paragraph = "The bay is shallow. Herring are caught in it. " * 10
    intake = read_pasted("", f"{paragraph.strip()}\n\nMore of it.")
    assert intake.title.endswith("…")
    assert intake.parts[0].text.startswith("The bay is shallow.")

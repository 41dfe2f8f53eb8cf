"""How documents are cut into windows: nothing is lost up to the cap, and the cap is told."""

import pytest

from core.documents.document import Document
from core.suggest.windows import DocumentReader, ReadingSettings
from tests.support.models.tiny_model import tiny_tokenizer

TITLE, TEXT = "regulation on the fish quota", " ".join(["honey label tax trade bank"] * 12)


def read(title: str, text: str, **settings: object):
    reading = ReadingSettings(
        **{
            "window_tokens": 20,
            "title_tokens": 4,
            "max_title_tokens": 6,
            "overlap_tokens": 3,
            "max_tokens": 500,
            **settings,
        }
    )
    reader = DocumentReader(tiny_tokenizer(), reading)
    return reader, reader.read(Document.from_text("x", title, text))


def test_a_title_alone_is_one_window():
    reader, pieces = read(TITLE, "")
    assert pieces.windows == (reader.with_specials(reader.token_ids(TITLE)),)
    assert (pieces.n_tokens, pieces.n_tokens_read) == (5, 5)


def test_windows_begin_with_the_title_overlap_and_cover_the_text():
    reader, pieces = read(TITLE, TEXT)
    head = reader.with_specials(reader.token_ids(TITLE)[:4])
    text_ids = reader.token_ids(TEXT)
    covered: list[int] = []
    for window in pieces.windows[1:]:
        assert len(window) <= 20
        assert window[: len(head)] == head
        body = list(window[len(head) : -1])
        covered = covered + body[3:] if covered else body
    assert covered == text_ids
    assert pieces.n_tokens == pieces.n_tokens_read == 5 + len(text_ids)


def test_without_a_title_the_start_of_the_text_stands_in():
    reader, pieces = read("", TEXT)
    assert pieces.windows[0] == reader.with_specials(reader.token_ids(TEXT)[:6])
    assert pieces.windows[1][: 1 + 4] == (reader.start, *reader.token_ids(TEXT)[:4])


def test_what_a_long_title_has_past_its_window_is_read():
    reader, pieces = read(TEXT, "")
    assert pieces.n_tokens_read == len(reader.token_ids(TEXT))
    assert len(pieces.windows) > 2


def test_the_cap_stops_reading_and_is_reported():
    _, pieces = read(TITLE, TEXT, max_tokens=30)
    assert pieces.n_tokens_read == 30
    assert pieces.n_tokens == 65
    _, pieces = read(TITLE, "honey " * 100_000, max_tokens=30)
    assert pieces.n_tokens_read == 30
    assert pieces.n_tokens > 50_000


def test_the_papers_reading_is_the_first_pieces_of_title_and_text():
    reader, pieces = read(TITLE, TEXT, first_only=True)
    both = reader.token_ids(TITLE) + reader.token_ids(TEXT)
    assert pieces.windows == (reader.with_specials(both[:18]),)


def test_boilerplate_is_skipped_wherever_it_stands():
    reader, pieces = read("regulation no 12 on fish", "the tax", boilerplate=r"no \d+")
    assert pieces.windows[0] == reader.with_specials(reader.token_ids("regulation on fish"))


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_nothing_to_read_is_one_empty_window(text):
    reader, pieces = read("", text)
    assert pieces.windows == ((reader.start, reader.end),)
    assert pieces.n_tokens == 0


NOTE = "Allergies: fish\nFamily History: honey tax\n1. [**quota**] trade"


def test_clinical_text_is_read_without_headers_placeholders_and_list_numbers():
    reader, pieces = read("", NOTE, normalise="clinical")
    assert reader.token_ids(NOTE) == reader.token_ids("fish honey tax trade")
    where = [NOTE[span.start : span.end] for span in pieces.spans]
    assert where == ["fish", "honey", "tax", "trade"]
    assert reader.skipped(NOTE)[NOTE.index("Family")]


def test_a_reading_survives_a_manifest():
    carried = ReadingSettings(normalise="clinical", max_windows=3)
    assert ReadingSettings(**carried.to_dict()) == carried


def test_an_encoder_may_be_given_the_first_windows_of_a_text_alone():
    _, whole = read(TITLE, TEXT)
    _, first = read(TITLE, TEXT, max_windows=2)
    assert first.windows == whole.windows[:3]
    assert first.positions == whole.positions[:3]
    assert first.n_windows == 3
    # The rest is read by others.
    assert (first.n_tokens_read, first.spans) == (whole.n_tokens_read, whole.spans)
    assert read(TITLE, TEXT, max_windows=99)[1].windows == whole.windows
    assert read(TITLE, "", max_windows=2)[1].n_windows == 1
    assert ReadingSettings(**ReadingSettings(max_windows=2).to_dict()).max_windows == 2

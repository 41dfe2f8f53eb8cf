"""Text of documents and vocabularies in sentences of the pages."""

from __future__ import annotations

import re

import pytest

from pages.components.markdown import WORD_JOINER, code, escaped, plain, shortened

TURNED = "\u2066\u202equota \u2067fo\u2069 gnirreh"


@pytest.mark.parametrize("said", [escaped, plain, shortened, code])
def test_a_name_turns_round_nothing_behind_it(said) -> None:
    assert said(TURNED).strip("`") == "quota fo gnirreh"
    assert said("שלום, Straße é").strip("`") == "שלום, Straße é"


def test_signs_of_markdown_stay_text() -> None:
    assert escaped("[a](b) *c*") == r"\[a\](b) \*c\*"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":smile: :+1:", "&#58;smile&#58; &#58;+1&#58;"),
        ("a:b:smile: x", "a&#58;b&#58;smile&#58; x"),
        (":red[a] :material/info:", r"&#58;red\[a\] &#58;material/info:"),
        ("act.txt: at 10:30", "act.txt: at 10&#58;30"),
        ("R&D &amp; &#58;", r"R&D \&amp; \&\#58;"),
    ],
)
def test_neither_emoji_nor_icons_nor_entities_are_made_of_a_name(text: str, said: str) -> None:
    assert escaped(text) == said


# As mdast-util-gfm-autolink-literal 2.0 looks for them, behind Markdown and its escapes.
LINKED = (
    re.compile(r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)", re.IGNORECASE),
    re.compile(r"(?:^|\s|[^\w\s])([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)"),
)


@pytest.mark.parametrize(
    "address",
    [
        *("https://evil.example/a?b=c", "HTTP://EVIL.example", "(http://evil.example)"),
        *("www.evil.example", "WWW.Evil.example/x", "https://www.evil.example"),
        *(
            "me@evil.example",
            "a.b+c@evil.example.org",
            "mailto:a@evil.example",
            "xmpp:a@b.example/c",
        ),
        *(
            "x.http://evil.example",
            "<https://evil.example>",
            "a_b@evil.example",
            "http://é.example",
        ),
    ],
)
def test_of_a_bare_address_no_link_is_made_and_it_reads_as_it_is(address: str) -> None:
    said = escaped(f"Act {address} of today")
    for pattern in LINKED:
        assert pattern.search(said.replace("\\", "").replace("&#58;", ":")) is None
    read = said.replace("\\", "").replace("&#58;", ":").replace(WORD_JOINER, "")
    assert read == f"Act {address} of today"
    assert escaped("Regulation (EU) @ 3.1, twww, 9:00") == "Regulation (EU) @ 3.1, twww, 9&#58;00"
    assert escaped("nDCG@5 100.0 %") == "nDCG@5 100.0 %"

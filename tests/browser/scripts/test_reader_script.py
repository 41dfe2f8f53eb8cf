"""What is pasted beside the text of an open document."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

PASTED = """
const node = (name) => ({ matches: (selector) => selector.includes(name) });
return pastedText({ composedPath: () => [node("%s")], defaultPrevented: false,
  clipboardData: { getData: () => %s } });
"""


@pytest.mark.parametrize(
    ("place", "text", "taken"),
    [
        ("span", "An act. " * 100, True),
        ("span", "Some words\nof an act", False),
        ("input", "An act. " * 100, False),
        ("dialog", "An act. " * 100, False),
    ],
)
def test_only_a_long_text_where_nothing_is_typed_is_another_document(
    place: str, text: str, *, taken: bool
) -> None:
    found = run(PASTED % (place, json.dumps(text)), "reader/reader_title.js")
    assert found == (text if taken else "")

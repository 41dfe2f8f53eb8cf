"""What of an act's title stands first in the list of documents."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")


@pytest.mark.parametrize(
    ("title", "head", "about"),
    [
        (
            "Commission Delegated Regulation (EU) 2030/610 of 20 December 2029 on small electric lamps",
            "2030/610 · Commission Delegated Regulation",
            "small electric lamps",
        ),
        (
            "Council Regulation (EC) No 64/2014 fixing the price of lamps",
            "64/2014 · Council Regulation",
            "fixing the price of lamps",
        ),
        (
            "Directive 2014/65/EU of 15 May 2014 on markets in lamps",
            "2014/65/EU · Directive",
            "markets in lamps",
        ),
        (
            "Commission Delegated Directive (EU) 2030/593 of 7 April 2029 supplementing Directive "
            "2024/65/EU of the European Parliament and of the Council with regard to the safeguarding "
            "of lamps (Text with EEA relevance. )",
            "2030/593 · Commission Delegated Directive, supplementing",
            "safeguarding of lamps",
        ),
        (
            "Regulation (EU) 2030/1020 of the European Parliament and of the Council of 20 June 2029 "
            "on market surveillance of lamps",
            "2030/1020 · Regulation",
            "market surveillance of lamps",
        ),
        (
            "Commission Regulation (EU) 2030/7 of 1 May 2029 amending Regulation (EU) 2024/2",
            "2030/7 · Commission Regulation",
            "amending Regulation (EU) 2024/2",
        ),
        ("The honey of the bay in 2030/31", "", "The honey of the bay in 2030/31"),
        ("Discharge summary", "", "Discharge summary"),
        ("<img src=x onerror=alert(1)>", "", "<img src=x onerror=alert(1)>"),
    ],
)
def test_the_subject_of_a_numbered_title_stands_by_itself(
    title: str, head: str, about: str
) -> None:
    found = run(f"return titleParts({json.dumps(title)});", "shared/titles.js")
    assert found == {"head": head, "about": about}


def test_a_name_in_a_sentence_turns_round_nothing_behind_it() -> None:
    asked = 'plainOrder("\\u202eherring\\u2067, \\u05e9\\u05dc\\u05d5\\u05dd")'
    assert run(f"return {asked};", "shared/words.js") == "herring, \u05e9\u05dc\u05d5\u05dd"


@pytest.mark.parametrize("query", ["reglement peche", "Règlement PÊCHE", "règlement"])
def test_documents_are_found_without_their_accents(query: str) -> None:
    entry = '{ title: "Règlement sur la pêche", id: "1", comment: "", status: "new" }'
    view = json.dumps({"status": "", "batch": None, "query": query})
    found = run(f"return matching([{entry}], {view}).length;", "documents/documents_rows.js")
    assert found == 1

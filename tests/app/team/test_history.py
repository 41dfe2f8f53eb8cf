"""The history of a document, over its page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.serving.session import Session
from tests.support.app_documents import decide_on
from tests.support.app_pages import click, fresh_page
from tests.support.clinical_fakes import DOCUMENT
from tests.support.people import two_people


def history(document_id: str, session: Session, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happened, the oldest first, as the person reads it who administers."""
    two_people(session.server.store())
    monkeypatch.setattr("pages.serving.signed_in_person", session.person_id)
    page: AppTest = click(fresh_page(document_id), "history")
    (table,) = (one.value for one in page.dataframe if "What" in one.value)
    return list(table["What"])[::-1]


def test_a_code_stands_before_its_label(clinical: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    operations = ((1, "accept", "J18.1"), (2, "exclude", "E08-E13"), (3, "finish", ""))
    decide_on(clinical, DOCUMENT, *operations)
    assert history(DOCUMENT, clinical, monkeypatch) == [
        "accepted J18.1 Lobar pneumonia, unspecified organism",
        "ruled out the branch of E08-E13 Diabetes mellitus",
        "finished",
    ]


@pytest.mark.usefixtures("page_of_two")
def test_a_concept_of_a_thesaurus_goes_by_its_label(
    shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ["accepted fishing quota", "rejected honey", "finished"]
    assert history("a", shared, monkeypatch) == expected

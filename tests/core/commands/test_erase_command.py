"""`python -m core erase`: nothing goes before somebody is sure."""

from __future__ import annotations

import pytest

from core.__main__ import main
from core.documents.document import Document
from core.review.erasure import SAYS_WHERE
from core.review.people.accounts import add_account, list_accounts
from core.review.store.arrivals import add_document
from core.review.store.documents import fetch_document
from core.review.store.projects import make_project
from core.review.store.store import Store


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["erase", *argv]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_a_document_goes_when_somebody_is_sure(
    empty_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project(empty_store, "Acts", "eurovoc")
    act = Document.from_text("act", "On herring", "Herring.")
    add_document(empty_store, act, project_id=project.project_id)
    would = said(capsys, "document", "act")
    assert "8 characters would go for good" in would and SAYS_WHERE in would
    assert fetch_document(empty_store, "act") == act
    assert "act is erased-1 now" in said(capsys, "document", "act", "--sure")
    assert main(["erase", "document", "act", "--sure"]) == 1
    assert "There is no document 'act'" in capsys.readouterr().err


def test_a_person_goes_when_somebody_is_sure(
    empty_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    add_account(empty_store, "jo", display_name="Jo Berg")
    assert "Jo Berg would be called by a number" in said(capsys, "person", "jo")
    assert "jo is called person 2 now" in said(capsys, "person", "jo", "--sure")
    assert [account.name for account in list_accounts(empty_store)] == ["me", "person 2"]
    assert "0 documents" in said(capsys, "expired")
    assert "no traces" in said(capsys, "traces")

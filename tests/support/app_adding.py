"""Documents that are added on a page, without a browser."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.review.reports.summaries import list_documents
from core.serving.session import Session
from pages.adding.report import IMPORT_KEY
from tests.support.app_pages import run


def upload(page: AppTest, *files: tuple[str, bytes]) -> AppTest:
    page.file_uploader(key="uploads").set_value([(*one, "application/x") for one in files])
    return run(page)


def titles(shared: Session) -> set[str]:
    return {one.title for one in list_documents(shared.server.store(), shared.project_id())}


def finish_import(page: AppTest) -> AppTest:
    assert page.session_state[IMPORT_KEY].finished.wait(60)
    return run(page)


def sentences(page: AppTest) -> str:
    return "\n".join(element.value for element in [*page.subheader, *page.markdown, *page.text])

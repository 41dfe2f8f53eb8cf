"""The Insights page, without a browser."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.settings import PROJECT_ROOT
from tests.support.app_pages import run

PARTS = ("How good", "How sure", "What goes wrong")


OURS, RESEARCH = "Decisions here", "Models and research"


def insights_page(part: str = PARTS[0], *, topic: str = RESEARCH) -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "insights.py"))
    page.session_state["insights_topic"] = topic
    page.session_state["insights_part"] = part
    return run(page)


def said(page: AppTest) -> str:
    return "\n".join(one.value for one in (*page.markdown, *page.info, *page.code))

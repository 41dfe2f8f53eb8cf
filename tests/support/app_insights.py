"""The Insights page, without a browser."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.support.app_pages import fresh_page, run, turn_to

PARTS = ("How good", "How sure", "What goes wrong")


OURS, RESEARCH = "Decisions here", "Models and research"


def insights_page(part: str = PARTS[0], *, topic: str = RESEARCH) -> AppTest:
    page = turn_to(fresh_page(), "insights")
    page.session_state["insights_topic"] = topic
    page.session_state["insights_part"] = part
    return run(page)


def said(page: AppTest) -> str:
    return "\n".join(one.value for one in (*page.markdown, *page.info, *page.code))

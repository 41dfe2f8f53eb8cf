"""The page of models, without a browser."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.settings import PROJECT_ROOT
from tests.support.app_pages import run


def models_page() -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "models.py"))
    return run(page)

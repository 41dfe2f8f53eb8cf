"""The entry point: `streamlit run streamlit_app.py` serves the pages and the API of `core.api`."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import ConfigError
from pages import navigation
from pages.hosting.app import lifespan, protection, routes

SCRIPT = Path(__file__).resolve().parent / "pages" / "navigation.py"

try:
    before_all_routes = protection()
except ConfigError as error:
    sys.exit(str(error))

app = st.App(
    SCRIPT,
    routes=routes(),
    lifespan=lifespan,
    middleware=before_all_routes,
)

if get_script_run_ctx(suppress_warning=True) is not None:
    navigation.main()  # run as a script, as Streamlit's own tests do

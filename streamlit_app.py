"""The entry point: `streamlit run streamlit_app.py` serves the pages and the API of `core.api`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import api
from pages import navigation
from pages.serving import allowed_hosts, lifespan, running_server

SCRIPT = Path(__file__).resolve().parent / "pages" / "navigation.py"

app = st.App(
    SCRIPT,
    routes=api.routes(running_server()),
    lifespan=lifespan,
    # Streamlit holds its own websocket to this list; the routes are held to it here.
    middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=allowed_hosts())],
)

if get_script_run_ctx(suppress_warning=True) is not None:
    navigation.main()  # run as a script, as Streamlit's own tests do

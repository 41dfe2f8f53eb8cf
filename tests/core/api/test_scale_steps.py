"""Whether the benchmark over a large store covers all pages and all routes."""

from __future__ import annotations

from core import api
from core.serving.session import Session
from pages.screens import SCREENS
from tests.bench import scale_steps
from tests.bench.drawn_tab import DrawnTab


def test_every_page_and_every_route_is_measured(shared: Session) -> None:
    tab = DrawnTab("http://localhost:1/", {})
    asked = {step.name for step in scale_steps.route_steps(tab, "act")}
    # What programs ask is switched off here, acts have no group, and a comment is one row.
    paths = {route.path for route in api.routes(shared.server) if not route.path.startswith("/v1")}
    assert asked | set(scale_steps.FILES) == paths - {"/api/drg", "/api/comments"}
    names = {step.name for step in scale_steps.page_steps(tab, "act")}
    assert {title.lower() for _, title, _ in SCREENS} <= names

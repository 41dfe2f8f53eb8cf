"""The addresses under which a server answers programs."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.serving.session import Session
from pages.hosting import app


@pytest.mark.parametrize(
    ("base_path", "below"), [("", ""), ("strata", "/strata"), ("/a/b/", "/a/b")]
)
def test_routes_stand_below_the_base_path_of_the_pages(
    shared: Session, monkeypatch: pytest.MonkeyPatch, base_path: str, below: str
) -> None:
    monkeypatch.setattr(app, "get_option", lambda _: base_path)
    client = TestClient(Starlette(routes=app.routes()))
    assert client.get(f"{below}/api/health").json()["state"]
    written = client.post(f"{below}/api/decisions", json={}).status_code
    assert written not in (404, 405)
    if below:
        assert client.get("/api/health").status_code == 404

"""What tests of the routes for programs send."""

from __future__ import annotations

from core.serving.session import Session

OFTEN = 1_000_000  # requests in a minute: as many as a test wants
ACCESS_KEY = "correct horse battery staple"
ORIGIN = "http://127.0.0.1:3333"
HERRING = "A fishing quota for herring, and honey."
URI = "https://example.org/"


def below(session: Session, path: str = "") -> str:
    """The address of a session's project."""
    return f"/v1/projects/{session.project_id()}{path}"

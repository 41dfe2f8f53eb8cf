"""The sender: decisions of an earlier tab, and a page drawn anew after a restart of the server."""

from __future__ import annotations

from core.errors import StrataError
from pages.components import register
from pages.serving import current_session


def decision_sender(*, beside_tree: bool) -> None:
    """Mount the component outside any fragment, so that its trigger has the whole page drawn.

    A server that was started again knows nothing of a page that was drawn before, until something
    on it asks for a run; this component does, as soon as an answer comes from another server.

    Args:
        beside_tree: whether a tree is on the page, which sends its decisions itself.
    """
    scripts = ("queue.js", "post.js", "sender.js")
    register("sender", folder="shared", scripts=scripts, styles=("sender.css",))(
        key="sender",
        data={
            "decisions_url": "api/decisions",
            "health_url": "api/health",
            "server": _server_id(),
            "beside_tree": beside_tree,
        },
        on_wake_change=lambda: None,
    )


def _server_id() -> str:
    """Return which server draws the page; "" while the store cannot say."""
    try:
        return current_session().server_id
    except StrataError:
        return ""

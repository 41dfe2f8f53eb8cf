"""What the page does outside the tree: decisions of an earlier tab, and a server started again."""

from __future__ import annotations

from pages.components import register
from pages.serving import workplace


def courier(*, beside_tree: bool) -> None:
    """Mount it outside any fragment, so that its trigger has the whole page drawn.

    A server that was started again knows nothing of a page that was drawn before, until something
    on it asks for a run; the courier does, as soon as an answer comes from another server.

    Args:
        beside_tree: whether a tree is on the page, which sends its decisions itself.
    """
    scripts = ("queue.js", "post.js", "courier.js")
    register("courier", scripts=scripts, styles=("courier.css",))(
        key="courier",
        data={
            "decisions_url": "api/decisions",
            "health_url": "api/health",
            "server": workplace().server_id,
            "beside_tree": beside_tree,
        },
        on_wake_change=lambda: None,
    )

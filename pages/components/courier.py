"""Delivers decisions from outside the tree; it is invisible while it has nothing to say."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.components import register
from pages.delivery import Delivery

KEY = "courier"


def courier(delivery: Delivery, *, beside_tree: bool, on_operations: Callable[[], None]) -> None:
    """Mount it outside any fragment, so that what it sends has the whole page drawn.

    Args:
        beside_tree: whether a tree is on the page; then it sends only what the tree hands over.
    """
    register("courier", scripts=("queue.js", "courier.js"), styles=("courier.css",))(
        key=KEY,
        data={
            "receipts": delivery.receipts,
            "problem": delivery.problem,
            "beside_tree": beside_tree,
        },
        on_operations_change=on_operations,
    )


def sent_operations() -> object:
    """The decisions that the browser has just sent."""
    return st.session_state[KEY].get("operations")

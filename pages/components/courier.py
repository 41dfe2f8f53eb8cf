"""Delivers decisions that an earlier tab could not store, where no tree is open."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.components import register
from pages.delivery import Delivery

KEY = "courier"


def courier(delivery: Delivery, *, on_operations: Callable[[], None]) -> None:
    """Mount it; it is invisible while it has nothing to deliver."""
    register("courier", scripts=("queue.js", "courier.js"), styles=("courier.css",))(
        key=KEY,
        data={"receipts": delivery.receipts, "problem": delivery.problem},
        on_operations_change=on_operations,
    )


def sent_operations() -> object:
    """The decisions that the browser has just sent."""
    return st.session_state[KEY].get("operations")

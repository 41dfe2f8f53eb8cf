"""Components that run in the browser: their scripts and styles lie in `assets/components`.

Scripts are plain files without imports, joined in the order in which they need each other,
because a component takes one module.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from core.settings import PROJECT_ROOT

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

ASSETS = PROJECT_ROOT / "assets" / "components"


@cache
def asset(*names: str) -> str:
    """The text of these files, joined."""
    return "\n".join((ASSETS / name).read_text("utf-8") for name in names)


def register(name: str, *, scripts: tuple[str, ...], styles: tuple[str, ...]) -> ComponentRenderer:
    """Make a component of `name`.html and these scripts and styles known to this run's server."""
    return st.components.v2.component(
        f"strata_{name}",
        html=asset(f"{name}.html"),
        css=asset("base.css", *styles),
        js=asset("dom.js", *scripts),
    )

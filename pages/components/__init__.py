"""Components that run in the browser: their scripts and styles lie in `assets/components`, a folder each.

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


def register(
    name: str, *, folder: str, scripts: tuple[str, ...], styles: tuple[str, ...]
) -> ComponentRenderer:
    """Make a component of `name`.html and these scripts and styles known to this run's server.

    Args:
        folder: of the component's own files; those of others are named with theirs.
    """

    def here(names: tuple[str, ...]) -> list[str]:
        return [file if "/" in file else f"{folder}/{file}" for file in names]

    return st.components.v2.component(
        f"strata_{name}",
        html=asset(f"{folder}/{name}.html"),
        css=asset("shared/base.css", *here(styles)),
        js=asset("shared/dom.js", *here(scripts)),
    )

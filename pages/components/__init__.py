"""Components that run in the browser, and parts that several screens use.

Scripts and styles lie in `assets/components`, a folder each. Scripts are plain
files without imports, joined in the order in which they need each other, because a component takes
one module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st

from core.errors import StrataError
from core.settings import PROJECT_ROOT
from pages.serving import current_session

ASSETS = PROJECT_ROOT / "assets" / "components"


@cache
def asset(*names: str) -> str:
    """Return the text of these files, joined."""
    return "\n".join((ASSETS / name).read_text("utf-8") for name in names)


def register(
    name: str, *, folder: str, scripts: tuple[str, ...], styles: tuple[str, ...]
) -> Callable[..., Any]:
    """Make a component of `name`.html and these scripts and styles known to this run's server.

    With its data it gets the tab's project, which it names in each of its requests.

    Args:
        folder: of the component's own files; those of others are named with theirs.
    """

    def here(names: tuple[str, ...]) -> list[str]:
        return [file if "/" in file else f"{folder}/{file}" for file in names]

    component = st.components.v2.component(
        f"strata_{name}",
        html=asset(f"{folder}/{name}.html"),
        css=asset("shared/base.css", *here(styles)),
        js=asset("shared/dom.js", *here(scripts)),
    )

    def mount(*, data: Mapping[str, Any], **options: Any) -> object:
        return component(data={**data, "project": _project_id()}, **options)

    return mount


def _project_id() -> int | None:
    """Return the tab's project; None while the store cannot say."""
    try:
        return current_session().project_id()
    except StrataError:
        return None

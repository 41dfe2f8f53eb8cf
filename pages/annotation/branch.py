"""Branch work: one branch of the vocabulary, in one document after another.

The branch stands in the address (`?branch=…`), so that it is the same after a reload.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.review.reports.branch_work import waiting_in_branch
from core.vocabulary.concepts import Hierarchy
from pages import opening
from pages.components.tree import SHOWN_AT_FIRST
from pages.serving import BRANCH_PARAMETER, current_session

SHOWN_KEY = "shown"  # how many suggestions the tree shows of a document
NONE_LEFT = "No other unfinished document has a suggestion in this branch that waits."


def opened_branch() -> str | None:
    """Return the branch that the address names, where the vocabulary has it."""
    branch = st.query_params.get(BRANCH_PARAMETER)
    hierarchy = _hierarchy()
    return branch if branch and hierarchy is not None and branch in hierarchy else None


def show_branch(branch: str | None) -> None:
    """Write a branch into the address, or none."""
    if branch:
        st.query_params[BRANCH_PARAMETER] = branch
    else:
        st.query_params.pop(BRANCH_PARAMETER, None)


def facts(language: str) -> dict[str, Any] | None:
    """Return what the tree says of the branch, and how many other documents wait in it."""
    branch, hierarchy = opened_branch(), _hierarchy()
    if branch is None or hierarchy is None:
        return None
    return {"id": branch, "label": hierarchy[branch].label(language), "others": len(others())}


def others() -> list[str]:
    """Return the other documents with something undecided in the branch, the next one first."""
    branch, hierarchy, session = opened_branch(), _hierarchy(), current_session()
    if branch is None or hierarchy is None:
        return []
    return waiting_in_branch(
        session.store(),
        session.project_id(),
        hierarchy,
        branch,
        shown=st.session_state.get(SHOWN_KEY, SHOWN_AT_FIRST),
        after=opening.opened_id(),
    )


def _hierarchy() -> Hierarchy | None:
    vocabulary = current_session().vocabulary()
    return vocabulary.hierarchy if vocabulary else None

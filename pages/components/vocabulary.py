"""The tree of the whole vocabulary with its search, the concept card, and rules to set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from pages.components import register, sent_event
from pages.vocabularies.overview import OverviewList

KEY = "vocabulary"
STYLES = ("shared/search.css", "shared/card.css", "vocabulary.css")


class RuleInForce(TypedDict):
    """A rule with the label of its concept."""

    id: str
    label: str
    kind: str


def vocabulary_browser(
    *,
    version: str,
    facts: str,
    language: str,
    rules: Sequence[RuleInForce],
    overview: Sequence[OverviewList],
    concept_id: str | None,
    answered: int,
    problem: str,
    on_rule: Callable[[], None],
    on_document: Callable[[], None],
) -> None:
    """Draw the browser.

    Args:
        version: changes where another vocabulary is to be fetched.
        facts: a line above the tree.
        overview: lists that stand in place of a concept until one is chosen.
        concept_id: the concept that the address names.
        answered: number of the last wish for a rule that was dealt with, and its `problem`.
    """
    register("vocabulary", folder="vocabulary", entry="vocabulary.js", styles=STYLES)(
        key=KEY,
        data={
            "version": version,
            "facts": facts,
            "language": language,
            "search_url": "api/search",
            "rules": list(rules),
            "overview": list(overview),
            "concept": concept_id,
            "answered": answered,
            "problem": problem,
        },
        on_rule_change=on_rule,
        on_document_change=on_document,
    )


def sent(event: str) -> dict[str, object]:
    """Return what the browser sent with a "rule" or "document" event; empty if malformed."""
    value = sent_event(event)
    return dict(value) if isinstance(value, dict) else {}

"""Uncertain diagnoses of outpatients, which are not coded.

Source: ICD-10-CM Official Guidelines for Coding and Reporting: II.H (uncertain diagnoses of inpatients
are coded as if they were established) and IV.H (those of outpatients are not).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.clinical.asserting.cues import HYPOTHETICAL
from core.clinical.assertions import Assertion, is_denying
from core.clinical.encounters import with_class
from core.clinical.names.mentions import Mention, Named
from core.documents.document import Document

NOT_ESTABLISHED = "not established"
_QUERY = re.compile(r"(?<!\S)\?\s?$")
_QUERIED = re.compile(r"\?(?=\s|$)")
"""Before and behind a name that is asked for: "?reflux", "Croup?"."""
_ANSWERED = re.compile(r"[^.\n]{0,60}?\b(?:positive|confirm\w+|yes|proven|found)\b", re.IGNORECASE)
"""What answers behind it: "?DVT - Doppler positive"."""


def as_coded(named: Sequence[Named], document: Document) -> list[Named]:
    """Return the names of a document, where those that are asked for deny, and those of uncertain
    diagnoses of outpatients.

    Of "chest pain, probable reflux disease" the pain is coded; "?reflux" is a question anywhere.
    """
    is_outpatient = with_class(document.stay, document).is_outpatient
    return [
        replace(
            code,
            mentions=tuple(
                _as_uncertain(_as_asked(mention, document), is_outpatient=is_outpatient)
                for mention in code.mentions
            ),
        )
        for code in named
    ]


def _as_asked(mention: Mention, document: Document) -> Mention:
    start, end = mention.span.start, mention.span.end
    if mention.span.field != "text" or mention.assertion is not None:
        return mention
    query = _QUERY.search(document.text, max(start - 3, 0), start) or _QUERIED.match(
        document.text, end
    )
    if query is None or _ANSWERED.match(document.text, end):
        return mention
    return replace(mention, assertion=Assertion(HYPOTHETICAL, NOT_ESTABLISHED, *query.span()))


def _as_uncertain(mention: Mention, *, is_outpatient: bool) -> Mention:
    assertion = mention.assertion
    if not is_outpatient or assertion is None or assertion.status != HYPOTHETICAL:
        return mention
    return (
        mention
        if is_denying(assertion)
        else replace(mention, assertion=replace(assertion, cue=NOT_ESTABLISHED))
    )

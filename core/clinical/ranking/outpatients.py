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
"""Before a name that is asked for: "?reflux"."""


def as_coded(named: Sequence[Named], document: Document) -> list[Named]:
    """Return the names of a document, where those of uncertain diagnoses of outpatients deny.

    Of "chest pain, probable reflux disease" the pain is coded.
    """
    if not with_class(document.stay, document).is_outpatient:
        return list(named)
    return [
        replace(code, mentions=tuple(_as_denied(mention, document) for mention in code.mentions))
        for code in named
    ]


def _as_denied(mention: Mention, document: Document) -> Mention:
    assertion, start = mention.assertion, mention.span.start
    if mention.span.field == "text" and assertion is None:
        query = _QUERY.search(document.text, max(start - 3, 0), start)
        if query:
            return replace(mention, assertion=Assertion(HYPOTHETICAL, NOT_ESTABLISHED, *query.span()))
    if assertion is None or assertion.status != HYPOTHETICAL or is_denying(assertion):
        return mention
    return replace(mention, assertion=replace(assertion, cue=NOT_ESTABLISHED))

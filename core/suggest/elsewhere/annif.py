"""An Annif project, as its server answers programs.

Source: Annif's REST API, `POST /v1/projects/{project_id}/suggest`, https://annif.org.
"""

from __future__ import annotations

import math
from urllib.parse import quote, urlencode

from core.documents.document import Document
from core.suggest.elsewhere.asking import Asker
from core.suggest.elsewhere.choice import SuggesterElsewhere
from core.suggest.elsewhere.known_concepts import NamedElsewhere
from core.suggest.elsewhere.messages import LIMIT, json_of, sent_text

FORM = "application/x-www-form-urlencoded"


def ask_annif(
    asker: Asker, chosen: SuggesterElsewhere, document: Document, vocabulary: str
) -> list[NamedElsewhere]:
    """Return the concepts that an Annif project suggests, as far as its answer is one.

    Raises:
        UnansweredError: there is no answer.
    """
    base = chosen.address.removesuffix("/v1")
    address = f"{base}/v1/projects/{quote(chosen.name, safe='')}/suggest"
    title, text = sent_text(document)
    body = urlencode({"text": f"{title}\n\n{text}", "limit": LIMIT})
    found = json_of(asker.post(address, body.encode("ascii"), FORM))
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list):
        raise asker.left_out("did not answer as an Annif server does")
    named = (_named(result) for result in results[:LIMIT])
    return [row for row in named if row is not None]


def _named(result: object) -> NamedElsewhere | None:
    """What a result names; None where it is none."""
    match result:
        case {"uri": str(uri), "score": int() | float() as score, **more} if uri and math.isfinite(
            score
        ):
            label = more.get("label")
            return NamedElsewhere(
                label if isinstance(label, str) else "", min(max(score, 0.0), 1.0), uri
            )
    return None

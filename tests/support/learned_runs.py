"""Finished documents for which learning took part, as a server would have stored them."""

from __future__ import annotations

from collections.abc import Sequence

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.predictions import save_prediction
from core.review.store.store import Store
from core.suggest.suggestions import Prediction, Suggestion
from tests.support.stores import send

RIGHT, WRONG = ("a", "b", "c"), ("v", "w", "x", "y", "z")


def prediction(learned: Sequence[str], alone: Sequence[str]) -> Prediction:
    """Return suggestions in the order of what was learned, and in that of the model alone."""
    rows = [
        Suggestion(i, f"https://example.org/{i}", None, i, 0.9 - rank / 10, 0.9, rank)
        for rank, i in enumerate(learned, start=1)
    ]
    chances = {i: 0.9 - rank / 10 for rank, i in enumerate(alone, start=1)}
    return Prediction(tuple(rows), {}, 1, 1, 1, "h", "1", 0.0, model_probability=chances)


def finish(
    store: Store,
    project_id: int,
    number: int,
    *,
    learned: Sequence[str],
    alone: Sequence[str],
    assigned: Sequence[str] = RIGHT,
    n_known: int = 1,
) -> None:
    """Store a document, what was suggested for it, and what was decided."""
    name = f"doc-{number:04}"
    document = Document.from_text(name, f"Slimy visitors in week {number}", "")
    add_document(store, document, project_id=project_id)
    settings = {"learned": f"{n_known}-00000000"}
    save_prediction(store, name, prediction(learned, alone), settings=settings)
    operations = [Operation(n, "add", i) for n, i in enumerate(assigned, 1)]
    operations.append(Operation(len(assigned) + 1, "finish", None))
    send(store, *operations, client_id=name, document_id=name)

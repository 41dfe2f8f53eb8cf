"""`/api/comments`: comments on documents, as a page sends them that is being left."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import MAX_ID_CHARACTERS, of_document, post_route, problem
from core.review.people.comments import LONGEST_COMMENT, keep_comment
from core.roles import Right
from core.serving.server import Server
from core.serving.session import Session


def routes(server: Server) -> list[Route]:
    """Return `/api/comments`."""
    return [post_route(server, "/api/comments", _keep)]


def _keep(session: Session, message: dict[str, Any]) -> JSONResponse:
    """Keep the `comment` on a `document`: in its thread, where people sign in.

    Otherwise it takes the place of one of `formers`, or of whatever is there.
    """
    match message:
        case {"document": str(document_id), "comment": str(comment)} if (
            len(document_id) <= MAX_ID_CHARACTERS and len(comment) <= LONGEST_COMMENT
        ):
            if session.project_of(document_id) is None:
                return problem(f"There is no document {document_id[:60]!r} in the store.", 404)
            store = of_document(session, document_id).writing(Right.DECIDE, document_id)
            keep_comment(
                store,
                document_id,
                comment,
                person_id=session.signed_in,
                formers=_formers(message),
            )
            return JSONResponse({"server": session.server_id})
    return problem("Send a document and a comment on it.", 400)


def _formers(message: dict[str, Any]) -> list[str] | None:
    formers = message.get("formers")
    return [str(former) for former in formers] if isinstance(formers, list) else None

"""What there is: root information, vocabularies and projects as Annif shows them, and OpenAPI 3.1."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.v1 import messages
from core.api.v1.named import listed_project
from core.api.v1.operations import Call, Programs
from core.model.bundle.cards import BundleCard
from core.model.bundle.manifest import MANIFEST
from core.review.store.projects import Project
from core.serving.choosing import listed_projects, model_of
from core.serving.importing import language_of
from core.serving.session import Session
from core.version import __version__

TITLE = "Strata REST API"
DESCRIPTION = "/openapi.json"
WITHOUT_MODEL = "labels"  # what suggests where there is no model: labels, and what was decided


def routes(programs: Programs) -> list[Route]:
    """Return `/v1/openapi.json`, `/v1/`, `/v1/vocabs`, `/v1/projects` and each of these."""
    return [
        programs.route(f"/v1{DESCRIPTION}", _description),
        programs.route("/v1", _info),
        programs.route("/v1/", _info),
        programs.route("/v1/vocabs", _vocabularies),
        programs.route("/v1/projects", _projects),
        programs.route("/v1/projects/{project_id}", _project),
    ]


def _description(call: Call) -> JSONResponse:
    described = messages.description()
    info = described["info"] | {"version": __version__}
    server = {"url": call.address.removesuffix(DESCRIPTION)}
    return JSONResponse(described | {"info": info, "servers": [server]})


def _info(_: Call) -> JSONResponse:
    return JSONResponse({"title": TITLE, "version": __version__})


def _vocabularies(call: Call) -> JSONResponse:
    by_id = {
        project.vocabulary_id: _vocabulary(call.session, project)
        for project in listed_projects(call.session)
    }
    return JSONResponse({"vocabs": list(by_id.values())})


def _projects(call: Call) -> JSONResponse:
    described = [_described(call.session, project) for project in listed_projects(call.session)]
    return JSONResponse({"projects": described})


def _project(call: Call) -> JSONResponse:
    return JSONResponse(_described(call.session, listed_project(call.session)))


def _described(session: Session, project: Project) -> dict[str, Any]:
    """A project as Annif shows one; looking does not open it."""
    card = model_of(session, project)
    return {
        "project_id": str(project.project_id),
        "name": project.name,
        "language": language_of(card),
        "backend": {"backend_id": card.directory.name if card else WITHOUT_MODEL},
        "vocab": _vocabulary(session, project),
        "vocab_language": session.language(),
        "is_trained": True,
        "modification_time": _modified(card),
    }


def _vocabulary(session: Session, project: Project) -> dict[str, Any]:
    served = session.server.registry.peek(project.project_id)
    is_open = served is not None and not served.is_opening
    vocabulary = served.vocabulary() if served is not None and is_open else None
    return {
        "vocab_id": project.vocabulary_id,
        "languages": sorted(vocabulary.index.languages) if vocabulary else [],
        "size": len(vocabulary.hierarchy) if vocabulary else None,
        "loaded": vocabulary is not None,
    }


def _modified(card: BundleCard | None) -> str | None:
    try:
        seconds = (card.directory / MANIFEST).stat().st_mtime if card else None
    except OSError:
        return None
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()

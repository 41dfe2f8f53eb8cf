"""In which language a project reads, as far as anything in it has learned one."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.api import routes
from core.documents.batches.document_batch import BatchDocument
from core.documents.document import Document
from core.model.bundle.manifest import record_about
from core.serving.importing import language_read, start_import
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from tests.support.clinical_fakes import clinical_session
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.stores import begin_empty

FRENCH = (
    "Le règlement du Conseil concernant la pêche du hareng dans les eaux de la Communauté. " * 6
)


def in_other_languages(session: Session) -> dict[str, int]:
    act = Document.from_text("act", "Pêche", FRENCH)
    taken = start_import(session, "acts", 1, [BatchDocument("line 1", act)])
    assert taken.finished.wait(30) and taken.added and not taken.problem
    return dict(taken.languages)


@pytest.mark.parametrize(
    ("languages", "learned", "others"), [([], "en", {"French": 1}), (["fr-FR", "nl"], "fr", {})]
)
def test_what_a_model_learned_is_no_other_language(
    tmp_path: Path, languages: list[str], learned: str, others: dict[str, int]
) -> None:
    write_tiny_bundle(tmp_path / "tiny", name="tiny")
    record_about(tmp_path / "tiny", {"languages": languages})
    begin_empty(tmp_path / "s.sqlite")
    url = f"sqlite:///{tmp_path}/s.sqlite"
    settings = Settings(tmp_path, url, tmp_path / "tiny", "en", tmp_path, rest=True)
    session = Session(Server(settings))
    assert language_read(session) == learned
    client = TestClient(Starlette(routes=routes(session.server)))
    assert client.get("/v1/projects").json()["projects"][0]["language"] == learned
    assert in_other_languages(session) == others
    session.server.close()


def test_labels_alone_have_learned_no_language(allotment: Session) -> None:
    assert language_read(allotment) is None
    assert in_other_languages(allotment) == {}


def test_names_of_codes_are_in_english(tmp_path: Path) -> None:
    session = clinical_session(tmp_path)
    assert language_read(session) == "en"
    session.server.close()

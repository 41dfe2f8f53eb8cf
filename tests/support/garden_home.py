"""A home with the small thesaurus and notes that were finished in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import Project, default_project, list_projects
from core.review.store.store import Store
from core.settings import Settings
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.garden import SLUGS, garden, note
from tests.support.stores import begin_empty, send

RAKES = [note(50 + n, f"Autumn leaves lay everywhere on day {n}") for n in range(6)]


def garden_settings(home: Path) -> Settings:
    """Return the settings of a home that has the thesaurus, and no model."""
    settings = Settings(home, f"sqlite:///{home}/s.sqlite", home / "none", "en", home / "shipped")
    versions = VocabularyVersions(home)
    keep(versions, garden(), file_name="garden.ttl", sha256="0" * 64, report={})
    begin_empty(home / "s.sqlite")
    return settings


def finish(
    store: Store,
    documents: Iterable[Document],
    concept_id: str,
    *,
    rejected: Iterable[str] = (),
    vocabulary_id: str = "garden",
) -> None:
    """Finish documents with one concept each, one after the other."""
    project = default_project(store, vocabulary_id)
    for document in documents:
        name = document.document_id
        add_document(store, document, project_id=project.project_id)
        refused = [Operation(n, "reject", i) for n, i in enumerate(rejected, start=2)]
        ended = Operation(9, "finish", None)
        send(
            store,
            Operation(1, "add", concept_id),
            *refused,
            ended,
            client_id=name,
            document_id=name,
        )


def finished_garden(home: Path) -> Settings:
    """Return the settings of a home in which ten notes about snails and six others are finished."""
    settings = garden_settings(home)
    store = Store.open(settings.database_url)
    slugs = [row.document for row in SLUGS]
    finish(store, slugs[:8], "snail")
    finish(store, RAKES, "rake", rejected=["spade"])
    finish(store, slugs[8:], "snail")
    store.close()
    return settings


def garden_project(settings: Settings) -> Project:
    """Return the oldest project of a home, as its row is."""
    store = Store.open(settings.database_url)
    try:
        return list_projects(store)[0]
    finally:
        store.close()

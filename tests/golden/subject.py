"""What the recorded results are of: the only module here that changes when classes move."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from copy import copy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from core.__main__ import main
from core.documents.document import Document
from core.export.export import Export
from core.export.formats import forms_of
from core.export.gathering import DECISIONS, Selection
from core.paths import PROJECT_ROOT
from core.review.decisions.recording import current, not_taken
from core.review.jobs import latest_job
from core.review.reports.summaries import list_documents
from core.review.store.backup import write_backup
from core.review.store.documents import fetch_document, given_concepts
from core.review.store.people import default_person, read_preferences
from core.review.store.predictions import latest_prediction
from core.review.store.projects import list_projects
from core.review.store.proposed_terms import read_proposed_terms
from core.review.store.restore import read_backup
from core.review.store.rules import read_rules
from core.review.store.store import Store
from core.suggest.backends.protocol import Backend, Logits, Windows
from core.suggest.guided import GuidedSuggester
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester, with_names
from core.suggest.protocol import Suggester
from core.suggest.ranking.suggester import RankedSuggester
from core.vocabulary.concepts import Hierarchy
from pages.adding.start import examples

MODELS = PROJECT_ROOT / "assets" / "models"
BUNDLES = ("eurovoc", "icd10cm-cases", "icd9cm-radiology")
LIMIT, DIGITS = 30, 6
EVERYTHING = Selection(decisions=frozenset(DECISIONS), proposed_terms=True)
SELECTIONS = {
    "everything": EVERYTHING,
    "accepted": Selection(),
    "finished": Selection(statuses=frozenset({"finished"}), decisions=frozenset(DECISIONS)),
    "batch": Selection(batch="first batch", decisions=frozenset(DECISIONS)),
}


# ---------------------------------------------------------------------- suggestions


def example_documents() -> list[Document]:
    """The invented acts and encounters that are shipped."""
    return [one.document() for one in (*examples(), *examples(clinical=True))]


def load_bundle(name: str) -> Suggester:
    """A shipped bundle, alone, and before a ranker.

    Trees jump where a feature passes a threshold, so the last bits that processors differ by may
    show in what they rank; of the suggesters themselves they may not.
    """
    bundle = load_suggester(MODELS / name, device="cpu")
    found = bundle.mean if isinstance(bundle, RankedSuggester) else bundle
    return found.changed(_reading_once)


def _reading_once(part: LabelSuggester) -> LabelSuggester:
    """Compute what an encoder makes of a text once, though it is read with names and without."""
    if not isinstance(part, GuidedSuggester):
        return part
    changed = copy(part)
    changed.backend = cast(Backend, ReadOnce(part.backend))
    return changed


class ReadOnce:
    """A back-end that keeps the logits of the windows that it has read."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: dict[tuple[tuple[int, ...], ...], Logits] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def logits(self, windows: Windows, **options: Any) -> Logits:
        key = tuple(tuple(window) for window in windows)
        if key not in self._known:
            self._known[key] = self._backend.logits(windows, **options)
        return self._known[key]


def add_names(bundle: Suggester, home: Path) -> Suggester:
    """A bundle as it is served where its own vocabulary, one of codes, is in use."""
    assert isinstance(bundle, LabelSuggester)
    directory = MODELS / bundle.name
    return with_names(bundle, bundle.label_space.hierarchy, home, bundle_dir=directory)


def predict(suggester: Suggester, documents: Iterable[Document]) -> list[dict[str, Any]]:
    """What is suggested for each document, as JSON has it."""
    return [_predicted(suggester, document) for document in documents]


def _predicted(suggester: Suggester, document: Document) -> dict[str, Any]:
    found = suggester.suggest(document, limit=LIMIT)
    return {
        "suggestions": [
            [s.concept_id, _short(s.probability), _short(s.branch_probability), s.source]
            for s in found.suggestions
        ],
        "branch": {i: _short(value) for i, value in found.branch_probability.items()},
        "own": {i: _short(value) for i, value in found.own_probability.items()},
        "n_tokens": [found.n_tokens, found.n_tokens_read, found.n_windows],
    }


def explain(suggester: Suggester, document: Document, ids: Sequence[str]) -> dict[str, Any]:
    """The evidence for some concepts: sources, and passages with their first place."""
    found = suggester.explain(document).evidence(ids)
    return {
        concept_id: {
            "sources": {name: _short(value) for name, value in evidence.sources.items()},
            "passages": [
                [p.text, _short(p.share), [p.spans[0].field, p.spans[0].start, p.spans[0].end]]
                for p in evidence.passages
            ],
        }
        for concept_id, evidence in found.items()
    }


def _short(value: float) -> float:
    return round(float(value), DIGITS)


# ---------------------------------------------------------------------- command line


def command(*arguments: object) -> str:
    """What a command writes to standard output."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert main([str(argument) for argument in arguments]) == 0
    return out.getvalue()


# ---------------------------------------------------------------------- store


def exports(url: str, vocabularies: Sequence[Hierarchy]) -> dict[str, str]:
    """Every export of a store, by what was asked for."""
    store = Store.open(url)
    try:
        found = {}
        for hierarchy in vocabularies:
            for name, selection in SELECTIONS.items():
                for key, content in _exports_of(Export(store, selection, hierarchy)):
                    found[f"{hierarchy.vocabulary_id}, {name}, {key}"] = content.decode()
        return found
    finally:
        store.close()


def _exports_of(export: Export) -> Iterable[tuple[str, bytes]]:
    texts = replace(export, language="de", with_text=True)
    for form in forms_of(export.hierarchy.vocabulary_id):
        yield form, export.file(form)
        yield f"{form} with text", texts.file(form)
    yield "preview", json.dumps(asdict(export.preview(limit=3)), indent=0).encode()


def contents(url: str) -> dict[str, Any]:
    """What a store says of projects, documents, decisions, rules, jobs and preferences."""
    store = Store.open(url)
    try:
        listed = list_projects(store)
        found = {
            "projects": listed,
            "preferences": read_preferences(store, default_person(store).person_id),
            **{project.name: _project(store, project.project_id) for project in listed},
        }
        return dict(json.loads(json.dumps(found, default=_plain)))
    finally:
        store.close()


def _project(store: Store, project_id: int) -> dict[str, Any]:
    rules = read_rules(store, project_id)
    documents = [
        *list_documents(store, project_id),
        *list_documents(store, project_id, removed=True),
    ]
    return {
        "rules": [sorted(rules.never_suggested), sorted(rules.never_assigned)],
        "job": latest_job(store, project_id),
        "documents": documents,
        **{document.document_id: _document(store, document.document_id) for document in documents},
    }


def _document(store: Store, document_id: str) -> dict[str, Any]:
    return {
        "document": fetch_document(store, document_id),
        "given": given_concepts(store, document_id),
        "decisions": current(store, document_id),
        "not taken": not_taken(store, document_id),
        "terms": read_proposed_terms(store, document_id),
        "prediction": latest_prediction(store, document_id),
    }


def _plain(value: object) -> object:
    """For JSON: fields of a record, or the words of a date."""
    names = getattr(value, "__dataclass_fields__", None)
    return str(value) if names is None else {name: getattr(value, name) for name in names}


def write_backup_file(url: str, home: Path, target: Path) -> None:
    """A backup of a store and its home."""
    store = Store.open(url)
    write_backup(store, home, target)
    store.close()


def restore_backup(source: Path, url: str, home: Path) -> None:
    """Read a backup into an installation."""
    read_backup(source, database_url=url, home=home)

"""Bundles of every kind, served."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.suggest.similar import SimilarDocuments, hashed_words
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.skos.reader import read_skos
from tests.support.models.network_bundle import write_network_bundle
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.workshop import make_workshop
from tests.support.places import TINY_SKOS
from tests.support.similar_acts import SIMILAR_ACTS
from training.__main__ import main


@pytest.fixture(scope="module")
def predictor(tmp_path_factory):
    directory = tmp_path_factory.mktemp("bundle")
    write_tiny_bundle(directory)
    return load_suggester(directory)


@pytest.fixture
def groups(predictor, monkeypatch):
    """The groups of documents that are scored together, each as soon as that begins."""
    begun, score = Queue(), predictor.score

    def watched(documents, **options):
        scores = score(documents, **options)
        begun.put(documents)
        yield from scores

    monkeypatch.setattr(predictor, "score", watched)
    return begun


@pytest.fixture(scope="module")
def linear_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made as a person makes it: baseline, then bundle."""
    workshop = make_workshop(tmp_path_factory.mktemp("workshop"))
    run, out = workshop / "svm", workshop / "bundle"
    config = ["--config", str(workshop / "run.toml"), "--features", "stems"]
    assert main(["baseline", "svm", *config, "--out", str(run)]) == 0
    assert main(["bundle", str(run), "--out", str(out), "--name", "words"]) == 0
    return out


@pytest.fixture(scope="module")
def linear_predictor(linear_bundle: Path) -> LabelSuggester:
    return load_suggester(linear_bundle)


@pytest.fixture(scope="module")
def network_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("network")
    write_network_bundle(directory)
    return directory


@pytest.fixture(scope="module")
def network_predictor(network_bundle: Path) -> LabelSuggester:
    return load_suggester(network_bundle)


@pytest.fixture(scope="module")
def similar_index() -> SimilarDocuments:
    made = SimilarDocuments(hashed_words())
    titles = {name: act.title for name, act in SIMILAR_ACTS.items()}
    assert made.update(titles, SIMILAR_ACTS.__getitem__) == 0
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    lines = [json.dumps({"id": n, "title": f"olive oil {n}"}) for n in range(10)]
    path.write_text("\n".join([*lines[:5], "{broken", *lines[5:]]), encoding="utf-8")
    return path


@pytest.fixture
def tiny_index(tmp_path: Path) -> Iterator[VocabularyIndex]:
    index = VocabularyIndex.build(read_skos(TINY_SKOS).hierarchy, tmp_path / "index.sqlite")
    yield index
    index.close()

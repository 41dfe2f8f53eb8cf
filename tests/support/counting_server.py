"""A server that counts what it opens."""

from __future__ import annotations

from pathlib import Path

from core.review.store.projects import make_project
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.fakes import FakePredictor, hierarchy


class CountingServer:
    """A server of one vocabulary; every version of it is a project's own."""

    def __init__(self, home: Path, memory_mb: int = 1_000) -> None:
        bundle = home / "bundle"
        bundle.mkdir(parents=True)
        LabelSpace(hierarchy()).save(bundle / "label_space.jsonl")
        url = f"sqlite:///{home}/strata.sqlite"
        self.loads = 0
        settings = Settings(home, url, bundle, "en", home / "shipped", memory_mb)
        self.server = Server(settings, self.load)
        self.first = Session(self.server)
        self.first.project_id()  # made before any other

    def load(self, _: Path) -> Suggester:
        self.loads += 1
        return FakePredictor(hierarchy())

    def versioned(self, n: int) -> Session:
        """A project with a vocabulary of its own, which no model knows."""
        vocabulary = Hierarchy(
            [hierarchy()[i] for i in hierarchy()], vocabulary_id=f"list-{n}", version="1"
        )
        self.server.versions.add(vocabulary, file_name="x", sha256=str(n), report={})
        made = make_project(self.first.server.store(), f"Ward {n}", f"list-{n}")
        return self.first.elsewhere(made.project_id)

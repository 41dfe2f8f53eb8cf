"""A home folder as it was when one project was open for everybody."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from sqlalchemy import text

from core.review.store.people import default_person, set_preference
from core.review.store.store import Store
from core.serving.adoption import IN_USE
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.versions.vocabulary_versions import VersionKey, VocabularyVersions
from tests.support.fakes import FakePredictor, hierarchy

OLD = VersionKey("tiny", "1957")


NEW = VersionKey("tiny", "2030")


CODES = VersionKey("icd9cm", "32")


class OldHome:
    """What a server of before left in its folder."""

    def __init__(self, home: Path) -> None:
        self.home, bundle = home, home / "bundle"
        bundle.mkdir(parents=True)
        LabelSpace(hierarchy()).save(bundle / "label_space.jsonl")
        url = f"sqlite:///{home}/strata.sqlite"
        self.settings = Settings(home, url, bundle, "en", home / "shipped")
        self.versions = VocabularyVersions(home)
        self.store = Store.open(url)
        self.person_id = default_person(self.store).person_id
        for key in (OLD, NEW, CODES):
            concepts = [hierarchy()[i] for i in hierarchy()]
            kept = Hierarchy(concepts, vocabulary_id=key.vocabulary_id, version=key.version)
            self.versions.add(kept, file_name="x", sha256=key.version, report={})

    def took(self, *keys: VersionKey) -> None:
        content = json.dumps([asdict(key) for key in keys])
        (self.versions.folder / IN_USE).write_text(content, "utf-8")

    def preferred(self, name: str, value: object) -> None:
        set_preference(self.store, self.person_id, name, value)

    def upgraded(self) -> Session:
        """The server of now, on what was left: rows of before have no history."""
        with self.store.write() as connection:
            connection.execute(text("UPDATE project SET former_choices = NULL"))
        self.store.close()
        return Session(Server(self.settings, lambda _: FakePredictor(hierarchy())))

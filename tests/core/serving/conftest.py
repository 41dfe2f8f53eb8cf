"""A project, and the service that suggests for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.review.store.projects import default_project
from core.review.store.store import Store
from core.suggest.suggestions import Prediction
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.models.served_models import bundles as bundles
from tests.support.models.served_models import settings as settings
from tests.support.models.served_models import shared as shared
from tests.support.services import QueueOfOne, running


@pytest.fixture
def project_id(store: Store) -> int:
    return default_project(store, "tiny").project_id


@pytest.fixture
def kept() -> dict[str, Prediction]:
    return {}


@pytest.fixture
def service(kept: dict[str, Prediction]) -> Iterator[QueueOfOne]:
    service = running(lambda: FakePredictor(hierarchy()), kept.__setitem__)
    yield service
    service.close()

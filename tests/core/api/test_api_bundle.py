"""`/api/bundle`: a model in one file, that another installation opens."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core.api.downloads import pack_bundle
from core.errors import BundleError
from core.home import leftovers
from core.model.bundle.bundle import load_bundle, share_tokenizer
from core.model.bundle.cards import BundleCard, read_card
from core.serving.session import Session
from tests.support.models.tiny_bundle import write_tiny_bundle


def own(shared: Session) -> BundleCard:
    """Return a model that shares its tokenizer with others."""
    models = shared.settings.own_models
    write_tiny_bundle(models / "mine")
    share_tokenizer(models / "mine", models / "shared")
    return read_card(models / "mine")


def test_a_bundle_is_sent_with_what_it_shares_and_opens_elsewhere(
    client: TestClient, shared: Session, tmp_path: Path
) -> None:
    card = own(shared)
    answer = client.get(f"/api/bundle?bundle={card.bundle_hash}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="mine.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path / "models")
    assert load_bundle(tmp_path / "models" / "mine").sha256 == card.sha256
    assert leftovers(shared.settings.home) == []


def test_a_bundle_that_is_not_there_or_damaged_is_not_sent(
    client: TestClient, shared: Session
) -> None:
    card = own(shared)
    assert client.get("/api/bundle?bundle=0123").status_code == 404
    assert client.get("/api/bundle").status_code == 404
    (card.directory / "calibration.json").unlink()
    answer = client.get(f"/api/bundle?bundle={card.bundle_hash}")
    assert (answer.status_code, "no such model" in answer.json()["problem"]) == (404, True)


def test_a_link_is_not_packed(shared: Session, tmp_path: Path) -> None:
    card = own(shared)
    secret = tmp_path / "secret"
    (card.directory / "calibration.json").rename(secret)
    (card.directory / "calibration.json").symlink_to(secret)
    with pytest.raises(BundleError, match="a link that leads out of it"):
        pack_bundle(card, tmp_path / "bundle.zip")

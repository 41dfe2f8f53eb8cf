"""The version stands in `core`; what cannot read it from there repeats it."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from packaging.version import Version

from core import __version__
from core.model.bundle.cards import read_card
from core.model.bundle.manifest import MADE_WITH, identity
from core.paths import PROJECT_ROOT
from tests.support.models.tiny_bundle import write_tiny_bundle


def test_it_is_a_version() -> None:
    assert str(Version(__version__)) == __version__


def test_a_citation_names_it() -> None:
    citation = yaml.safe_load((PROJECT_ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == __version__


def test_the_container_is_labelled_with_it() -> None:
    text = (PROJECT_ROOT / "Dockerfile").read_text("utf-8")
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]*)"', text))
    assert labels["version"] == __version__


def test_a_bundle_says_with_which_it_was_made(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "tiny")
    assert read_card(tmp_path / "tiny").made_with == __version__


def test_the_version_of_strata_says_nothing_of_a_bundles_answers() -> None:
    manifest = {"format_version": 1, "files": {}}
    assert identity(manifest | {MADE_WITH: "1"}) == identity(manifest)

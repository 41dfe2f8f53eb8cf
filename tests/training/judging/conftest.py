"""Configurations, runs and bundles to judge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.labelled import CONCEPTS
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import RunConfig

NAMES = ["crops", "fish", "grape", "wheat"]


@pytest.fixture
def acts_config(tmp_path: Path) -> RunConfig:
    """A configuration over invented acts and a vocabulary file."""
    rng = np.random.default_rng(0)
    for split, start in (("train", 0), ("dev", 100), ("test", 200)):
        lines = []
        for number in range(start, start + 40):
            chosen = sorted({NAMES[i] for i in rng.integers(4, size=2)})
            text = "Article 1" if number % 10 == 0 else ""
            lines.append({"id": number, "title": f"Act {number}", "text": text, "concepts": chosen})
        content = "\n".join(json.dumps(line) for line in lines)
        (tmp_path / f"{split}.jsonl").write_text(content, encoding="utf-8")
    write_vocabulary(tmp_path / "tiny.nt")
    config = RunConfig(name="tiny").replace("data.path", str(tmp_path)).replace("model.depth", 3)
    return config.replace("data.vocabulary", str(tmp_path / "tiny.nt"))


def write_vocabulary(path: Path) -> None:
    """The concepts of `tests.support.labelled` as SKOS, all of them assignable."""
    skos, rdf = (
        "http://www.w3.org/2004/02/skos/core#",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    )
    lines = []
    for name, broader, _ in CONCEPTS:
        uri = f"<http://example.org/{name}>"
        lines += [f"{uri} <{rdf}type> <{skos}Concept> .", f'{uri} <{skos}prefLabel> "{name}"@en .']
        lines += [f"{uri} <{skos}broader> <http://example.org/{b}> ." for b in broader]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def timed_models(tmp_path_factory: pytest.TempPathFactory, single_thread: None) -> Path:
    """A trained run, a bundle and a baseline on one corpus, each in a folder."""
    folder = make_workshop(tmp_path_factory.mktemp("latency"))
    text = (folder / "run.toml").read_text().replace("epochs = 6", "epochs = 1")
    (folder / "run.toml").write_text(text)
    assert main(["train", str(folder / "run.toml"), "--out", str(folder / "run")]) == 0
    write_tiny_bundle(folder / "bundle")
    words = ["--config", str(folder / "run.toml"), "--out", str(folder / "svm")]
    assert main(["baseline", "svm", *words]) == 0
    return folder

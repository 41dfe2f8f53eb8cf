"""The run folder of a baseline, judged like any other run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from training.corpora.corpus import Corpus, LabelledDocument, full_texts
from training.judging.folders import TITLE_ALONE, JudgedData
from training.judging.recorded import commit, write_facts

MADE = (
    "run.json",
    "metrics.json",
    "classical.safetensors",
    "classical_terms.txt",
    "linear.safetensors",
    "linear_terms.txt",
    "trees",
    *(f"scores_{split}{alone}.npz" for split in ("dev", "test") for alone in ("", "_title_alone")),
)
"""Whatever a baseline of any kind may have left in its folder."""


def clear(out: Path) -> None:
    """Take an earlier baseline out of a folder, run.json first, so that nothing of it stays.

    Raises:
        ConfigError: a run of another kind is in it.
    """
    if (out / "config.toml").is_file():
        raise ConfigError(f"{out} holds a trained run: name another --out for the baseline.")
    for place in (out / name for name in MADE):
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)


def judged_documents(corpus: Corpus) -> dict[str, list[LabelledDocument]]:
    """Return what is scored, by file name: dev, test, and their full texts by title alone."""
    by_split: dict[str, list[LabelledDocument]] = {}
    for split in ("dev", "test"):
        documents = corpus.split(split)
        by_split[split] = list(documents)
        if texts := full_texts(documents):
            by_split[f"{split}_{TITLE_ALONE}"] = [row.title_alone() for row in texts]
    return by_split


def write_baseline_facts(
    out: Path, data: JudgedData, facts: Mapping[str, Any], *, packages: Sequence[str]
) -> None:
    """Write run.json, which is what a finished run is known by.

    Args:
        facts: of this run, before those of the data, the commit and the versions.
        packages: whose versions are noted.
    """
    of_data = {
        "data_sha256": dict(data.corpus.sha256),
        "data": data.source.model_dump(),
        "commit": commit(),
        "versions": {name: version(name) for name in packages},
    }
    write_facts(out, {**facts, **of_data})

"""What every baseline leaves in its run's folder, so that it is judged like any other run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from training.data.corpus import Corpus, LabelledDocument, full_texts
from training.data.sampling import training_documents
from training.judging.folders import TITLE_ALONE, JudgedData
from training.judging.recorded import commit


def judged_documents(corpus: Corpus) -> dict[str, list[LabelledDocument]]:
    """What is scored, by the name of its file: dev, test, and their full texts by title alone."""
    found: dict[str, list[LabelledDocument]] = {}
    for split in ("dev", "test"):
        documents = corpus.split(split)
        found[split] = list(documents)
        if texts := full_texts(documents):
            found[f"{split}_{TITLE_ALONE}"] = [row.title_alone() for row in texts]
    return found


def learned_documents(data: JudgedData, seed: int) -> Sequence[LabelledDocument]:
    """The training documents, or as many of them as the configuration says."""
    return training_documents(data.corpus, data.source, seed)


def write_facts(
    out: Path, data: JudgedData, facts: Mapping[str, Any], *, packages: Sequence[str]
) -> None:
    """Write run.json, which is what a finished run is known by.

    Args:
        facts: of this run, before those of the data, the commit and the versions.
        packages: whose versions are noted.
    """
    whole = {
        **facts,
        "data_sha256": dict(data.corpus.sha256),
        "data": asdict(data.source),
        "commit": commit(),
        "versions": {name: version(name) for name in packages},
    }
    (out / "run.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")

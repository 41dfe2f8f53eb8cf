"""From a finished run, or a bundle as it is shipped, to result rows.

The threshold of a row is tuned on dev; full texts are judged by their titles alone as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.model.bundle.manifest import MANIFEST, read_manifest
from core.settings import Settings
from core.suggest.opening import load_suggester
from training.config import DataConfig, ReadingConfig
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.evaluate import Evaluation, evaluate
from training.judging.folders import (
    TITLE_ALONE,
    JudgedData,
    RunFolder,
    command_of_run,
    config_of,
    identity_of,
    load_data,
    names_apart,
    over,
    setup_of,
)
from training.judging.rows import Facts, ResultRow
from training.judging.scores import Scores, tune_threshold
from training.judging.scoring import kept_scores
from training.shipping.shipped import require_known, require_unseen

KEPT_FACTS = (
    "minutes",
    "dev_loss",
    "steps",
    "documents_seen",
    "documents_per_second",
    "training_documents",
    "commit",
    "device",
    "processor",
    "dtype",
    "versions",
    "data_sha256",
    "config",
    "command",
    "parameters",
    "bytes",
    "epochs",
    "capped",
    "stopped_early",
    "origins",
    "teacher_minutes",
)
"""What a row keeps of run.json."""


def judge_run(
    run: RunFolder,
    data: JudgedData,
    depth: int,
    facts: Facts,
    splits: Sequence[str] = ("dev", "test"),
) -> dict[str, ResultRow]:
    """Return a row a split; the threshold of descriptors is tuned on dev for all of them."""
    config = config_of(run.path)
    about: dict[str, Any] = {}
    if config is not None:
        about = {"setup": setup_of(config), "command": command_of_run(run.path)}
    about |= {name: value for name, value in run.facts.items() if name in KEPT_FACTS}
    threshold = dev_threshold(run.scores("dev"), data)
    rows: dict[str, ResultRow] = {}
    for split in splits:
        scores = run.scores(split), run.title_alone(split)
        judged = _judged(*scores, data, split, depth=depth, threshold=threshold)
        rows[split] = ResultRow.of(judged, {**about, **_remarks(data), **facts, "split": split})
    return rows


def _judged(
    scores: Scores,
    alone: Scores | None,
    data: JudgedData,
    split: str,
    *,
    depth: int,
    threshold: float | None,
) -> Evaluation:
    documents = data.corpus.split(split)
    judged = evaluate(
        scores,
        documents,
        data.label_space,
        depth=depth,
        threshold=threshold,
        single_label=data.single_label,
        training=data.corpus.train,
    )
    return judged if alone is None else with_title_alone(judged, alone, documents, data)


def _remarks(data: JudgedData) -> dict[str, Any]:
    return {"remarks": list(data.corpus.remarks)} if data.corpus.remarks else {}


def write_metrics(run: RunFolder, rows: Mapping[str, ResultRow]) -> None:
    """metrics.json beside a run's scores: split -> documents -> metric -> mean."""
    means = {split: row.means for split, row in rows.items()}
    text = json.dumps(means, indent=1, allow_nan=True)
    (run.path / "metrics.json").write_text(text + "\n", encoding="utf-8")


def judge_folders(
    folders: Sequence[Path], options: DataConfig, *, split: str, depth: int
) -> dict[str, ResultRow]:
    """Return a row a folder, by the folder's name (see `names_apart`); all on the same data.

    A row has the arm and seed of the run, as tables and times do, not of its folder.

    Args:
        options: data that the command line names, over what the first run was made from, or, of
            bundles alone, the first bundle.
    """
    data = data_for(folders, options)
    rows: dict[str, ResultRow] = {}
    for folder, name in zip(folders, names_apart(folders), strict=True):
        if (folder / MANIFEST).is_file():
            facts = {"arm": folder.name}
            rows[name] = judge_bundle(folder, data, depth=depth, facts=facts, split=split)
        else:
            run = RunFolder.finished(folder)
            rows[name] = judge_run(run, data, depth, identity_of(folder), [split])[split]
    return rows


def data_for(folders: Sequence[Path], options: DataConfig) -> JudgedData:
    """Return what folders are judged on: what the first run was made from, or the first bundle.

    Args:
        options: data that the command line names, over that.
    """
    runs = [folder for folder in folders if not (folder / MANIFEST).is_file()]
    if runs:
        return load_data(over(RunFolder.finished(runs[0]).data(), options))
    from core.model.bundle.bundle import load_bundle
    from training.shipping.shipped import load_bundle_data

    return load_bundle_data(folders[0], options, load_bundle(folders[0]).label_space)


def judge_bundle(
    folder: Path, data: JudgedData, *, depth: int, facts: Facts, split: str
) -> ResultRow:
    """Return the row of a bundle on a split, in its own label space.

    No other split is read. The threshold is tuned where that is dev, and is else the one that a
    judgement on dev wrote into the manifest; without one, there are no measures from a threshold.

    Raises:
        ConfigError: the documents have none of its labels, or it has learned from them.
    """
    require_unseen(folder, data.corpus, split)
    suggester = load_suggester(folder)
    data = replace(data, label_space=suggester.label_space)
    documents = data.corpus.split(split)
    require_known(folder, data.label_space, documents)
    texts = [] if suggester.facts.reading.pair else titled_full_texts(documents)
    with kept_scores(suggester, Settings.from_env().home) as scores_folder:
        scores = scores_folder.of(documents, split)
        alone = (
            scores_folder.of([row.title_alone() for row in texts], "by title alone")
            if texts
            else None
        )
    is_dev = split == "dev"
    threshold = dev_threshold(scores, data) if is_dev else recorded_threshold(folder)
    threshold = None if data.single_label else threshold
    judged = _judged(scores, alone, data, split, depth=depth, threshold=threshold)
    identity = {"bundle": suggester.name, "bundle_hash": suggester.bundle_hash, "split": split}
    checked = {**_remarks(data), "data_sha256": dict(data.corpus.sha256)}
    return ResultRow.of(judged, {**facts, **identity, **_command(folder), **checked})


def _command(folder: Path) -> dict[str, str]:
    made = read_manifest(folder).get("training")
    command = made.get("command") if isinstance(made, dict) else None
    return {"command": str(command)} if command else {}


# ---------------------------------------------------------------------- subsets


def dev_threshold(dev: Scores, data: JudgedData) -> float | None:
    """Return the threshold of descriptors, tuned on dev.

    None without scores of an assigned head, and where the best scored label is taken.
    """
    if dev.assigned is None or data.single_label:
        return None
    dev = dev.rows([row.document_id for row in data.corpus.dev])
    assert dev.assigned is not None
    return tune_threshold(dev.assigned, [row.assigned for row in data.corpus.dev], data.label_space)


def recorded_threshold(folder: Path) -> float | None:
    """Return the threshold that a judgement on dev wrote into a bundle's manifest, or None."""
    about = read_manifest(folder).get("about", {})
    threshold = about.get("threshold") if isinstance(about, dict) else None
    return float(threshold) if isinstance(threshold, int | float) else None


def titled_full_texts(documents: Sequence[LabelledDocument]) -> list[LabelledDocument]:
    """Return full texts whose titles are meaningful without them."""
    return [row for row in full_texts(documents) if row.document.title]


def reads_titles(reading: ReadingConfig) -> bool:
    """Return whether a title alone differs from what is read anyway and is no half of a pair."""
    return reading.mode != "pair" and reading.windows_per_document > 0


def with_title_alone(
    judged: Evaluation,
    scores: Scores,
    documents: Sequence[LabelledDocument],
    data: JudgedData,
) -> Evaluation:
    """Return the evaluation with one more subset: full texts of which only the title was read."""
    alone = evaluate(
        scores,
        titled_full_texts(documents),
        data.label_space,
        depth=judged.depth,
        threshold=judged.threshold,
        single_label=data.single_label,
    )
    subset = f"full_texts_{TITLE_ALONE}"
    means: Mapping[str, Any] = {**judged.means, subset: alone.means["all"]}
    # Some texts have no title, so these are fewer than the full texts.
    return replace(judged, means=means, sizes={**judged.sizes, subset: alone.sizes["all"]})

"""From a finished run, or a bundle as it is shipped, to result rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.config import DataConfig
from training.corpora.subsets import dev_threshold, with_title_alone
from training.judging.evaluate import evaluate
from training.judging.folders import JudgedData, RunFolder, load_data, over
from training.judging.rows import Facts, ResultRow
from training.judging.setups import command_of_run, config_of, identity_of, setup_of

BUNDLE_MANIFEST = "bundle.json"

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
    "fused",
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
    """A row a split; the threshold of descriptors is tuned on dev for all of them."""
    kept = _described(run.path)
    kept |= {name: value for name, value in run.facts.items() if name in KEPT_FACTS}
    said = {"remarks": list(data.corpus.remarks)} if data.corpus.remarks else {}
    threshold = dev_threshold(run.scores("dev"), data)
    rows: dict[str, ResultRow] = {}
    for split in splits:
        documents = data.corpus.split(split)
        judged = evaluate(
            run.scores(split),
            documents,
            data.label_space,
            depth=depth,
            threshold=threshold,
            single_label=data.single_label,
        )
        alone = run.title_alone(split)
        if alone is not None:
            judged = with_title_alone(judged, alone, documents, data)
        rows[split] = ResultRow.of(judged, {**kept, **said, **facts, "split": split})
    return rows


def _described(folder: Path) -> dict[str, Any]:
    """What a trained run is and how it is trained again; a baseline's run.json says it itself."""
    config = config_of(folder)
    if config is None:
        return {}
    return {"setup": setup_of(config), "command": command_of_run(folder)}


def write_metrics(run: RunFolder, rows: Mapping[str, ResultRow]) -> None:
    """metrics.json beside a run's scores: split -> documents -> metric -> mean."""
    means = {split: row.means for split, row in rows.items()}
    text = json.dumps(means, indent=1, allow_nan=True)
    (run.path / "metrics.json").write_text(text + "\n", encoding="utf-8")


def judge_folders(
    folders: Sequence[Path], options: DataConfig, *, split: str, depth: int
) -> dict[str, ResultRow]:
    """A row a folder, by the folder's name; all are judged on the same data.

    A row says arm and seed as tables and times do: those of the run, not of its folder.

    Args:
        options: data that the command line names, over what the first run was made from, or, of
            bundles alone, the first bundle.
    """
    data = data_for(folders, options)
    rows: dict[str, ResultRow] = {}
    for folder in folders:
        if (folder / BUNDLE_MANIFEST).is_file():
            from training.judging.judge_bundle import judge_bundle

            facts = {"arm": folder.name}
            rows[folder.name] = judge_bundle(folder, data, depth=depth, facts=facts, split=split)
        else:
            run = RunFolder.finished(folder)
            rows[folder.name] = judge_run(run, data, depth, identity_of(folder), [split])[split]
    return rows


def data_for(folders: Sequence[Path], options: DataConfig) -> JudgedData:
    """What folders are judged on: what the first run was made from, or the first bundle.

    Args:
        options: data that the command line names, over that.
    """
    runs = [folder for folder in folders if not (folder / BUNDLE_MANIFEST).is_file()]
    if runs:
        return load_data(over(RunFolder.finished(runs[0]).data(), options))
    from core.model.bundle import load_bundle
    from training.shipping.shipped import load_bundle_data

    return load_bundle_data(folders[0], options, load_bundle(folders[0]).label_space)

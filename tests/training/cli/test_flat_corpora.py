"""From a corpus with labels of its own to results, by the command line, on a tiny encoder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.files.reuters_files import story, write
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import load_config
from training.judging.folders import RunFolder, load_data

pytestmark = pytest.mark.usefixtures("single_thread")

MAIL = {
    "sea": "fish quota bay fishing water",
    "farm": "honey animal plant label trade",
    "rail": "railway ticket price noise air",
}


def write_config(folder: Path, data: str, model: str = "", preset: str = "multi-label") -> Path:
    path = folder / "flat.toml"
    path.write_text(
        f"""
name = "flat"
preset = "{preset}"
[data]
{data}
[model]
encoder = "encoder"
{model}
[reading]
max_length_tokens = 24
[optim]
encoder_lr = 5e-3
head_lr = 3e-2
batch_size = 8
min_steps = 40
""",
        "utf-8",
    )
    return path


def metrics_of(folder: Path, config: Path) -> dict[str, float]:
    assert main(["train", str(config), "--out", str(folder / "run")]) == 0
    facts = json.loads((folder / "run" / "run.json").read_text(encoding="utf-8"))
    assert facts["command"] == f"python -m training train …/{config.name}"
    means = json.loads((folder / "run" / "metrics.json").read_text("utf-8"))
    of_test: dict[str, float] = means["test"]["all"]
    return of_test


def test_a_table_of_one_label_a_row_is_trained_and_judged(tmp_path: Path, capsys) -> None:
    kinds = list(MAIL)
    rows = [f'"the {MAIL[kinds[n % 3]]}",{kinds[n % 3]}' for n in range(60)] + [",sea"] * 7
    (make_workshop(tmp_path) / "mail.csv").write_text("\n".join(["text,kind", *rows]), "utf-8")
    data = 'format = "table"\npath = "mail.csv"\ntask = "kind"'
    config = write_config(tmp_path, data, preset="label-embedding")

    assert metrics_of(tmp_path, config)["accuracy"] > 0.9
    said = capsys.readouterr().err
    assert "mail: train 39, dev 9, test 12; 7 problems in the records" in said
    assert said.count("no text in the column text") == 5
    assert "… and 2 more" in said
    run = RunFolder.finished(tmp_path / "run")
    assert run.facts["problems"] == 7
    space = load_data(run.data()).label_space
    assert space.concept_ids == ("farm", "rail", "sea")


def test_stories_of_several_topics_are_trained_and_judged(tmp_path: Path) -> None:
    kinds = list(MAIL)
    stories = []
    for number in range(80):
        topics = {kinds[number % 3], kinds[number % 2]}
        text = f"<TITLE>{' '.join(MAIL[topic] for topic in sorted(topics))}</TITLE>"
        stories.append(story(number, "TEST" if number > 59 else "TRAIN", *topics, text=text))
    write(make_workshop(tmp_path), *stories)
    config = write_config(tmp_path, 'format = "reuters"\npath = "."')

    of_test = metrics_of(tmp_path, config)
    assert of_test["micro_f1"] > 0.9
    # What the article on multi-label BERT reports.
    assert of_test["roc_auc"] > 0.95 and of_test["roc_auc:sea"] > 0.95
    assert of_test["cell_accuracy"] > 0.9


def test_a_fold_and_a_cut_decide_what_is_learned_and_judged(tmp_path: Path) -> None:
    rows = [f"{MAIL['sea']} {n},{'a' if n % 2 else 'b'}" for n in range(50)]
    (make_workshop(tmp_path) / "mail.csv").write_text("\n".join(["text,label", *rows]), "utf-8")
    data = 'format = "table"\npath = "mail.csv"\nfold = "2/5"\ncut = 12'
    config = write_config(tmp_path, data, 'objective = "single_label"')
    metrics_of(tmp_path, config)

    judged = load_data(load_config(config).data).corpus
    run = RunFolder.finished(tmp_path / "run")
    assert run.facts["training_documents"] == 12
    assert set(run.scores("test").document_ids) == {row.document_id for row in judged.test}
    assert "fold 2/5" in judged.remarks[0]
    assert main(["compare", str(run.path), "--results", str(tmp_path / "tables")]) == 0
    page = (tmp_path / "tables" / "table.md").read_text("utf-8")
    assert f"- {judged.remarks[0]}" in page
    assert "## Class by class (%)" in page

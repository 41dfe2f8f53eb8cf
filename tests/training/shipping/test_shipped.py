"""The data that a bundle is judged on by default: what it was made from, or nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.insights.report import load_insights
from core.model.bundle.manifest import read_manifest, record_about, write_json
from core.paths import PROJECT_ROOT
from tests.support.models.tiny_bundle import tiny_label_space, write_tiny_bundle
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import DataConfig
from training.judging.folders import NOTHING_NAMED, load_corpus, over
from training.judging.judge import data_for, judge_bundle, judge_folders
from training.judging.recorded import named_data, typed_command
from training.shipping.shipped import data_of_bundle, kept_data, load_bundle_data

EUROVOC = PROJECT_ROOT / "assets" / "models" / "eurovoc"

pytestmark = pytest.mark.usefixtures("single_thread")


def write_bundle(folder: Path, **training: object) -> Path:
    write_tiny_bundle(folder)
    manifest = read_manifest(folder)
    write_json(folder / "bundle.json", {**manifest, "training": training})
    return folder


def test_a_bundle_is_judged_as_it_was_trained(tmp_path: Path, mail: Path) -> None:
    data = DataConfig(format="table", path="/secret", task="about", fold="2/5", newest=3)
    bundle = write_bundle(tmp_path / "bundle", data=kept_data(data))
    assert "secret" not in (bundle / "bundle.json").read_text("utf-8")
    assert main(["insights", str(bundle), "--data", str(mail), "--split", "test"]) == 0
    found = load_insights(bundle / "insights" / "insights-test.json")
    assert (found.facts["corpus"], found.facts["n_documents"]) == ("mail", 6)
    assert main(["evaluate", str(bundle), "--data", str(mail), "--split", "test"]) == 0


def test_what_is_to_be_said_of_a_corpus_stands_on_the_row_of_a_bundle(
    tmp_path: Path, mail: Path
) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    options = DataConfig(format="table", task="about", path=str(mail), fold="2/5")
    row = judge_folders([bundle], options, split="test", depth=3)["bundle"]
    assert "fold 2/5" in row.facts["remarks"][0]


def test_without_its_corpus_at_hand_a_bundle_is_not_judged(tmp_path, capsys) -> None:
    bundle = write_bundle(tmp_path / "bundle", data={"format": "table", "task": "about"})
    for command in ("insights", "evaluate", "utilization"):
        assert main([command, str(bundle)]) == 1
        assert "name one with --data, or with data.path" in capsys.readouterr().err


def test_the_data_for_development_must_be_what_a_bundle_was_made_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_workshop(tmp_path)
    (tmp_path / "corpus").rename(tmp_path / "eurlex")
    monkeypatch.setenv("STRATA_DATA", str(tmp_path))
    sums = dict(load_corpus(DataConfig()).sha256)
    space = tiny_label_space()

    own = write_bundle(tmp_path / "own", data_sha256=sums)
    assert len(load_bundle_data(own, NOTHING_NAMED, space).corpus.dev) == 12
    other = write_bundle(tmp_path / "other", data_sha256={"train.csv": "0"})
    with pytest.raises(ConfigError, match=r"another corpus than eurlex.*--data"):
        load_bundle_data(other, NOTHING_NAMED, space)
    named = NOTHING_NAMED.model_copy(update={"path": str(tmp_path / "eurlex")})
    assert load_bundle_data(other, named, space).corpus.name == "eurlex"


@pytest.mark.parametrize("command", ["insights", "evaluate"])
def test_labels_of_another_vocabulary_are_not_judged(tmp_path, capsys, command) -> None:
    for split in ("train", "dev", "test"):
        acts = [{"id": f"{split} {n}", "title": "fish", "concepts": ["rocket"]} for n in range(9)]
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, acts)), "utf-8")
    bundle = write_bundle(tmp_path / "bundle")
    assert main([command, str(bundle), "--data", str(tmp_path), "--split", "test"]) == 1
    assert "No label of these documents, such as “rocket”" in capsys.readouterr().err


def test_a_bundle_is_not_judged_on_what_it_learned(mail: Path, tmp_path: Path, capsys) -> None:
    sums = dict(load_corpus(DataConfig(format="table", path=str(mail), task="about")).sha256)
    seen = ["train", "dev", "test"]
    bundle = write_bundle(
        tmp_path / "bundle", data={"format": "table", "task": "about"}, data_sha256=sums, seen=seen
    )
    assert main(["evaluate", str(bundle), "--data", str(mail), "--split", "test"]) == 1
    assert "has learned from test" in capsys.readouterr().err


def test_no_other_split_is_read_and_the_threshold_of_dev_is_kept(tmp_path: Path) -> None:
    make_workshop(tmp_path)
    bundle = write_bundle(tmp_path / "bundle")
    data = data_for([bundle], DataConfig(path=str(tmp_path / "corpus")))
    without_dev = replace(data, corpus=replace(data.corpus, dev=()))
    row = judge_bundle(bundle, without_dev, depth=3, facts={}, split="test")
    assert row.threshold is None
    assert "micro_f1" not in row.means["all"]
    record_about(bundle, {"threshold": 0.25})
    row = judge_bundle(bundle, without_dev, depth=3, facts={}, split="test")
    assert row.threshold == 0.25
    assert "micro_f1" in row.means["all"]


def test_the_bundled_model_is_judged_on_the_acts(shared_data: Path) -> None:
    assert data_of_bundle(EUROVOC) == DataConfig()
    sums = read_manifest(EUROVOC)["training"]["data_sha256"]
    assert sums == dict(load_corpus(DataConfig(path=str(shared_data / "eurlex"))).sha256)


def test_what_a_command_line_names_goes_over_what_is_known() -> None:
    known = DataConfig(format="reuters", path="stories", task="single", fold="1/5")
    more = {"path": "more"}
    assert over(known, NOTHING_NAMED) == known
    assert over(known, NOTHING_NAMED.model_copy(update=more)) == known.model_copy(update=more)
    table = over(known, DataConfig(format="table", path="mail.csv"))
    assert table == DataConfig(format="table", path="mail.csv")
    assert over(known, DataConfig()) == DataConfig()


def test_a_recorded_command_names_whatever_was_given(tmp_path: Path) -> None:
    assert (
        typed_command("baseline linear", **named_data(NOTHING_NAMED))
        == "python -m training baseline linear"
    )
    options = DataConfig(format="table", path=str(tmp_path), task="the urgency", fold="2/5")
    typed = typed_command("fit ranker", tmp_path, **named_data(options), origin=["a", "b"], seed=0)
    place = f"…/{tmp_path.name}"
    words = f"--data {place} --format table --task 'the urgency' --fold 2/5"
    assert typed == f"python -m training fit ranker {place} {words} --origin a --origin b --seed 0"

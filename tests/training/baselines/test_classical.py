"""The classical models on invented acts: they learn, are tuned on dev alone, and are saved whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear
from tests.support.labelled import act
from tests.support.tiny_corpora import SUBJECTS, tiny_data
from training.__main__ import main
from training.baselines import classical_run as tuning
from training.baselines.classical import Classical, ClassicalConfig
from training.baselines.classical_run import run_classical, tune
from training.baselines.features import StemFeatures, WordFeatures
from training.baselines.trees import TREES, BaselineConfig, run_baseline
from training.corpora.corpus import Corpus, LabelledDocument
from training.judging.evaluate import evaluate
from training.judging.folders import JudgedData, RunFolder
from training.judging.judge import judge_run
from training.judging.timed_models import load_baseline

MODELS = ("lr", "svm", "knn")


def shuffled(data: JudgedData) -> JudgedData:
    """The same texts, each with the labels of others: those of two subjects by turns."""
    rows = data.corpus.train
    mixed = [rows[(i + 1 + i // 3 % 2) % len(rows)].assigned for i in range(len(rows))]
    train = tuple(LabelledDocument(row.document, of) for row, of in zip(rows, mixed, strict=True))
    return replace(data, corpus=replace(data.corpus, train=train))


def quality(run: RunFolder, data: JudgedData) -> float:
    """How many of the labels that each test document has stand first."""
    documents = data.corpus.test
    judged = evaluate(run.scores("test"), documents, data.label_space, depth=3)
    return judged.means["all"]["r_precision_assigned"]


@pytest.mark.parametrize("model", MODELS)
def test_it_learns_and_beats_itself_on_shuffled_labels(tmp_path: Path, model: str) -> None:
    data = tiny_data()
    run = RunFolder.finished(run_classical(ClassicalConfig(model), data, tmp_path / "run"))
    other = RunFolder.finished(
        run_classical(ClassicalConfig(model), shuffled(data), tmp_path / "other")
    )
    assert quality(run, data) == 1.0
    assert quality(other, data) < 0.7
    assert run.title_alone("test") is not None


@pytest.mark.parametrize("tree", TREES)
def test_a_tree_learns_and_beats_itself_on_shuffled_labels(tmp_path: Path, tree: str) -> None:
    data = tiny_data()
    config = BaselineConfig(tree=tree, labels=("assigned",), depth=3)
    run = RunFolder.finished(run_baseline(config, data, tmp_path / "run"))
    other = RunFolder.finished(run_baseline(config, shuffled(data), tmp_path / "other"))
    assert quality(run, data) == 1.0
    assert quality(other, data) < 0.7


def test_a_run_says_how_it_was_made_and_is_judged_like_any_other(tmp_path: Path) -> None:
    data = tiny_data()
    config = ClassicalConfig("svm", features="stems")
    run = RunFolder.finished(run_classical(config, data, tmp_path, command="baseline svm"))
    facts = run.facts
    assert (facts["name"], facts["command"]) == ("svm", "baseline svm")
    assert facts["parameters"] > 0
    assert facts["bytes"] == sum(p.stat().st_size for p in tmp_path.glob("classical*"))
    row = judge_run(run, data, 3, {"arm": "svm"})["test"]
    assert row.mean("micro_f1") == 1.0
    assert row.mean("r_precision_macro") == 1.0
    assert row.facts["config"]["features"] == "stems"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("features", ["words", "stems"])
def test_what_is_saved_reads_the_same(tmp_path: Path, model: str, features: str) -> None:
    data = tiny_data()
    run_classical(ClassicalConfig(model, features=features), data, tmp_path)
    documents = [row.document for row in data.corpus.test]
    loaded = Classical.load(tmp_path)
    assignable = data.label_space.assignable
    scores = RunFolder(tmp_path).scores("test").assigned
    assert scores is not None
    assert np.allclose(loaded.scores(documents), scores[:, assignable], atol=1e-6)
    assert np.array_equal(load_baseline(tmp_path)(documents), loaded.scores(documents))


def test_a_folder_that_is_used_again_keeps_nothing_of_the_earlier_model(tmp_path: Path) -> None:
    data = tiny_data()
    run_classical(ClassicalConfig("svm", features="stems"), data, tmp_path)
    assert (tmp_path / "linear.safetensors").is_file()
    run_classical(ClassicalConfig("svm"), data, tmp_path)
    assert not (tmp_path / "linear.safetensors").exists()
    assert not (tmp_path / "linear_terms.txt").exists()
    run_baseline(BaselineConfig("parabel", labels=("augmented",)), data, tmp_path)
    assert "bytes" not in RunFolder.finished(tmp_path).facts  # no model was kept
    with pytest.raises(ConfigError, match="keeps no baseline"):
        load_baseline(tmp_path)
    wordless = tuple(
        LabelledDocument(act(str(i), title="the").document, row.assigned)
        for i, row in enumerate(data.corpus.train)
    )
    broken = replace(data, corpus=replace(data.corpus, train=wordless))
    with pytest.raises(ConfigError, match="no word"):
        run_classical(ClassicalConfig("svm"), broken, tmp_path)
    assert not (tmp_path / "run.json").exists()
    (tmp_path / "config.toml").write_text("")
    with pytest.raises(ConfigError, match="holds a trained run"):
        run_classical(ClassicalConfig("svm"), data, tmp_path)


@pytest.mark.parametrize("option", ["--depth", "--threads"])
def test_what_is_of_trees_alone_is_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "svm", option, "2"]) == 1
    assert f"svm takes no {option}" in capsys.readouterr().err


def test_trees_are_saved_as_well(tmp_path: Path) -> None:
    data = tiny_data()
    run_baseline(BaselineConfig("parabel", labels=("assigned",)), data, tmp_path)
    documents = [row.document for row in data.corpus.test]
    assert np.array_equal(
        load_baseline(tmp_path)(documents), RunFolder(tmp_path).scores("test").assigned
    )
    assert RunFolder(tmp_path).facts["bytes"] > 0
    with pytest.raises(ConfigError, match="keeps no baseline"):
        load_baseline(tmp_path / "trees")


def test_words_are_those_of_scikit_learn_without_stop_words() -> None:
    documents = [act(str(i), title=title).document for i, title in enumerate(SUBJECTS.values())]
    texts = [f"{document.title}\n\n{document.text}" for document in documents]
    assert np.allclose(
        WordFeatures().fit(documents).toarray(),
        TfidfVectorizer(stop_words="english").fit_transform(texts).toarray(),
    )


def test_stems_weigh_title_and_text_apart_when_learned_and_when_read() -> None:
    documents = [
        act(str(i), title=title, text="vessels catching cod and cod").document
        for i, title in enumerate(SUBJECTS.values())
    ]
    features = StemFeatures(0.4)
    learned = features.fit(documents)
    assert np.allclose(learned.toarray(), features.transform(documents).toarray(), atol=1e-6)
    assert not np.allclose(learned.toarray(), StemFeatures(0.1).fit(documents).toarray())


def test_settings_are_chosen_on_dev(tmp_path: Path) -> None:
    data = tiny_data()
    run = RunFolder.finished(run_classical(ClassicalConfig("knn"), data, tmp_path, tuned=True))
    trials = run.facts["trials"]
    assert run.facts["name"] == "knn_tuned"
    assert len(trials) == 1 + len(tuning.TITLE_SHARES) + len(tuning.NEIGHBOURS) - 1
    best = max(trial["dev"] for trial in trials)
    chosen = next(trial for trial in trials if trial["dev"] == best)
    assert {**run.facts["config"], "dev": best} == chosen


def test_tuning_never_looks_at_test() -> None:
    data = tiny_data()
    blind = replace(data, corpus=replace(data.corpus, test=()))
    found = []
    for each in (data, blind):
        rows = each.corpus.train
        y = each.label_space.encode([row.assigned for row in rows], augmented=False)
        y = y[:, np.flatnonzero(each.label_space.assignable)].tocsr()
        tuned = tune(ClassicalConfig("svm"), each, [row.document for row in rows], y)
        found.append([trial.to_dict() for trial in tuned.trials])
    assert found[0] == found[1]
    assert {trial["c"] for trial in found[0]} == set(tuning.COSTS["svm"])


def test_several_labels_a_document_are_tuned_by_micro_f1() -> None:
    rows = [
        act(f"x{i}", *names, title=" and ".join(SUBJECTS[name] for name in names))
        for i, names in enumerate(
            [("grape",), ("wheat", "fish"), ("fish",), ("grape", "wheat")] * 4
        )
    ]
    data = replace(tiny_data(), corpus=Corpus("two", tuple(rows), tuple(rows[:8]), tuple(rows[:4])))
    gold = data.label_space.encode([row.assigned for row in data.corpus.dev], augmented=False)
    gold = gold[:, np.flatnonzero(data.label_space.assignable)].toarray()
    assert tuning.dev_quality(0.2 + 0.6 * gold, data) == 1.0
    worse = gold.copy()
    worse[:, 0] = 1.0
    assert tuning.dev_quality(worse.astype(np.float32), data) < 1.0


def test_a_model_over_stems_leaves_what_a_bundle_is_made_from(tmp_path: Path) -> None:
    data = tiny_data()
    run_classical(ClassicalConfig("lr", features="stems"), data, tmp_path / "stems")
    linear = SparseLinear.load(tmp_path / "stems", data.label_space)
    fitted = Classical.load(tmp_path / "stems")
    for row in data.corpus.test:
        exact = fitted.scores([row.document])[0]
        margins = linear.margins(row.document.title, row.document.text)
        assert np.allclose(1 / (1 + np.exp(-margins)), exact, atol=0.02)
    run_classical(ClassicalConfig("lr"), data, tmp_path / "words")
    assert not (tmp_path / "words" / "linear.safetensors").exists()


def test_the_command_refuses_what_another_model_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run")]
    for words, said in [
        (["knn", "--c", "2"], "knn takes no --c"),
        (["lr", "--labels", "both"], "lr takes no --labels"),
        (["bonsai", "--tuned"], "bonsai takes no --tuned"),
        (["svm", "--tuned", "--c", "2"], "--tuned chooses --c itself"),
        (["svm", "--c", "nan", "--data", "."], "--c is a number above 0, not nan"),
        (["lr", "--c", "0"], "--c is a number above 0, not 0.0"),
        (["knn", "--k", "0"], "At least one neighbour votes"),
    ]:
        assert main(["baseline", *words, *out]) == 1
        assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_command_trains_on_a_table_as_a_configuration_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        json.dumps({"text": f"{i} {SUBJECTS[name]}", "labels": [name]})
        for i, name in enumerate(list(SUBJECTS) * 8)
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(lines))
    (tmp_path / "test.jsonl").write_text("\n".join(lines[:6]))
    (tmp_path / "run.toml").write_text('seed = 7\n[data]\nformat = "table"\npath = "."\n')
    words = ["--config", str(tmp_path / "run.toml"), "--out", str(tmp_path / "run")]
    assert main(["baseline", "svm", *words]) == 0
    facts = RunFolder.finished(tmp_path / "run").facts
    assert facts["config"]["seed"] == 7
    assert facts["command"].startswith("python -m training baseline svm --config …/run.toml")
    assert main(["evaluate", str(tmp_path / "run"), "--split", "test"]) == 0
    assert "100.0" in capsys.readouterr().out


def test_what_there_is_not_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no classical model"):
        Classical.load(tmp_path)
    with pytest.raises(ConfigError, match="no word"):
        WordFeatures().fit([act("a", title="%").document])

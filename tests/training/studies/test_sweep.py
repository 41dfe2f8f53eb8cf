"""Sweeps: which arms they train, what their tables say, and what the figure draws."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.kept_rows import forget_row
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import RunConfig
from training.judging.arms import Arm, parse_arm
from training.judging.compare import Comparison
from training.judging.folders import load_data
from training.judging.rows import ROWS, row_paths
from training.judging.scores import Scores
from training.results.committed import update_pages
from training.results.sweep_figure import figure, write_sweep
from training.results.sweep_record import (
    SweepPoint,
    SweepReference,
    SweepSpec,
    measure_of,
    page,
    sweep_results,
)
from training.studies.sweep import Axis, digested, parse_axis, references, swept_arms


@dataclass
class Longer:
    """Trains nothing: the longer a text may be, the fewer documents it gets wrong."""

    trained: list[str] = field(default_factory=list)

    def __call__(self, config: RunConfig, out: Path) -> Path:
        self.trained.append(config.name)
        data = load_data(config.data)
        for split in ("dev", "test"):
            documents = data.corpus.split(split)
            right = data.label_space.encode([d.assigned for d in documents], augmented=False)
            scores = right.toarray().astype(np.float32)
            n_wrong = round(len(documents) * 16 / (16 + config.reading.max_length_tokens))
            scores[:n_wrong] = np.roll(scores[:n_wrong], config.seed, axis=1)
            Scores(tuple(d.document_id for d in documents), assigned=scores).save(
                out / f"scores_{split}.npz"
            )
        facts = {"minutes": 2.0, "parameters": 1000 * config.reading.max_length_tokens,
                 "capped": config.reading.max_length_tokens > 60, "epochs": 3.0}  # fmt: skip
        (out / "run.json").write_text(json.dumps(facts), "utf-8")
        return out


LENGTHS = Axis("reading.max_length_tokens", ("16", "32", "64"))


def run(base: RunConfig, folder: Path, *axes: Axis, **spec: object) -> tuple[SweepSpec, Longer]:
    arms, points = swept_arms(base, axes)
    train = Longer()
    comparison = Comparison(
        base, arms, [1, 2], results=folder / "results", runs=folder / "runs", say=lambda _: None
    )
    comparison.run(train)
    told = SweepSpec("mail: length", tuple(points), (1, 2), **spec)  # type: ignore[arg-type]
    told.save(folder / "results")
    return told, train


def test_an_axis_is_read_from_the_command_line() -> None:
    assert parse_axis("optim.epochs=4, 30") == Axis("optim.epochs", ("4", "30"))
    widths = parse_axis("network.widths=3,4,5;2,4,8")
    assert (widths.name, widths.values) == ("widths", ("3,4,5", "2,4,8"))


@pytest.mark.parametrize("text", ["optim.epochs", "optim.epochs=", "optim.epochs=4,4", "=4"])
def test_a_broken_axis_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not of the form key=value,value"):
        parse_axis(text)


def test_unknown_settings_and_wrong_values_are_refused_before_anything_is_trained() -> None:
    with pytest.raises(ConfigError, match=r"did you mean “optim\.epochs”"):
        parse_axis("optim.epoch=4")
    with pytest.raises(ConfigError, match=r"“optim\.epochs” takes a float, not 'many'"):
        swept_arms(RunConfig(), [Axis("optim.epochs", ("4", "many"))])
    with pytest.raises(ConfigError, match="needs --over"):
        swept_arms(RunConfig(), [])
    with pytest.raises(ConfigError, match="each setting once"):
        swept_arms(RunConfig(), [LENGTHS, LENGTHS])


def test_each_setting_is_varied_alone_and_equal_runs_are_trained_once(
    mail_config: RunConfig,
) -> None:
    mail_config = mail_config.replace("optim.epochs", 30)
    arms, points = swept_arms(mail_config, [LENGTHS, Axis("optim.epochs", ("4", "30"))])

    lengths = [f"max_length_tokens-{n}" for n in (16, 32, 64)]
    assert [arm.name for arm in arms] == [*lengths, "epochs-4"]
    # Thirty epochs at 64 tokens are the configuration itself, as 64 tokens for 30 epochs are.
    assert points[-1] == SweepPoint("optim.epochs", "30", "", "max_length_tokens-64")


def test_an_arm_is_a_line_of_its_own(mail_config: RunConfig) -> None:
    series = [parse_arm("plain"), parse_arm("mean:model.pooling=mean,reading.max_length_tokens=9")]
    arms, points = swept_arms(mail_config, [LENGTHS], series)
    assert [point.series for point in points] == ["plain"] * 3 + ["mean"] * 3
    assert arms[3] == Arm(
        "mean-max_length_tokens-16",
        (("model.pooling", "mean"), ("reading.max_length_tokens", "16")),
    )
    dropouts, _ = swept_arms(mail_config, [Axis("model.dropout", ("0.1", "0.5"))])
    assert dropouts[1].name == "dropout-0_5"
    teachers, _ = swept_arms(mail_config, [Axis("distill.teacher", ("a/large", "b/large"))])
    # Two folders, though rows would not tell them apart: the comparison asks for other names.
    assert [arm.name for arm in teachers] == ["teacher-large"] * 2


def test_points_come_from_the_rows_of_the_arms(mail_config: RunConfig, tmp_path: Path) -> None:
    spec, train = run(mail_config, tmp_path, LENGTHS)
    assert len(train.trained) == 6
    points = sweep_results(spec, tmp_path / "results")

    assert measure_of(spec, points) == "accuracy"
    means = [point.spread("dev", "accuracy").mean for point in points]
    assert means == sorted(means)
    assert means[0] == 0.5
    assert points[0].spread("dev", "accuracy").std == 0.0
    assert [point.fact("parameters") for point in points] == [16_000, 32_000, 64_000]
    assert [point.capped for point in points] == [False, False, True]
    assert SweepSpec.load(tmp_path / "results") == spec


def test_the_tables_say_mean_deviation_and_cost(mail_config: RunConfig, tmp_path: Path) -> None:
    lines = (
        SweepReference("BERT-LARGE", {"dev": 0.923, "test": 0.907}),
        SweepReference("LR", {"test": 0.7}),
    )
    run(mail_config, tmp_path, LENGTHS, references=lines)
    text = write_sweep(tmp_path / "results")

    assert "## Over reading.max_length_tokens" in text
    rows = [re.sub(r"\s+", " ", line) for line in text.splitlines()]
    assert "| 16 | 50.0 ± 0.0 | 50.0 ± 0.0 | 16,000 | 3.0 | 2.0 | 2 |" in rows
    assert any(line.startswith("| 64* |") for line in rows)
    assert "ended by its cap of minutes" in text
    assert "| BERT-LARGE | 92.3 | 90.7 | – |" in rows
    assert "| LR | – | 70.0 | – |" in rows


def test_the_figure_draws_lines_references_and_deviations(
    mail_config: RunConfig, tmp_path: Path
) -> None:
    lines = (SweepReference("BERT", {"dev": 0.9}),)
    spec, _ = run(mail_config, tmp_path, LENGTHS, references=lines)
    points = sweep_results(spec, tmp_path / "results")
    drawn = figure(spec, points)

    swept_line, reference, on_test = drawn.data
    assert list(swept_line.x) == [16.0, 32.0, 64.0]
    assert swept_line.y[0] == 50.0
    assert list(reference.y) == [90.0, 90.0]
    assert (reference.line.dash, on_test.showlegend) == ("dash", False)
    assert drawn.layout.xaxis.type == "log"
    assert drawn.layout.xaxis.title.text == "reading.max_length_tokens"
    by_size = SweepSpec(spec.title, spec.points, spec.seeds, x="parameters")
    assert list(figure(by_size, points).data[0].x) == [16_000, 32_000, 64_000]


def test_words_stand_on_an_axis_in_their_order(mail_config: RunConfig, tmp_path: Path) -> None:
    spec, _ = run(mail_config, tmp_path, Axis("model.pooling", ("mean", "cls")))
    drawn = figure(spec, sweep_results(spec, tmp_path / "results"))
    assert (drawn.layout.xaxis.type, list(drawn.data[0].x)) == ("category", ["mean", "cls"])


def test_the_page_asks_for_nothing_from_outside(mail_config: RunConfig, tmp_path: Path) -> None:
    run(mail_config, tmp_path, LENGTHS, references=(SweepReference("</script><b>", {"dev": 0.1}),))
    write_sweep(tmp_path / "results")
    text = (tmp_path / "results" / "sweep.html").read_text("utf-8")
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", text)
    assert "</script><b>" not in text
    assert '<html lang="en">' in text


def test_a_sweep_that_is_not_finished_is_drawn_as_far_as_it_is(
    mail_config: RunConfig, tmp_path: Path
) -> None:
    spec, _ = run(mail_config, tmp_path, LENGTHS)
    for row in row_paths(tmp_path / "results"):
        if row.name.startswith("max_length_tokens-32-"):
            forget_row(row)
    points = sweep_results(spec, tmp_path / "results")
    assert re.search(r"\| 32 +\| – +\| – ", page(spec, points))
    assert list(figure(spec, points).data[0].x) == [16.0, 64.0]
    nothing = SweepSpec("none", spec.points, (9,))
    assert len(figure(nothing, sweep_results(nothing, tmp_path)).data) == 0


def test_the_record_writes_the_tables_of_a_sweep_anew(
    mail_config: RunConfig, tmp_path: Path
) -> None:
    spec, _ = run(mail_config, tmp_path / "docs" / "results", LENGTHS)
    folder = tmp_path / "docs" / "results" / "results"
    changed = update_pages(tmp_path)
    assert folder / "sweep.md" in changed
    assert (folder / "sweep.md").read_text("utf-8") == page(spec, sweep_results(spec, folder))
    assert update_pages(tmp_path, check=True) == []


def test_rows_of_other_settings_are_not_drawn(mail_config: RunConfig, tmp_path: Path) -> None:
    run(mail_config, tmp_path, LENGTHS)
    for settings, drawn in ((mail_config, 2), (mail_config.replace("optim.epochs", 9), 0)):
        arms, points = swept_arms(settings, [LENGTHS])
        spec = SweepSpec("mail", digested(points, arms, settings), (1, 2))
        spec.save(tmp_path / "results")
        found = sweep_results(SweepSpec.load(tmp_path / "results"), tmp_path / "results")
        assert [result.n_seeds for result in found] == [drawn] * 3


def test_a_sweep_that_is_refused_leaves_what_was_told_and_seeds_add_up(
    mail_config: RunConfig, tmp_path: Path, capsys
) -> None:
    run(mail_config, tmp_path, LENGTHS)
    results = tmp_path / "results"
    (tmp_path / "run.toml").write_text(mail_config.to_toml(), "utf-8")
    command = ["sweep", str(tmp_path / "run.toml"), "--over", "reading.max_length_tokens=16,32,64",
               "--out", str(tmp_path / "runs"), "--results", str(results)]  # fmt: skip
    assert main([*command, "--seeds", "2"]) == 0
    assert SweepSpec.load(results).seeds == (1, 2)
    told = (results / "sweep.json").read_bytes()
    other = mail_config.replace("optim.epochs", 9).to_toml()
    (tmp_path / "run.toml").write_text(other, "utf-8")
    for more in ([], ["--tables-only"]):
        assert main([*command, *more]) == 1
        assert "made from another configuration" in capsys.readouterr().err
    assert (results / "sweep.json").read_bytes() == told


def test_references_are_published_figures_or_finished_rows(
    mail_config: RunConfig, tmp_path: Path
) -> None:
    run(mail_config, tmp_path, LENGTHS)
    rows = tmp_path / "results"
    bert, lr = references(["BERT-LARGE=92.3/90.7", "LR=74.8"])
    assert bert == SweepReference("BERT-LARGE", {"dev": 0.923, "test": 0.907})
    assert lr == SweepReference("LR", {"test": 0.748})
    of_folder = {line.name: line for line in references([str(rows)])}
    assert of_folder["max_length_tokens-16"].values["dev"] == 0.5
    assert of_folder["max_length_tokens-16"].parameters == 16_000
    one = references([str(rows / ROWS / "max_length_tokens-16-s1-test")])
    assert list(one[0].values) == ["test"]
    with pytest.raises(ConfigError, match="no measure 'r2'"):
        references([str(rows)], "r2")


def test_a_measure_that_no_row_would_have_is_refused_before_training(
    tmp_path: Path, capsys
) -> None:
    make_workshop(tmp_path)
    command = ["sweep", str(tmp_path / "run.toml"), "--over", "optim.epochs=1,2",
               "--out", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]  # fmt: skip
    assert main([*command, "--measure", "ngcd@5"]) == 1
    said = capsys.readouterr().err
    assert "no measure 'ngcd@5'" in said and "ndcg@5" in said and "micro_f1" in said
    assert not (tmp_path / "runs").exists() and not (tmp_path / "results").exists()
    assert main([*command, "--measure", "micro_f1@0.5", "--tables-only"]) == 0


def test_a_value_that_cannot_be_trained_is_refused_before_the_first_is(
    tmp_path: Path, capsys
) -> None:
    make_workshop(tmp_path)
    command = ["sweep", str(tmp_path / "run.toml"), "--over", "model.plan=flat,in_pairs",
               "--out", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]  # fmt: skip
    assert main(command) == 1
    assert "at least 6 layers for 3 levels; this one has 4" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists() and not (tmp_path / "results").exists()


def test_one_command_trains_what_is_missing_and_draws(tmp_path: Path, capsys) -> None:
    make_workshop(tmp_path)
    results = tmp_path / "results"
    command = ["sweep", str(tmp_path / "run.toml"), "--over", "optim.epochs=1,2",
               "--out", str(tmp_path / "runs"), "--results", str(results)]  # fmt: skip
    assert main([*command, "--tables-only"]) == 0
    assert "Nothing is finished yet" in capsys.readouterr().out
    assert not (tmp_path / "runs").exists()
    assert main(command) == 0
    said = capsys.readouterr()
    assert "epochs-2, seed 1: training" in said.err
    assert "micro-F1 at 0.5 (%)" in said.out
    assert main([*command, "--seeds", "1", "--x", "parameters", "--reference", "peer=70/69"]) == 0
    assert "epochs-2, seed 1: finished before" in capsys.readouterr().err
    assert {path.name for path in results.iterdir()} >= {"sweep.html", "sweep.md", "table-dev.md"}

    table = (results / "sweep.md").read_text("utf-8")
    (results / "sweep.md").unlink()
    assert main(["sweep", str(results)]) == 0
    assert (results / "sweep.md").read_text("utf-8") == table
    assert main(["sweep", str(results), "--over", "optim.epochs=1,2"]) == 1
    assert main(["sweep", str(tmp_path)]) == 1
    assert "holds no sweep" in capsys.readouterr().err

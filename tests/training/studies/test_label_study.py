"""The study on small data: what is trained in which order, what dev chooses, and its table."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.kept_rows import forget_row
from tests.support.labelled import act
from training.cli.options import CONFIGS
from training.config import RunConfig, load_config
from training.corpora.corpus import Corpus
from training.corpora.sampling import judged_alone
from training.judging.folders import load_data
from training.judging.rows import ROWS, ResultRow, row_paths
from training.judging.scores import Scores
from training.results.label_table import ArmPair, comparison_table, write_table
from training.studies.label_study import CORPORA, LABELS, PLAIN, Study, cells_named


@dataclass
class Guessing:
    """Stands for training: scores that are right the oftener the better the setting is."""

    trained: list[str] = field(default_factory=list)

    def __call__(self, config: RunConfig, out: Path) -> Path:
        self.trained.append(f"{Path(out).parent.name}/{config.name}")
        out.mkdir(parents=True)
        data = load_data(config.data)
        rng = np.random.default_rng(config.seed)
        noise = 0.9 if config.model.label_embeddings == "none" else 0.6
        noise -= 0.2 * (config.optim.min_steps == 400)
        for split in ("dev", "test"):
            documents = data.corpus.split(split)
            right = data.label_space.encode([d.assigned for d in documents], augmented=False)
            matrix = right.toarray() * 0.5 + rng.random(right.shape) * noise
            ids = tuple(d.document_id for d in documents)
            Scores(ids, assigned=matrix.astype(np.float16)).save(out / f"scores_{split}.npz")
        facts = {"minutes": 1.0, "steps": config.optim.min_steps, "commit": "abc1234"}
        (out / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        (out / "model.safetensors").write_bytes(b"weights")
        return out


def test_dev_chooses_first_and_then_all_cells_get_seed_after_seed(study: Study) -> None:
    train = Guessing()
    seen: list[int] = []
    study.run(train, after=lambda: seen.append(len(train.trained)))
    tuned, arms = train.trained[:6], train.trained[6:]
    assert all(name.startswith("tuning/lr") for name in tuned)
    assert arms == [
        f"{cell}-20/{arm}-s{seed}"
        for seed in (1, 2)
        for cell in ("cmc2007", "reuters")
        for arm in ("plain", "labels")
    ]
    assert seen == [10, 14]
    for cell in study.cells():
        assert study.chosen(cell).name.endswith("_steps400")
        for row in (*study.rows(cell, PLAIN), *study.rows(cell, LABELS)):
            assert row.facts["steps"] == 400


def test_a_second_sitting_trains_nothing_that_is_there(study: Study) -> None:
    study.run(Guessing())
    forget_row(study.results / ROWS / "reuters-20" / "labels-s2-test")
    again = Guessing()
    folder = next((study.runs / "reuters-20").glob("labels-s2-*"))
    folder.rename(folder.with_name("moved"))
    study.run(again)
    assert again.trained == ["reuters-20/labels-s2"]


def test_only_the_first_seeds_weights_are_kept(study: Study) -> None:
    study.run(Guessing())
    kept = sorted(path.parent.name[:9] for path in study.runs.rglob("model.safetensors"))
    assert kept == ["labels-s1", "labels-s1", "plain-s1-", "plain-s1-"]


def test_folds_stand_beside_one_another_and_seeds_are_averaged(study: Study) -> None:
    study.run(Guessing())
    folded, split = (ArmPair.of(study, cell) for cell in study.cells())
    assert folded.comparison("ndcg@5").n_documents == 48  # two folds of 120
    assert split.comparison("ndcg@5").n_documents == 30
    assert folded.comparison("macro_f1") is None
    plain, labels, difference = split.spreads("micro_f1")
    assert difference.mean == pytest.approx(labels.mean - plain.mean)
    assert not math.isnan(plain.std)


def test_the_table_says_what_was_found_and_can_be_partial(study: Study) -> None:
    assert comparison_table(study) == ""
    assert write_table(study).splitlines()[1:] == []  # nothing finished: no heading, no claim
    study.run(Guessing())
    study.seeds = [1, 2, 3]
    text = write_table(study)
    assert (study.results / "table-test.md").read_text(encoding="utf-8") == text
    assert "| Reuters, 90 topics: 20" in text
    assert "\n### Cost\n" in text
    assert "\n## " not in text  # it stands inside a section of a page
    assert "on the dev part of the first fold; the reports of that part are test documents" in text
    assert "python -m training small-data" in text
    assert "lr3e4_steps400" in text
    assert "abc1234" in text


def test_the_table_says_where_dev_stands_for_test(study: Study) -> None:
    study.run(Guessing())
    assert "those of dev stand for them" not in write_table(study)
    for path in row_paths(study.results, "-dev"):
        if path.parts[-3:-1] == ("reuters-20", "tuning"):
            ResultRow.load(path).save(path.with_name(path.name.replace("-dev", "-test")))
    text = write_table(study)
    assert "Reuters, 90 topics: there are no test documents, and those of dev stand" in text
    assert "five folds: there are no" not in text


def test_an_arm_without_a_choice_of_dev_is_refused(study: Study) -> None:
    cell = next(study.cells())
    with pytest.raises(ConfigError, match="its grid is not finished"):
        study.comparison(cell, 1, [PLAIN])


def test_cells_are_found_by_name_or_corpus() -> None:
    assert [cell.name for cell in cells_named([])[0]][:3] == [
        "cmc2007-50",
        "reuters-single-50",
        "reuters-50",
    ]
    named = [cell.name for group in cells_named(["cmc2007"]) for cell in group]
    assert named == ["cmc2007-50", "cmc2007-200", "cmc2007-all"]
    assert [c.name for g in cells_named(["reuters-1000"]) for c in g] == ["reuters-1000"]
    with pytest.raises(ConfigError, match="no cell “reuters-5”"):
        cells_named(["reuters-5"])


def test_seeds_go_with_folds_and_single_topics_with_cross_entropy() -> None:
    base = load_config(CONFIGS / "small_data.toml")
    assert CORPORA["cmc2007"].base(base, 3).data.fold == "3/5"
    single = replace(CORPORA["reuters-single"], cut=200).base(base, 3)
    assert (single.data.cut, single.data.task, single.data.fold) == (200, "single", "")
    assert single.model.objective == "single_label"
    assert single.optim.epochs == 0


def test_the_same_part_of_dev_and_test_is_judged() -> None:
    rows = tuple(act(f"d{n}", "fish" if n % 4 else "wheat") for n in range(40))
    corpus = Corpus("tiny", rows, rows, rows)
    judged = judged_alone(corpus, 12)
    assert (len(judged.train), len(judged.dev), len(judged.test)) == (40, 6, 12)
    assert judged.test == judged_alone(corpus, 12).test
    assert sum("wheat" in row.assigned for row in judged.test) == 3
    assert judged_alone(corpus, 100).test == rows

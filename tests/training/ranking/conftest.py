"""Made-up candidates, and bundles with a ranker."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.suggest.cold_start.finished import FinishedCandidates
from core.suggest.ranking.features import RANKER_FEATURES
from core.suggest.ranking.ranker import Ranker
from tests.support.labelled import act, tiny_label_space
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.corpora.corpus import Corpus
from training.judging.folders import JudgedData
from training.ranking import cold_start, fit_ranker
from training.ranking.cold_start import fit_cold_start
from training.ranking.examples import Examples

N_DOCUMENTS, N_CANDIDATES = 60, 12


@pytest.fixture(scope="module")
def examples() -> Examples:
    """Candidates that are assigned where their first feature is high and their second is not."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(N_DOCUMENTS * N_CANDIDATES, len(RANKER_FEATURES))).astype(np.float32)
    is_assigned = (rows[:, 0] > 0.8) & (rows[:, 1] < 1)
    return Examples(
        document_ids=np.array([f"d{n // 2}" for n in range(N_DOCUMENTS)]),
        has_text=np.zeros(N_DOCUMENTS, dtype=bool),
        ends=np.arange(0, len(rows) + 1, N_CANDIDATES),
        positions=np.tile(np.arange(N_CANDIDATES), N_DOCUMENTS),
        rows=rows,
        is_assigned=is_assigned,
        n_assigned=is_assigned.reshape(N_DOCUMENTS, -1).sum(axis=1),
    )


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, single_thread: None) -> Path:
    """A bundle with a ranker, a run that has learned from everything, and their linear parts."""
    folder = make_workshop(tmp_path_factory.mktemp("ranked"))
    for split in ("train", "dev", "test"):
        path = folder / "corpus" / f"{split}.jsonl"
        acts = [json.loads(line) for line in path.read_text().splitlines()]
        dated = [{**act, "date": f"20{10 + n % 8}-01-01"} for n, act in enumerate(acts)]
        path.write_text("\n".join(map(json.dumps, dated)))
    config = str(folder / "run.toml")
    changed = ["--set", "data.fold=everything", "--set", "optim.epochs=1"]
    assert main(["train", config, "--out", str(folder / "run")]) == 0
    assert main(["train", config, *changed, "--out", str(folder / "whole")]) == 0
    for name, fold in (("linear", []), ("linear-whole", ["--fold", "everything"])):
        words = ["--config", config, *fold, "--out", str(folder / name)]
        assert main(["baseline", "linear", *words]) == 0
    bundled("run", "linear", "bundle", folder, "--windows", "2")
    words = [str(folder / "bundle"), "--origin", f"2014={folder / 'bundle'}"]
    assert main(["fit", "ranker", *words, "--data", str(folder / "corpus")]) == 0
    bundled("whole", "linear-whole", "refitted", folder, "--twin", str(folder / "bundle"))
    return folder


def bundled(run: str, linear: str, out: str, folder: Path, *words: str) -> None:
    named = [str(folder / run), "--linear", str(folder / linear), "--out", str(folder / out)]
    assert main(["bundle", *named, *words]) == 0


SUBJECTS = {"grape": "vineyards and wine", "wheat": "cereals", "fish": "vessels and herring"}


def corpus_of(n: int, prefix: str) -> tuple[object, ...]:
    names = list(SUBJECTS)
    return tuple(
        act(
            f"{prefix}{i}",
            names[i % 3],
            title=f"Regulation {i} on {SUBJECTS[names[i % 3]]}",
            text=f"Article {i}. " + f"{SUBJECTS[names[i % 3]]} of the year. " * 20,
        )
        for i in range(n)
    )


@pytest.fixture(scope="module")
def data() -> JudgedData:
    corpus = Corpus("tiny", corpus_of(60, "x"), corpus_of(6, "d"), corpus_of(6, "t"))  # type: ignore[arg-type]
    return JudgedData(corpus, tiny_label_space())


@pytest.fixture(scope="module")
def ranker(data: JudgedData) -> Ranker:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cold_start, "N_TITLES", 12)
        patch.setattr(cold_start, "N_TEXTS", 12)
        patch.setattr(cold_start, "N_COLLECTIONS", 3)
        patch.setattr(cold_start, "STAGES", (0, 6, 100))
        patch.setitem(fit_ranker.TREES, "max_iter", 20)
        return fit_cold_start(data.corpus, data.label_space, say=lambda line: None)


@pytest.fixture
def candidates() -> FinishedCandidates:
    """Those of the invented vocabulary."""
    return FinishedCandidates(tiny_label_space())

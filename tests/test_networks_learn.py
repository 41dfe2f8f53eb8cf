"""Each network learns a tiny corpus, and of unseen documents knows more than one taught at random."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from core.metrics import mean_defined, micro_f1, r_precision
from tests.network_workshop import network_config
from tests.tiny_bundle import tiny_label_space
from tests.workshop import make_workshop
from training.fitting.run import train
from training.judging.scores import Scores

SIZES = {
    "vector_size": 24,
    "hidden_units": 16,
    "channels": 8,
    "widths": "1,2,3",
    "bottleneck": 24,
    "pool": 2,
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same documents, those to learn from with the labels of others."""
    folder = make_workshop(tmp_path_factory.mktemp("shuffled"))
    for split in ("train", "dev"):
        path = folder / "corpus" / f"{split}.jsonl"
        acts = [json.loads(line) for line in path.read_text().splitlines()]
        labels = [act["concepts"] for act in acts]
        random.Random(1).shuffle(labels)
        rows = [{**act, "concepts": own} for act, own in zip(acts, labels, strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)))
    return folder


def of_unseen(folder: Path, kind: str) -> tuple[float, float]:
    """R-Precision and micro-F1 at 0.5 of the assigned head, on the test documents."""
    settings = {f"network__{name}": value for name, value in {**SIZES, "kind": kind}.items()}
    config = network_config(
        folder, **settings, optim__encoder_lr=5e-3, optim__head_lr=2e-2, optim__epochs=12
    )
    scores = Scores.load(train(config, folder / kind) / "scores_test.npz")
    assert scores.assigned is not None
    acts = [json.loads(x) for x in (folder / "corpus/test.jsonl").read_text().splitlines()]
    gold = tiny_label_space().encode([act["concepts"] for act in acts], augmented=False)
    probs = scores.assigned.astype(float)
    return mean_defined(r_precision(gold, probs)), micro_f1(gold, probs)


@pytest.mark.parametrize("kind", ["lstm_reg", "kim_cnn", "xml_cnn", "han"])
def test_a_network_learns_and_beats_itself_on_shuffled_labels(
    kind: str, workshop: Path, shuffled: Path
) -> None:
    learned, taught_at_random = of_unseen(workshop, kind), of_unseen(shuffled, kind)
    assert learned[0] > 0.9
    assert learned[1] > 0.8
    assert taught_at_random[0] < 0.6
    assert learned[1] > taught_at_random[1] + 0.3

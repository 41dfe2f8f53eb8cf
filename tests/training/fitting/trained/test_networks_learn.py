"""Networks, DocBERT and a taught student learn, and of unseen texts know more than by chance."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch

from core.metrics import mean_defined, micro_f1, r_precision
from core.model.token_terms import token_states
from tests.support.models.network_workshop import network_config
from tests.support.models.tiny_bundle import tiny_label_space
from tests.support.models.workshop import TOPICS
from training.config import RunConfig, load_config
from training.fitting.run import Run, load_trained
from training.fitting.train import train
from training.judging.scores import Scores

SIZES = {"vector_size": 24, "hidden_units": 16, "widths": "1,2,3"}


RATES = {"optim__encoder_lr": 5e-3, "optim__head_lr": 2e-2, "optim__epochs": 12}


def network(folder: Path, kind: str, **changes: object) -> RunConfig:
    """A small network of one kind, over the folder's corpus."""
    settings = {f"network__{name}": value for name, value in {**SIZES, "kind": kind}.items()}
    return network_config(folder, **settings, **RATES, **changes)


def docbert(folder: Path) -> RunConfig:
    """The preset of DocBERT, at the rates and the length that a tiny random encoder needs."""
    text = (folder / "run.toml").read_text(encoding="utf-8")
    own = text.replace('preset = "small"', 'preset = "docbert"').replace('plan = "last_half"', "")
    path = folder / "docbert.toml"
    path.write_text(own.replace("epochs = 6", "epochs = 20"), encoding="utf-8")
    config = load_config(path)
    assert (config.model.plan, config.model.pooling) == ("none", "cls")
    return config


def kd_lstm_reg(folder: Path) -> RunConfig:
    """LSTM_reg taught by DocBERT, as far as that has come on the same documents."""
    teacher = folder / "docbert"
    train(docbert(folder), teacher)
    return network(folder, "lstm_reg", distill__teacher=str(teacher), distill__copies=2)


def of_unseen(folder: Path, config: RunConfig, name: str) -> tuple[float, float]:
    """R-Precision and micro-F1 at 0.5 of the assigned head, on the test documents."""
    scores = Scores.load(train(config, folder / name) / "scores_test.npz")
    assert scores.assigned is not None
    acts = [json.loads(x) for x in (folder / "corpus/test.jsonl").read_text().splitlines()]
    gold = tiny_label_space().encode([act["concepts"] for act in acts], augmented=False)
    probs = scores.assigned.astype(float)
    return mean_defined(r_precision(gold, probs)), micro_f1(gold, probs)


MODELS: dict[str, Callable[[Path], RunConfig]] = {
    **{kind: partial(network, kind=kind) for kind in ("lstm_reg", "kim_cnn", "xml_cnn", "han")},
    "docbert": docbert,
    "kd_lstm_reg": kd_lstm_reg,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns(name: str, workshop: Path) -> None:
    of_ranks, of_labels = of_unseen(workshop, MODELS[name](workshop), name)
    assert of_ranks > 0.9
    assert of_labels > 0.8


def test_what_was_taught_at_random_finds_no_label(shuffled_workshop: Path) -> None:
    config = network(shuffled_workshop, "lstm_reg")
    of_ranks, of_labels = of_unseen(shuffled_workshop, config, "random")
    assert of_ranks < 0.6
    assert of_labels < 0.5


def test_what_speaks_for_a_concept_in_unseen_documents_is_a_word_of_its_topic(
    workshop: Path,
) -> None:
    config = network(workshop, "lstm_reg")
    run = Run(config, train(config, workshop / "lstm_reg"))
    model, test = load_trained(run).eval(), run.inputs(run.corpus.test)
    batch = test.batch([(row, -1) for row in range(len(test))])
    assert model.assigned_head is not None
    with torch.inference_mode():
        states = token_states(model, batch.input_ids, batch.attention_mask)
        terms = states.terms(model.assigned_head, torch.arange(model.shape.n_assigned))
    heard = []
    for number, (row, ids) in enumerate(zip(terms, batch.input_ids, strict=True)):
        loudest = row[:, int(test.y_assigned[number].indices[0])].argmax()
        word = run.tokenizer.id_to_token(int(ids[loudest]))
        heard.append(word in TOPICS[number % len(TOPICS)].split())
    assert sum(heard) / len(heard) > 0.8

"""Networks in the loop: they learn, resume and are refused what does not apply to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core.errors import ConfigError
from tests.support.models.network_workshop import network_config
from training.__main__ import main
from training.fitting.inputs import text_limit
from training.fitting.loop import Trainer
from training.fitting.run import Run, load_trained
from training.fitting.train import train


def test_a_finished_network_is_read_again_as_it_was(workshop: Path, network_run: Path) -> None:
    run = Run(network_config(workshop), network_run)
    model = load_trained(run)
    weights = load_file(network_run / "model.safetensors")
    assert weights["encoder.embeddings.word_embeddings.weight"].shape == (
        run.tokenizer.get_vocab_size(),
        16,
    )
    assert model.level_heads is not None and model.level_heads.plan.layers == ((1,), (1,), (1,))
    facts = json.loads((network_run / "run.json").read_text())
    assert facts["parameters"] == sum(weight.numel() for weight in weights.values())


def test_the_words_are_those_of_the_training_documents_alone(workshop: Path) -> None:
    run = Run(network_config(workshop), workshop / "words")
    known = set(run.tokenizer.get_vocab())
    read = " ".join(
        f"{row.document.title} {row.document.text[: text_limit(run.config.reading)]}"
        for row in run.train
    )
    assert known == set(read.lower().split()) | {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}


def test_a_finished_network_keeps_its_words_on_other_data(
    workshop: Path, network_run: Path
) -> None:
    config = network_config(workshop, data__cut=4)
    words = Run(network_config(workshop), network_run).tokenizer.get_vocab()
    assert Run(config, network_run).tokenizer.get_vocab() == words
    assert Run(config, workshop / "elsewhere").tokenizer.get_vocab() != words


class CutOffError(Exception):
    """Ends a run where nothing was prepared for it."""


@pytest.mark.usefixtures("single_thread")
def test_a_network_that_was_cut_off_ends_as_an_unbroken_one(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = network_config(workshop, optim__epochs=3, checkpoint_minutes=0.0)
    whole, broken = workshop / "whole", workshop / "broken"
    train(config, whole)
    step = Trainer.train_step

    def cut_off(self: Trainer, examples: Sequence[object], number: int) -> float:
        if (self.at.epoch, number) == (1, 3):
            raise CutOffError
        return step(self, examples, number)

    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "train_step", cut_off)
        with pytest.raises(CutOffError):
            train(config, broken)
    words = Run(config, workshop / "unbegun").tokenizer.get_vocab()
    assert Run(network_config(workshop, data__cut=4), broken).tokenizer.get_vocab() == words
    assert main(["resume", str(broken)]) == 0
    expected, resumed = (load_file(out / "model.safetensors") for out in (whole, broken))
    assert all(torch.equal(expected[part], resumed[part]) for part in expected)


def test_the_encoders_word_pieces_can_be_the_words(workshop: Path) -> None:
    changes = {"network__vectors": "encoder", "model__encoder": str(workshop / "encoder")}
    run = Run(network_config(workshop, optim__epochs=1, **changes), workshop / "pieces")
    model = run.new_model()
    start = load_file(workshop / "encoder" / "model.safetensors")
    vectors = model.encoder.embeddings.word_embeddings.weight
    assert torch.equal(vectors, start["embeddings.word_embeddings.weight"])
    assert run.tokenizer.encode("fishing").tokens == ["[CLS]", "fishing", "[SEP]"]


def test_vectors_of_a_file_are_where_their_words_are(workshop: Path) -> None:
    (workshop / "glove.txt").write_text("fish 1 2 3\nbay 4 5 6\nunheard 7 8 9\n")
    config = network_config(workshop, network__vectors=str(workshop / "glove.txt"))
    run = Run(config, workshop / "filed")
    vectors = run.new_model().encoder.embeddings.word_embeddings.weight
    assert vectors.shape == (run.tokenizer.get_vocab_size(), 3)
    assert vectors[run.tokenizer.token_to_id("bay")].tolist() == [4.0, 5.0, 6.0]


def test_a_finished_network_needs_its_file_of_vectors_no_more(workshop: Path) -> None:
    file = workshop / "moved.txt"
    file.write_text("fish 1 2 3\nbay 4 5 6\n")
    config = network_config(workshop, network__vectors=str(file), optim__epochs=1)
    out = train(config, workshop / "moved")
    file.unlink()
    model = load_trained(Run(config, out))
    assert model.encoder.config.vector_size == 3
    assert main(["bundle", str(out), "--out", str(workshop / "moved-bundle")]) == 0
    with pytest.raises(ConfigError, match="there is no file"):
        train(config, workshop / "moved-again")


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("model__plan", "hybrid", "has one layer.*set model.plan = “none”, not “hybrid”"),
        ("model__pooling", "mean", "in its own way: set model.pooling = “cls”"),
        ("model__initialise_heads", "names", "set model.initialise_heads = “zero”"),
        ("model__label_embeddings", "random", "no self-attention"),
        ("model__label_attention", "label_wise", "no pieces to attend to"),
        ("model__frozen", "words", "learns its word vectors: set model.frozen"),
        ("network__vectors", "randm", "did you mean “random”"),
        ("network__vectors", "nowhere/glove.txt", "there is no file “nowhere/glove.txt”"),
    ],
)
def test_what_does_not_apply_is_refused(
    workshop: Path, setting: str, value: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        Run(network_config(workshop, **{setting: value}), workshop / "refused")

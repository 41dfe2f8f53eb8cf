"""Domain adaptation: hidden words, following segments, and an encoder that others can name."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core.documents.document import Document
from core.errors import ConfigError
from tests.support.models.network_workshop import changed
from tests.support.models.tiny_model import tiny_tokenizer
from training.__main__ import main
from training.config import AdaptConfig, RunConfig, load_config
from training.corpora.corpus import LabelledDocument
from training.fitting.encoders.adapt import adapt
from training.fitting.encoders.adapt_inputs import AdaptInputs, segmented
from training.fitting.encoders.adapt_model import AdaptingEncoder, adaptation_loss, load_pretraining
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.loop import Trainer

TOKENIZER = tiny_tokenizer()
PAD, CLS, SEP, MASK = (TOKENIZER.token_to_id(f"[{name}]") for name in ("PAD", "CLS", "SEP", "MASK"))
FISH = "The fishing quota. Fish of the bay. The quota on fish and water. Air and water and noise."
TAX = "The tax on a loan. A bank and a loan. Trade and tax. The price of import and export."


def document(name: str, title: str, text: str) -> LabelledDocument:
    return LabelledDocument(Document.from_text(name, title, text), ())


def inputs(config: AdaptConfig | None = None, **changes: object) -> AdaptInputs:
    documents = [document("a", "Regulation on fish", FISH), document("b", "Tax decision", TAX)]
    settings = {"tokenizer": TOKENIZER, "max_length_tokens": 24, **changes}
    return AdaptInputs(documents, config=config or AdaptConfig(), **settings)


def configured(workshop: Path, **changes: object) -> RunConfig:
    settings = {"name": "adapted", "optim.epochs": 2, "optim.head_lr": 5e-3, **changes}
    return changed(load_config(workshop / "run.toml"), settings)


def test_a_text_is_cut_into_sentences() -> None:
    text = segmented("Fish. The bay\nA tax; of 3. honey", TOKENIZER)
    assert len(text.starts) == 3  # "3. honey" goes on, since no sentence begins so
    words = TOKENIZER.encode("the bay", add_special_tokens=False).ids
    assert text.ids[text.starts[1] : text.starts[2]].tolist() == words
    assert [text.sentence_at(place) for place in (0, int(text.starts[1]))] == [0, 1]


def test_of_the_predicted_pieces_four_in_five_are_masked_and_one_in_ten_stays() -> None:
    made = inputs(AdaptConfig(mask_share=0.3))
    right = np.full((400, 60), TOKENIZER.token_to_id("fish"))
    right[:, 0], right[:, 29], right[:, 50:] = CLS, SEP, PAD
    hidden = right.copy()
    predicted = made.hide(hidden, np.random.default_rng(0))

    ordinary = right == TOKENIZER.token_to_id("fish")
    assert not predicted[~ordinary].any()
    assert predicted[ordinary].mean() == pytest.approx(0.3, abs=0.01)
    assert (hidden[predicted] == MASK).mean() == pytest.approx(0.8, abs=0.02)
    assert (hidden[predicted] == right[predicted]).mean() == pytest.approx(0.1, abs=0.02)
    assert (hidden[~predicted] == right[~predicted]).all()


def test_every_input_has_a_piece_to_predict() -> None:
    made = inputs(AdaptConfig(mask_share=0.001))
    batch = made.batch(made.epoch(np.random.default_rng(1), batch_size=8)[0])
    assert (batch.predicted.sum(dim=1) == 1).all()
    assert len(batch.targets.words) == len(batch)


def test_the_second_segment_follows_or_comes_from_another_document() -> None:
    made = inputs()
    rng = np.random.default_rng(0)
    kinds = []
    for _ in range(300):
        row = int(rng.integers(2))
        text, other = made.texts[row], made.texts[1 - row]
        first, second, is_random = made.pair(row, int(rng.integers(len(text.ids))), rng)
        assert 0 < len(first) and 0 < len(second) and len(first) + len(second) <= made.room
        source, sought = (other, second) if is_random else (text, np.concatenate([first, second]))
        assert " ".join(map(str, sought)) in " ".join(map(str, source.ids))
        kinds.append(is_random)
    assert np.mean(kinds) == pytest.approx(0.5, abs=0.08)


def test_segments_are_told_apart_by_their_type() -> None:
    made = inputs()
    batch = made.batch([(0, 0), (1, 4)], np.random.default_rng(0))
    for ids, types in zip(batch.input_ids.tolist(), batch.token_type_ids.tolist(), strict=True):
        first_end, second_end = [i for i, piece in enumerate(ids) if piece == SEP]
        ones = [i for i, kind in enumerate(types) if kind]
        assert ones == list(range(first_end + 1, second_end + 1))


def test_without_next_sentences_an_input_is_one_segment() -> None:
    made = inputs(AdaptConfig(next_sentence=False))
    batch = made.batch([(0, 0)], np.random.default_rng(0))
    assert (batch.input_ids == SEP).sum() == 1
    assert not batch.token_type_ids.any()


def test_an_epoch_reads_every_piece_and_begins_elsewhere_each_time() -> None:
    made = inputs()
    epochs = [made.epoch(np.random.default_rng(seed), batch_size=2) for seed in range(2)]
    assert len(epochs[0]) == len(epochs[1])
    assert set(chain(*epochs[0])) != set(chain(*epochs[1]))
    assert sum(map(len, epochs[0])) == len(made)
    assert len(inputs(at_most=2)) == 2


def test_a_batch_without_a_known_word_has_a_loss(workshop: Path) -> None:
    whole = load_pretraining(str(workshop / "encoder"), dropout=0.0)
    model = AdaptingEncoder(whole, AdaptConfig())
    unknown = [document(name, "€€ €€ €€", "") for name in "ab"]
    made = AdaptInputs(unknown, tokenizer=TOKENIZER, config=AdaptConfig(), max_length_tokens=24)
    batch = made.batch([(0, 0), (1, 0)])
    assert not batch.predicted.any()
    assert torch.isfinite(adaptation_loss(model(**batch.model_inputs()), batch.targets))


def test_padding_changes_no_loss(workshop: Path) -> None:
    whole = load_pretraining(str(workshop / "encoder"), dropout=0.0).eval()
    model = AdaptingEncoder(whole, AdaptConfig()).eval()
    batch = inputs().batch([(0, 0), (1, 0)], np.random.default_rng(0))
    more = {name: torch.nn.functional.pad(x, (0, 5)) for name, x in batch.model_inputs().items()}
    with torch.no_grad():
        plain, padded = model(**batch.model_inputs()), model(**more)
    for output in (plain, padded):
        assert output.words.shape == (len(batch.targets.words), TOKENIZER.get_vocab_size())
    torch.testing.assert_close(
        adaptation_loss(plain, batch.targets), adaptation_loss(padded, batch.targets)
    )


def test_an_encoder_learns_from_a_corpus_and_can_be_named(workshop: Path) -> None:
    config = configured(workshop, **{"optim.epochs": 30})
    folder = adapt(config, workshop / "adapted")
    log = [json.loads(x) for x in (workshop / "adapted" / "log.jsonl").read_text().splitlines()]
    losses = [line["dev_loss"] for line in log if "dev_loss" in line]
    assert losses[-1] < 0.8 * losses[0]
    facts = json.loads((workshop / "adapted" / "run.json").read_text())
    assert facts["dev_masked_words_right"] > 0.4
    assert 0 <= facts["dev_next_sentences_right"] <= 1
    assert not (workshop / "adapted" / "checkpoint.pt").exists()

    before = load_encoder(str(workshop / "encoder")).state_dict()
    after = load_encoder(str(folder)).state_dict()
    assert before.keys() == after.keys()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert (folder / "tokenizer.json").is_file()
    assert adapt(config, workshop / "adapted") == folder  # finished: nothing is trained again
    with pytest.raises(ConfigError, match="another run"):
        adapt(config.replace("seed", 2), workshop / "adapted")


def test_what_was_stopped_goes_on_to_the_same_encoder(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = configured(workshop, checkpoint_minutes=0.0)
    whole = load_encoder(str(adapt(config, workshop / "whole"))).state_dict()
    step = Trainer.train_step

    def stopping(trainer: Trainer, examples: list[object], number: int) -> float:
        if (trainer.at.epoch, number) == (1, 1):
            raise KeyboardInterrupt
        return step(trainer, examples, number)

    monkeypatch.setattr(Trainer, "train_step", stopping)
    with pytest.raises(KeyboardInterrupt):
        adapt(config, workshop / "stopped")
    monkeypatch.undo()
    assert main(["resume", str(workshop / "stopped")]) == 0
    folder = workshop / "stopped" / "encoder"
    assert capsys.readouterr().out.splitlines()[-1] == str(folder)
    resumed = load_encoder(str(folder)).state_dict()
    for name, tensor in whole.items():
        torch.testing.assert_close(resumed[name], tensor, atol=1e-5, rtol=1e-5)


def test_the_heads_are_kept_for_the_next_adaptation(workshop: Path) -> None:
    folder = adapt(configured(workshop), workshop / "once")
    saved = load_file(folder / "model.safetensors")["cls.seq_relationship.weight"]
    again = load_pretraining(str(folder), dropout=0.0)
    assert torch.equal(again.cls.seq_relationship.weight, saved)
    decoder = again.cls.predictions.decoder.weight
    assert decoder is again.bert.embeddings.word_embeddings.weight


@pytest.mark.parametrize("off", ["adapt.masked_lm", "adapt.next_sentence"])
def test_each_task_can_be_switched_off(workshop: Path, off: str) -> None:
    out = workshop / off
    adapt(configured(workshop, **{off: False}), out)
    facts = json.loads((out / "run.json").read_text())
    assert ("dev_masked_words_right" in facts) == (off == "adapt.next_sentence")
    assert ("dev_next_sentences_right" in facts) == (off == "adapt.masked_lm")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"adapt.masked_lm": False, "adapt.next_sentence": False}, "Nothing is left to learn"),
        ({"reading.max_length_tokens": 4}, "8 or more"),
        ({"network.kind": "han"}, "network.kind is “han”"),
        ({"optim.select": "micro_f1"}, "learns no labels"),
    ],
)
def test_what_cannot_be_adapted_is_said(
    workshop: Path, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        adapt(configured(workshop, **changes), tmp_path)


def test_texts_alone_where_asked(workshop: Path) -> None:
    documents = [document("a", "Fish", FISH), document("b", "Tax", TAX), document("c", "Bay", "")]
    config = AdaptConfig(full_texts_only=True)
    made = AdaptInputs(documents, tokenizer=TOKENIZER, config=config, max_length_tokens=24)
    assert len(made.texts) == 2
    with pytest.raises(ConfigError, match="two documents"):
        AdaptInputs(documents[1:], tokenizer=TOKENIZER, config=config, max_length_tokens=24)

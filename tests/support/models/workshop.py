"""A folder with a corpus of invented acts, a tiny encoder and a configuration: what a run needs."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from tests.support.models.tiny_bundle import tiny_label_space
from tests.support.models.tiny_model import tiny_tokenizer
from tests.support.places import TINY_SKOS

TOPICS = {
    0: "fish quota bay",
    1: "honey label animal",
    2: "railway ticket price",
    3: "tax loan bank",
}


def make_workshop(folder: Path) -> Path:
    """Fill the folder; its configuration is `run.toml`."""
    space = tiny_label_space()
    assignable = [i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok]
    corpus = folder / "corpus"
    corpus.mkdir()
    for split, n_documents in (("train", 40), ("dev", 12), ("test", 12)):
        lines = [_act(split, n, assignable) for n in range(n_documents)]
        (corpus / f"{split}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    write_encoder(folder / "encoder")
    (folder / "run.toml").write_text(
        f"""
name = "tiny"
preset = "small"
[data]
path = "corpus"
vocabulary = {json.dumps(str(TINY_SKOS))}
[model]
encoder = "encoder"
plan = "last_half"
depth = 3
[reading]
max_length_tokens = 24
title_tokens = 6
max_title_tokens = 12
[optim]
epochs = 6
batch_size = 8
encoder_lr = 5e-3
head_lr = 3e-2
"""
    )
    return folder


def make_shuffled_workshop(folder: Path) -> Path:
    """The same documents, those to learn from with the labels of others."""
    make_workshop(folder)
    for split in ("train", "dev"):
        path = folder / "corpus" / f"{split}.jsonl"
        acts = [json.loads(line) for line in path.read_text().splitlines()]
        labels = [act["concepts"] for act in acts]
        random.Random(1).shuffle(labels)
        rows = [{**act, "concepts": own} for act, own in zip(acts, labels, strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)))
    return folder


def _act(split: str, number: int, assignable: list[str]) -> dict[str, object]:
    topic = number % len(TOPICS)
    words = TOPICS[topic].split()
    title = "regulation on the " + " ".join(np.roll(words, number))
    text = " ".join(words * 5) if number % 3 == 0 else ""
    concepts = [assignable[topic], assignable[topic + 4]]
    return {"id": f"{split}-{number}", "title": title, "text": text, "concepts": concepts}


def write_encoder(folder: Path, n_layers: int = 4) -> None:
    """A random BERT and its tokenizer."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tiny_tokenizer(), mask_token="[MASK]", pad_token="[PAD]"
    )
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=n_layers,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    torch.manual_seed(0)
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)

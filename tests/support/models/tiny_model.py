"""A guided classifier small enough to build in every test: random weights, a hand-made tokenizer."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig

from core.model.guided import GuidedClassifier, Shape, empty_encoder

WORDS = [
    "the",
    "of",
    "on",
    "and",
    "regulation",
    "decision",
    "fish",
    "fishing",
    "quota",
    "bay",
    "honey",
    "label",
    "railway",
    "ticket",
    "tax",
    "trade",
    "bank",
    "loan",
    "school",
    "teacher",
    "water",
    "air",
    "noise",
    "animal",
    "plant",
    "price",
    "import",
    "export",
    "text",
]
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def tiny_tokenizer() -> Tokenizer:
    """A word-piece tokenizer over thirty words and the letters."""
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    pieces = [*SPECIAL, *WORDS, *letters, *("##" + letter for letter in letters)]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
    )
    return tokenizer


def tiny_encoder(n_layers: int = 6, hidden_size: int = 16) -> torch.nn.Module:
    """A random BERT of a few thousand parameters."""
    config = BertConfig(
        vocab_size=tiny_tokenizer().get_vocab_size(),
        hidden_size=hidden_size,
        num_hidden_layers=n_layers,
        num_attention_heads=4,
        intermediate_size=2 * hidden_size,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return empty_encoder(config)


def tiny_model(
    plan: str = "flat",
    *,
    level_sizes: tuple[int, ...] = (2, 3, 4),
    n_assigned: int = 7,
    n_layers: int = 6,
    **shape: object,
) -> GuidedClassifier:
    """A random guided classifier, the same for the same torch seed."""
    settings: dict[str, object] = {"dropout": 0.0, **shape}
    return GuidedClassifier(
        tiny_encoder(n_layers),
        Shape(plan=plan, level_sizes=level_sizes, n_assigned=n_assigned, **settings),  # type: ignore[arg-type]
    )

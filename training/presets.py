"""The defaults that a configuration can start from, by section; what is not named is the paper's."""

from __future__ import annotations

from typing import Any

SMALL: dict[str, dict[str, Any]] = {
    "model": {
        "pooling": "mean",
        "assigned_head": True,
        "initialise_heads": "names",
        "dropout": 0.1,
        # Dropout inside the encoder costs a quarter of a step on a CPU, whose random numbers come
        # from one thread; masking word pieces regularises as well here and costs nothing.
        "encoder_dropout": 0.0,
    },
    "reading": {"mode": "windows", "max_length_tokens": 160, "token_dropout": 0.1},
    "optim": {
        "optimizer": "adamw",
        "encoder_lr": 2e-4,
        "head_lr": 3e-3,
        "weight_decay": 0.01,
        "schedule": "one_cycle",
        "warmup": 0.1,
        "batch_size": 32,
        "epochs": 6,
        "clip": 1.0,
        "loss_scale": "sum",
        "patience": 0,
    },
}
# Both follow BERT's own fine-tuning where they say nothing: linear warm-up and decay, clip 1, no
# early stopping, a head for what is assigned on [CLS] of the last layer and no level heads. The
# vectors reach the head without BERT's pooler, as in every model here.
FLAT_MODEL: dict[str, Any] = {"plan": "none", "assigned_head": True}
FINE_TUNING: dict[str, Any] = {
    "schedule": "linear",
    "warmup": 0.1,
    "batch_size": 32,
    "clip": 1.0,
    "patience": 0,
}
# “The training loop is identical to the one provided in the original BERT implementation”: Adam
# with decoupled weight decay of 0.01, and 10 % of the steps to warm up. The article sets the segment
# ids of its one text to ones; here they are zeros, as BERT was pretrained to read a first text.
MULTI_LABEL: dict[str, dict[str, Any]] = {
    "model": {**FLAT_MODEL, "objective": "multi_label"},
    "reading": {"mode": "first", "max_length_tokens": 512},
    "optim": {
        **FINE_TUNING,
        "optimizer": "adamw",
        "weight_decay": 0.01,
        "encoder_lr": 3e-5,
        "head_lr": 3e-5,
        "epochs": 4,
    },
}
# Appendix B, and the length of the released script. The paper starts label embeddings at random, or
# from keywords where these identify a class: random needs nothing to be known of the labels.
LABEL_EMBEDDING: dict[str, dict[str, Any]] = {
    "model": {**FLAT_MODEL, "objective": "single_label", "label_embeddings": "random"},
    "reading": {"mode": "first", "max_length_tokens": 128},
    "optim": {
        **FINE_TUNING,
        "optimizer": "adam",
        "weight_decay": 0.0,
        "encoder_lr": 2e-5,
        "head_lr": 2e-5,
        "epochs": 3,
        "label_loss": 3.0,
    },
}
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "paper": {},
    "small": SMALL,
    "multi-label": MULTI_LABEL,
    "label-embedding": LABEL_EMBEDDING,
}

"""The defaults that a configuration can start from, by section; the others are the paper's."""

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
# Where they are silent, both follow BERT's own fine-tuning: linear warm-up and decay, clip 1, no
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
# with decoupled weight decay of 0.01, and 10 % of the steps to warm up. The article sets the
# segment ids of its one text to ones; here they are zeros, as BERT was pretrained to read a first
# text.
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
    },
}
# The paper names batch size, learning rate, length and epochs (section 4.2): 30, 20, 4 and 1 for
# Reuters, AAPD, IMDB and Yelp 2014. BERT's own fine-tuning gives the rest; the best epoch of dev is
# kept, as its code keeps it, and training stops where five epochs have not been better.
DOCBERT: dict[str, dict[str, Any]] = {
    "model": {**FLAT_MODEL, "objective": "multi_label", "pooling": "cls", "dropout": 0.1},
    "reading": {"mode": "first", "max_length_tokens": 512},
    "optim": {
        **FINE_TUNING,
        "optimizer": "adamw",
        "weight_decay": 0.01,
        "encoder_lr": 2e-5,
        "head_lr": 2e-5,
        "batch_size": 16,
        "epochs": 30,
        "patience": 5,
        "select": "micro_f1",
    },
}
# Batch size, learning rate, dropout and epochs of every network are those that its authors' code
# (hedwig) trains it with on Reuters: Adam at a constant rate, without clipping; where another rate
# is chosen here, it says so. That code stops by the micro-F1 of dev; how soon is chosen here.
NETWORK_OPTIM: dict[str, Any] = {
    "optimizer": "adam",
    "encoder_lr": 0.01,
    "head_lr": 0.01,
    "schedule": "constant",
    "batch_size": 32,
    "epochs": 30,
    "patience": 5,
    "select": "micro_f1",
    # Their products are too small to gain from less; a GPU may be configured otherwise.
    "precision": "fp32",
}


def _network(
    network: dict[str, Any], optim: dict[str, Any] | None = None
) -> dict[str, dict[str, Any]]:
    return {
        "model": {**FLAT_MODEL, "objective": "multi_label", "dropout": 0.5},
        "reading": {"mode": "first", "max_length_tokens": 512},
        "optim": {**NETWORK_OPTIM, **(optim or {})},
        "network": network,
    }


# One bidirectional layer, regularised: Adhikari et al. (2019), and their code.
LSTM_REG: dict[str, Any] = {
    "kind": "lstm_reg",
    "hidden_units": 512,
    "embedding_dropout": 0.2,
    "weight_drop": 0.1,
}
AVERAGED: dict[str, Any] = {"weight_average": 0.99}
# In batches of 32, vectors that learn are thrown about by 0.01: with 128 units the loss on
# validation is 0.017 after eight passes, where 0.003 has 0.010. In batches of 128 it is 0.011 at
# 0.01 too.
CALMER: dict[str, Any] = {"encoder_lr": 3e-3, "head_lr": 3e-3}
# Section 4.2: batches of 128 for several labels a document (take 64 for one), λ of 1 (4 for one),
# and a transfer set of 3 training sets for Reuters (4 for AAPD and IMDB, 1 for Yelp 2014).
DISTILLED: dict[str, dict[str, Any]] = {
    **_network(LSTM_REG, {**AVERAGED, "batch_size": 128}),
    "distill": {"weight": 1.0, "copies": 3, "mask_share": 0.1, "swap_share": 0.1},
}
# Their code trains these and HAN at 0.01, with word vectors that stay as word2vec made them. Here
# the vectors learn, which asks for the smaller steps of Adam's own default: chosen here.
KIM_CNN: dict[str, Any] = {"kind": "kim_cnn", "widths": "3,4,5"}
XML_CNN: dict[str, Any] = {"kind": "xml_cnn", "widths": "2,4,8"}
GENTLE: dict[str, Any] = {"encoder_lr": 1e-3, "head_lr": 1e-3}
# Yang et al. (2016), section 3.3: GRUs of 50 units in each direction.
HAN: dict[str, Any] = {"kind": "han", "hidden_units": 50}
# Yang et al. (2018) on AAPD, and their code: word vectors and states of 256, batches of 64, Adam at
# 0.001, gradients clipped at 10. That code halves the rate in each epoch from the fifth on; here it
# stays, and the best epoch of dev is kept.
SGM: dict[str, Any] = {"kind": "sgm", "vector_size": 256, "hidden_units": 256}
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "paper": {},
    "small": SMALL,
    "multi-label": MULTI_LABEL,
    "label-embedding": LABEL_EMBEDDING,
    "docbert": DOCBERT,
    "lstm_reg": _network(LSTM_REG, {**AVERAGED, **CALMER}),
    "kd_lstm_reg": DISTILLED,
    "kim_cnn": _network(KIM_CNN, GENTLE),
    "xml_cnn": _network(XML_CNN, GENTLE),
    "han": _network(HAN, GENTLE),
    "sgm": _network(SGM, {**GENTLE, "clip": 10.0, "batch_size": 64}),
}

"""What Adhikari et al. (2019, arXiv 1904.08398v3) published of Reuters in Table 2.

And of Table 3: seconds over the validation set, batch 128, on one RTX 2080 Ti.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of Table 2, F1 on Reuters in percent.

    Attributes:
        arm: how rows of results call the same model here.
        number: of the row in the paper.
        dev_std, test_std: over five runs; None of one run, or of values that the paper took over.
    """

    arm: str
    number: int
    title: str
    dev: float
    test: float
    dev_std: float | None = None
    test_std: float | None = None


TABLE_2 = (
    PublishedRow("lr", 1, "LR", 77.0, 74.8),
    PublishedRow("svm", 2, "SVM", 89.1, 86.1),
    PublishedRow("kim_cnn", 3, "KimCNN", 83.5, 80.8, 0.4, 0.3),
    PublishedRow("xml_cnn", 5, "XML-CNN", 88.8, 86.2, 0.5, 0.3),
    PublishedRow("han", 6, "HAN", 87.6, 85.2, 0.5, 0.6),
    PublishedRow("sgm", 8, "SGM", 82.5, 78.8, 0.4, 0.9),
    PublishedRow("lstm_reg", 9, "LSTM_reg", 89.1, 87.0, 0.8, 0.5),
    PublishedRow("bert_base", 10, "BERT-BASE", 90.5, 89.0),
    PublishedRow("bert_large", 11, "BERT-LARGE", 92.3, 90.7),
    PublishedRow("kd_lstm_reg", 12, "KD-LSTM_reg", 91.0, 88.9, 0.2, 0.2),
)
"""Rows 4 and 7 are of other corpora than Reuters."""

TABLE_3: Mapping[str, tuple[float, int]] = {"lstm_reg": (0.5, 1), "bert_base": (30.3, 60)}
"""Seconds on Reuters, and how many times those of LSTM_reg, both as printed."""

OURS: Mapping[str, str] = {
    "docbert": "MiniLM as DocBERT",
    "knn": "k nearest neighbours",
    "parabel": "omikuji Parabel",
    "bonsai": "omikuji Bonsai",
}
"""Models here that the paper does not have."""

VARIANTS: Mapping[str, str] = {
    "lr_tuned": "LR, tuned",
    "svm_tuned": "SVM, tuned",
    "knn_tuned": "k nearest neighbours, tuned",
    "docbert_recipe": "MiniLM by its own recipe",
    "lstm_reg_128": "LSTM_reg of 128 units",
    "kd_lstm_reg_128": "KD-LSTM_reg of 128 units",
    "lstm_reg_pieces": "LSTM_reg over word pieces of the encoder",
    "lstm_reg_pieces_fixed": "the same, its vectors held fixed",
}
"""Names of arms that stand below the model whose name theirs begins with."""

MODELS = {row.arm: row.title for row in TABLE_2} | dict(OURS)
TITLES = MODELS | dict(VARIANTS)


def title_of(arm: str) -> str:
    """Return a model's name as the tables print it; an arm without one goes by itself."""
    return TITLES.get(arm, arm)


def base_of(arm: str) -> str:
    """Return the model that an arm varies, such as lstm_reg of lstm_reg_units_64, or itself."""
    bases = [model for model in MODELS if arm == model or arm.startswith(f"{model}_")]
    return max(bases, key=len, default=arm)

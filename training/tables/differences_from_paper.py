"""In what a row differs from the paper's row of the same model, told from how it was made.

Source: Adhikari et al. (2019), section 4, and the pages of its toolkit, hedwig, by whose commands
KimCNN, XML-CNN, HAN and LSTM_reg read words by word2vec's vectors, which do not learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from training.judging.rows import ResultRow

CAPPED = "†"
PAPER_TOKENS = 512
SMALL_ENCODERS = ("minilm",)
OWN_VECTORS = ("sgm",)
"""Networks whose authors let word vectors start at random."""


def differences(facts: Mapping[str, Any]) -> list[str]:
    """Sentences, the weightiest first; none for a row that says nothing of how it was made."""
    setup = facts.get("setup") or {}
    network, encoder = setup.get("network"), str(setup.get("encoder", ""))
    found = []
    if not network and encoder:
        found.append(_encoder(encoder))
    if network and network not in OWN_VECTORS:
        found.append(_vectors(str(setup.get("vectors", "random")), encoder))
    if setup.get("teacher"):
        found.append(
            f"Teacher: {setup['teacher']}, where the paper's is BERT-LARGE; transfer set "
            f"{setup.get('transfer_copies', 1)}× the training set (paper: 3×)."
        )
    tokens = setup.get("max_length_tokens")
    if tokens and tokens < PAPER_TOKENS and not network:
        found.append(f"Reads the first {tokens} word pieces, the paper {PAPER_TOKENS}.")
    return found


def _encoder(encoder: str) -> str:
    if any(name in encoder.lower() for name in SMALL_ENCODERS):
        return (
            "Encoder: all-MiniLM-L6-v2 (6 layers of 384 units, 22.7 million parameters), where "
            "BERT-BASE has 12 of 768 and 110 million: no row of the paper."
        )
    return f"Encoder: {encoder}."


def _vectors(vectors: str, encoder: str) -> str:
    theirs = "the paper's are word2vec's and do not learn"
    if vectors == "random":
        return f"Word vectors start at random and learn; {theirs}."
    if vectors == "encoder":
        return f"Words are the word pieces of {encoder}, with its embeddings; {theirs}."
    return f"Word vectors: {vectors}; {theirs}."


def is_capped(rows: Sequence[ResultRow]) -> bool:
    """Whether the training of any of the rows ended with its time."""
    return any(bool(row.facts.get("capped")) for row in rows)


def mark(rows: Sequence[ResultRow], numbers: Sequence[int]) -> str:
    """What stands behind a model's name: that it had not converged, and its footnotes."""
    signs = [CAPPED] if is_capped(rows) else []
    signs += [str(number) for number in numbers]
    return f" [{', '.join(signs)}]" if signs else ""

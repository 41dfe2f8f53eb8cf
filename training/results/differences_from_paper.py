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
PAPER_PRESET, PAPER_EPOCHS = "docbert", 30
SMALL_ENCODER = "minilm-l6"
OWN_VECTORS = ("sgm",)
"""Networks whose authors let word vectors start at random."""


def differences(facts: Mapping[str, Any]) -> list[str]:
    """Sentences, the weightiest first; none for a row that says nothing of how it was made."""
    setup = facts.get("setup") or {}
    network, encoder = setup.get("network"), str(setup.get("encoder", ""))
    found = []
    if not network and encoder:
        found.append(_encoder(encoder))
        found += _recipe(setup)
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


def _recipe(setup: Mapping[str, Any]) -> list[str]:
    """How the training of an encoder was otherwise than the paper's."""
    preset, epochs = setup.get("preset", PAPER_PRESET), setup.get("epochs", PAPER_EPOCHS)
    if preset != PAPER_PRESET:
        return [f"Trained by the preset `{preset}` of this laboratory, for {epochs:g} epochs."]
    if epochs < PAPER_EPOCHS:
        return [f"Planned for {epochs:g} epochs, the paper {PAPER_EPOCHS}."]
    return []


def _encoder(encoder: str) -> str:
    if SMALL_ENCODER in encoder.lower().replace("_", "-"):
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
        small = SMALL_ENCODER in encoder.lower().replace("_", "-")
        name = "all-MiniLM-L6-v2" if small else encoder
        return f"Words are the word pieces of {name}, with its embeddings; {theirs}."
    return f"Word vectors: {vectors}; {theirs}."


def is_capped(rows: Sequence[ResultRow]) -> bool:
    """Whether the training of any of the rows ended with its time."""
    return any(bool(row.facts.get("capped")) for row in rows)


def mark(rows: Sequence[ResultRow], numbers: Sequence[int]) -> str:
    """What stands behind a model's name: that it had not converged, and its footnotes."""
    signs = [CAPPED] if is_capped(rows) else []
    signs += [str(number) for number in numbers]
    return f" [{', '.join(signs)}]" if signs else ""

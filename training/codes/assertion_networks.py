"""The network that learns what a line asserts of a condition, and the files in which it is shipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.clinical.asserting.network import ASSERTED, RULES, TOKENIZER, WEIGHTS
from training.codes.assertion_lines import MASK, NoteLine

MOST_PIECES = 128
N_UNITS = 96
"""Of a state of the LSTM in each direction, and of what it reads of a piece."""
N_HIDDEN = 96
LOUDER = 10.0
"""Times the embeddings of an encoder, whose values are small."""
ENCODER_WEIGHTS, EMBEDDINGS = "model.safetensors", "word_embeddings.weight"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK)


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines as tensors.

    Attributes:
        pieces, there, marks: numbers of the pieces of words, whether there is one, and whether it is
            of the condition; shape (n, n_pieces).
        rules: one-hot, shape (n, 5).
        asserted: shape (n,).
    """

    pieces: Tensor
    there: Tensor
    marks: Tensor
    rules: Tensor
    asserted: Tensor

    @classmethod
    def of(cls, lines: Sequence[NoteLine], tokenizer: Tokenizer) -> Batch:
        """Read the windows of lines."""
        windows = [line.window for line in lines]
        encodings = tokenizer.encode_batch([window.text for window in windows])
        shape = len(lines), max(len(encoding.ids) for encoding in encodings)
        pieces, there, marks = torch.zeros(shape, dtype=torch.long), *torch.zeros(2, *shape)
        for n, (window, encoding) in enumerate(zip(windows, encodings, strict=True)):
            length = len(encoding.ids)
            pieces[n, :length] = torch.tensor(encoding.ids)
            there[n, :length] = 1
            marks[n, :length] = torch.tensor(window.is_condition(encoding), dtype=torch.float)
        rules = torch.eye(len(RULES))[[line.rule for line in lines]]
        return cls(pieces, there, marks, rules, torch.tensor([line.asserted for line in lines]))


class LineNetwork(nn.Module):
    """What `core.clinical.asserting.network.AssertionNetwork` computes, to be trained.

    Args:
        embeddings: of the encoder's pieces of words, which do not change, shape (n_pieces, n_units).
    """

    def __init__(self, embeddings: Tensor) -> None:
        super().__init__()
        self.pieces = nn.Embedding.from_pretrained(LOUDER * embeddings, freeze=True)
        self.project = nn.Linear(embeddings.shape[1], N_UNITS)
        self.mark = nn.Parameter(0.1 * torch.randn(2, N_UNITS))
        self.lstm = nn.LSTM(N_UNITS, N_UNITS, bidirectional=True, batch_first=True)
        self.attention = nn.Linear(2 * N_UNITS, 2 * N_UNITS, bias=False)
        self.hidden = nn.Linear(6 * N_UNITS + len(RULES), N_HIDDEN)
        self.out = nn.Linear(N_HIDDEN, len(ASSERTED))
        self.dropout = nn.Dropout(0.2)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits, shape (n, 5)."""
        read = self.project(self.dropout(self.pieces(batch.pieces)))
        states = self._states(read + self.mark[batch.marks.long()], batch.there)
        condition = _mean(states, batch.marks)
        is_padding = batch.there == 0
        most = states.masked_fill(is_padding[..., None], -torch.inf).amax(1)
        fits = (states @ self.attention(condition)[..., None]).squeeze(-1) / states.shape[2] ** 0.5
        heeded = fits.masked_fill(is_padding, -torch.inf).softmax(1)
        context = (heeded[..., None] * states).sum(1)
        joined = self.dropout(torch.cat([condition, most, context], 1))
        hidden = self.dropout(torch.relu(self.hidden(torch.cat([joined, batch.rules], 1))))
        logits: Tensor = self.out(hidden)
        return logits

    def _states(self, inputs: Tensor, there: Tensor) -> Tensor:
        lengths = there.sum(1).long()
        packed = nn.utils.rnn.pack_padded_sequence(
            inputs, lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=inputs.shape[1]
        )
        return states


def read_embeddings(folder: Path) -> Tensor:
    """Return the embeddings of an encoder's pieces of words, shape (n_pieces, n_units)."""
    weights = load_file(folder / ENCODER_WEIGHTS)
    name = next(name for name in weights if name.endswith(EMBEDDINGS))
    return weights[name].float()


def read_tokenizer(folder: Path) -> Tokenizer:
    """Return the tokenizer of an encoder's folder, for windows of lines."""
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_PIECES)
    return tokenizer


def write_network(network: LineNetwork, tokenizer: Tokenizer, folder: Path) -> None:
    """Write what `AssertionNetwork.load` reads: of the pieces of words those in ASCII."""
    described = json.loads(tokenizer.to_str())
    vocabulary = described["model"]["vocab"]
    kept = {
        piece: number
        for piece, number in sorted(vocabulary.items(), key=lambda item: item[1])
        if piece in SPECIAL or (piece.isascii() and not piece.startswith("[unused"))
    }
    numbers = {piece: n for n, piece in enumerate(kept)}
    described["model"]["vocab"] = numbers
    _renumber(described, numbers)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":"))
    (folder / TOKENIZER).write_text(text, encoding="utf-8")
    save_file(_weights(network, list(kept.values())), folder / WEIGHTS)


def _weights(network: LineNetwork, pieces: Sequence[int]) -> dict[str, np.ndarray[Any, Any]]:
    with torch.no_grad():
        read = network.project(network.pieces.weight[list(pieces)])
    scales = read.abs().amax(1) / 127
    lstm = dict(network.lstm.named_parameters())
    tensors = {"scales": scales, "mark": network.mark, "attention": network.attention.weight}
    for name, end in (("ahead", ""), ("back", "_reverse")):
        tensors[f"{name}.input"] = lstm[f"weight_ih_l0{end}"]
        tensors[f"{name}.state"] = lstm[f"weight_hh_l0{end}"]
        tensors[f"{name}.bias"] = lstm[f"bias_ih_l0{end}"] + lstm[f"bias_hh_l0{end}"]
    for name in ("hidden", "out"):
        tensors |= {f"{name}.{part}": t for part, t in getattr(network, name).named_parameters()}
    halves = {name: tensor.detach().numpy().astype(np.float16) for name, tensor in tensors.items()}
    return halves | {"pieces": (read / scales[:, None]).round().numpy().astype(np.int8)}


def _renumber(described: Any, numbers: dict[str, int]) -> None:
    """Set the numbers of special tokens, wherever a tokenizer's description has them."""
    for token in described["added_tokens"]:
        token["id"] = numbers[token["content"]]
    processor = described["post_processor"]
    if "special_tokens" in processor:
        for token in processor["special_tokens"].values():
            token["ids"] = [numbers[name] for name in token["tokens"]]
    else:
        processor |= {
            end: [processor[end][0], numbers[processor[end][0]]] for end in ("sep", "cls")
        }


def _mean(states: Tensor, marks: Tensor) -> Tensor:
    return (states * marks[..., None]).sum(1) / marks.sum(1, keepdim=True).clamp(min=1)

"""The decoder of the sequence generation model: one label after another, none of them twice.

Source: Yang et al. (2018), SGM: Sequence Generation Model for Multi-label Classification, sections
2.2 to 2.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Memory:
    """What the decoder reads of each document.

    Attributes:
        states: of the encoder, (documents, tokens, units).
        keys: their projections for the attention, (documents, tokens, units).
        attention_mask: 0 where a document is padded, (documents, tokens).
    """

    states: Tensor
    keys: Tensor
    attention_mask: Tensor

    def of_documents(self, rows: Tensor) -> Memory:
        """Return the decoder's memory for the documents of a beam."""
        return Memory(self.states[rows], self.keys[rows], self.attention_mask[rows])


@dataclass(frozen=True, slots=True)
class Decoding:
    """Where the decoder stands in the paths of each document, of which there may be several.

    Attributes:
        hidden, cell: of the LSTM, (documents, paths, units).
        context: what the attention read last, (documents, paths, units).
        last: the label that was chosen last, (documents, paths).
        last_probs: the probabilities that it was chosen from, (documents, paths, labels + 2).
        used: which labels stand in the path, (documents, paths, labels).
    """

    hidden: Tensor
    cell: Tensor
    context: Tensor
    last: Tensor
    last_probs: Tensor
    used: Tensor

    def choose(self, label: Tensor) -> Decoding:
        """Return the same with a label, or the end, at the end of each path; (documents, paths)."""
        n_labels = self.used.shape[-1]
        # The end is no label: one column more takes its mark, and is cut off.
        used = F.pad(self.used, (0, 1)).scatter(-1, label.unsqueeze(-1), True)
        return replace(self, last=label, used=used[..., :n_labels])

    def of_paths(self, path: Tensor) -> Decoding:
        """Return some of each document's paths, (documents, paths), in that order and as often."""
        rows = torch.arange(len(path), device=path.device).unsqueeze(1)
        return self._map(lambda tensor: tensor[rows, path])

    def of_documents(self, rows: Tensor) -> Decoding:
        """Return the paths of some documents."""
        return self._map(lambda tensor: tensor[rows])

    def _map(self, function: Callable[[Tensor], Tensor]) -> Decoding:
        return Decoding(*(function(getattr(self, field.name)) for field in fields(self)))


class LabelDecoder(nn.Module):
    """An LSTM that names a document's labels, attending to its words at each step.

    The labels are numbered 0 … n - 1; n is the end, n + 1 the beginning.

    Args:
        units: of the LSTM, of the attention and of the encoder's states.
        label_size: length of the labels' embeddings.
        dropout: on these embeddings and before the output.
    """

    def __init__(self, n_labels: int, *, units: int, label_size: int, dropout: float) -> None:
        super().__init__()
        self.n_labels = n_labels
        self.labels = nn.Embedding(n_labels + 2, label_size)
        self.gate_of_last = nn.Linear(label_size, label_size, bias=False)
        self.gate_of_mean = nn.Linear(label_size, label_size, bias=False)
        self.query = nn.Linear(units, units, bias=False)
        self.key = nn.Linear(units, units, bias=False)
        self.energy = nn.Linear(units, 1, bias=False)
        self.cell = nn.LSTMCell(label_size + units, units)
        self.of_state = nn.Linear(units, units, bias=False)
        self.of_context = nn.Linear(units, units)
        self.output = nn.Linear(units, n_labels + 1)
        self.dropout = nn.Dropout(dropout)

    @property
    def end(self) -> int:
        """The number that ends a path."""
        return self.n_labels

    def begin(
        self, states: Tensor, attention_mask: Tensor, hidden: Tensor, cell: Tensor
    ) -> tuple[Memory, Decoding]:
        """Return one empty path a document.

        Args:
            states: of the encoder, (documents, tokens, units).
            hidden, cell: that the LSTM starts with, (documents, units).
        """
        memory = Memory(states, self.key(states), attention_mask)
        first = hidden.unsqueeze(1)
        last = states.new_full((len(states), 1), self.n_labels + 1, dtype=torch.long)
        return memory, Decoding(
            first,
            cell.unsqueeze(1),
            self.attend(first, memory),
            last,
            F.one_hot(last, self.n_labels + 2).to(states.dtype),
            torch.zeros(len(states), 1, self.n_labels, dtype=torch.bool, device=states.device),
        )

    def step(self, at: Decoding, memory: Memory) -> tuple[Tensor, Decoding]:
        """Log-probabilities of what comes next, (documents, paths, labels + 1), and the new state.

        The last column is the end. What is chosen goes into `Decoding.choose`.
        Source: equations 4 to 7: f is tanh; the numbers before the softmax are fp32.
        """
        n_documents, n_paths = at.last.shape
        read = torch.cat([self.embed(at.last, at.last_probs), at.context], dim=-1)
        hidden, cell = self.cell(
            read.flatten(0, 1), (at.hidden.flatten(0, 1), at.cell.flatten(0, 1))
        )
        hidden = hidden.view(n_documents, n_paths, -1)
        context = self.attend(hidden, memory)
        mixed = torch.tanh(self.of_state(hidden) + self.of_context(context))
        log_probs = masked_log_softmax(self.output(self.dropout(mixed)), at.used)
        # The beginning can be no prediction, so its column is always 0.
        probs = F.pad(log_probs.exp(), (0, 1)).to(hidden.dtype)
        cell = cell.view(n_documents, n_paths, -1)
        return log_probs, replace(at, hidden=hidden, cell=cell, context=context, last_probs=probs)

    def embed(self, last: Tensor, probs: Tensor) -> Tensor:
        """Return the global embedding of a step: of the label that was chosen, and of all that
        might be.

        (1 - H) ⊙ e + H ⊙ ē with ē = Σ p(label) · e(label) and the gate H = σ(W₁e + W₂ē).
        Source: equations 9 to 11, which print no sigmoid; the released code
        (https://github.com/lancopku/SGM) has one, without which H would control no proportion.
        """
        label_vectors = self.dropout(self.labels(last))
        mean = probs @ self.labels.weight
        gate = torch.sigmoid(self.gate_of_last(label_vectors) + self.gate_of_mean(mean))
        mixed: Tensor = (1 - gate) * label_vectors + gate * mean
        return mixed

    def attend(self, hidden: Tensor, memory: Memory) -> Tensor:
        """Return what each path reads of its document, (documents, paths, units)."""
        context: Tensor = self.attention(hidden, memory).to(memory.states.dtype) @ memory.states
        return context

    def attention(self, hidden: Tensor, memory: Memory) -> Tensor:
        """Return how much each path reads of each word, (documents, paths, tokens); padding is not
        read.

        Args:
            hidden: of the LSTM, (documents, paths, units).
        Source: equations 2 and 3: v · tanh(W s + U h), softmax over the words.
        """
        queries = self.query(hidden).unsqueeze(2)
        energy = self.energy(torch.tanh(queries + memory.keys.unsqueeze(1))).squeeze(-1)
        padding = memory.attention_mask.unsqueeze(1) == 0
        weights: Tensor = energy.float().masked_fill(padding, float("-inf")).softmax(dim=-1)
        return weights


def masked_log_softmax(logits: Tensor, used: Tensor) -> Tensor:
    """Log-probabilities in fp32 in which a label that was used has none left.

    Args:
        logits: (…, labels + 1), the last of the end, which can always come.
        used: (…, labels).
    Source: Yang et al. (2018), equations 7 and 8: softmax(o + I), I = -∞ for used labels.
    """
    masked = logits.float().masked_fill(F.pad(used, (0, 1)), float("-inf"))
    return masked.log_softmax(dim=-1)


# ---------------------------------------------------------------------- sequences of labels

NOTHING = -100
"""Stands after the end of a sequence; torch's losses leave it out."""


@dataclass(frozen=True, slots=True)
class LabelSequences:
    """What a decoder gave for the sequences that it was given.

    Attributes:
        log_probs: of every label at each step, given those before, (documents, steps, labels + 1).
        gold: the label of each step, then the end, then nothing (-100), (documents, steps).
    """

    log_probs: Tensor
    gold: Tensor

    def negative_log_likelihood(self) -> Tensor:
        """Return -ln of the probability of a document's whole sequence, a mean over documents."""
        losses = F.nll_loss(
            self.log_probs.flatten(0, 1),
            self.gold.flatten(),
            ignore_index=NOTHING,
            reduction="sum",
        )
        return losses / len(self.gold)


def in_order(y_true: Tensor, rank: Tensor) -> Tensor:
    """Return the labels of each document by rank, then the end, then nothing, (documents, steps).

    Args:
        y_true: zeros and ones, (documents, labels).
        rank: place of each label in the order, 0 for the first, (labels,).
    Source: Yang et al. (2018), section 2.1: labels by descending frequency in training.
    """
    n_labels = y_true.shape[1]
    counts = y_true.bool().sum(dim=1, keepdim=True)
    n_steps = int(counts.max()) + 1
    places = torch.where(y_true.bool(), rank, n_labels)
    labels = places.argsort(dim=1)[:, :n_steps]
    # Where every label is assigned there is no column left for the end.
    labels = F.pad(labels, (0, n_steps - labels.shape[1]))
    step = torch.arange(n_steps, device=y_true.device)
    ended = labels.masked_fill(step == counts, n_labels)
    return ended.masked_fill(step > counts, NOTHING)


def follow(decoder: LabelDecoder, memory: Memory, start: Decoding, gold: Tensor) -> LabelSequences:
    """Return what the decoder gives at each step when it is given the true labels before."""
    at, steps = start, []
    # After its end a document gets the end again; nothing reads what it gives there.
    given = gold.masked_fill(gold == NOTHING, decoder.end)
    for step in range(gold.shape[1]):
        log_probs, at = decoder.step(at, memory)
        at = at.choose(given[:, step, None])
        steps.append(log_probs.squeeze(1))
    return LabelSequences(torch.stack(steps, dim=1), gold)

"""What each word piece adds to the logits of the assigned head.

Over mean pooling the head's logit is an exact sum of one term a piece: its state in the last layer
times the concept's weights, divided by the number of pieces, plus the bias. A network splits its
vector among the words by itself; see `LstmReg.shares`.

Terms are explained in the precision that is served: the states are those of the encoder as it
serves, the head computes in fp32 in both, and the logits come with the states from one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from core.model.guided import GuidedClassifier, GuidedOutput
from core.model.label_embeddings import LabelSelfAttention
from core.model.label_wise import LabelWiseHead, label_attention
from core.model.networks import LstmReg

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenStates:
    """The last layer of one batch of windows.

    Attributes:
        served: what the heads make of the same pass, as the model gives it.
        shares: each state as the head pools it, so that they add up to the pooled vector, or the
            states themselves where each label pools for itself, shape (windows, tokens, hidden
            units); zeros where a window is padded.
        attention: that the pooled states of the last layer pay to each piece, 1 on average over a
            window's pieces, shape (windows, tokens); all ones for encoders that do not give any.
    """

    served: GuidedOutput
    shares: Tensor
    attention: Tensor

    def terms(self, head: nn.Linear, columns: Tensor) -> Tensor:
        """Return terms of some concepts' logits, shape (windows, tokens, concepts).

        Args:
            head: the assigned head.
            columns: of the concepts in it.
        """
        values: Tensor = self.shares @ head.weight.detach()[columns].float().T
        if not isinstance(head, LabelWiseHead):
            return values
        # With label-wise attention the shares are the whole states, and each concept has its own.
        mask = (self.shares != 0).any(dim=-1)
        return values * label_attention(self.shares, mask, head.query.detach()[columns].float())


def token_states(model: GuidedClassifier, input_ids: Tensor, attention_mask: Tensor) -> TokenStates:
    """Run the encoder once; `input_ids` and `attention_mask` have shape (windows, tokens)."""
    if isinstance(model.encoder, LstmReg):
        shares = model.encoder.shares(input_ids, attention_mask)
        vectors = {model.n_layers: model.encoder(input_ids, attention_mask)}
        served = model.logits(vectors, attention_mask)
        return TokenStates(served, shares.float(), attention_mask.float())
    hidden = model.encoder(
        input_ids=input_ids,
        attention_mask=attention_mask,
        output_hidden_states=True,
        **model.segments(input_ids),
    ).hidden_states
    read = {layer: hidden[layer] for layer in model.layers_read()}
    served = model.logits(read, attention_mask)
    return last_layer(model, hidden[-1], hidden[-2], attention_mask, served)


def last_layer(
    model: GuidedClassifier,
    states: Tensor,
    states_read: Tensor,
    attention_mask: Tensor,
    served: GuidedOutput,
) -> TokenStates:
    """Split up the states that an encoder's last layer gives.

    Args:
        states, states_read: what the last layer gives, and reads, (windows, tokens, hidden units).
        attention_mask: (windows, tokens).
        served: what the heads make of them.
    """
    pooled = _pooled_rows(model, attention_mask)
    weights = pooled / pooled.sum(dim=1, keepdim=True)
    if isinstance(model.assigned_head, LabelWiseHead):
        weights = attention_mask.float()
    shares = states.float() * weights.unsqueeze(-1)
    received = _received(model, states_read, attention_mask, pooled)
    n_pieces = attention_mask.sum(dim=1, keepdim=True)
    return TokenStates(served, shares, (received * n_pieces).float())


def _pooled_rows(model: GuidedClassifier, attention_mask: Tensor) -> Tensor:
    """1 for the states that the head reads, shape (windows, tokens)."""
    if model.shape.pooling != "cls":
        return attention_mask.float()
    only_first = torch.zeros_like(attention_mask, dtype=torch.float32)
    only_first[:, 0] = 1
    return only_first


def _received(
    model: GuidedClassifier, states: Tensor, attention_mask: Tensor, pooled: Tensor
) -> Tensor:
    """Each piece's share of the attention of the last layer, (windows, tokens), rows sum to 1."""
    attention = _last_self_attention(model)
    if attention is None:
        return attention_mask / attention_mask.sum(dim=1, keepdim=True)
    parts = []
    # One window at a time: the scores are (windows, heads, queries, keys).
    for some, mask, rows in zip(
        *(t.split(1) for t in (states, attention_mask, pooled)), strict=True
    ):
        scores = _attention_scores(attention, some)
        scores = scores.masked_fill(mask[:, None, None] == 0, float("-inf"))  # padding is no key
        by_head = rows[:, None, None] @ scores.softmax(dim=-1)  # (windows, heads, 1, keys)
        parts.append(by_head.mean(dim=1).squeeze(1) / rows.sum(dim=1, keepdim=True))
    return torch.cat(parts)


def _last_self_attention(model: GuidedClassifier) -> Any:
    layers = getattr(getattr(model.encoder, "encoder", None), "layer", None)
    attention = getattr(getattr(layers[-1], "attention", None), "self", None) if layers else None
    return attention if hasattr(attention, "query") and hasattr(attention, "key") else None


def _attention_scores(attention: nn.Module, states: Tensor) -> Tensor:
    """Return scores of a layer's self-attention before mask and softmax: (batch, heads, tokens,
    tokens).

    Args:
        attention: a BERT's `attention.self`, with label embeddings or without.
        states: what the layer reads, (batch, tokens, hidden units).
    """
    module: Any = attention
    size = module.attention_head_size
    queries, keys = (
        project(states).unflatten(-1, (-1, size)).transpose(1, 2)
        for project in (module.query, module.key)
    )
    scores: Tensor = (queries @ keys.transpose(2, 3)).float() * size**-0.5
    if isinstance(module, LabelSelfAttention) and module.n_labels:
        cls = module.cls_scores(queries[:, :, :1], keys)
        scores = torch.cat([cls, scores[:, :, 1:]], dim=2)
    return scores

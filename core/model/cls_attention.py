"""What [CLS] of the last layer attends to: the figure by which label embeddings are explained."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from core.model.attention import self_attentions
from core.model.guided import GuidedClassifier
from core.model.label_embeddings import LabelSelfAttention


def cls_attention(model: GuidedClassifier, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """Return attention of [CLS] in the last layer, averaged over heads: (batch, tokens), rows sum
    to 1.

    With label embeddings it is the attention that [CLS] really pays, the labels' scores in it.

    Args:
        input_ids, attention_mask: (batch, tokens).
    Raises:
        PlanError: the encoder is not built like BERT.
    Source: Wang et al. (2020), Figure 2, whose caption does not say how heads are joined.
    """
    attention = self_attentions(model.encoder)[-1]
    with torch.inference_mode():
        hidden = model.encoder(
            input_ids=input_ids,
            attention_mask=attention_mask,
            output_hidden_states=True,
            **model.segments(input_ids),
        ).hidden_states
        # The states that the last layer reads.
        scores = attention_scores(attention, hidden[-2])[:, :, 0]
        scores = scores.masked_fill(attention_mask[:, None] == 0, float("-inf"))
        weights: Tensor = scores.softmax(dim=-1).mean(dim=1)
    return weights


def attention_scores(attention: nn.Module, states: Tensor) -> Tensor:
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

"""Label embeddings in self-attention: [CLS] looks where a label would look.

Source: Wang et al. (2020), "Integrating Task Specific Information into Pretrained Language Models
for Low Resource Fine Tuning", equations 5-10. One matrix Xₗ of a row a label is shared by all
layers and never updated between them; each layer projects it with its own query weights.

Where the paper is misprinted or silent:
    * Equations 6 and 8 both divide the labels' scores by √d. Here raw dot products are compared,
      and what wins is divided once, before the softmax.
    * Equation 7's S′ is 1×(L-1): the score of [CLS] to itself stays what it was (equation 5).
    * W_Q is the layer's whole mapping, its bias included; Xₗ gets no layer norm and no position.
    * Padding is masked after the maximum, so no label can turn [CLS] to it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.models.bert.modeling_bert import BertSelfAttention, eager_attention_forward

from core.errors import ConfigError, PlanError

SCORE_BYTES = 64 * 2**20
"""Bound on the scores of labels that are held at once, in one layer of one batch."""


class LabelSelfAttention(BertSelfAttention):
    """A BERT layer's self-attention in which [CLS] also attends by the labels.

    It takes over the parameters of the module that it stands for, so their names stay. The label
    embeddings are referred to, not owned: the same matrix serves all layers.
    """

    def __init__(self, plain: BertSelfAttention, labels: nn.Embedding) -> None:
        # On no device: these weights are replaced at once, and no random numbers are drawn.
        with torch.device("meta"):
            super().__init__(  # type: ignore[no-untyped-call]
                plain.config, is_causal=plain.is_causal, layer_idx=plain.layer_idx
            )
        self.query, self.key, self.value = plain.query, plain.key, plain.value
        self._labels = (labels,)

    def forward(  # type: ignore[override, unused-ignore]  # narrower: an encoder has no past keys
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        past_key_values: None = None,
        **kwargs: Any,
    ) -> tuple[Tensor, Tensor | None]:
        """Return outputs (batch, tokens, units) and, from eager attention, weights, of all heads.

        Args:
            hidden_states: (batch, tokens, units).
            attention_mask: bool or added to the scores, (batch, 1, tokens or 1, tokens).
        """
        query, keys, values = (
            self._heads(project(hidden_states)) for project in (self.query, self.key, self.value)
        )
        # All rows by the encoder's own kernel: where there is no label, that is the answer.
        kernel = ALL_ATTENTION_FUNCTIONS.get_interface(
            self.config._attn_implementation, eager_attention_forward
        )
        rate = self.dropout.p if self.training else 0.0
        output, weights = kernel(
            self, query, keys, values, attention_mask, dropout=rate, scaling=self.scaling, **kwargs
        )
        if self.n_labels:
            scores = self.cls_scores(query[:, :, :1], keys)
            row = self.dropout(_masked(scores, attention_mask).softmax(dim=-1))
            # The kernels give (batch, tokens, heads, units of a head).
            cls = (row @ values.float()).transpose(1, 2).to(output.dtype)
            output = torch.cat([cls, output[:, 1:]], dim=1)
            if weights is not None:
                weights = torch.cat([row.to(weights.dtype), weights[:, :, 1:]], dim=2)
        return output.flatten(2), weights

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self._labels[0].num_embeddings

    def cls_scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return scores of the [CLS] row, divided by √d, not yet masked: (batch, heads, 1, tokens).

        Args:
            query: of [CLS], (batch, heads, 1, units of a head).
            keys: of all tokens, (batch, heads, tokens, units of a head).
        """
        # Under autocast a product may come in bf16; a maximum over labels deserves all digits.
        with torch.autocast(query.device.type, enabled=False):
            query, keys = query.float(), keys.float()
            own_scores = query @ keys.transpose(2, 3)
            best = best_label_scores(self.label_queries(), keys)
            regarded = torch.maximum(own_scores[..., 1:], best[..., 1:])
            scores: Tensor = torch.cat([own_scores[..., :1], regarded], dim=-1) * self.scaling
            return scores

    def label_queries(self) -> Tensor:
        """Return xₗ through this layer's query weights: (heads, labels, units of a head), fp32."""
        projected: Tensor = self.query(self._labels[0].weight).float()
        queries: Tensor = projected.unflatten(-1, (-1, self.attention_head_size)).transpose(0, 1)
        return queries

    def _heads(self, projected: Tensor) -> Tensor:
        """(batch, heads, tokens, units of a head) from (batch, tokens, units)."""
        heads: Tensor = projected.unflatten(-1, (-1, self.attention_head_size)).transpose(1, 2)
        return heads


def best_label_scores(queries: Tensor, keys: Tensor) -> Tensor:
    """Return the largest raw score that any label gives each key of each head.

    The winning labels are searched without a gradient, in blocks of labels whose scores stay below
    `SCORE_BYTES`; only the winners' scores are then computed with one. Memory so grows with the
    tokens and not with the labels, and the gradient is that of the maximum.

    Args:
        queries: (heads, labels, units of a head).
        keys: (batch, heads, tokens, units of a head).
    Returns:
        (batch, heads, 1, tokens).
    """
    if not torch.is_grad_enabled():
        # Which label wins does not matter then, and a maximum alone is found several times faster.
        tops = [(keys @ block.transpose(1, 2)).amax(dim=-1) for block in _blocks(queries, keys)]
        return torch.stack(tops).amax(dim=0).unsqueeze(2)
    winners = _winners(queries.detach(), keys.detach())
    n_heads, n_labels, _ = queries.shape
    # One table of all heads' queries, a block of rows a head: its gradient is one scatter.
    first = torch.arange(n_heads, device=keys.device).view(1, n_heads, 1) * n_labels
    chosen = nn.functional.embedding(winners + first, queries.flatten(0, 1))
    return (chosen * keys).sum(dim=-1).unsqueeze(2)


def _winners(queries: Tensor, keys: Tensor) -> Tensor:
    """Return the label with the largest score, (batch, heads, tokens); the first of equal ones."""
    best = keys.new_full(keys.shape[:-1], float("-inf"))
    winners = torch.zeros_like(best, dtype=torch.long)
    start = 0
    for block in _blocks(queries, keys):
        top, label = (keys @ block.transpose(1, 2)).max(dim=-1)
        winners = torch.where(top > best, label + start, winners)
        best = torch.maximum(best, top)
        start += block.shape[1]
    return winners


def _blocks(queries: Tensor, keys: Tensor) -> tuple[Tensor, ...]:
    """Return the labels in blocks whose scores stay below `SCORE_BYTES`."""
    n_batch, n_heads, n_tokens, _ = keys.shape
    n_labels = max(1, SCORE_BYTES // (4 * n_batch * n_heads * n_tokens))
    blocks: tuple[Tensor, ...] = torch.split(queries, n_labels, dim=1)
    return blocks


def _masked(scores: Tensor, attention_mask: Tensor | None) -> Tensor:
    if attention_mask is None:
        return scores
    row = attention_mask[:, :, :1]
    if row.dtype == torch.bool:
        return scores.masked_fill(~row, torch.finfo(scores.dtype).min)
    return scores + row


SELF_ATTENTION = ("attention.self", "attention.attn")
"""How the modules are called in BERT and its relatives, and in MPNet."""


def self_attentions(encoder: nn.Module) -> list[nn.Module]:
    """Return the self-attention of each layer, the first layer first.

    Raises:
        PlanError: the encoder does not keep them where BERT and its relatives do.
    """
    config: Any = encoder.config
    attentions = [m for name, m in encoder.named_modules() if name.endswith(SELF_ATTENTION)]
    if len(attentions) != config.num_hidden_layers:
        raise PlanError(
            f"Attention heads are read from encoders that are built like BERT; of the "
            f"{config.num_hidden_layers} layers of this {config.model_type}, {len(attentions)} are."
        )
    return attentions


def attend_by_labels(encoder: nn.Module, labels: nn.Embedding) -> None:
    """Replace the self-attention of every layer; modifies `encoder`.

    Raises:
        ConfigError: the encoder is no BERT.
    """
    kind = getattr(encoder.config, "model_type", "?")
    if kind != "bert":
        raise ConfigError(
            f"Label embeddings need an encoder of the BERT family, not {kind}: take another "
            'encoder, or model.label_embeddings = "none".'
        )
    for layer in encoder.encoder.layer:  # type: ignore[union-attr]
        layer.attention.self = LabelSelfAttention(layer.attention.self, labels)

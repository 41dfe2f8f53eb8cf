"""The guided classifier: an encoder whose chosen layers predict chosen levels of a hierarchy.

Source: Manginas, Chalkidis and Malakasiotis (2020), section 3: fᵢ = σ(Wᵢ · cᵢ + bᵢ), where cᵢ is the
[CLS] vector of layer i, or the concatenation of two layers' vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, PretrainedConfig
from transformers.utils import logging

from core.model.plans import Plan, build_plan


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides the heads of a guided classifier.

    Attributes:
        plan: name of the plan, or "none" for no level heads.
        auxiliary_plan: plan of extra level heads that only training reads, or "none".
        level_sizes: number of labels of each learned level, most general first.
        n_assigned: columns of the head for what is assigned; 0 for none.
        pooling: "cls" or "mean".
        dropout: on the vectors that the heads read.
    """

    plan: str
    level_sizes: tuple[int, ...]
    n_assigned: int
    pooling: str = "cls"
    dropout: float = 0.1
    auxiliary_plan: str = "none"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a bundle's manifest."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GuidedOutput:
    """Logits of one batch.

    Attributes:
        levels: (batch, labels of the learned levels), level after level; None without level heads.
        assigned: (batch, assignable concepts); None without an assigned head.
        auxiliary: (batch, labels of the learned levels) from the extra heads, in training only.
    """

    levels: Tensor | None
    assigned: Tensor | None
    auxiliary: Tensor | None = None


class LevelHeads(nn.Module):
    """One linear classifier a level, each over the vectors of its plan's layers."""

    def __init__(self, plan: Plan, level_sizes: Sequence[int], hidden_size: int) -> None:
        super().__init__()
        self.plan = plan
        self.levels = nn.ModuleList(
            nn.Linear(hidden_size * len(layers), size)
            for layers, size in zip(plan.layers, level_sizes, strict=True)
        )

    def forward(self, vectors: dict[int, Tensor]) -> Tensor:
        """Logits (batch, labels of all levels) from the pooled vector of each layer."""
        logits = [
            head(torch.cat([vectors[layer] for layer in layers], dim=-1))
            for head, layers in zip(self.levels, self.plan.layers, strict=True)
        ]
        return torch.cat(logits, dim=-1)


class GuidedClassifier(nn.Module):
    """Encoder, a head per level on the layers of a plan, and a head for what is assigned."""

    def __init__(self, encoder: nn.Module, shape: Shape) -> None:
        super().__init__()
        config: Any = encoder.config
        self.encoder = encoder
        self.shape = shape
        self.n_layers: int = config.num_hidden_layers
        self.dropout = nn.Dropout(shape.dropout)
        self.level_heads = self._level_heads(shape.plan, config)
        self.auxiliary_heads = self._level_heads(shape.auxiliary_plan, config)
        self.assigned_head = (
            nn.Linear(config.hidden_size, shape.n_assigned) if shape.n_assigned else None
        )

    def _level_heads(self, name: str, config: Any) -> LevelHeads | None:
        if name == "none":
            return None
        n_levels = len(self.shape.level_sizes)
        plan = build_plan(name, n_layers=config.num_hidden_layers, n_levels=n_levels)
        return LevelHeads(plan, self.shape.level_sizes, config.hidden_size)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> GuidedOutput:
        """Logits for a batch of word pieces; `input_ids`, `attention_mask`: (batch, tokens)."""
        vectors = self.pooled_layers(input_ids, attention_mask)
        return GuidedOutput(
            levels=self.level_heads(vectors) if self.level_heads else None,
            assigned=self.assigned_head(vectors[self.n_layers]) if self.assigned_head else None,
            auxiliary=(
                self.auxiliary_heads(vectors) if self.auxiliary_heads and self.training else None
            ),
        )

    def pooled_layers(self, input_ids: Tensor, attention_mask: Tensor) -> dict[int, Tensor]:
        """The pooled vector (batch, hidden units) of each layer that a head reads, from 1."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
        ).hidden_states
        return {
            layer: self.dropout(self.pool(hidden[layer], attention_mask))
            for layer in self._layers_read()
        }

    def _layers_read(self) -> list[int]:
        heads = [h for h in (self.level_heads, self.auxiliary_heads) if h is not None]
        layers = {x for head in heads for layers in head.plan.layers for x in layers}
        return sorted(layers | {self.n_layers})

    def pool(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        """One vector a text from the states of a layer, (batch, tokens, hidden units)."""
        if self.shape.pooling == "cls":
            return states[:, 0]
        weights = attention_mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def load_encoder(name_or_folder: str, *, dropout: float | None = None) -> nn.Module:
    """A pretrained encoder by hub id or folder, with its dropout replaced where one is given."""
    # The pooler that is left out on purpose would be reported as a surprise.
    logging.set_verbosity_error()
    config = AutoConfig.from_pretrained(name_or_folder)
    if dropout is not None:
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    encoder: nn.Module = AutoModel.from_pretrained(
        name_or_folder, config=config, dtype=torch.float32, **_without_pooler(config)
    )
    return encoder


def empty_encoder(config: PretrainedConfig) -> nn.Module:
    """An encoder of that configuration with weights still to be loaded."""
    encoder: nn.Module = AutoModel.from_config(config, **_without_pooler(config))
    return encoder


def _without_pooler(config: Any) -> dict[str, Any]:
    # The heads read [CLS] itself, as the paper does, so BERT's pooler would be dead weight.
    return {"add_pooling_layer": False} if config.model_type in {"bert", "roberta"} else {}

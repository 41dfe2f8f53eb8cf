"""The guided classifier: an encoder whose chosen layers predict chosen levels of a hierarchy.

Source: Manginas, Chalkidis and Malakasiotis (2020), section 3: fᵢ = σ(Wᵢ · cᵢ + bᵢ), where cᵢ is
the [CLS] vector of layer i, or the concatenation of two layers' vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoModel, PretrainedConfig

from core.model.label_embeddings import attend_by_labels
from core.model.label_wise import LabelWiseHead
from core.model.networks import Network
from core.model.plans import Plan, build_plan
from core.model.precision import full_precision


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides the heads of a guided classifier.

    Attributes:
        plan: name of the plan, or "none" for no level heads.
        level_sizes: number of labels of each learned level, most general first.
        n_assigned: columns of the head for what is assigned; 0 for none.
        pooling: "cls" or "mean".
        dropout: on the vectors that the heads read.
        objective: "multi_label" (a probability for each label of its own: sigmoid) or
            "single_label" (one label a document: softmax over the assigned head).
        separator: id of the token that ends each text of a pair, so that the second gets the
            segment of its own that BERT was trained with; 0 reads everything as one segment.
        label_embeddings: how the label embeddings of the self-attention started, or "none".
        n_label_embeddings: rows of their matrix; 0 for none.
        label_attention: "label_wise" where each assigned label attends by itself, or "none".
    """

    plan: str
    level_sizes: tuple[int, ...]
    n_assigned: int
    pooling: str = "cls"
    dropout: float = 0.1
    objective: str = "multi_label"
    separator: int = 0
    label_embeddings: str = "none"
    n_label_embeddings: int = 0
    label_attention: str = "none"

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Shape:
        """Read what `to_dict` gave, or a manifest with more settings, each of which is off.

        Raises:
            ValueError: a setting that this program does not know is on.
        """
        names = {field.name for field in fields(cls)}
        if unknown := [n for n, value in settings.items() if n not in names and value != "none"]:
            raise ValueError(f"this program does not know {unknown[0]}")
        values = {name: settings[name] for name in names & settings.keys()}
        return cls(**{**values, "level_sizes": tuple(settings["level_sizes"])})

    def to_dict(self) -> dict[str, Any]:
        """Return this as plain values, for a bundle's manifest."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GuidedOutput:
    """Logits of one batch.

    Attributes:
        levels: (batch, labels of the learned levels), level after level; None without level heads.
        assigned: (batch, assignable concepts); None without an assigned head.
        labels: of the label embeddings, (labels embedded, labels of the learned levels and then
            assignable concepts), as far as there are heads for them; in training only.
    """

    levels: Tensor | None
    assigned: Tensor | None
    labels: Tensor | None = None


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
        """Return logits (batch, labels of all levels) from the pooled vector of each layer.

        They compute in fp32: the [CLS] of a lower layer may differ between documents by less than
        the eight bits of bf16 keep of it.
        """
        device = next(iter(vectors.values())).device.type
        with full_precision(device):
            logits = [
                head(torch.cat([vectors[layer] for layer in layers], dim=-1).float())
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
        self.assigned_head = self._assigned_head(config.hidden_size)
        # After the heads, so that these start from the same random numbers with labels as without.
        self.label_embeddings = self._label_embeddings(config)

    def _level_heads(self, name: str, config: Any) -> LevelHeads | None:
        if name == "none":
            return None
        n_levels = len(self.shape.level_sizes)
        plan = build_plan(name, n_layers=config.num_hidden_layers, n_levels=n_levels)
        return LevelHeads(plan, self.shape.level_sizes, config.hidden_size)

    def _assigned_head(self, hidden_size: int) -> nn.Linear | None:
        if not self.shape.n_assigned:
            return None
        if self.shape.label_attention == "none":
            return nn.Linear(hidden_size, self.shape.n_assigned)
        return LabelWiseHead(hidden_size, self.shape.n_assigned)

    def _label_embeddings(self, config: Any) -> nn.Embedding | None:
        if not self.shape.n_label_embeddings:
            return None
        labels = nn.Embedding(self.shape.n_label_embeddings, config.hidden_size)
        nn.init.normal_(labels.weight, std=config.initializer_range)
        attend_by_labels(self.encoder, labels)
        return labels

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> GuidedOutput:
        """Return logits for a batch of word pieces; `input_ids`, `attention_mask`: (batch,
        tokens).
        """
        states = self.states(input_ids, attention_mask)
        if not self.training:
            return self.logits(states, attention_mask)
        pooled = self.pooled(states, attention_mask)
        vectors = {layer: self.dropout(of_layer) for layer, of_layer in pooled.items()}
        return GuidedOutput(
            levels=self.level_heads(vectors) if self.level_heads else None,
            assigned=self._assigned(states, vectors, attention_mask),
            labels=self._label_logits(),
        )

    def logits(self, states: dict[int, Tensor], attention_mask: Tensor) -> GuidedOutput:
        """Return what the served heads make of the states of each layer that they read.

        They compute in fp32 whatever the encoder computed in: they are small beside it, their
        logits would be rounded to eight bits, and the terms of `core.model.token_terms` add up.
        """
        with full_precision(attention_mask.device.type):
            states = {layer: hidden.float() for layer, hidden in states.items()}
            return self._served(states, self.pooled(states, attention_mask), attention_mask)

    def logits_of_vectors(self, vectors: dict[int, Tensor]) -> GuidedOutput:
        """Return what the served heads make of the pooled vector of each layer that they read.

        It is for heads that read nothing else, so for none that is label-wise.
        """
        return self._served({}, vectors, torch.empty(0))

    def _served(
        self, states: dict[int, Tensor], vectors: dict[int, Tensor], attention_mask: Tensor
    ) -> GuidedOutput:
        return GuidedOutput(
            levels=self.level_heads(vectors) if self.level_heads else None,
            assigned=self._assigned(states, vectors, attention_mask),
        )

    def _assigned(
        self, states: dict[int, Tensor], vectors: dict[int, Tensor], attention_mask: Tensor
    ) -> Tensor | None:
        head = self.assigned_head
        if isinstance(head, LabelWiseHead):
            return head.logits(self.dropout(states[self.n_layers]), attention_mask)
        return None if head is None else head(vectors[self.n_layers])

    def _label_logits(self) -> Tensor | None:
        """Return the label embeddings through the final classifier, as if each were a document.

        Where a head reads several layers, the same embedding stands for each of them.
        Source: Wang et al. (2020), equation 9; the classifier of BERT begins with its dropout.
        """
        if self.label_embeddings is None:
            return None
        labels = self.dropout(self.label_embeddings.weight)
        logits = []
        if self.level_heads is not None:
            logits.append(self.level_heads(dict.fromkeys(self.layers_read(), labels)))
        if self.assigned_head is not None:
            logits.append(self.assigned_head(labels))
        return torch.cat(logits, dim=-1)

    def pooled_layers(self, input_ids: Tensor, attention_mask: Tensor) -> dict[int, Tensor]:
        """Return the pooled vector (batch, hidden units) of each layer that a head reads, from 1.

        A network is an encoder of one layer, and pools by itself.
        """
        return self.pooled(self.states(input_ids, attention_mask), attention_mask)

    def pooled(self, states: dict[int, Tensor], attention_mask: Tensor) -> dict[int, Tensor]:
        """Return one vector a text of the states of each layer, (batch, hidden units) a layer."""
        if isinstance(self.encoder, Network):
            return states
        return {layer: self.pool(hidden, attention_mask) for layer, hidden in states.items()}

    def states(self, input_ids: Tensor, attention_mask: Tensor) -> dict[int, Tensor]:
        """Return the states (batch, tokens, hidden units) of each layer that a head reads, from 1.

        Of a network its one vector a text, (batch, hidden units).
        """
        if isinstance(self.encoder, Network):
            return {self.n_layers: self.encoder(input_ids, attention_mask)}
        hidden = self.encoder(
            input_ids=input_ids,
            attention_mask=attention_mask,
            output_hidden_states=True,
            **self.segments(input_ids),
        ).hidden_states
        return {layer: hidden[layer] for layer in self.layers_read()}

    def segments(self, input_ids: Tensor) -> dict[str, Tensor]:
        """Return the argument that says to which text of a pair each word piece belongs.

        0 up to the first separator and 1 after it, (batch, tokens); no argument without pairs, or
        for an encoder that has no second segment.
        Source: Devlin et al. (2019), section 3.
        """
        config: Any = self.encoder.config
        # RoBERTa and DistilBERT know one segment, or none, and separate texts by the separator.
        if not self.shape.separator or getattr(config, "type_vocab_size", 0) < 2:
            return {}
        ends = (input_ids == self.shape.separator).long()
        return {"token_type_ids": (ends.cumsum(dim=1) > ends).long()}

    def layers_read(self) -> list[int]:
        """Return the layers whose states a head reads, ascending, from 1."""
        plan = self.level_heads.plan.layers if self.level_heads is not None else ()
        return sorted({self.n_layers, *(layer for layers in plan for layer in layers)})

    def pool(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        """Return one vector a text from the states of a layer, (batch, tokens, hidden units)."""
        if self.shape.pooling == "cls":
            return states[:, 0]
        weights = attention_mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def empty_encoder(config: PretrainedConfig) -> nn.Module:
    """Return an encoder of that configuration with weights still to be loaded."""
    encoder: nn.Module = AutoModel.from_config(
        config,
        trust_remote_code=False,  # else it asks whether to run what the configuration names
        **without_pooler(config),
    )
    return encoder


def without_pooler(config: Any) -> dict[str, Any]:
    """Return the argument by which `transformers` makes an encoder without BERT's pooler."""
    # The heads read [CLS] itself, as the paper does, so BERT's pooler would be dead weight.
    return {"add_pooling_layer": False} if config.model_type in {"bert", "roberta"} else {}

"""SGM: labels as a sequence that is generated from a text, so that each depends on those before.

Source: Yang, Sun, Li, Ma, Wu and Wang (2018), “SGM: Sequence Generation Model for Multi-label
Classification”, COLING.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from core.errors import ConfigError
from core.model.guided import GuidedClassifier, GuidedOutput, Shape
from training.config import ModelConfig
from training.networks.label_beams import Found, search_labels
from training.networks.label_decoder import (
    Decoding,
    LabelDecoder,
    LabelSequences,
    Memory,
    follow,
    in_order,
)
from training.networks.sgm import SgmEncoder

# As in the paper and the released code.
BEAM_SIZE = 5


@dataclass(frozen=True, slots=True)
class SequenceOutput(GuidedOutput):
    """Logits of one batch, and what the decoder gives for the labels that it is given, if any."""

    sequences: LabelSequences | None = None


class SequenceGenerator(GuidedClassifier):
    """Encoder and label decoder, with the inputs and outputs of every other classifier here.

    In evaluation it gives a logit for every label, at least 0 for those of the best label sequence
    alone; see `Found.logits`. In training it gives what the decoder says of the true sequence.

    Attributes:
        rank: place of each label in the order in which labels are said, the most frequent first.
        longest: the most labels that a sequence has.
    Raises:
        ConfigError: it is asked for what a generated sequence cannot give.
    """

    rank: Tensor
    longest: Tensor

    def __init__(self, encoder: SgmEncoder, shape: Shape) -> None:
        check_generator(shape, learns_assigned=shape.n_assigned > 0)
        super().__init__(encoder, replace(shape, n_assigned=0))
        self.shape = shape
        config = encoder.config
        # The paper does not say what the decoder starts with. The released code hands it the last
        # states and cells; here a layer makes its first state of the encoder's last, as Bahdanau
        # et al. (2015), appendix A.2.2, do, and its cell is empty: cells are not kept at the ends
        # of texts that are padded.
        self.first_state = nn.Linear(config.hidden_size, config.hidden_size)
        self.decoder = LabelDecoder(
            shape.n_assigned,
            units=config.hidden_size,
            label_size=config.vector_size,
            dropout=shape.dropout,
        )
        self.register_buffer("rank", torch.arange(shape.n_assigned))
        self.register_buffer("longest", torch.tensor([shape.n_assigned]))

    def learn_order(self, counts: Tensor, longest: int) -> None:
        """Say frequent labels first, and no more labels than any document has.

        Args:
            counts: training documents of each label, (labels,); of equals the first comes first.
            longest: most labels of a training document.
        """
        order = counts.argsort(descending=True, stable=True)
        self.rank[order] = torch.arange(len(order), device=self.rank.device)
        self.longest.fill_(max(1, longest))

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, y_assigned: Tensor | None = None
    ) -> SequenceOutput:
        """Return logits of a batch, and where its labels are given what the decoder gives for them.

        Args:
            input_ids, attention_mask: (batch, tokens).
            y_assigned: zeros and ones, (batch, labels); needed in training.
        """
        memory, start = self._begin(input_ids, attention_mask)
        sequences = None
        if y_assigned is not None:
            sequences = follow(self.decoder, memory, start, in_order(y_assigned, self.rank))
        beams = None if self.training else self._search(memory, start)
        return SequenceOutput(None, None if beams is None else beams.logits(), sequences=sequences)

    def search(self, input_ids: Tensor, attention_mask: Tensor) -> Found:
        """Return the most probable label sequence of each text, and the mass of every label."""
        return self._search(*self._begin(input_ids, attention_mask))

    def _begin(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Memory, Decoding]:
        assert isinstance(self.encoder, SgmEncoder)
        states, last = self.encoder.read(input_ids, attention_mask, self.dropout)
        hidden = torch.tanh(self.first_state(last))
        return self.decoder.begin(states, attention_mask, hidden, torch.zeros_like(hidden))

    def _search(self, memory: Memory, start: Decoding) -> Found:
        return search_labels(
            self.decoder,
            memory,
            start,
            beam_size=BEAM_SIZE,
            max_labels=int(self.longest),
        )


def check_generator(settings: Shape | ModelConfig, *, learns_assigned: bool) -> None:
    """Refuse what a generated sequence of labels cannot give.

    Args:
        learns_assigned: whether what is assigned is to be learned.
    Raises:
        ConfigError: levels, or something of attention heads, or exactly one label.
    """
    if not learns_assigned:
        raise ConfigError(
            "SGM generates the labels that are assigned: set model.assigned_head = true."
        )
    if settings.objective != "multi_label":
        raise ConfigError(
            "SGM generates any number of labels, so it has no objective “single_label”; take "
            "another network, or “multi_label”."
        )
    for name in ("plan", "label_embeddings"):
        value = getattr(settings, name)
        if value != "none":
            raise ConfigError(
                f"SGM has a decoder in the place of heads: set model.{name} = “none”, not "
                f"“{value}”."
            )


def build_classifier(encoder: nn.Module, shape: Shape) -> GuidedClassifier:
    """Return the classifier over an encoder: one that generates labels over that of SGM, else
    heads.

    Raises:
        ConfigError: the heads of the shape are nothing for this encoder.
    """
    if isinstance(encoder, SgmEncoder):
        return SequenceGenerator(encoder, shape)
    return GuidedClassifier(encoder, shape)

"""An encoder that learns words from their context, and which segment follows which.

Source: Devlin et al. (2019), section 3.1: the masked-language-model and next-sentence heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoConfig, BertForPreTraining
from transformers.utils import logging

from core.errors import ConfigError
from training.config import AdaptConfig
from training.fitting.devices import moved
from training.fitting.encoders.pretrained import loading_encoder


@dataclass(frozen=True, slots=True)
class AdaptTargets:
    """What a batch is to be compared with.

    Attributes:
        words: (pieces to be predicted,), their ids.
        random_next: (inputs,), 1 where the second segment was drawn from another document.
    """

    words: Tensor
    random_next: Tensor

    def to(self, device: torch.device) -> AdaptTargets:
        """Return the same on another device."""
        return AdaptTargets(moved(self.words, device), moved(self.random_next, device))


@dataclass(frozen=True, slots=True)
class AdaptOutput:
    """Logits of a batch: (pieces to predict, word pieces) and (inputs, 2); None where off."""

    words: Tensor | None
    random_next: Tensor | None


class AdaptingEncoder(nn.Module):
    """A BERT encoder with those of its two pretraining heads that are switched on.

    Only the pieces that are to be predicted go through the head: its product with all the word
    pieces of a vocabulary costs as much as a small encoder, and six in seven pieces need none.
    """

    def __init__(self, whole: BertForPreTraining, config: AdaptConfig) -> None:
        super().__init__()
        encoder: Any = whole.bert
        self.encoder = encoder
        self.words_head = whole.cls.predictions if config.masked_lm else None
        self.next_head = whole.cls.seq_relationship if config.next_sentence else None
        if not config.next_sentence:
            # Nothing reads it, and several processes wait for the gradient of what can have one.
            encoder.pooler.requires_grad_(False)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor,
        predicted: Tensor,
    ) -> AdaptOutput:
        """Return logits of a batch; `predicted`, (inputs, tokens), is true at pieces to predict."""
        states = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        )
        return AdaptOutput(
            self.words_head(states.last_hidden_state[predicted]) if self.words_head else None,
            self.next_head(states.pooler_output) if self.next_head else None,
        )


def adaptation_loss(output: AdaptOutput, targets: AdaptTargets) -> Tensor:
    """Return mean cross-entropy of the hidden pieces, plus that of the next segment.

    Source: Devlin et al. (2019), Appendix A.2: the sum of the two means.
    """
    loss = torch.zeros((), device=targets.words.device)
    if output.words is not None and len(targets.words):
        loss = loss + F.cross_entropy(output.words.float(), targets.words)
    if output.random_next is not None:
        loss = loss + F.cross_entropy(output.random_next.float(), targets.random_next)
    return loss


def load_pretraining(name_or_folder: str, *, dropout: float) -> BertForPreTraining:
    """Return a BERT with its pretraining heads; those that the checkpoint lacks start anew.

    Raises:
        ConfigError: there is no such encoder, or it is no BERT.
    """
    logging.set_verbosity_error()
    with loading_encoder(name_or_folder):
        config = AutoConfig.from_pretrained(name_or_folder)
        if config.model_type != "bert":
            raise ConfigError(
                f"{name_or_folder} is a {config.model_type} encoder: only BERT encoders can be "
                "adapted so far."
            )
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
        model: BertForPreTraining = BertForPreTraining.from_pretrained(
            name_or_folder, config=config, dtype=torch.float32
        )
    return model

"""A head in which each label attends to the word pieces by itself.

For label l over the states hₜ of the last layer: aₜ = softmaxₜ(uₗ · hₜ / √d), logit = wₗ · Σₜ aₜ hₜ
+ bₗ. So its logit is an exact sum of one term a piece, as over mean pooling, and with uₗ = 0 it is
mean pooling.
Source: Mullenbach et al. (2018), equations 2 to 4; Vu, Nguyen and Nguyen (2020), section 3.3.
"""

from __future__ import annotations

from torch import Tensor, nn


class LabelWiseHead(nn.Linear):
    """A linear head (weights wₗ, biases bₗ) with a query uₗ for each label.

    Called as any linear head it judges a vector, as if every word piece were that vector.
    """

    def __init__(self, hidden_size: int, n_labels: int) -> None:
        super().__init__(hidden_size, n_labels)
        self.query = nn.Parameter(self.weight.new_zeros(n_labels, hidden_size))

    def logits(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        """Return logits (batch, labels) of states (batch, tokens, hidden units); padding is no
        piece.
        """
        values = states @ self.weight.T  # (batch, tokens, labels)
        attention = label_attention(states, attention_mask, self.query)
        summed: Tensor = (attention * values).sum(dim=1)
        return summed + self.bias


def label_attention(states: Tensor, attention_mask: Tensor, queries: Tensor) -> Tensor:
    """Return what each label pays to each piece, (batch, tokens, labels); sums to 1 over the
    tokens.

    Args:
        states: (batch, tokens, hidden units).
        attention_mask: (batch, tokens), 0 where a text is padded.
        queries: uₗ, (labels, hidden units).
    """
    scores = (states @ queries.T).float() * states.shape[-1] ** -0.5
    scores = scores.masked_fill(attention_mask[..., None] == 0, float("-inf"))
    attention: Tensor = scores.softmax(dim=1).to(states.dtype)
    return attention

"""How well guided attention heads predict their parts on their own, without the classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn

from core.errors import ConfigError
from core.model.attention import hearing
from core.model.guided import GuidedClassifier, GuidedOutput
from core.suggest.scoring import JoinRule
from training.corpora.corpus import LabelledDocument
from training.fitting.run import Run
from training.judging.evaluate import evaluate
from training.judging.rows import Facts, ResultRow


class HeadsAlone(nn.Module):
    """A classifier whose level logits are those of the guided heads, of a trained model.

    Raises:
        ConfigError: no head of the model is guided.
    """

    def __init__(self, model: GuidedClassifier) -> None:
        super().__init__()
        if model.guided_heads is None:
            raise ConfigError("This model has no guided heads that could be judged.")
        self.encoder, self.heads = model.encoder, model.guided_heads
        self.segments = model.segments

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> GuidedOutput:
        """Logits for a batch of word pieces; both (batch, tokens)."""
        heard: dict[int, Tensor] = {}

        def hear(layer: int, outputs: Tensor, _attention: Tensor | None) -> None:
            heard[layer] = outputs[:, 0]

        with hearing(self.encoder, self.heads.layers, hear):
            self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, **self.segments(input_ids)
            )
        return GuidedOutput(levels=self.heads(heard), assigned=None)


def judge_heads(
    run: Run, model: GuidedClassifier, documents: Sequence[LabelledDocument], facts: Facts
) -> ResultRow:
    """R-Precision by level of what the guided heads of a run say on their own."""
    # Scoring asks a classifier for nothing but its answers to a batch.
    alone = cast(GuidedClassifier, HeadsAlone(model))
    scores = run.scores(alone, documents, JoinRule())
    judged = evaluate(scores, documents, run.label_space, depth=run.depth)
    return ResultRow.of(judged, facts)

"""How an encoder's layers and heads attend: what the paper's Table 2 and Figures 3 to 8 show.

What the paper leaves open, and what was chosen: a document's attention is measured at the query row
of [CLS] alone ("cls"), or at every row and then averaged over the document's word pieces ("mean");
[CLS] and [SEP] count as word pieces, padding does not; each document has the same weight; KL takes
an attention weight of 0 for the smallest fp32 number above it, so that it stays finite; the layers
are those of the transformer, without the embeddings below them, whose [CLS] is the same for all
documents.
Source: Manginas, Chalkidis and Malakasiotis (2020), sections 4 and 5 and Appendix E.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from core.errors import ConfigError, PlanError
from core.model.label_embeddings import self_attentions

Matrix = npt.NDArray[np.float64]

QUERIES: Mapping[str, str] = {
    "cls": "the query row of [CLS] alone",
    "mean": "the mean over the query rows of all word pieces",
}
"""Which rows of the attention are measured, and how to call it beside a figure."""


@dataclass(frozen=True, slots=True)
class Utilization:
    """Means over documents; layers and heads are in order, the first layer first.

    Attributes:
        query: "cls" or "mean", a key of `QUERIES`; the angular distance is of [CLS] in both.
        n_documents: documents that were measured.
        angular: (n_layers, n_layers) arccos(cos)/π between the [CLS] vectors of two layers, in
            [0, 1]; 0.5 is a right angle (Figures 3, 5 and 7).
        kl_layers: (n_layers, n_layers) KL(row ‖ column) in nats between the attention of two
            layers, averaged over heads first (Figures 4, 6 and 8).
        entropy: (n_layers,) nats, of the attention averaged over heads (Table 2, left columns).
        kl_heads: (n_layers,) nats, mean KL over the ordered pairs of a layer's heads (Table 2,
            right columns).
        head_entropy: (n_layers, n_heads) nats, of each head's own attention.
        head_distinctness: (n_layers, n_heads) nats, mean KL from a head to the others of its
            layer; a layer's mean of it is `kl_heads`.
        uniform_entropy: nats of attention that is spread evenly: the mean of ln(word pieces), and
            so the most that an entropy can be.
        name: of the model.
        about: what was measured: "split", "command", "commit" and the like.
    """

    query: str
    n_documents: int
    angular: Matrix
    kl_layers: Matrix
    entropy: Matrix
    kl_heads: Matrix
    head_entropy: Matrix
    head_distinctness: Matrix
    uniform_entropy: float
    name: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_layers(self) -> int:
        """Layers of the encoder."""
        return len(self.entropy)


_SMALLEST = torch.finfo(torch.float32).tiny

Batches = Iterable[tuple[Tensor, Tensor]]
"""Input ids and attention mask, both (documents, tokens), padded on the right."""
Segments = Callable[[Tensor], Mapping[str, Tensor]]
"""Further inputs that follow from the ids, such as which text of a pair each word piece is of."""


class Meter:
    """Running sums of one kind of query rows, in double precision: `update`, then `compute`."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.n_documents = 0
        self._sums: dict[str, Tensor] = {}

    def update(self, cls: Tensor, attention: Tensor) -> None:
        """Count one document.

        Args:
            cls: [CLS] of each layer, (layers, units).
            attention: (layers, heads, query tokens, key tokens) without padding; rows sum to 1.
        """
        rows = attention[:, :, :1] if self.query == "cls" else attention
        of_layers = rows.mean(dim=1, dtype=torch.double)
        # One layer at a time: in double precision the heads of 512 tokens take 25 MB a layer.
        heads = [
            (entropies(layer), _from_the_others(divergences(layer)))
            for layer in map(Tensor.double, rows)
        ]
        entropy, distinctness = (torch.stack(values) for values in zip(*heads, strict=True))
        self._add("angular", angular_distances(cls.double()))
        self._add("kl_layers", divergences(of_layers))
        self._add("entropy", entropies(of_layers))
        self._add("head_entropy", entropy)
        self._add("head_distinctness", distinctness)
        self._add("uniform_entropy", torch.tensor(np.log(rows.shape[-1])))
        self.n_documents += 1

    def _add(self, name: str, value: Tensor) -> None:
        value = value.cpu()
        self._sums[name] = self._sums[name] + value if name in self._sums else value

    def compute(self) -> Utilization:
        """Return the means over the documents that were counted.

        Raises:
            ConfigError: there was none.
        """
        if not self.n_documents:
            raise ConfigError("Nothing was measured: there are no documents.")
        means: dict[str, Any] = {
            name: (total / self.n_documents).numpy() for name, total in self._sums.items()
        }
        return Utilization(
            query=self.query,
            n_documents=self.n_documents,
            uniform_entropy=float(means.pop("uniform_entropy")),
            kl_heads=means["head_distinctness"].mean(axis=1),
            **means,
        )


def angular_distances(vectors: Tensor) -> Tensor:
    """arccos(cos)/π between all pairs of rows, (rows, rows); 0 where one is 0.

    Computed as 2·atan2(‖u - v‖, ‖u + v‖) of the unit vectors, which is the same angle and, unlike
    arccos, exact near 0.
    """
    unit = nn.functional.normalize(vectors, dim=-1)
    apart = (unit[:, None] - unit[None]).norm(dim=-1)
    together = (unit[:, None] + unit[None]).norm(dim=-1)
    return 2 * torch.atan2(apart, together) / torch.pi


def entropies(attention: Tensor) -> Tensor:
    """Entropy in nats of (…, query rows, key tokens), averaged over the query rows."""
    return -torch.xlogy(attention, attention).sum(dim=-1).mean(dim=-1)


def divergences(attention: Tensor) -> Tensor:
    """KL(i ‖ j) in nats, averaged over query rows.

    Args:
        attention: (…, n, query rows, key tokens).
    Returns:
        (…, n, n), zero on the diagonal.
    """
    n_rows = attention.shape[-2]
    flat = attention.flatten(start_dim=-2)
    # Σ pᵢ ln pⱼ for all pairs at once is a product of matrices, summed over rows and tokens alike.
    crossed = flat @ flat.clamp(min=_SMALLEST).log().mT / n_rows
    own_values = crossed.diagonal(dim1=-2, dim2=-1).unsqueeze(-1)
    return (own_values - crossed).clamp(min=0)


def _from_the_others(kl: Tensor) -> Tensor:
    """Mean KL from each of n to the n - 1 others, (…, n); 0 for one alone."""
    return kl.sum(dim=-1) / max(1, kl.shape[-1] - 1)


def measure_queries(
    encoder: nn.Module,
    batches: Batches,
    queries: Sequence[str] = tuple(QUERIES),
    *,
    segments: Segments | None = None,
) -> dict[str, Utilization]:
    """Return the utilisation with several kinds of query rows from one pass over the documents.

    Args:
        segments: where the encoder was trained on pairs of texts.
    Raises:
        PlanError: the encoder is not built like BERT.
        ConfigError: there are no documents.
    """
    meters = [Meter(query) for query in queries]
    device = next(encoder.parameters()).device
    with torch.inference_mode(), _read_out(encoder):
        for batch in batches:
            input_ids, attention_mask = (part.to(device) for part in batch)
            inputs = dict(segments(input_ids)) if segments else {}
            inputs |= {"input_ids": input_ids, "attention_mask": attention_mask}
            for cls, attention in _documents(encoder, inputs):
                for meter in meters:
                    meter.update(cls, attention)
    return {meter.query: meter.compute() for meter in meters}


def _documents(encoder: nn.Module, inputs: Mapping[str, Tensor]) -> Iterator[tuple[Tensor, Tensor]]:
    """[CLS] (layers, units) and attention (layers, heads, n, n) of each document of a batch."""
    config: Any = encoder.config
    seen: dict[int, Tensor] = {}

    def observe(layer: int, _outputs: Tensor, attention: Tensor | None) -> None:
        if attention is None:
            raise PlanError(f"The attention of layer {layer} cannot be read from this encoder.")
        seen[layer] = attention

    layers = range(1, config.num_hidden_layers + 1)
    with observe_attention(encoder, layers, observe):
        # MPNet gives its attention only where it is asked for.
        asked = {"output_attentions": True} if config.model_type == "mpnet" else {}
        hidden = encoder(**inputs, output_hidden_states=True, **asked).hidden_states
    for row, n_tokens in enumerate(inputs["attention_mask"].sum(dim=1).tolist()):
        cls = torch.stack([hidden[layer][row, 0] for layer in layers])
        yield cls, torch.stack([seen[layer][row, :, :n_tokens, :n_tokens] for layer in layers])


@contextmanager
def _read_out(encoder: nn.Module) -> Iterator[None]:
    """Without dropout, and with the kernel that gives its attention, for as long as it takes."""
    model: Any = encoder
    was_training, kernel = model.training, model.config._attn_implementation
    model.eval()
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(kernel)
        model.train(was_training)


AttentionObserver = Callable[[int, Tensor, Tensor | None], None]
"""Called with a layer (from 1), its heads' outputs (batch, tokens, units), and its attention."""


@contextmanager
def observe_attention(
    encoder: nn.Module, layers: Sequence[int], observe: AttentionObserver
) -> Iterator[None]:
    """Call `observe` with what the self-attention of some layers gives in each forward pass within.

    The outputs are the heads' own, side by side, before W_O mixes them. The attention is
    (batch, heads, query tokens, key tokens), or None where the kernel does not give it.
    """
    modules = self_attentions(encoder)
    handles = [
        modules[layer - 1].register_forward_hook(
            lambda _module, _inputs, output, layer=layer: observe(layer, *output[:2])
        )
        for layer in layers
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()

"""A BERT's encoder as a graph of OpenVINO: word pieces and their mask to the states of layers.

The graph is built from the weights in a tenth of the time that it takes to trace and convert the
module. Its constants are the module's own memory, so the weights are held once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino
import torch
from openvino import opset13 as ops
from torch import nn

from core.model.bundle.compression import int8_by_row

_IGNORED = 1e4
"""Taken from the score of what is padding: so large that its share of the attention is 0."""


def is_bert(encoder: nn.Module) -> bool:
    """Return whether an encoder is one whose graph can be built here: a BERT, as it was trained."""
    config: Any = getattr(encoder, "config", None)
    return (
        type(encoder).__name__ == "BertModel"
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") == "absolute"
    )


def bert_graph(encoder: nn.Module, layers: Sequence[int], *, int8: bool = False) -> openvino.Model:
    """Return a graph that gives the states, (windows, tokens, hidden units), of some layers.

    Its inputs are the ids of word pieces and the mask of attention, both (windows, tokens).

    Args:
        encoder: of fp32 weights, on the processor, which must outlive the graph.
        layers: ascending, from 1; 0 for the embeddings.
        int8: whether the weights of the layers' products are rounded to int8, by row.
    """
    return _Builder(encoder, int8=int8).model(layers)


class _Builder:
    """Builds the graph of one encoder, part by part, as Devlin et al. (2019) describe it."""

    def __init__(self, encoder: nn.Module, *, int8: bool) -> None:
        config: Any = encoder.config
        self._weights = {
            name: value.detach().numpy() for name, value in encoder.state_dict().items()
        }
        self._n_layers, self._n_heads = config.num_hidden_layers, config.num_attention_heads
        self._eps = float(config.layer_norm_eps)
        self._int8 = int8

    def model(self, layers: Sequence[int]) -> openvino.Model:
        ids = ops.parameter([-1, -1], np.int64, name="input_ids")
        mask = ops.parameter([-1, -1], np.int64, name="attention_mask")
        states, bias = self._embedded(ids), _attention_bias(mask)
        every = [states]
        for layer in range(self._n_layers):
            every.append(self._layer(f"encoder.layer.{layer}", every[-1], bias))
        return openvino.Model(
            [ops.result(every[layer]) for layer in layers], [ids, mask], "encoder"
        )

    def _embedded(self, ids: Any) -> Any:
        words, positions, segments = (
            self._constant(f"embeddings.{table}_embeddings.weight")
            for table in ("word", "position", "token_type")
        )
        length = ops.gather(ops.shape_of(ids), _whole([1]), _whole(0))
        first, every = _whole([0]), _whole([1])
        position = ops.slice(positions, first, length, every, first)
        segment = ops.slice(segments, first, every, every, first)
        pieces = ops.gather(words, ids, _whole(0))
        return self._normed("embeddings.LayerNorm", ops.add(ops.add(pieces, segment), position))

    def _layer(self, name: str, states: Any, bias: Any) -> Any:
        query, key, value = (
            self._by_head(self._linear(f"{name}.attention.self.{part}", states))
            for part in ("query", "key", "value")
        )
        attended = ops.scaled_dot_product_attention(query, key, value, bias)
        attended = ops.transpose(attended, _whole([0, 2, 1, 3]))
        joined = ops.reshape(attended, _whole([0, 0, -1]), special_zero=True)
        states = self._beside(f"{name}.attention.output", states, joined)
        inner = ops.gelu(self._linear(f"{name}.intermediate.dense", states), "erf")
        return self._beside(f"{name}.output", states, inner)

    def _beside(self, name: str, states: Any, result: Any) -> Any:
        """Add the output of a part of a layer to its input (residual connection)."""
        return self._normed(
            f"{name}.LayerNorm", ops.add(states, self._linear(f"{name}.dense", result))
        )

    def _by_head(self, states: Any) -> Any:
        split = ops.reshape(states, _whole([0, 0, self._n_heads, -1]), special_zero=True)
        return ops.transpose(split, _whole([0, 2, 1, 3]))

    def _linear(self, name: str, states: Any) -> Any:
        product = ops.matmul(states, self._matrix(f"{name}.weight"), False, True)
        return ops.add(product, self._constant(f"{name}.bias"))

    def _normed(self, name: str, states: Any) -> Any:
        even = ops.mvn(states, _whole([-1]), True, self._eps, "inside_sqrt")
        scaled = ops.multiply(even, self._constant(f"{name}.weight"))
        return ops.add(scaled, self._constant(f"{name}.bias"))

    def _matrix(self, name: str) -> Any:
        if not self._int8:
            return self._constant(name)
        values, scale = (
            part.numpy() for part in int8_by_row(torch.from_numpy(self._weights[name]))
        )
        whole = ops.convert(ops.constant(values), np.float32)
        return ops.multiply(whole, ops.constant(scale[:, None]))

    def _constant(self, name: str) -> Any:
        return ops.constant(self._weights[name], shared_memory=True)


def _attention_bias(mask: Any) -> Any:
    """Return what is added to the scores of attention, (windows, 1, 1, tokens)."""
    read = ops.convert(ops.unsqueeze(mask, _whole([1, 2])), np.float32)
    one, ignored = np.array([1, _IGNORED], dtype=np.float32)
    return ops.multiply(ops.subtract(read, one), ignored)


def _whole(value: int | list[int]) -> Any:
    numbers: npt.NDArray[np.int64] = np.array(value, dtype=np.int64)
    return ops.constant(numbers)

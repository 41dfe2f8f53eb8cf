"""The back-end for processors: the encoder in OpenVINO, several batches at a time, each on its share
of the cores; what reads its states, heads and evidence, in PyTorch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import openvino
import torch

from core.model.guided import GuidedClassifier, GuidedOutput
from core.model.label_wise import LabelWiseHead
from core.model.precision import autocast, int8_precision
from core.model.token_terms import TokenStates, last_layer
from core.suggest.backends.bert_graph import bert_graph, is_bert
from core.suggest.backends.protocol import BATCH_WINDOWS, Array, Logits, Progress, Windows
from core.suggest.backends.torch import TorchBackend, batches_by_length, output_arrays, padded

ENGINE = f"OpenVINO {openvino.__version__.split('-')[0]}"

# Two windows of full length: what a core computes of them stays in its cache.
_BATCH_PIECES = 512
_MOST_STREAMS = 8
# One is computed and one waits, so that no core does while Python prepares the next.
_BATCHES_A_STREAM = 2

# Activations that share a scale, in int8: with fewer the products are slower, with more less exact.
_INT8_GROUP = 128

_HINTS = {torch.float32: "f32", torch.bfloat16: "bf16"}


class OpenVinoBackend(TorchBackend):
    """Runs a guided classifier whose encoder is a BERT; see `can_run`.

    Where int8 serves, it is for the products of the layers; attention and the rest compute in
    `dtype`. Weights are rounded once, activations as they come, so nothing has to be calibrated.
    """

    def __init__(
        self,
        model: GuidedClassifier,
        *,
        dtype: torch.dtype | None = None,
        int8: bool | None = None,
    ) -> None:
        super().__init__(model, device="cpu", dtype=dtype)
        serves = int8_precision() if dtype is None and int8 is None else None
        self.number_format = replace(serves or self.number_format, engine=ENGINE)
        in_int8 = serves is not None or bool(int8)
        self._read_by_heads = model.layers_read()
        # Evidence reads what the last layer read, too.
        self._layers = sorted({*self._read_by_heads, model.n_layers - 1})
        self._n_streams = min(torch.get_num_threads(), _MOST_STREAMS)
        self._compiled = openvino.Core().compile_model(
            bert_graph(model.encoder, self._layers, int8=in_int8),
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": _HINTS[self.dtype],
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": _INT8_GROUP if in_int8 else 0,
                "INFERENCE_NUM_THREADS": torch.get_num_threads(),
                "NUM_STREAMS": self._n_streams,
                # Every process would bind its threads to the same first cores, however busy.
                "ENABLE_CPU_PINNING": False,
            },
        )

    @classmethod
    def can_run(cls, model: GuidedClassifier) -> bool:
        """Return whether a model is a BERT that reads one text, attends as it was trained to, and
        whose heads read pooled vectors.
        """
        shape = model.shape
        changed = shape.n_label_embeddings or shape.separator
        plain_heads = not isinstance(model.assigned_head, LabelWiseHead)
        return is_bert(model.encoder) and plain_heads and not changed

    def logits(
        self,
        windows: Windows,
        *,
        batch_size: int = BATCH_WINDOWS,
        on_progress: Progress | None = None,
    ) -> Logits:
        """Return logits in the order of `windows`; `on_progress` gets (windows read, windows)."""
        batches = self.batches(windows, batch_size)
        vectors: list[dict[int, Array]] = []
        n_read = 0
        read = [[windows[i] for i in batch] for batch in batches]
        for batch, states in zip(read, self._states(read), strict=True):
            vectors.append(self._pooled(batch, states))
            n_read += len(batch)
            if on_progress:
                on_progress(n_read, len(windows))
        back = np.argsort(np.concatenate(batches))
        return output_arrays(self._output(vectors)).map(lambda matrix: matrix[back])

    def batches(self, windows: Windows, batch_size: int = BATCH_WINDOWS) -> list[list[int]]:
        """Return the places of the windows that are run together: as many as a core's cache holds."""
        return batches_by_length(windows, batch_size, _BATCH_PIECES)

    def token_states(self, batches: Sequence[Windows]) -> Iterator[TokenStates]:
        """Yield what the last layer gives for each batch of windows, with the logits of `logits`."""
        states = [
            {layer: rows.copy() for layer, rows in of_batch.items()}
            for of_batch in self._states(batches)
        ]
        pooled = [self._pooled(*both) for both in zip(batches, states, strict=True)]
        output = self._output(pooled)
        first = 0
        for batch, layers in zip(batches, states, strict=True):
            served = _rows(output, first, first + len(batch))
            first += len(batch)
            last, read = (torch.from_numpy(layers[self.model.n_layers - n]) for n in (0, 1))
            _, mask = padded(batch)
            with torch.inference_mode(), autocast(self.device, self.dtype):
                yield last_layer(self.model, last, read, mask, served)

    def _states(self, batches: Sequence[Windows]) -> Iterator[dict[int, Array]]:
        """Yield the states of layers, (windows, tokens, hidden units), of each batch while the next
        are computed; they are overwritten after the next step.

        No document fills the queue, so that others come between the windows of a long one.
        """
        running: deque[openvino.InferRequest] = deque()
        n_idle = self._n_streams * _BATCHES_A_STREAM
        try:
            for batch in batches:
                if n_idle:
                    request = self._compiled.create_infer_request()
                    n_idle -= 1
                else:
                    yield self._finished(request := running.popleft())
                request.start_async([tensor.numpy() for tensor in padded(batch)])
                running.append(request)
            while running:
                yield self._finished(running.popleft())
        finally:
            for request in running:  # where the reading was stopped
                request.wait()

    def _finished(self, request: openvino.InferRequest) -> dict[int, Array]:
        request.wait()
        return {layer: request.get_output_tensor(n).data for n, layer in enumerate(self._layers)}

    def _pooled(self, batch: Windows, states: Mapping[int, Array]) -> dict[int, Array]:
        """Return the pooled vector of each layer that heads read, (windows, hidden units)."""
        if self.model.shape.pooling == "cls":
            return {layer: states[layer][:, 0].copy() for layer in self._read_by_heads}
        lengths = [len(window) for window in batch]
        return {
            layer: np.stack(
                [
                    rows[:length].mean(axis=0)
                    for length, rows in zip(lengths, states[layer], strict=True)
                ]
            )
            for layer in self._read_by_heads
        }

    def _output(self, vectors: Sequence[Mapping[int, Array]]) -> GuidedOutput:
        """Return what the heads make of batches, from their pooled vectors.

        Once for all of them: the heads' weights are most of what is read from memory.
        """
        joined = {
            layer: torch.from_numpy(np.concatenate([of_batch[layer] for of_batch in vectors]))
            for layer in self._read_by_heads
        }
        with torch.inference_mode():
            return self.model.logits_of_vectors(joined)


def _rows(output: GuidedOutput, start: int, stop: int) -> GuidedOutput:
    levels, assigned = (
        None if matrix is None else matrix[start:stop]
        for matrix in (output.levels, output.assigned)
    )
    return GuidedOutput(levels, assigned)

"""The back-end that every bundle has: the model in PyTorch, on the processor or a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from core.errors import BundleError
from core.model.bundle.bundle import Bundle
from core.model.guided import GuidedClassifier, GuidedOutput
from core.model.networks import Network
from core.model.precision import autocast, best_device, serving_dtype, serving_precision
from core.model.token_terms import TokenStates, token_states
from core.suggest.backends.protocol import (
    BATCH_PIECES,
    BATCH_WINDOWS,
    Array,
    Columns,
    Logits,
    Progress,
    Windows,
    WindowTerms,
)

# Lengths are rounded up, so that the kernels of a few shapes serve all batches.
_ROUND_TO = 16
# Pieces that keep a processor busy (`BATCH_PIECES`) are few for a graphics card, which is waited
# for after each batch.
_CARD_PIECES = 32 * 512


class TorchBackend:
    """Runs a guided classifier over windows, sorted by length, in batches.

    Args:
        device: a GPU where there is one, unless it is named.
        dtype: of the encoder's products; as it is served, unless it is named.
    """

    def __init__(
        self,
        model: GuidedClassifier,
        *,
        device: str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.device = device or best_device()
        self.model = model.to(self.device).eval()
        self.dtype = dtype or _reading_dtype(model, self.device)
        self.number_format = serving_precision(self.device)

    @classmethod
    def from_bundle(cls, bundle: Bundle, device: str | None = None) -> TorchBackend:
        """Load the model of a bundle.

        Raises:
            BundleError: it has a linear suggester alone.
        """
        model, _ = bundle.guided
        return cls(model, device=device)

    def logits(
        self,
        windows: Windows,
        *,
        batch_size: int = BATCH_WINDOWS,
        on_progress: Progress | None = None,
    ) -> Logits:
        """Return logits in the order of `windows`; `on_progress` gets (windows read, windows)."""
        batches = self.batches(windows, batch_size)
        parts: list[Logits] = []
        n_read = 0
        for batch in batches:
            parts.append(self._run([windows[i] for i in batch]))
            n_read += len(batch)
            if on_progress:
                on_progress(n_read, len(windows))
        back = np.argsort(np.concatenate(batches))
        return _stacked(parts).map(lambda matrix: matrix[back])

    def terms(self, windows: Windows) -> WindowTerms:
        """Read the windows of one document so that their logits can be taken apart."""
        return HeadTerms(self, windows)

    def batches(self, windows: Windows, batch_size: int = BATCH_WINDOWS) -> list[list[int]]:
        """Return the places of the windows that are run together, the shortest first."""
        pieces = BATCH_PIECES if self.device == "cpu" else _CARD_PIECES
        return batches_by_length(windows, batch_size, pieces)

    def token_states(self, batches: Sequence[Windows]) -> Iterator[TokenStates]:
        """Yield what the last layer gives for each batch of windows."""
        for batch in batches:
            input_ids, mask = (tensor.to(self.device) for tensor in padded(batch))
            with torch.inference_mode(), autocast(self.device, self.dtype):
                states = token_states(self.model, input_ids, mask)
            yield states

    def _run(self, batch: Windows) -> Logits:
        input_ids, attention_mask = padded(batch)
        with torch.inference_mode(), autocast(self.device, self.dtype):
            output = self.model(input_ids.to(self.device), attention_mask.to(self.device))
        return output_arrays(output)


class HeadTerms:
    """The terms of a classifier that has a head for what is assigned.

    It runs the batches that `logits` runs for the document, since in bf16 a window's last digits
    depend on the windows beside it: so its logits are the served ones to the last bit.
    """

    def __init__(self, backend: TorchBackend, windows: Windows) -> None:
        assert backend.model.assigned_head is not None
        self.head = backend.model.assigned_head
        self._windows = windows
        batches = backend.batches(windows)
        states = list(backend.token_states([[windows[i] for i in batch] for batch in batches]))
        self._batches = list(zip(batches, states, strict=True))
        back = np.argsort(np.concatenate(batches))
        served = _stacked([output_arrays(state.served) for state in states])
        self.served = served.map(lambda matrix: matrix[back])

    def logits(self, columns: Columns) -> Array:
        """Return the head's, from the pass that gave the states."""
        assert self.served.assigned is not None
        return np.asarray(self.served.assigned[:, columns])

    def terms(self, columns: Columns) -> list[tuple[Array, Array]]:
        """Return each piece's share of the vector that the head reads, times concepts' weights."""
        rows = torch.as_tensor(columns, device=self.head.weight.device)
        sums = self.logits(columns) - self.bias(columns)
        by_position: dict[int, tuple[Array, Array]] = {}
        for batch, states in self._batches:
            with torch.inference_mode():
                terms = states.terms(self.head, rows).cpu().numpy()
            for row, i in enumerate(batch):
                length = len(self._windows[i])
                attention = states.attention[row, :length].cpu().numpy()
                by_position[i] = without_rounding(terms[row, :length], sums[i]), attention
        return [by_position[i] for i in range(len(by_position))]

    def bias(self, columns: Columns) -> Array:
        """Return the head's own."""
        bias: Array = self.head.bias.detach().cpu().numpy()[columns]
        return bias


def without_rounding(terms: Array, sums: Array) -> Array:
    """Return terms that add up to given sums: the rest of rounding is spread by the terms' sizes.

    A network that serves in bf16 splits its vector in other steps than it computes it.

    Args:
        terms: (pieces, concepts).
        sums: (concepts,).
    """
    sizes = np.abs(terms)
    total = sizes.sum(axis=0)
    shares = sizes / np.where(total > 0, total, 1)
    spread: Array = terms + shares * (sums - terms.sum(axis=0))
    return spread


def padded(batch: Windows) -> tuple[torch.Tensor, torch.Tensor]:
    """Return input ids and attention mask, both (windows, tokens), with zeros on the right."""
    longest = max(len(window) for window in batch)
    length = -(-longest // _ROUND_TO) * _ROUND_TO
    # NumPy keeps the interpreter's lock where each step of torch would give it to another thread.
    input_ids = np.zeros((len(batch), length), dtype=np.int64)
    attention_mask = np.zeros_like(input_ids)
    for row, window in enumerate(batch):
        input_ids[row, : len(window)] = window
        attention_mask[row, : len(window)] = 1
    return torch.from_numpy(input_ids), torch.from_numpy(attention_mask)


def batches_by_length(
    windows: Windows, batch_size: int = BATCH_WINDOWS, batch_pieces: int = BATCH_PIECES
) -> list[list[int]]:
    """Return the places of the windows that are run together, the shortest first.

    Args:
        batch_size: windows at most.
        batch_pieces: pieces at most, of more than one window.
    """
    batches: list[list[int]] = []
    for i in sorted(range(len(windows)), key=lambda i: len(windows[i])):
        most = min(batch_size, max(1, batch_pieces // max(1, len(windows[i]))))
        if batches and len(batches[-1]) < most:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches


def _reading_dtype(model: GuidedClassifier, device: str) -> torch.dtype:
    """Return the number format of an encoder; a network is too small to gain on a processor."""
    if device == "cpu" and isinstance(model.encoder, Network):
        return torch.float32
    return serving_dtype(device)


def output_arrays(output: GuidedOutput) -> Logits:
    """Return a model's logits as arrays.

    Raises:
        BundleError: some are no numbers.
    """
    return Logits(_array(output.levels), _array(output.assigned))


def _array(logits: torch.Tensor | None) -> Array | None:
    if logits is None:
        return None
    array: Array = logits.float().cpu().numpy()
    if not np.isfinite(array).all():
        raise BundleError("The model gives values that are no numbers; its weights are damaged.")
    return array


def _stacked(parts: Sequence[Logits]) -> Logits:
    levels = [part.levels for part in parts if part.levels is not None]
    assigned = [part.assigned for part in parts if part.assigned is not None]
    return Logits(
        np.concatenate(levels) if levels else None,
        np.concatenate(assigned) if assigned else None,
    )

"""From windows of word pieces to the logits of a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from core.errors import BundleError
from core.model.guided import GuidedClassifier
from core.model.networks import Network
from core.model.precision import autocast, serving_dtype

Array = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]

BATCH_WINDOWS = 16
# Lengths are rounded up, so that the kernels of a few shapes serve all batches.
_ROUND_TO = 16


@dataclass(frozen=True, slots=True)
class Logits:
    """Logits of the heads for rows of windows or of documents.

    Attributes:
        levels: (rows, labels of the learned levels); None without level heads.
        assigned: (rows, assignable concepts); None without an assigned head.
    """

    levels: Array | None
    assigned: Array | None

    def rows(self, start: int, stop: int) -> Logits:
        """Some consecutive rows."""
        return self.map(lambda matrix: matrix[start:stop])

    def map(self, function: Callable[[Array], Array]) -> Logits:
        """The same function on each matrix that is there."""
        return Logits(
            None if self.levels is None else function(self.levels),
            None if self.assigned is None else function(self.assigned),
        )


@dataclass(frozen=True, slots=True)
class JoinRule:
    """How the windows of a document become one row of logits.

    The title's own window and the windows of the text are averaged with weights; those of the text
    are first joined by `pool`: "mean" of the logits, or "max".

    Attributes:
        title_weight: in [0, 1], tuned on dev documents with full text.
        max_share: how much of the text's row is the maximum over windows, the rest their mean:
            a concept that one article speaks of shows in one window only.
    """

    title_weight: float = 0.5
    max_share: float = 0.0

    def __call__(self, logits: Array) -> Array:
        """One row from a document's rows, the first of which is the title's."""
        if len(logits) == 1:
            return np.asarray(logits[0])
        text = (1 - self.max_share) * logits[1:].mean(axis=0)
        if self.max_share:
            text += self.max_share * logits[1:].max(axis=0)
        row: Array = self.title_weight * logits[0] + (1 - self.title_weight) * text
        return row

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a bundle's manifest."""
        return asdict(self)


class WindowScorer:
    """Runs a guided classifier over windows, sorted by length, in batches."""

    def __init__(
        self, model: GuidedClassifier, *, device: str = "cpu", dtype: torch.dtype | None = None
    ) -> None:
        self.model = model.to(device).eval()
        self.device = device
        self.dtype = dtype or _reading_dtype(model, device)

    def __call__(
        self,
        windows: Sequence[Sequence[int]],
        *,
        batch_size: int = BATCH_WINDOWS,
        on_progress: Progress | None = None,
    ) -> Logits:
        """Logits in the order of `windows`; `on_progress` hears (windows done, windows)."""
        batches = batches_by_length(windows, batch_size)
        parts: list[Logits] = []
        for n_batches, batch in enumerate(batches, start=1):
            parts.append(self._run([windows[i] for i in batch]))
            if on_progress:
                on_progress(min(n_batches * batch_size, len(windows)), len(windows))
        back = np.argsort(np.concatenate(batches))
        return _stacked(parts).map(lambda matrix: matrix[back])

    def _run(self, batch: Sequence[Sequence[int]]) -> Logits:
        input_ids, attention_mask = padded(batch)
        with torch.inference_mode(), autocast(self.device, self.dtype):
            output = self.model(input_ids.to(self.device), attention_mask.to(self.device))
        return Logits(_array(output.levels), _array(output.assigned))


def _reading_dtype(model: GuidedClassifier, device: str) -> torch.dtype:
    """What an encoder's products are served in; a network's are too small to gain on a processor."""
    if device == "cpu" and isinstance(model.encoder, Network):
        return torch.float32
    return serving_dtype(device)


class SilentScorer:
    """Stands where `WindowScorer` does in a bundle without an encoder: it has no logits."""

    device = "cpu"

    def __call__(
        self,
        windows: Sequence[Sequence[int]],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Logits:
        """Nothing, at once."""
        if on_progress:
            on_progress(len(windows), len(windows))
        return Logits(None, None)


def batches_by_length(
    windows: Sequence[Sequence[int]], batch_size: int = BATCH_WINDOWS
) -> list[list[int]]:
    """Places of the windows that are run together, the shortest first."""
    order = sorted(range(len(windows)), key=lambda i: len(windows[i]))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def padded(batch: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Input ids and attention mask, both (windows, tokens), padded with zeros on the right."""
    longest = max(len(window) for window in batch)
    length = -(-longest // _ROUND_TO) * _ROUND_TO
    input_ids = torch.zeros(len(batch), length, dtype=torch.long)
    attention_mask = torch.zeros_like(input_ids)
    for row, window in enumerate(batch):
        input_ids[row, : len(window)] = torch.as_tensor(window)
        attention_mask[row, : len(window)] = 1
    return input_ids, attention_mask


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

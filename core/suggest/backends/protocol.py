"""What a guided suggester asks of what computes its model: logits of windows, and their terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.model.number_format import Precision

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]
Windows = Sequence[Sequence[int]]
Progress = Callable[[int, int], None]
"""Called with the windows that are read and with all windows."""

BATCH_WINDOWS = 16
# Eight windows of full length: sixteen are no faster, and take 170 MB more.
BATCH_PIECES = 2048


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
        """Return some consecutive rows."""
        return self.map(lambda matrix: matrix[start:stop])

    def map(self, function: Callable[[Array], Array]) -> Logits:
        """Apply the same function to each matrix that is there."""
        return Logits(
            None if self.levels is None else function(self.levels),
            None if self.assigned is None else function(self.assigned),
        )


class WindowTerms(Protocol):
    """One pass over a document's windows, from which the terms of any concept can be had."""

    def logits(self, columns: Columns) -> Array:
        """Return the logits of each window, as they are served, (windows, concepts)."""

    @property
    def served(self) -> Logits:
        """The logits of each window, as they are served, of all heads."""

    def terms(self, columns: Columns) -> list[tuple[Array, Array]]:
        """Return for each window its pieces' terms, (pieces, concepts), and the attention to them.

        The terms of a window and the bias add up to its `logits`.
        """

    def bias(self, columns: Columns) -> Array:
        """Return the logit of a document that says nothing, for each of these concepts."""


class Backend(Protocol):
    """A model, loaded where it computes; may be used from several threads."""

    @property
    def device(self) -> str:
        """Where it computes, such as "cpu"."""

    @property
    def number_format(self) -> Precision:
        """The number format of its products, and why it was chosen."""

    def logits(
        self,
        windows: Windows,
        *,
        batch_size: int = BATCH_WINDOWS,
        on_progress: Progress | None = None,
    ) -> Logits:
        """Return logits in the order of the windows, each a sequence of token ids."""

    def terms(self, windows: Windows) -> WindowTerms:
        """Read the windows of one document so that their logits can be taken apart."""

"""What a student learns from its teacher: batches that carry the teacher's logits, and the loss.

Source: Adhikari et al. (2019), “DocBERT”, equation 1: L = L_classification + λ · KL(p‖q), with p
the probabilities of the student and q those of the teacher. The paper does not say what KL is where
each label has a probability of its own; here it is that of a Bernoulli distribution a label, a mean
over labels as the cross-entropy is. It names no temperature, so there is none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from filelock import FileLock, Timeout
from torch import Tensor

from core.model.guided import GuidedOutput
from training.fitting.inputs import TokenBatch, TrainingInputs
from training.fitting.losses import GuidedLoss, Targets, TeacherLogits


class TeacherInputs:
    """Documents in batches, with a teacher's logits among their targets.

    All windows of a document are compared with the teacher's logits of the whole document.
    """

    def __init__(self, inputs: TrainingInputs, logits: KeptLogits) -> None:
        self.inputs, self.kept = inputs, logits

    def __len__(self) -> int:
        return len(self.inputs)

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[tuple[int, int]]]:
        """Return the batches of one pass."""
        return self.inputs.epoch(rng, batch_size=batch_size)

    def batch(
        self, examples: Sequence[tuple[int, int]], rng: np.random.Generator | None = None
    ) -> TokenBatch:
        """Return tensors of some examples, and the teacher's logits of their documents."""
        batch = self.inputs.batch(examples, rng)
        teacher = self.kept.of([row for row, _ in examples])
        return replace(batch, targets=batch.targets._replace(teacher=teacher))

    def dev_batches(self, batch_size: int) -> Iterator[TokenBatch]:
        """Yield every document once, with its labels alone: that is what early stopping goes by."""
        return self.inputs.dev_batches(batch_size)


@dataclass(frozen=True, slots=True, eq=False)
class DistillLoss:
    """λ · KL(p‖q) of each head, weighted among heads and scaled as the loss of documents is.

    Only labels that the teacher knows are compared; of one label a document, the softmax over these
    labels. Level heads are compared where both have them; auxiliary heads, which training alone
    reads, are not.

    Attributes:
        documents: the loss of documents, for its scale and its objective.
        levels, assigned: columns of the student's heads that the teacher knows, in the order of
            its logits; None for all of them in order.
        weight: λ, `distill.weight`.
    """

    documents: GuidedLoss
    levels: Tensor | None = None
    assigned: Tensor | None = None
    weight: float = 1.0

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """Return a scalar in fp32; 0 without a teacher's logits, as on dev."""
        loss = targets.levels.new_zeros(())
        if targets.teacher is None:
            return loss
        documents = self.documents
        factor = sum(documents.level_sizes) if documents.scale == "sum" else 1
        teacher = targets.teacher
        if output.levels is not None and teacher.levels is not None:
            loss = loss + factor * bernoulli_kl(_of(output.levels, self.levels), teacher.levels)
        if output.assigned is not None and teacher.assigned is not None:
            is_single = documents.objective == "single_label"
            kl, scale = (softmax_kl, 1) if is_single else (bernoulli_kl, factor)
            student = _of(output.assigned, self.assigned)
            loss = loss + scale * kl(student, teacher.assigned)
        return self.weight * loss


def bernoulli_kl(student: Tensor, teacher: Tensor) -> Tensor:
    """Return KL(p‖q) of a Bernoulli distribution a label, mean over documents and labels.

    Args:
        student, teacher: logits, (batch, labels); no gradient reaches the teacher.
    """
    x, z = student.float(), teacher.detach().float()
    p = torch.sigmoid(x)
    # 1 - p as the sigmoid of the negative: of rare labels both logarithms keep their digits.
    yes = p * (F.logsigmoid(x) - F.logsigmoid(z))
    no = torch.sigmoid(-x) * (F.logsigmoid(-x) - F.logsigmoid(-z))
    return (yes + no).mean()


def softmax_kl(student: Tensor, teacher: Tensor) -> Tensor:
    """Return KL(p‖q) of a softmax over labels, mean over documents.

    Args:
        student, teacher: logits, (batch, labels); no gradient reaches the teacher.
    """
    log_p = F.log_softmax(student.float(), dim=-1)
    log_q = F.log_softmax(teacher.detach().float(), dim=-1)
    return F.kl_div(log_q, log_p, reduction="batchmean", log_target=True)


def _of(logits: Tensor, columns: Tensor | None) -> Tensor:
    return logits if columns is None else logits[:, columns.to(logits.device)]


# ---------------------------------------------------------------------- logits on disk
# A folder holds `levels.f16` and `assigned.f16`, rows of logits in the columns that teacher and
# student share, and `kept.json`, which says which columns these are and how many rows are finished.
# Reading the documents takes a large teacher minutes: a killed run goes on where it stopped, and
# runs that differ in their student alone share one folder.

KEPT = "kept.json"
LOCK = "lock"
HEADS = ("levels", "assigned")

Rows = Mapping[str, npt.NDArray[np.float32]]


@contextmanager
def written_alone(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Keep other runs from writing into a folder; waits while another does.

    The system takes the lock from a run that is killed.

    Args:
        say: is called with a sentence where there is another.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say(f"Another run lets the teacher read into {folder}; waiting for it.")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


class KeptLogits:
    """The rows of one folder, written in order and read at random.

    Attributes:
        n_done: how many documents have their row.
        minutes: that the teacher read them, over all resumed parts.
        columns: head -> columns of the student's head that the teacher knows, ascending.
    """

    def __init__(self, folder: Path, n_documents: int) -> None:
        self.folder, self.n_documents = folder, n_documents
        self.n_done, self.minutes = 0, 0.0
        self.columns: dict[str, list[int]] = {}
        self._matrices: dict[str, npt.NDArray[np.float16]] = {}
        n_done, columns, minutes = self._noted()
        if all(self._is_whole(head, head_columns) for head, head_columns in columns.items()):
            self.n_done, self.columns, self.minutes = n_done, columns, minutes
            # What is complete may lie where nothing can be written.
            mode = "r" if self.is_complete else "r+"
            self._matrices = {head: self._map(head, mode) for head in self.columns}

    def _noted(self) -> tuple[int, dict[str, list[int]], float]:
        """Return the contents of `kept.json`; empty where it is missing or cut by a full disk."""
        try:
            noted = json.loads((self.folder / KEPT).read_text("utf-8"))
            return int(noted["n_done"]), dict(noted["columns"]), float(noted.get("minutes", 0))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return 0, {}, 0.0

    @property
    def is_complete(self) -> bool:
        """Whether every document has its row."""
        return bool(self.columns) and self.n_done == self.n_documents

    def begin(self, columns: Mapping[str, list[int]]) -> None:
        """Make room for rows of these columns, by head; heads without any are left out."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.columns = {
            head: head_columns for head, head_columns in columns.items() if head_columns
        }
        self._matrices = {head: self._map(head, "w+") for head in self.columns}
        self.minutes = 0.0
        self._note(0)

    def append(self, rows: Rows, *, minutes: float = 0.0) -> None:
        """Keep the logits of the next documents; they count once they are on disk.

        Args:
            minutes: that the teacher read them.
        """
        self.minutes += minutes
        stop = self.n_done + len(next(iter(rows.values())))
        for head, matrix in self._matrices.items():
            matrix[self.n_done : stop] = rows[head]
            if isinstance(matrix, np.memmap):
                matrix.flush()
        self._note(stop)

    def of(self, rows: Sequence[int]) -> TeacherLogits:
        """Return the logits of some documents, (documents, columns) by head."""
        return TeacherLogits(*(self._tensor(head, rows) for head in HEADS))

    def column_index(self, head: str, n_columns: int) -> Tensor | None:
        """Return the column indices in the student's head; None where they are all columns."""
        column_ids = self.columns.get(head, [])
        return None if len(column_ids) == n_columns else torch.tensor(column_ids, dtype=torch.long)

    def _tensor(self, head: str, rows: Sequence[int]) -> Tensor | None:
        if head not in self._matrices:
            return None
        return torch.from_numpy(self._matrices[head][list(rows)].astype(np.float32))

    def _path(self, head: str) -> Path:
        return self.folder / f"{head}.f16"

    def _is_whole(self, head: str, columns: Sequence[int]) -> bool:
        expected = 2 * self.n_documents * len(columns)
        path = self._path(head)
        return path.is_file() and path.stat().st_size == expected

    def _map(self, head: str, mode: str) -> npt.NDArray[np.float16]:
        shape = (self.n_documents, len(self.columns[head]))
        matrix: npt.NDArray[np.float16] = np.memmap(
            self._path(head),
            dtype=np.float16,
            mode=mode,  # type: ignore[call-overload]
            shape=shape,
        )
        return matrix

    def _note(self, n_done: int) -> None:
        self.n_done = n_done
        part = self.folder / f"{KEPT}.{os.getpid()}.part"
        noted = {"n_done": n_done, "columns": self.columns, "minutes": self.minutes}
        part.write_text(json.dumps(noted), "utf-8")
        part.replace(self.folder / KEPT)

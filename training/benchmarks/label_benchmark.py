"""What label embeddings cost: time and memory by the number of labels.

Every label is compared with every word piece in each head of each layer, so time grows with the
labels. Memory does not: the scores are searched in blocks of `SCORE_BYTES`, and the gradient keeps
the winning label of each piece alone. Where thousands of labels would cost more than the encoder,
`model.label_levels` embeds those of the first levels only.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import torch
from typer import Argument, Option

from core.commands.options import run_function
from core.model.guided import GuidedClassifier, Shape, load_encoder
from core.model.label_embeddings import SCORE_BYTES
from training.judging.recorded import write_text
from training.results.tables import markdown

EUROVOC_LABELS = (0, 21, 148, 716, 4730, 7410)
"""None; level 1; levels 1-2; levels 1-3; those seen in the titles; all six levels of EuroVoc."""


@dataclass(frozen=True, slots=True)
class LabelCost:
    """Of one batch; seconds are the best of several, memory the largest resident size."""

    n_labels: int
    forward_seconds: float
    training_seconds: float
    megabytes: float


def measure_cost(
    encoder: str, n_labels: int, *, batch_size: int, tokens: int, repeats: int
) -> LabelCost:
    """Return the cost of one number of labels in this process."""
    model = GuidedClassifier(
        load_encoder(encoder), Shape("none", (), 2, n_label_embeddings=n_labels)
    )
    ids = torch.randint(5, 50, (batch_size, tokens))
    mask = torch.ones_like(ids)

    def forward() -> None:
        with torch.inference_mode():
            model.eval()(ids, mask)

    def step() -> None:
        output = model.train()(ids, mask)
        assert output.assigned is not None
        output.assigned.sum().backward()
        model.zero_grad(set_to_none=True)

    forward_seconds, training_seconds = _best(forward, repeats), _best(step, repeats)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return LabelCost(n_labels, forward_seconds, training_seconds, megabytes)


def _best(run: Callable[[], None], repeats: int) -> float:
    """Return seconds of processor time: what else runs on the machine must not count."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        run()
        seconds.append(time.process_time() - started)
    return min(seconds)


def cost_table(
    encoder: str,
    labels: Sequence[int] = EUROVOC_LABELS,
    *,
    batch_size: int = 8,
    tokens: int = 128,
    repeats: int = 3,
) -> str:
    """Return a line a number of labels, each measured in a process of its own, as Markdown."""
    costs = []
    # A process each, since the largest resident size never falls again; forked from one that has
    # imported everything and computed nothing.
    processes = get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    for n_labels in labels:
        with ProcessPoolExecutor(1, mp_context=processes) as pool:
            costs.append(
                pool.submit(
                    measure_cost,
                    encoder,
                    n_labels,
                    batch_size=batch_size,
                    tokens=tokens,
                    repeats=repeats,
                ).result()
            )
    header = ["Labels", "Forward, s", "of plain", "Training step, s", "of plain", "Peak memory, MB"]
    body = [_line(cost, costs[0]) for cost in costs]
    title = (
        f"One batch of {batch_size} × {tokens} word pieces, {torch.get_num_threads()} threads, "
        f"processor seconds; scores in blocks of {SCORE_BYTES >> 20} MB."
    )
    return f"{title}\n\n{markdown(header, body)}"


def _line(cost: LabelCost, plain: LabelCost) -> list[str]:
    return [
        f"{cost.n_labels:,}",
        f"{cost.forward_seconds:.2f}",
        f"{cost.forward_seconds / plain.forward_seconds:.2f}",
        f"{cost.training_seconds:.2f}",
        f"{cost.training_seconds / plain.training_seconds:.2f}",
        f"{cost.megabytes:,.0f}",
    ]


def main(
    encoder: Annotated[str, Argument(help="hub id or folder")],
    *,
    labels: Annotated[list[int] | None, Option(help="repeatable; those of EuroVoc")] = None,
    batch_size: int = 8,
    tokens: int = 128,
    repeats: int = 3,
    out: Annotated[Path | None, Option(help="file for the table")] = None,
) -> None:
    """Print what label embeddings cost as a table, and write it where that is asked for."""
    counts = labels or EUROVOC_LABELS
    table = cost_table(encoder, counts, batch_size=batch_size, tokens=tokens, repeats=repeats)
    if out:
        command = "python -m training.benchmarks.label_benchmark ENCODER"
        write_text(out, f"# What label embeddings cost\n\n{table}\n\nCommand: `{command}`\n")
    print(table)


if __name__ == "__main__":
    sys.exit(run_function(main, "training.benchmarks.label_benchmark"))

"""Tables of speed: how long models take, as Table 3 of the paper, and documents a second.

The first sets models beside one of them, with their sizes; the second is of `training benchmark`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from training.results.published import TABLE_3, title_of
from training.results.tables import markdown
from training.results.timings import Timing, fastest, read_timings, sessions

REFERENCE = "lstm_reg"
"""The model that times are set in proportion to, as in the paper; without it, the first."""

HEADER = (
    "Model",
    "Read",
    "Batch",
    "Seconds",
    "of {}",
    "Documents/s",
    "One document, ms (p50 / p95)",
    "of {}",
    "Parameters",
    "MB on disk",
)


def latency_page(folder: Path) -> str:
    """Return the table of every session in a folder, that of the most models first."""
    found = sessions(read_timings(folder)).values()
    parts = [f"*{measured_on(timings)}*\n\n{latency_table(timings)}" for timings in found]
    if any(timing.arm in TABLE_3 for timings in found for timing in timings):
        parts.append(published())
    title = "# Seconds over a split, and milliseconds over one document"
    return "\n\n".join([title, *parts]) + "\n"


def published() -> str:
    """Return Table 3 of the paper in a sentence, to be read beside the table."""
    published = [f"{title_of(arm)} {seconds} s ({n} ×)" for arm, (seconds, n) in TABLE_3.items()]
    return (
        f"Published, on an RTX 2080 Ti at batch 128: {', '.join(published)} over the "
        "validation set of Reuters."
    )


def measured_on(timings: Sequence[Timing]) -> str:
    """Return documents, device, threads, load and commit of a session."""
    first, threads = timings[0], sorted({timing.threads for timing in timings})
    return (
        f"{first.n_documents:,} documents of {first.split}, {first.device}, "
        f"{' or '.join(map(str, threads))} "
        f"thread{'' if threads == [1] else 's'}, load before {first.load_before:.1f}, "
        f"{first.session}, {first.commit}"
    )


def latency_table(timings: Sequence[Timing]) -> str:
    """Return a line a model and way, and its times in proportion to the reference's fastest way."""
    arm = REFERENCE if any(timing.arm == REFERENCE for timing in timings) else timings[0].arm
    batch, single = fastest(timings)[arm], fastest(timings, single=True)[arm]
    header = [heading.format(title_of(arm)) for heading in HEADER]
    return markdown(header, [_cells(timing, batch, single) for timing in timings])


def _cells(timing: Timing, batch: Timing, single: Timing) -> list[str]:
    return [
        title_of(timing.arm) + (f", seed {timing.seed}" if timing.seed > 1 else ""),
        timing.way,
        str(timing.batch_size),
        f"{timing.batch_seconds:,.2f}",
        times(timing.batch_ms / batch.batch_ms),
        f"{timing.documents_per_second:,.0f}",
        f"{timing.p50_ms:,.1f} / {timing.p95_ms:,.1f}",
        times(timing.p50_ms / single.p50_ms),
        "–" if timing.parameters < 0 else f"{timing.parameters:,}",
        "–" if timing.n_bytes < 0 else f"{timing.n_bytes / 1e6:,.1f}",
    ]


def times(ratio: float) -> str:
    """Return a ratio such as “60 ×” or “0.12 ×”; two digits are enough for a measured time."""
    return f"{ratio:.0f} ×" if ratio >= 10 else f"{ratio:.2g} ×"


# ---------------------------------------------------------------------- throughput

ROWS = "rows.jsonl"


@dataclass(frozen=True, slots=True)
class Speed:
    """One line: an encoder at a length and precision on a device.

    Attributes:
        forward, training: documents a second.
        product_tflops: of the large matrix product, 10¹² floating-point operations a second.
        forward_share, training_share: of the product's rate, in [0, 1].
    """

    encoder: str
    device: str
    precision: str
    tokens: int
    batch_size: int
    forward: float
    training: float
    product_tflops: float
    forward_share: float
    training_share: float
    threads: int
    load_before: float
    commit: str


def speed_table(speeds: Sequence[Speed]) -> str:
    """Return the lines as Markdown, shares in percent."""
    header = ["Encoder", "Device", "Precision", "Tokens", "Batch", "Product, TFLOP/s"]
    header += ["Forward, documents/s", "of the product", "Training, documents/s", "of the product"]
    header += ["Threads", "Load before", "Commit"]
    body = [
        [
            *(s.encoder, s.device, s.precision, str(s.tokens), str(s.batch_size)),
            f"{s.product_tflops:.3g}",
            *(f"{s.forward:,.1f}", f"{100 * s.forward_share:.0f} %"),
            *(f"{s.training:,.1f}", f"{100 * s.training_share:.0f} %"),
            *(str(s.threads), f"{s.load_before:.1f}", s.commit),
        ]
        for s in speeds
    ]
    return markdown(header, body)


def keep_speeds(speeds: Sequence[Speed], folder: Path) -> None:
    """Add lines to rows.jsonl of a folder, and write its table.md over all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ROWS).open("a", encoding="utf-8") as rows:
        rows.writelines(json.dumps(asdict(speed)) + "\n" for speed in speeds)
    (folder / "table.md").write_text(speed_page(folder), encoding="utf-8")


def speed_page(folder: Path) -> str:
    """Return the page of a folder's rows."""
    lines = (folder / ROWS).read_text(encoding="utf-8").splitlines()
    return f"# Speed\n\n{speed_table([Speed(**json.loads(line)) for line in lines])}\n"

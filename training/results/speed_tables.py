"""Tables of latency relative to one model, with sizes, as Table 3 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
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
    session_timings = sessions(read_timings(folder)).values()
    parts = [f"*{measured_on(timings)}*\n\n{latency_table(timings)}" for timings in session_timings]
    if any(timing.arm in TABLE_3 for timings in session_timings for timing in timings):
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

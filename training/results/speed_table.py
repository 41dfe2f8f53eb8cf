"""The table of `training benchmark`, and the rows that it is made of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from training.results.tables import markdown

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


def table(speeds: Sequence[Speed]) -> str:
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


def keep(speeds: Sequence[Speed], folder: Path) -> None:
    """Add lines to rows.jsonl of a folder, and write its table.md over all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ROWS).open("a", encoding="utf-8") as rows:
        rows.writelines(json.dumps(asdict(speed)) + "\n" for speed in speeds)
    (folder / "table.md").write_text(page(folder), encoding="utf-8")


def page(folder: Path) -> str:
    """Return the page of a folder's rows."""
    lines = (folder / ROWS).read_text(encoding="utf-8").splitlines()
    return f"# Speed\n\n{table([Speed(**json.loads(line)) for line in lines])}\n"

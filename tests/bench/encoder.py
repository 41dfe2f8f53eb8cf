"""What the EuroVoc encoder costs in fp32 and in int8 on this processor: `python -m tests.bench.encoder`.

It prints processor time of one thread, the least of some rounds, so that a busy machine says nearly
what an idle one does: of a window of 256 word pieces in OpenVINO, and of a layer's largest product
in PyTorch, whose int8 (FBGEMM) has kernels for AVX2.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import torch

from core.model.bundle.bundle import load_bundle
from core.settings import PROJECT_ROOT
from core.suggest.backends.openvino import OpenVinoBackend

ROUNDS, N_WINDOWS, LENGTH = 10, 2, 256
LARGEST = "encoder.layer.0.intermediate.dense.weight"


def least_milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    work()
    seconds = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return 1000 * min(seconds)


def products(weight: torch.Tensor) -> dict[str, Callable[[], object]]:
    """Return what multiplies as many rows as there are word pieces by a matrix, in each format."""
    rows = torch.randn(N_WINDOWS * LENGTH, weight.shape[1])
    scale = (weight.abs().amax(dim=1) / 127).double()
    zeros = torch.zeros(len(weight), dtype=torch.long)
    values = torch.quantize_per_channel(weight, scale, zeros, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(values, None)
    return {
        "fp32": lambda: torch.nn.functional.linear(rows, weight),
        # Seven bits of what is read: with eight, sums of two products do not fit into 16 bits.
        "int8": lambda: torch.ops.quantized.linear_dynamic(rows, packed, True),
    }


def main() -> None:
    """Print a line for each way to compute."""
    torch.set_num_threads(1)
    model, _ = load_bundle(PROJECT_ROOT / "assets" / "models" / "eurovoc").guided
    windows = torch.randint(1000, 30000, (N_WINDOWS, LENGTH)).tolist()
    for name, in_int8 in (("fp32", False), ("int8", True)):
        backend = OpenVinoBackend(model, dtype=torch.float32, int8=in_int8)
        taken = least_milliseconds(lambda backend=backend: backend.logits(windows))
        sys.stdout.write(f"OpenVINO, {name}: {taken / N_WINDOWS:.0f} ms a window\n")
    weight = model.encoder.state_dict()[LARGEST]
    for name, work in products(weight).items():
        taken = least_milliseconds(work)
        sys.stdout.write(f"PyTorch, {name}: {taken:.1f} ms a product by {tuple(weight.shape)}\n")


if __name__ == "__main__":
    main()

"""Documents a second, forward and in training, beside what a large matrix product reaches.

A document is as many random word pieces as an input holds: the time of a step depends on nothing
else. Training is the loop's own step (`training.fitting.loop.Trainer.train_step`): forward,
backward, clip, AdamW. The matrix product is timed in the same process, in the same number format,
and the share is that of its floating-point operations a second. Only products of matrices are
counted, those of the encoder's layers, forward once and in training three times (Kaplan et al.
2020, section 2.1).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from accelerate.state import AcceleratorState
from torch import Tensor
from transformers import BertConfig

from core.errors import ConfigError
from core.model.guided import GuidedClassifier, GuidedOutput, Shape, empty_encoder, load_encoder
from core.model.precision import autocast, best_device, serving_dtype
from training.config import RunConfig
from training.fitting.devices import PRECISIONS, moved, training_dtype
from training.fitting.loop import Trainer
from training.judging.recorded import commit
from training.results.speed_tables import Speed, speed_table

SHAPES: dict[str, dict[str, Any]] = {
    "bert-base": {"num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12},
    "minilm-12": {"num_hidden_layers": 12, "hidden_size": 384, "num_attention_heads": 12},
    "minilm-6": {"num_hidden_layers": 6, "hidden_size": 384, "num_attention_heads": 12},
}
"""Encoders by their shape, with random weights: these cost the same as trained ones."""

N_LABELS = 100
_WARM_UP = 2


@dataclass(frozen=True, slots=True)
class ThroughputBenchmark:
    """What is measured, and for how long each figure."""

    encoder: str = ""
    lengths: tuple[int, ...] = ()
    precisions: tuple[str, ...] = ()
    batch_size: int = 0
    seconds: float = 10.0

    def resolved(self) -> ThroughputBenchmark:
        """Return the settings, those of the device where nothing is given.

        Raises:
            ConfigError: a precision does not exist, or this device does not train in it.
        """
        on_gpu = best_device().startswith("cuda")
        fast = serving_dtype(best_device()) == torch.bfloat16
        for precision in self.precisions:
            training_dtype(precision, best_device())
        return ThroughputBenchmark(
            self.encoder or ("bert-base" if on_gpu else "minilm-6"),
            self.lengths or (64, 128, 512),
            self.precisions or (("fp32", "bf16") if fast else ("fp32",)),
            self.batch_size or (32 if on_gpu else 8),
            self.seconds,
        )


def benchmark(bench: ThroughputBenchmark, say: Callable[[str], None]) -> list[Speed]:
    """Measure every length in every precision, one after the other."""
    bench = bench.resolved()
    speeds = []
    for precision in bench.precisions:
        dtype = PRECISIONS[precision]
        product = product_flops(dtype, seconds=bench.seconds / 2)
        say(f"{precision}: a large matrix product reaches {product / 1e12:.3g} TFLOP/s")
        for tokens in bench.lengths:
            speeds.append(_speed(bench, precision, tokens, product))
            say(speed_table(speeds[-1:]).splitlines()[-1])
    return speeds


def _speed(bench: ThroughputBenchmark, precision: str, tokens: int, product: float) -> Speed:
    load = os.getloadavg()[0]
    model = GuidedClassifier(encoder_of(bench.encoder), Shape("none", (), N_LABELS))
    inputs = RandomWords(model.encoder.config, tokens, bench.batch_size)
    flops = forward_flops(model.encoder.config, tokens)
    forward = bench.batch_size / forward_seconds(
        model, inputs, PRECISIONS[precision], bench.seconds
    )
    training = bench.batch_size / training_seconds(model, inputs, precision, bench.seconds)
    device = best_device()
    return Speed(
        encoder=Path(bench.encoder).name,
        device=torch.cuda.get_device_name() if device == "cuda" else _processor(),
        precision=precision,
        tokens=tokens,
        batch_size=bench.batch_size,
        forward=round(forward, 2),
        training=round(training, 2),
        product_tflops=round(product / 1e12, 4),
        forward_share=round(forward * flops / product, 4),
        training_share=round(3 * training * flops / product, 4),
        threads=torch.get_num_threads(),
        load_before=round(load, 2),
        commit=commit(),
    )


def encoder_of(name: str) -> torch.nn.Module:
    """Return an encoder of a known shape with random weights, or a trained one."""
    if name not in SHAPES:
        return load_encoder(name)
    shape = SHAPES[name]
    config = BertConfig(**shape, intermediate_size=4 * shape["hidden_size"])
    return empty_encoder(config)


def forward_flops(config: Any, tokens: int) -> int:
    """Return floating-point operations of the matrix products of one document's forward pass.

    Of each layer: 8·T·d² for queries, keys, values and what leaves the attention, 4·T²·d for the
    attention itself, 4·T·d·f for the feed-forward part; a multiplication and an addition are two.
    """
    d, f = config.hidden_size, config.intermediate_size
    layer = 8 * tokens * d**2 + 4 * tokens**2 * d + 4 * tokens * d * f
    return int(config.num_hidden_layers * layer)


def product_flops(dtype: torch.dtype, *, seconds: float) -> float:
    """Return operations a second of the fastest of many products of two large square matrices."""
    device = best_device()
    n = 8192 if device == "cuda" else 2048
    left, right = torch.randn(2, n, n, device=device).to(dtype)
    return 2 * n**3 / _step_seconds(lambda: left @ right, seconds, fastest=True)


def forward_seconds(
    model: GuidedClassifier, inputs: RandomWords, dtype: torch.dtype, seconds: float
) -> float:
    """Return the median time of one batch, as a prediction computes it."""
    device = best_device()
    model.to(device).eval()
    batch = inputs.batch([0]).to(torch.device(device)).model_inputs()
    with torch.inference_mode(), autocast(device, dtype):
        return _step_seconds(lambda: model(**batch), seconds)


def training_seconds(
    model: GuidedClassifier, inputs: RandomWords, precision: str, seconds: float
) -> float:
    """Return the median time of one step of the training loop."""
    # accelerate holds to the first precision of a process unless its state is reset.
    AcceleratorState._reset_state()
    config = RunConfig(preset="small").replace("optim.precision", precision)
    config = config.replace("optim.optimizer", "adamw").replace("optim.clip", 1.0)
    with TemporaryDirectory() as folder:
        trainer = Trainer(config, model, _loss, inputs, inputs, Path(folder))
        trainer.model.train()
        measured = _step_seconds(lambda: trainer.train_step([0], 0), seconds)
    AcceleratorState._reset_state()
    return measured


def _step_seconds(step: Callable[[], Any], seconds: float, *, fastest: bool = False) -> float:
    """Return the median (or least) time of the steps that fit into the seconds, at least three."""
    times: list[float] = []
    for number in range(10_000):
        started = time.perf_counter()
        step()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        if number >= _WARM_UP:
            times.append(time.perf_counter() - started)
        if len(times) >= 3 and sum(times) >= seconds:
            break
    return min(times) if fastest else float(np.median(times))


def _loss(output: GuidedOutput, targets: Tensor) -> Tensor:
    assert output.assigned is not None
    return F.binary_cross_entropy_with_logits(output.assigned.float(), targets)


@dataclass(frozen=True, slots=True)
class WordsBatch:
    """A batch of random word pieces, (documents, tokens), without padding."""

    input_ids: Tensor
    targets: Tensor

    def __len__(self) -> int:
        return len(self.input_ids)

    def to(self, device: torch.device) -> WordsBatch:
        """Return the same on another device."""
        return WordsBatch(moved(self.input_ids, device), moved(self.targets, device))

    def model_inputs(self) -> dict[str, Tensor]:
        """Return what the model is called with."""
        return {"input_ids": self.input_ids, "attention_mask": torch.ones_like(self.input_ids)}


class RandomWords:
    """Inputs of the loop that are the same batch over and over."""

    def __init__(self, config: Any, tokens: int, batch_size: int) -> None:
        if tokens > config.max_position_embeddings:
            raise ConfigError(
                f"The encoder reads {config.max_position_embeddings} tokens at most, not {tokens}."
            )
        generator = torch.Generator().manual_seed(1)
        ids = torch.randint(0, config.vocab_size, (batch_size, tokens), generator=generator)
        labels = torch.rand((batch_size, N_LABELS), generator=generator) < 0.05
        self._batch = WordsBatch(ids, labels.float())

    def __len__(self) -> int:
        return len(self._batch)

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[int]]:
        """Return one batch."""
        return [[0]]

    def batch(self, examples: Sequence[int], rng: np.random.Generator | None = None) -> WordsBatch:
        """Return the batch."""
        return self._batch

    def dev_batches(self, batch_size: int) -> Iterator[WordsBatch]:
        """Yield the batch."""
        yield self._batch


def _processor() -> str:
    """Return the name of the processor, as far as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "CPU"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "CPU"

"""OpenVINO computes what PyTorch computes, from several threads, and gives way where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch

from core.documents.document import Document
from core.errors import ConfigError
from core.model.guided import GuidedClassifier, Shape
from core.paths import PROJECT_ROOT
from core.suggest.backends.openvino import OpenVinoBackend
from core.suggest.backends.torch import TorchBackend
from core.suggest.guided import GuidedSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import Computing, find_part
from tests.support.models.network_bundle import write_network_bundle
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.tiny_model import tiny_encoder

FISH = Document.from_text("1", "Regulation on the fish quota", "fishing bay " * 60)
WINDOWS = [list(range(2, 2 + n)) for n in (3, 17, 16, 30, 5, 5, 29)]
TOLERANCE = 2e-5
"""Between the logits of both in fp32; docs/speed.md says what that is in probabilities."""


def classifier(
    pooling: str = "mean", plan: str = "one_by_one", n_layers: int = 3
) -> GuidedClassifier:
    """A random BERT whose level heads read three of its layers.

    Threads of other tests that draw random numbers meanwhile make it another one.
    """
    torch.manual_seed(3)
    shape = Shape(plan, (2, 3, 4), 5, pooling=pooling)
    return GuidedClassifier(tiny_encoder(n_layers), shape).eval()


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize(("plan", "n_layers"), [("one_by_one", 3), ("flat", 1)])
@pytest.mark.parametrize("copies", [1, 30])
def test_the_logits_are_those_of_torch_in_the_order_of_the_windows(
    pooling: str, plan: str, n_layers: int, copies: int
) -> None:
    model = classifier(pooling, plan, n_layers)
    # Many windows take more batches than are computed at a time, so that requests are used again.
    windows = WINDOWS * copies
    found = OpenVinoBackend(deepcopy(model)).logits(windows, batch_size=7)
    expected = TorchBackend(model).logits(windows)
    np.testing.assert_allclose(found.levels, expected.levels, atol=TOLERANCE)
    np.testing.assert_allclose(found.assigned, expected.assigned, atol=TOLERANCE)


def test_bf16_is_nearly_the_same() -> None:
    model = classifier()
    found = OpenVinoBackend(deepcopy(model), dtype=torch.bfloat16).logits(WINDOWS).assigned
    expected = TorchBackend(model, dtype=torch.float32).logits(WINDOWS).assigned
    np.testing.assert_allclose(found, expected, atol=0.05)


def test_int8_is_nearly_the_same() -> None:
    model = classifier()
    found = OpenVinoBackend(deepcopy(model), dtype=torch.float32, int8=True).logits(WINDOWS)
    expected = TorchBackend(model, dtype=torch.float32).logits(WINDOWS)
    assert not np.array_equal(found.assigned, expected.assigned)
    np.testing.assert_allclose(found.assigned, expected.assigned, atol=0.05)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_in_int8_a_window_gets_what_it_gets_alone(batch_size: int) -> None:
    backend = OpenVinoBackend(classifier(), dtype=torch.float32, int8=True)
    together = backend.logits(WINDOWS, batch_size=batch_size).assigned
    alone = [backend.logits([window]).assigned for window in WINDOWS]
    np.testing.assert_allclose(together, np.concatenate(alone), atol=TOLERANCE)


def test_what_is_explained_in_int8_adds_up_to_what_was_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_PRECISION", "int8")
    write_tiny_bundle(tmp_path, linear=True)
    guided = find_part(load_suggester(tmp_path, backend="fastest"), GuidedSuggester)
    assert guided is not None
    pieces, columns = guided.read(FISH), np.arange(len(guided.assigned_columns))
    served = guided.backend.logits(pieces.windows).assigned
    words = guided.backend.terms(pieces.windows)
    assert np.array_equal(words.logits(columns), served)
    for number, (terms, _) in enumerate(words.terms(columns)):
        np.testing.assert_allclose(
            terms.sum(axis=0) + words.bias(columns), served[number], atol=1e-4
        )


def test_what_is_explained_is_what_was_served(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path, linear=True)
    ours, theirs = (load_suggester(tmp_path, backend=name) for name in ("fastest", "torch"))
    guided = find_part(ours, GuidedSuggester)
    assert guided is not None
    assert isinstance(guided.backend, OpenVinoBackend)
    columns = np.arange(len(ours.assigned_columns))
    words, expected = (s.explain(FISH).attribution("guided").windows for s in (ours, theirs))
    served = guided.backend.logits(guided.read(FISH).windows).assigned
    assert np.array_equal(words.logits(columns), served)
    both = zip(words.terms(columns), expected.terms(columns), strict=True)
    for number, ((terms, attention), (by_torch, attention_by_torch)) in enumerate(both):
        np.testing.assert_allclose(terms, by_torch, atol=1e-4)
        np.testing.assert_allclose(attention, attention_by_torch, atol=1e-4)
        np.testing.assert_allclose(
            terms.sum(axis=0) + words.bias(columns), served[number], atol=1e-4
        )


def test_many_threads_get_what_one_gets() -> None:
    backend = OpenVinoBackend(classifier())
    texts = [[WINDOWS[n], WINDOWS[-n]] for n in range(1, 7)] * 4
    alone = [backend.logits(text).assigned for text in texts]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda text: backend.logits(text).assigned, texts))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one, other)


def test_progress_counts_windows_and_may_stop_the_reading() -> None:
    backend = OpenVinoBackend(classifier())
    seen: list[tuple[int, int]] = []
    backend.logits(WINDOWS, batch_size=2, on_progress=lambda *counts: seen.append(counts))
    assert seen == [(2, 7), (4, 7), (6, 7), (7, 7)]

    def stop(_read: int, _all: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        backend.logits(WINDOWS, batch_size=2, on_progress=stop)
    assert backend.logits(WINDOWS).assigned is not None


@pytest.mark.parametrize("name", ["fp32", "bf16", "int8"])
def test_it_serves_where_it_can_and_says_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_BACKEND", "fastest")
    monkeypatch.setenv("STRATA_PRECISION", name)
    write_tiny_bundle(tmp_path)
    computing = find_part(load_suggester(tmp_path), Computing)  # type: ignore[type-abstract]
    assert computing is not None
    assert computing.number_format is not None
    assert computing.number_format.name == name
    assert computing.number_format.engine.startswith("OpenVINO 20")


@pytest.mark.parametrize("kind", ["network", "label_wise", "device"])
def test_torch_serves_what_it_cannot_run(kind: str, tmp_path: Path) -> None:
    if kind == "network":
        write_network_bundle(tmp_path)
    else:
        write_tiny_bundle(
            tmp_path, **{"label_wise": {"label_attention": "label_wise"}}.get(kind, {})
        )
    device = "meta" if kind == "device" else None
    guided = find_part(load_suggester(tmp_path, backend="fastest", device=device), GuidedSuggester)
    assert guided is not None
    assert type(guided.backend) is TorchBackend


def test_torch_serves_where_openvino_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "core.suggest.backends.openvino", None)
    write_tiny_bundle(tmp_path)
    guided = find_part(load_suggester(tmp_path, backend="fastest"), GuidedSuggester)
    assert guided is not None
    assert type(guided.backend) is TorchBackend
    assert caplog.messages == ["PyTorch serves, since OpenVINO does not"]


def test_a_backend_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_BACKEND", "abacus")
    write_tiny_bundle(tmp_path)
    with pytest.raises(ConfigError, match="STRATA_BACKEND is “abacus”; set it to fastest or torch"):
        load_suggester(tmp_path)


_IN_A_NEW_PROCESS = """
import os, sys
from threading import Thread
from tests.core.suggest.test_openvino import WINDOWS, OpenVinoBackend, classifier
reading = Thread(target=OpenVinoBackend(classifier()).logits, args=(WINDOWS * 300,))
cores, bound = os.sched_getaffinity(0), set()
reading.start()
while reading.is_alive():
    for thread in os.listdir("/proc/self/task"):
        try:
            bound |= {thread} if os.sched_getaffinity(int(thread)) != cores else set()
        except ProcessLookupError:
            pass
print([m for m in sys.modules if m.startswith("openvino_telemetry.")], bound or "free")
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores are not told apart here")
def test_nothing_counts_its_use_and_threads_are_bound_to_no_core() -> None:
    """Every process would bind its threads to the same core, and all would wait for it."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _IN_A_NEW_PROCESS],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert done.stdout == "[] free\n"

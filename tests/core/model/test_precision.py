"""Precision: measured once a machine and kept, named by the environment, and close to fp32."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from core.errors import ConfigError
from core.model import precision
from core.model.number_format import Precision, Reason
from core.model.precision import (
    int8_precision,
    machine_precision,
    read_measurements,
    serving_dtype,
    serving_precision,
)
from core.settings import PROJECT_ROOT
from tests.bench.precision import (
    BUNDLES,
    RANKED,
    RANKED_MEAN_TOLERANCE,
    RANKED_TOLERANCE,
    TOLERANCE,
    differences,
    example_documents,
)
from tests.support.models.precision_times import BF16_FASTER

FP32_FASTER = {torch.float32: 0.001, torch.bfloat16: 0.002}


def test_what_was_measured_is_served_after_a_restart(tmp_path: Path, timed) -> None:
    path = tmp_path / "home" / "precision.json"
    first = machine_precision("cpu", path, 2)
    assert (first.name, first.reason) == ("bf16", Reason.MEASURED)
    assert first.milliseconds == {"fp32": 2.0, "bf16": 1.0}
    timed.update(FP32_FASTER)  # a busy moment
    assert machine_precision("cpu", path, 2) == first
    assert [left.name for left in path.parent.iterdir()] == ["precision.json"]


def test_other_threads_another_torch_or_processor_are_measured_anew(
    tmp_path: Path, timed, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "precision.json"
    machine_precision("cpu", path, 2)
    timed.update(FP32_FASTER)
    assert machine_precision("cpu", path, 1).name == "fp32"
    monkeypatch.setattr(precision, "_processor", lambda: "another")
    assert machine_precision("cpu", path, 2).name == "fp32"
    monkeypatch.setattr(torch, "__version__", "99")
    machine_precision("cpu", path, 2)
    assert len(read_measurements(path)) == 4


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"machines": []}',
        '{"machines": {"a": {}}}',
        '{"machines": {"a": {"name": "fp8", "measured_at": "2026-01-01", '
        '"milliseconds": {"fp32": 1, "bf16": 1}}}}',
        b"\xff\xfe",
    ],
)
def test_a_file_that_cannot_be_read_is_measured_again(
    content: str | bytes, tmp_path: Path, timed
) -> None:
    path = tmp_path / "precision.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert machine_precision("cpu", path, 2).name == "bf16"
    assert json.loads(path.read_text("utf-8"))["machines"]


def test_a_home_that_cannot_be_written_gets_what_the_processor_is_made_for(
    tmp_path: Path, timed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    timed.update(FP32_FASTER)
    (tmp_path / "home").write_text("a file")
    path = tmp_path / "home" / "precision.json"
    for has_amx, name in ((True, "bf16"), (False, "fp32")):
        monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda has=has_amx: has)
        assert machine_precision("cpu", path, 2) == Precision(name, Reason.NOT_KEPT)
    assert "cannot be written" in caplog.text


def test_who_measured_first_is_followed(tmp_path: Path, timed, monkeypatch) -> None:
    path = tmp_path / "precision.json"
    measure = precision.measure

    def overtaken() -> Precision:
        timed.update(BF16_FASTER)
        monkeypatch.setattr(precision, "measure", measure)
        machine_precision("cpu", path, 2)
        return Precision("fp32", Reason.MEASURED, "2026-01-01", {"fp32": 1.0, "bf16": 2.0})

    monkeypatch.setattr(precision, "measure", overtaken)
    found = machine_precision("cpu", path, 2)
    assert found.measured_at != "2026-01-01"
    assert found.name == "bf16"
    assert list(read_measurements(path).values()) == [found]


def test_a_processor_without_units_is_not_measured(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(precision, "_has_bf16_units", lambda: False)
    path = tmp_path / "precision.json"
    assert machine_precision("cpu", path, 2) == Precision("fp32", Reason.NO_UNITS)
    assert not path.exists()


def test_the_environment_overrules_the_measurement(
    tmp_path: Path, timed, forgotten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_HOME", str(tmp_path))
    monkeypatch.setenv("STRATA_PRECISION", "fp32")
    assert serving_precision("cpu") == Precision("fp32", Reason.NAMED)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("STRATA_PRECISION", "auto")
    assert serving_dtype("cpu") == torch.bfloat16
    assert (tmp_path / "precision.json").exists()
    monkeypatch.setenv("STRATA_PRECISION", "fp8")
    with pytest.raises(ConfigError, match="set it to fp32, bf16, int8 or auto"):
        serving_precision("cpu")


@pytest.mark.parametrize(
    ("named", "has_vnni", "has_amx", "reason"),
    [
        ("auto", True, False, Reason.INT8_UNITS),
        ("auto", True, True, None),
        ("auto", False, False, None),
        ("bf16", True, False, None),
        ("int8", False, False, Reason.NAMED),
    ],
)
def test_int8_serves_where_it_is_named_or_the_fastest(
    named: str, has_vnni: bool, has_amx: bool, reason: Reason | None, monkeypatch
) -> None:
    monkeypatch.setenv("STRATA_PRECISION", named)
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: has_vnni)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: has_amx)
    assert int8_precision() == (Precision("int8", reason) if reason else None)


def test_what_is_not_in_int8_computes_in_what_the_machine_is_faster_with(
    tmp_path: Path, timed, forgotten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_HOME", str(tmp_path))
    monkeypatch.setenv("STRATA_PRECISION", "int8")
    assert serving_dtype("cpu") == torch.bfloat16


@pytest.mark.parametrize("name", BUNDLES)
def test_a_shipped_bundle_gives_nearly_the_same_in_bf16(name: str) -> None:
    folder = PROJECT_ROOT / "assets" / "models" / name
    found = differences(folder, example_documents()[1:8:3])
    tolerance = RANKED_TOLERANCE if name == RANKED else TOLERANCE
    assert 0 < found.largest < tolerance
    assert found.best < RANKED_MEAN_TOLERANCE
    assert found.batched < tolerance
    assert found.batched_fp32 < 1e-5

"""Precision: what the machine is made for, what the environment names, and close to fp32."""

from __future__ import annotations

import pytest
import torch

from core.errors import ConfigError
from core.model.number_format import Precision, Reason
from core.model.precision import (
    int8_precision,
    machine_precision,
    serving_dtype,
    serving_precision,
)
from core.paths import PROJECT_ROOT
from tests.bench.precision import (
    BUNDLES,
    RANKED,
    RANKED_MEAN_TOLERANCE,
    RANKED_TOLERANCE,
    TOLERANCE,
    differences,
    example_documents,
)


@pytest.mark.parametrize(
    ("has_amx", "expected"),
    [(True, Precision("bf16", Reason.BF16_UNITS)), (False, Precision("fp32", Reason.NO_UNITS))],
)
def test_a_processor_with_amx_computes_in_bf16_and_another_in_fp32(
    has_amx: bool, expected: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: has_amx)
    assert machine_precision("cpu") == expected
    assert machine_precision("mps").name == "fp32"


@pytest.mark.parametrize(("has_bf16", "name"), [(True, "bf16"), (False, "fp32")])
def test_a_graphics_card_computes_in_bf16_where_it_can(
    has_bf16: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: has_bf16)
    assert machine_precision("cuda:0") == Precision(name, Reason.GRAPHICS_CARD)


def test_the_environment_overrules_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    monkeypatch.setenv("STRATA_PRECISION", "fp32")
    assert serving_precision("cpu") == Precision("fp32", Reason.NAMED)
    for named in ("auto", "int8"):  # what is not in int8 computes as the machine does
        monkeypatch.setenv("STRATA_PRECISION", named)
        assert serving_dtype("cpu") == torch.bfloat16
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


@pytest.mark.parametrize("name", BUNDLES)
def test_a_shipped_bundle_gives_nearly_the_same_in_bf16(name: str) -> None:
    folder = PROJECT_ROOT / "assets" / "models" / name
    found = differences(folder, example_documents()[1:8:3])
    tolerance = RANKED_TOLERANCE if name == RANKED else TOLERANCE
    assert 0 < found.largest < tolerance
    assert found.best < RANKED_MEAN_TOLERANCE
    assert found.batched < tolerance
    assert found.batched_fp32 < 1e-5

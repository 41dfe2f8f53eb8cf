"""The benchmark of serving, on a tiny bundle and beside a program that speaks as Annif does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import ConfigError
from core.suggest.protocol import Computing, find_part
from tests.support.models.tiny_bundle import tiny_label_space, write_tiny_bundle
from training.benchmarks import serving
from training.benchmarks.serving import annif_project


def test_annif_is_asked_in_its_own_process(annif_folder: Path) -> None:
    documents = [Document.from_text(str(n), "Honey", "of bees\nand more") for n in range(3)]
    with annif_project(Path(sys.executable), annif_folder, "acts") as suggest:
        assert [suggest(documents), suggest(documents[:1])] == [3, 1]


@pytest.mark.parametrize(
    ("python", "project", "sentence"),
    [
        (Path(sys.executable), "other", r"cannot open the project other in .*: no project other"),
        (Path("no/python"), "acts", "no interpreter of Annif"),
    ],
)
def test_what_annif_lacks_is_said(
    python: Path, project: str, sentence: str, annif_folder: Path
) -> None:
    with (
        pytest.raises(ConfigError, match=sentence),
        annif_project(python, annif_folder, project),
    ):
        pass


def test_every_program_has_a_value_and_all_but_the_first_a_ratio(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path, linear=True)
    programs = {name: serving._reads(s) for name, s in serving.arms(tmp_path).items()}
    rows = list(serving.figures(programs, serving.ActWriter(tiny_label_space().hierarchy), 5))
    assert [(len(row.values), len(row.ratios)) for row in rows] == [(2, 1)] * 5
    assert rows[0].values[0].endswith(" ms")
    assert rows[4].values[1].endswith(" documents/s")


def test_a_ratio_says_how_many_times_faster_the_first_is(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"fast": 0.1, "slow": 0.3}
    monkeypatch.setattr(serving, "_seconds", lambda read, _documents: clock[read])
    documents = [Document.from_text("1", "Honey", "")] * 4
    programs = {"served": "fast", "other": "slow"}
    alone = serving.latency("a title", programs, documents)  # type: ignore[arg-type]
    assert alone.values == ["100 / 100 ms", "300 / 300 ms"]
    assert alone.ratios == pytest.approx([3])
    many = serving.throughput("titles", programs, documents)  # type: ignore[arg-type]
    assert many.values == ["40.0 documents/s", "13.3 documents/s"]
    assert many.ratios == pytest.approx([3])


def test_the_peer_computes_in_torch_and_fp32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_PRECISION", "bf16")
    write_tiny_bundle(tmp_path)
    found = {
        name: find_part(suggester, Computing)  # type: ignore[type-abstract]
        for name, suggester in serving.arms(tmp_path).items()
    }
    formats = {name: part.number_format for name, part in found.items() if part}
    assert [(f.name, f.engine) for f in formats.values() if f] == [
        ("bf16", "PyTorch"),
        ("fp32", "PyTorch"),
    ]

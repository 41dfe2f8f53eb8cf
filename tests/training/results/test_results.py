"""The figures of the README are those of the committed results, and those of the bundle's manifest."""

import json
import re

import pytest

from core.settings import PROJECT_ROOT
from training.judging.rows import ResultRow

RESULTS = PROJECT_ROOT / "docs" / "results" / "eurovoc"
README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
DEPTHS = [f"r_precision@{depth}" for depth in range(1, 7)]
TEXTS = ("titles", "full_texts", "full_texts_title_alone")


def figures(beginning: str) -> list[str]:
    """The numbers of the README's table row that begins so."""
    line = next(line for line in README.splitlines() if line.startswith(f"| {beginning}"))
    return re.findall(r"\d+\.\d", line.replace(beginning, "", 1))


def percent(row: ResultRow, metrics: list[str], subset: str = "all") -> list[str]:
    return [f"{100 * row.mean(metric, subset):.1f}" for metric in metrics]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("**Strata** |", "eurovoc"),
        ("omikuji Bonsai", "omikuji-bonsai"),
        ("omikuji Parabel |", "omikuji-parabel"),
    ],
)
def test_descriptors(name, row):
    result = ResultRow.load(RESULTS / f"{row}-test.npz")
    expected = percent(result, ["ndcg@5", "p@5", "f1@5"])
    expected += [percent(result, ["ndcg@5"], subset)[0] for subset in TEXTS]
    assert figures(name) == expected


@pytest.mark.parametrize(
    ("name", "row", "prefix"),
    [
        ("**Strata**, level heads", "eurovoc", ""),
        ("Strata, branch probability", "eurovoc", "branch_"),
        ("omikuji Parabel, augmented labels", "omikuji-parabel", ""),
        ("FLAT, one pass over titles", "../ablation/rows/flat-s1", ""),
    ],
)
def test_r_precision_by_depth(name, row, prefix):
    result = ResultRow.load(RESULTS / f"{row}-test.npz")
    metrics = [prefix + m for m in (*DEPTHS, "r_precision_micro", "r_precision_macro")]
    assert figures(name) == percent(result, metrics)


def test_the_bundle_carries_its_own_figures():
    bundle = PROJECT_ROOT / "assets" / "models" / "eurovoc" / "bundle.json"
    metrics = json.loads(bundle.read_text(encoding="utf-8"))["metrics"]
    for split in ("dev", "test"):
        result = ResultRow.load(RESULTS / f"eurovoc-{split}.npz")
        for subset, values in result.means.items():
            for metric, value in values.items():
                assert metrics[split][subset][metric] == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "arm"),
    [
        ("assigned head with FLAT", "flat"),
        ("assigned head alone", "assigned_alone"),
        ("assigned head with LAST-SIX's rule (4, 4, 5, 5, 6, 6)", "last_half"),
        ("FLAT and guided heads on lower layers as an extra loss", "flat_auxiliary"),
    ],
)
def test_the_ablation(name, arm):
    rows = PROJECT_ROOT / "docs" / "results" / "ablation" / "rows"
    result = ResultRow.load(rows / f"{arm}-s1-dev.npz")
    cells = [cell.strip() for cell in README.split(f"| {name} |")[1].splitlines()[0].split("|")]
    micro = result.mean("r_precision_micro")
    expected = [
        f"{100 * result.mean('ndcg@5'):.1f}",
        "" if micro != micro else f"{100 * micro:.1f}",
    ]
    assert [cells[0], cells[2]] == expected

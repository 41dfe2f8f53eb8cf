"""README and docs/results.md show the committed results, and so does the bundle's manifest."""

import json
import re

import pytest

from core.settings import PROJECT_ROOT
from training.judging.rows import ResultRow

RESULTS = PROJECT_ROOT / "docs" / "results" / "eurovoc"
README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (PROJECT_ROOT / "docs" / "results.md").read_text(encoding="utf-8")
DEPTHS = [f"r_precision@{depth}" for depth in range(1, 7)]
TEXTS = ("titles", "full_texts")


def figures(beginning: str, text: str = README) -> list[str]:
    """Return the numbers of the first table row of a text that begins so."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {beginning}"))
    return re.findall(r"\d+\.\d", line.replace(beginning, "", 1))


def table(name: str) -> str:
    """Return what stands under a marked table of docs/results.md."""
    return PAGE.split(f"<!-- table: {name} -->", 1)[1].split("<!-- end -->", 1)[0]


def percent(row: ResultRow, metrics: list[str], subset: str = "all") -> list[str]:
    return [f"{100 * row.mean(metric, subset):.1f}" for metric in metrics]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("**Strata** |", "eurovoc"),
        ("its two suggesters, averaged without a ranker |", "mean-of-two"),
        ("the guided suggester alone |", "guided"),
        ("the linear suggester alone |", "linear"),
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
    ("name", "section", "row", "prefix"),
    [
        ("eurovoc ", "eurovoc/table-test.md#R-Precision (%) on augmented labels", "eurovoc", ""),
        (
            "eurovoc ",
            "eurovoc/table-test.md#R-Precision (%) of branch probabilities",
            "eurovoc",
            "branch_",
        ),
        (
            "omikuji-parabel",
            "eurovoc/table-test.md#R-Precision (%) on augmented labels",
            "omikuji-parabel",
            "",
        ),
        (
            "flat ",
            "ablation/table-test.md#R-Precision (%) on augmented labels",
            "../ablation/rows/flat-s1",
            "",
        ),
    ],
)
def test_r_precision_by_depth(name, section, row, prefix):
    result = ResultRow.load(RESULTS / f"{row}-test.npz")
    metrics = [prefix + m for m in (*DEPTHS, "r_precision_micro", "r_precision_macro")]
    assert figures(name, table(section)) == percent(result, metrics)


def test_the_bundle_carries_its_own_figures():
    bundle = PROJECT_ROOT / "assets" / "models" / "eurovoc" / "bundle.json"
    metrics = json.loads(bundle.read_text(encoding="utf-8"))["metrics"]
    for split in ("dev", "test"):
        result = ResultRow.load(RESULTS / f"eurovoc-{split}.npz")
        for subset, values in result.means.items():
            for metric, value in values.items():
                assert metrics[split][subset][metric] == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("arm", ["flat", "assigned_alone", "last_half", "flat_auxiliary"])
def test_the_ablation(arm):
    rows = PROJECT_ROOT / "docs" / "results" / "ablation" / "rows"
    result = ResultRow.load(rows / f"{arm}-s1-test.npz")
    section = table("ablation/table-test.md#Assigned descriptors")
    assert figures(arm, section)[:3] == percent(result, ["ndcg@5", "p@5", "f1@5"])
